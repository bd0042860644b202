import Foundation

/// The entities and properties on which the results of a fetch depend.
struct FetchConcern {
    private let entities: Range<Int>
    private let dependencies: FetchedDependencies
    /// The properties of the entity that are read; nil if all of them may be.
    private let keys: Set<String>?

    init(of request: NSPersistentStoreRequest, in context: NSManagedObjectContext) throws {
        let parameters = request.fetchParameters ?? FetchParameters()
        let layout = try context.layout(of: parameters)
        entities = parameters.includesSubentities ? layout.subtree : layout.index..<layout.index + 1
        let paths = Self.paths(of: parameters)
        dependencies = FetchedDependencies(of: parameters, sectionKeyPath: nil, and: paths ?? [], from: layout)
        let keys = paths.map { Set($0.compactMap { $0.split(separator: ".").first.map(String.init) }) }
        self.keys = dependencies.areUnknown ? nil : keys
    }

    /// The key paths that a fetch reads; nil if it reads whole rows.
    private static func paths(of parameters: FetchParameters) -> Set<String>? {
        var paths = parameters.predicate?.keyPaths ?? []
        for descriptor in parameters.sortDescriptors ?? [] {
            guard let key = descriptor.sortKey else { return nil }
            paths.insert(key)
        }
        if parameters.resultType == .countResultType { return paths }
        guard parameters.resultType == .dictionaryResultType, let properties = parameters.propertiesToFetch else {
            return nil
        }
        paths.formUnion(parameters.havingPredicate?.keyPaths ?? [])
        for property in properties + (parameters.propertiesToGroupBy ?? []) {
            switch property {
            case let path as String: paths.insert(path)
            case let expression as NSExpressionDescription: paths.formUnion(expression.expression?.keyPaths ?? [])
            case let property as NSPropertyDescription: paths.insert(property.name)
            default: return nil
            }
        }
        return paths
    }

    private func isConcerned(by layoutIndex: Int) -> Bool {
        entities.contains(layoutIndex) || dependencies.contain(layoutIndex) || dependencies.areUnknown
    }

    /// Whether a save may give the fetch another result than the changes before it: values of related objects, and
    /// derived ones, are read as the store has them.
    func isConcerned(bySave notification: Notification) -> Bool {
        notification.hasObject { dependencies.contain($0) || dependencies.derive(from: $0) }
    }

    func isConcerned(byObjectsOf notification: Notification) -> Bool {
        let info = notification.userInfo ?? [:]
        if info[NSInvalidatedAllObjectsKey] != nil { return true }
        func objects(_ key: String) -> Set<NSManagedObject> { info[key] as? Set<NSManagedObject> ?? [] }
        func concern(_ key: String) -> Bool { objects(key).contains { isConcerned(by: $0.binding.layout.index) } }
        if concern(NSInsertedObjectsKey) || concern(NSDeletedObjectsKey) || concern(NSRefreshedObjectsKey) {
            return true
        }
        return objects(NSUpdatedObjectsKey).contains { object in
            let index = object.binding.layout.index
            if dependencies.contain(index) || dependencies.areUnknown { return true }
            guard entities.contains(index) else { return false }
            guard let keys, notification.name == .NSManagedObjectContextObjectsDidChange else { return true }
            let changed = object.changedValuesForCurrentEvent().keys
            // Another observer may have saved the object already.
            return changed.isEmpty || changed.contains { keys.contains($0) }
        }
    }

    func isConcerned(byIDsOf notification: Notification) -> Bool {
        if notification.userInfo?[NSInvalidatedAllObjectsKey] != nil { return true }
        return notification.hasID { isConcerned(by: $0) || dependencies.derive(from: $0) }
    }
}

extension Notification {
    /// Whether a notification of a save has an object of an entity.
    func hasObject(_ isConcerned: (_ layoutIndex: Int) -> Bool) -> Bool {
        [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey].contains { key in
            (userInfo?[key] as? Set<NSManagedObject> ?? []).contains { isConcerned($0.binding.layout.index) }
        }
    }

    /// Whether a notification of a merge has the id of an object of an entity.
    func hasID(_ isConcerned: (_ layoutIndex: Int) -> Bool) -> Bool {
        [NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey, NSDeletedObjectIDsKey].contains { key in
            (userInfo?[key] as? Set<NSManagedObjectID> ?? []).contains { isConcerned($0.objectKey.layoutIndex) }
        }
    }
}
