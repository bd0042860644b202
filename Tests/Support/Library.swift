import CoreData

/// A coordinator with one store in a folder of its own, and contexts on it.
public final class Library: Sendable {
    public let coordinator: NSPersistentStoreCoordinator
    public let folder: TemporaryFolder
    public let kind: StoreKind
    /// The value of its options for history.
    private let tracking: Bool?

    public var storeURL: URL { folder.url.appendingPathComponent("Library.sqlite") }

    /// Opens a fresh library, or the one in an existing folder.
    public init(
        _ kind: StoreKind = .current, in folder: TemporaryFolder? = nil,
        model: NSManagedObjectModel = LibraryModel.make(), options: [AnyHashable: Any]? = nil
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.kind = kind
        tracking = options?[NSPersistentHistoryTrackingKey] as? Bool
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: kind.url(in: self.folder.url), options: options)
    }

    /// The library's only store.
    public var store: NSPersistentStore { coordinator.persistentStores[0] }

    /// The service behind a library of the incremental kind.
    public var service: RecordService { RecordService.at(store.url ?? URL(fileURLWithPath: "/dev/null")) }

    /// The library's store on a coordinator of its own, or this library where no other coordinator can read the store.
    /// A store that tracks history is opened with that option again. Without it the store would be read-only.
    public func beside() throws -> Library {
        if !kind.keepsRecords { return self }
        return try Library(
            kind, in: folder, model: coordinator.managedObjectModel,
            options: tracking.map { [NSPersistentHistoryTrackingKey: $0] })
    }

    /// The saved values: the texts of an attribute of all objects of an entity, sorted; "nil" where there is none.
    public func saved(_ entity: String, _ key: String) throws -> [String] {
        let context = try beside().context()
        return try context.performAndWait {
            try context.all(entity).map { $0.value(forKey: key).map { "\($0)" } ?? "nil" }.sorted()
        }
    }

    /// A new private-queue context on the coordinator.
    public func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait {
            context.persistentStoreCoordinator = coordinator
            // The folder exists as long as a context may read the store.
            context.userInfo["library"] = self
        }
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
