import CoreData
import Foundation

extension ModelContext {
    /// Whether a save would write anything.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/haschanges)
    public var hasChanges: Bool { managed.hasChanges }

    /// The models that the next save adds.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/insertedmodelsarray)
    public var insertedModelsArray: [any PersistentModel] { models(managed.insertedObjects) }
    /// The models that the next save changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/changedmodelsarray)
    public var changedModelsArray: [any PersistentModel] { models(managed.updatedObjects) }
    /// The models that the next save removes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/deletedmodelsarray)
    public var deletedModelsArray: [any PersistentModel] { models(managed.deletedObjects) }

    private func models(_ objects: Set<NSManagedObject>) -> [any PersistentModel] {
        objects.compactMap { ($0 as? _ModelCore)?.model as? any PersistentModel }
            .sorted { $0.persistentModelID < $1.persistentModelID }
    }

    /// Inserts a model, and all new models to which it leads.
    ///
    /// A model of this context stays as it is. A model of another context, and one whose class the container does not
    /// have, stop the process.
    ///
    /// - Parameter model: The model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/insert(_:))
    public func insert<T: PersistentModel>(_ model: T) {
        let core = model._$settle()
        core.bind(model)
        insert(core)
        core.hold()
    }

    func insert(_ core: _ModelCore) {
        if let context = core.managedObjectContext {
            guard context === managed else {
                fatalError(
                    "Illegal attempt to insert a model in to a different model context: "
                        + "\(core.objectID.uriRepresentation())"
                )
            }
            return managed.insert(core)
        }
        if core.entity.managedObjectModel !== container.managed.model {
            let type = core.modelType.type
            guard container.managed.types[ObjectIdentifier(type)] != nil else {
                let name = String(describing: type)
                let known = container.schema.entitiesByName[name]?.type.map { String(reflecting: $0) }
                fatalError(
                    "The container has no class \(String(reflecting: type))"
                        + (known.map { "; its '\(name)' is \($0)" } ?? ""))
            }
            core.move(to: container.managed.model)
        }
        managed.insert(core)
    }

    /// Marks a model so that the next save removes it. Its delete rules count at once.
    ///
    /// - Parameter model: The model. One that was never inserted stays as it is.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/delete(_:))
    public func delete<T: PersistentModel>(_ model: T) {
        let core = model._$settle()
        guard let context = core.managedObjectContext else { return }
        guard context === managed else {
            fatalError(
                "Illegal attempt to delete a model of a different model context: \(core.objectID.uriRepresentation())")
        }
        core.bind(model)
        core.hold()
        managed.delete(core)
    }

    /// Marks models so that the next save removes them.
    ///
    /// - Parameters:
    ///   - model: The class.
    ///   - predicate: The condition; nil for all models.
    ///   - includeSubclasses: Whether models of subclasses count.
    /// - Throws: An error of the fetch.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/delete(model:where:includesubclasses:))
    public func delete<T: PersistentModel>(
        model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
    ) throws {
        for model in try fetch(FetchDescriptor<T>(predicate: predicate))
        where includeSubclasses || type(of: model) == T.self {
            delete(model)
        }
    }

    /// Applies pending changes, such as delete rules.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/processpendingchanges())
    public func processPendingChanges() { managed.processPendingChanges() }

    /// Writes all changes, or none. Without changes nothing happens.
    ///
    /// - Throws: The error of the validation or of the store. The changes stay.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/save())
    public func save() throws {
        mergeSiblings()
        guard hasChanges else { return }
        NotificationCenter.default.post(name: Self.willSave, object: self)
        saved = nil
        try managed.save()
        letGo()
        guard let saved else { return }
        var info: [AnyHashable: Any] = [:]
        func add(_ key: NotificationKey, _ ids: [NSManagedObjectID]) {
            let identifiers = ids.map { PersistentIdentifier($0) }
            info[key] = identifiers
            info[key.rawValue] = identifiers
        }
        add(.insertedIdentifiers, saved.inserted)
        add(.updatedIdentifiers, saved.updated)
        add(.deletedIdentifiers, saved.deleted)
        if let generation = managed.queryGenerationToken {
            info[NotificationKey.queryGeneration] = generation
            info[NotificationKey.queryGeneration.rawValue] = generation
        }
        NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: info)
    }

    /// Gives up all changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/rollback())
    public func rollback() {
        managed.rollback()
        letGo()
    }

    /// Runs a block, and saves after it.
    ///
    /// - Parameter block: The block.
    /// - Throws: The error of the block, or of the save.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/transaction(block:))
    public func transaction(block: () throws -> Void) throws {
        try block()
        try save()
    }

    // MARK: Notifications

    /// Posted before a save.
    public static let willSave = Notification.Name("ModelContextWillSave")
    /// Posted after a save. The user info has arrays of identifiers under the keys and under their raw values.
    public static let didSave = Notification.Name("ModelContextDidSave")

    /// Posted after a save that failed by itself. The user info has the error under `NSUnderlyingErrorKey`.
    ///
    /// OpenCoreData only.
    public static let didFailToSave = Notification.Name("ModelContextDidFailToSave")

    /// A key of the user info of a notification.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/notificationkey)
    public enum NotificationKey: String, Hashable, Sendable {
        /// The identifiers of new models.
        case insertedIdentifiers
        /// The identifiers of changed models.
        case updatedIdentifiers
        /// The identifiers of removed models.
        case deletedIdentifiers
        /// The identifiers of models that lose their values all at once. No save does that.
        case invalidatedAllIdentifiers
        /// The generation of the store's data that the context reads, if its managed object context is pinned to one.
        case queryGeneration
    }
}
