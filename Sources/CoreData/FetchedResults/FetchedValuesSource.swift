import Foundation

/// Follows results that are no objects by another fetch after each change that concerns them: counts, dictionaries,
/// results without unsaved changes.
// @unchecked Sendable: everything but the constants is used on the context's queue.
final class FetchedValuesSource<Value>: FetchedResultsSource, ContextFollower, @unchecked Sendable {
    let wake = FetchedResultsWake()
    let context: NSManagedObjectContext
    private let request: NSPersistentStoreRequest
    private let fetch: () throws -> Value
    private let isSame: (Value, Value) -> Bool
    private var concern: FetchConcern?
    private var last: Value?
    private var needsFetch = false
    private var failure: (any Error)?
    private var observers: [any NSObjectProtocol] = []
    private var remoteChanges: RemoteChangeMerging?
    private var storeWatch: FollowedStores?

    init(
        _ request: NSPersistentStoreRequest, in context: NSManagedObjectContext,
        isSame: @escaping (Value, Value) -> Bool, fetch: @escaping () throws -> Value
    ) {
        self.request = request
        self.context = context
        self.isSame = isSame
        self.fetch = fetch
        wake.onEnd { [weak self] in
            guard let self else { return }
            context.perform { [weak self] in self?.stop() }
        }
    }

    deinit { stopObserving() }

    private func stopObserving() {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        observers = []
    }

    func stop() {
        stopObserving()
        remoteChanges = nil
        storeWatch = nil
        last = nil
    }

    /// The ids of a merge say enough; no object has to be made for it.
    func follows(_ layoutIndex: Int) -> Bool { false }

    func fail(_ error: any Error) {
        failure = failure ?? error
        wake.wakeReader()
    }

    func value() throws -> Value? {
        if observers.isEmpty, last == nil { try begin() }
        context.processPendingChanges()
        if let failure { throw failure }
        try storeWatch?.check()
        guard needsFetch else { return nil }
        needsFetch = false
        let value = try fetch()
        if let last, isSame(last, value) { return nil }
        last = value
        return value
    }

    private func begin() throws {
        concern = try FetchConcern(of: request, in: context)
        remoteChanges = context.followingRemoteChanges()
        storeWatch = FollowedStores(of: request, in: context) { [weak self, weak context] in
            context?.enqueue { [weak self] _ in self?.outdate() }
        }
        context.followers.removeAll { $0.core == nil }
        context.followers.append(Follower(core: self))
        needsFetch = true
        func observe(_ name: Notification.Name, _ isConcerned: @escaping @Sendable (FetchConcern, Notification) -> Bool)
        {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                    [weak self] notification in
                    guard let self, let concern, isConcerned(concern, notification) else { return }
                    outdate()
                })
        }
        let readsUnsaved = request.fetchParameters?.includesPendingChanges == true
        observe(readsUnsaved ? .NSManagedObjectContextObjectsDidChange : .NSManagedObjectContextDidSave) {
            $0.isConcerned(byObjectsOf: $1)
        }
        observe(.NSManagedObjectContextDidMergeChangesObjectIDs) { $0.isConcerned(byIDsOf: $1) }
    }

    private func outdate() {
        needsFetch = true
        wake.wakeReader()
    }
}

/// The entities and properties on which the results of a fetch depend.
struct FetchConcern {
    private let layout: EntityLayout
    private let entities: Range<Int>
    private let dependencies: FetchedDependencies
    /// The properties of the entity that are read; nil if all of them may be.
    private let keys: Set<String>?

    init(of request: NSPersistentStoreRequest, in context: NSManagedObjectContext) throws {
        guard let parameters = request.fetchParameters,
            let layout = context.modelLayout?.layout(named: parameters.entityName ?? "")
        else {
            throw NSError.coreData(
                NSCoreDataError,
                reason: """
                    A fetch request must have an entity; the context's model has no entity \
                    '\(request.fetchParameters?.entityName ?? "")'
                    """)
        }
        self.layout = layout
        entities = parameters.includesSubentities ? layout.subtree : layout.index..<layout.index + 1
        let paths = Self.paths(of: parameters)
        dependencies = FetchedDependencies(of: parameters, sectionKeyPath: nil, and: paths ?? [], from: layout)
        keys = paths.map { Set($0.compactMap { $0.split(separator: ".").first.map(String.init) }) }
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
        entities.contains(layoutIndex) || dependencies.contain(layoutIndex)
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
            if dependencies.contain(index) { return true }
            guard entities.contains(index) else { return false }
            guard let keys, notification.name == .NSManagedObjectContextObjectsDidChange else { return true }
            return object.changedValuesForCurrentEvent().keys.contains { keys.contains($0) }
        }
    }

    func isConcerned(byIDsOf notification: Notification) -> Bool {
        let info = notification.userInfo ?? [:]
        if info[NSInvalidatedAllObjectsKey] != nil { return true }
        return [NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey, NSDeletedObjectIDsKey].contains { key in
            (info[key] as? Set<NSManagedObjectID> ?? []).contains { isConcerned(by: $0.objectKey.layoutIndex) }
        }
    }
}
