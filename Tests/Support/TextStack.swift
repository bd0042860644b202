import CoreData
import Foundation

/// A coordinator with one store, SQLite's unless told, of a model in words (`ModelText`), in a folder of its own, and
/// contexts on it.
public final class TextStack: Sendable {
    public let coordinator: NSPersistentStoreCoordinator
    public let folder: TemporaryFolder

    public var storeURL: URL { folder.url.appendingPathComponent("Store.sqlite") }

    /// Opens a fresh store of a kind, or the one that belongs to an existing folder.
    public convenience init(
        _ text: String, in folder: TemporaryFolder? = nil, kind: StoreKind, options: [String: Any]? = nil,
        prepare: (NSManagedObjectModel) -> Void = { _ in }
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        try self.init(
            text, in: folder, type: kind.type, url: kind == .sqlite ? nil : kind.url(in: folder.url), options: options,
            prepare: prepare)
    }

    /// Opens a fresh store, or the one in an existing folder. `prepare` may change the model before it is used.
    public init(
        _ text: String, in folder: TemporaryFolder? = nil, type: String = NSSQLiteStoreType, url: URL? = nil,
        options: [String: Any]? = nil, prepare: (NSManagedObjectModel) -> Void = { _ in }
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        let model = ModelText.model(text)
        prepare(model)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url ?? storeURL, options: options)
    }

    /// A new private-queue context on the coordinator.
    public func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        return context
    }

    /// The file as it is.
    public func raw() throws -> RawDatabase { try RawDatabase(storeURL) }
}

extension NSManagedObjectModel {
    /// Sets the delete rule of a relationship.
    public func setRule(_ rule: NSDeleteRule, _ entity: String, _ relationship: String) {
        entitiesByName[entity]?.relationshipsByName[relationship]?.deleteRule = rule
    }
}
