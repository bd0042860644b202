import CoreData
import Foundation

/// A coordinator with one store, by default SQLite's, of a model in words (`ModelText`), in a folder of its own, and
/// contexts on it.
public final class TextStack: Sendable {
    public let coordinator: NSPersistentStoreCoordinator
    public let folder: TemporaryFolder
    /// The kind of the store, where it was opened by kind.
    public let kind: StoreKind?

    /// Of the stores that were added later.
    private let otherFolders = Locked<[TemporaryFolder]>([])

    /// Where the file lies, if there is one.
    public var storeURL: URL { folder.url.appendingPathComponent("Store.sqlite") }

    /// Opens a fresh store of a kind, or the one that belongs to an existing folder.
    public convenience init(
        _ text: String, in folder: TemporaryFolder? = nil, kind: StoreKind, options: [String: Any]? = nil,
        prepare: (NSManagedObjectModel) -> Void = { _ in }
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        let model = ModelText.model(text)
        prepare(model)
        try self.init(model, in: folder, kind: kind, type: kind.type, url: Self.url(kind, folder), options: options)
    }

    private static func url(_ kind: StoreKind, _ folder: TemporaryFolder) -> URL? {
        kind == .sqlite ? nil : kind.url(in: folder.url)
    }

    /// Opens a fresh store, or the one in an existing folder. `prepare` may change the model before it is used.
    public convenience init(
        _ text: String, in folder: TemporaryFolder? = nil, type: String = NSSQLiteStoreType, url: URL? = nil,
        options: [String: Any]? = nil, prepare: (NSManagedObjectModel) -> Void = { _ in }
    ) throws {
        let model = ModelText.model(text)
        prepare(model)
        try self.init(model, in: folder ?? TemporaryFolder(), kind: nil, type: type, url: url, options: options)
    }

    private init(
        _ model: NSManagedObjectModel, in folder: TemporaryFolder, kind: StoreKind?, type: String, url: URL?,
        options: [String: Any]?
    ) throws {
        self.folder = folder
        self.kind = kind
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url ?? storeURL, options: options)
    }

    /// The stack's store on a coordinator of its own.
    public func beside() throws -> TextStack {
        let (model, kind) = (coordinator.managedObjectModel, kind ?? .sqlite)
        return try TextStack(model, in: folder, kind: kind, type: kind.type, url: Self.url(kind, folder), options: nil)
    }

    /// Adds one more store of the same kind to the coordinator.
    public func addStore() throws {
        let (other, kind) = (try TemporaryFolder(), kind ?? .sqlite)
        otherFolders.withLock { $0.append(other) }
        try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: kind.url(in: other.url))
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
