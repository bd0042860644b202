import CoreData

/// A coordinator with one store in a folder of its own, and contexts on it.
public final class Library: Sendable {
    public let coordinator: NSPersistentStoreCoordinator
    public let folder: TemporaryFolder

    public var storeURL: URL { folder.url.appendingPathComponent("Library.sqlite") }

    /// Opens a fresh library, or the one in an existing folder.
    public init(
        in folder: TemporaryFolder? = nil, model: NSManagedObjectModel = LibraryModel.make(),
        options: [String: Any]? = nil
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: options)
    }

    /// A new private-queue context on the coordinator.
    public func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        return context
    }

    /// A new private-queue context on another context.
    public func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.parent = parent }
        return context
    }
}

extension NSManagedObjectContext {
    /// A new object with the given values.
    @discardableResult
    public func make(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// All objects of an entity that match, by name of their `name` or `title` where they have one.
    public func all(_ entity: String, _ format: String? = nil, _ arguments: Any?...) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        if let format {
            request.predicate = NSPredicate(format: format, argumentArray: arguments.map { $0 ?? NSNull() })
        }
        return try fetch(request)
    }
}
