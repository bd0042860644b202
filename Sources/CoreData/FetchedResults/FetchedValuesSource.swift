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
    private var hasBegun = false
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
            self?.context.enqueue { [weak self] _ in self?.stop() }
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
        if !hasBegun { try begin() }
        context.processPendingChanges()
        if let failure { throw failure }
        if try storeWatch?.hasMore() == true { needsFetch = true }
        guard needsFetch else { return nil }
        needsFetch = false
        let value = try fetch()
        if let last, isSame(last, value) { return nil }
        last = value
        return value
    }

    private func begin() throws {
        hasBegun = true
        concern = try FetchConcern(of: request, in: context)
        remoteChanges = context.followingRemoteChanges()
        storeWatch = FollowedStores(of: request, in: context) { [weak self] in self?.wake.wakeReader() }
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
        // Dictionaries come from the store, whatever the request says.
        if let parameters = request.fetchParameters, parameters.includesPendingChanges,
            parameters.resultType != .dictionaryResultType
        {
            observe(.NSManagedObjectContextObjectsDidChange) { $0.isConcerned(byObjectsOf: $1) }
            observe(.NSManagedObjectContextDidSave) { $0.isConcerned(bySave: $1) }
        } else {
            observe(.NSManagedObjectContextDidSave) { $0.isConcerned(byObjectsOf: $1) }
        }
        observe(.NSManagedObjectContextDidMergeChangesObjectIDs) { $0.isConcerned(byIDsOf: $1) }
    }

    private func outdate() {
        needsFetch = true
        wake.wakeReader()
    }
}
