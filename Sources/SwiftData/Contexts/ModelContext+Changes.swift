import CoreData
import Foundation

extension ModelContext {
    /// Whether a save would write anything.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/haschanges)
    public var hasChanges: Bool { managed.hasChanges || !collected.isEmpty }

    /// The models that the next save adds.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/insertedmodelsarray)
    public var insertedModelsArray: [any PersistentModel] { models(\.insertedObjects) }
    /// The models that the next save changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/changedmodelsarray)
    public var changedModelsArray: [any PersistentModel] { models(\.updatedObjects) }
    /// The models that the next save removes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/deletedmodelsarray)
    public var deletedModelsArray: [any PersistentModel] { models(\.deletedObjects) }

    private func models(_ objects: KeyPath<ManagedContext, Set<NSManagedObject>>) -> [any PersistentModel] {
        applyCollectedDeletions()
        if !unfinished.isEmpty { removeUnfinished() }
        return managed[keyPath: objects].compactMap { $0 as? _ModelCore }
            .sorted { PersistentIdentifier($0.objectID) < PersistentIdentifier($1.objectID) }
            .map { $0.modelType.typed($0.model) }
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
        let core = model.presentCore
        using {
            core.bind(model)
            insert(core)
            core.hold()
        }
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
        let core = model.presentCore
        guard let context = core.managedObjectContext else { return }
        guard context === managed else {
            fatalError(
                "Illegal attempt to delete a model of a different model context: \(core.objectID.uriRepresentation())")
        }
        using {
            core.bind(model)
            delete(core)
            // The rules count at once, not at the end of the event.
            if core.modelType.hasRelationships { managed.processPendingChanges() }
        }
    }

    func delete(_ core: _ModelCore) {
        if core.livingModel == nil { noteChange() }
        core.hold()
        managed.delete(core)
    }

    /// Applies pending changes, such as delete rules.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/processpendingchanges())
    public func processPendingChanges() {
        using {
            applyCollectedDeletions()
            managed.processPendingChanges()
        }
    }

    /// Writes all changes, or none. Without changes nothing happens.
    ///
    /// - Throws: The error of the validation or of the store. The changes stay.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/save())
    public func save() throws { try using { try saveChanges() } }

    private func saveChanges() throws {
        mergeCommits()
        guard hasChanges else { return }
        try requireModelsOfWaiting()
        NotificationCenter.default.post(name: Self.willSave, object: self)
        saved = nil
        let collectedIDs = try executeCollectedDeletions()
        if collectedIDs == nil {
            // A store of a program gives identifiers in the save.
            if parts.customRows.isEmpty { settleGivenIdentifiers() }
            try managed.save()
            if !parts.customRows.isEmpty { takeReregistered() }
        }
        var info: [AnyHashable: Any] = [:]
        func add(_ key: NotificationKey, _ ids: [NSManagedObjectID]?) {
            let identifiers = ids?.map { PersistentIdentifier($0) } ?? []
            info[key] = identifiers
            info[key.rawValue] = identifiers
        }
        add(.insertedIdentifiers, saved?.inserted)
        add(.updatedIdentifiers, saved?.updated)
        add(.deletedIdentifiers, collectedIDs ?? saved?.deleted)
        if let generation = managed.queryGenerationToken {
            info[NotificationKey.queryGeneration] = generation
            info[NotificationKey.queryGeneration.rawValue] = generation
        }
        NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: info)
    }

    /// Gives the new models whose identifiers programs have got permanent ids before the save. Once the rows are in the
    /// store, another thread may hash their ids, and the hashes have to be the ones of the temporary ids.
    private func settleGivenIdentifiers() {
        let cores = GivenIdentifiers.cores(of: self)
        // If there is an error, the save has it as well.
        if cores.isEmpty || (try? managed.obtainPermanentIDs(for: cores)) == nil { return }
        GivenIdentifiers.settle(cores)
    }

    /// Gives up all changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/rollback())
    public func rollback() {
        using {
            collected = []
            managed.rollback()
            letGo()
        }
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
