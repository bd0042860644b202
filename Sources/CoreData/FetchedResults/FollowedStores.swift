import Foundation

/// The stores from which results come. Results end with an error when one of them is removed, and have those of a store
/// that is added.
// @unchecked Sendable: `stores` is used on the context's queue, and the observer only at the beginning and at the end.
final class FollowedStores: @unchecked Sendable {
    private weak var context: NSManagedObjectContext?
    private let request: NSPersistentStoreRequest
    private var stores: [(store: NSPersistentStore, url: URL?)] = []
    private let haveChanged = Locked(false)
    private var observer: (any NSObjectProtocol)?

    /// Called on the context's queue. `onChange` is called on any thread.
    init(
        of request: NSPersistentStoreRequest, in context: NSManagedObjectContext,
        onChange: @escaping @Sendable () -> Void
    ) {
        self.context = context
        self.request = request
        if let coordinator = context.persistentStoreCoordinator {
            let haveChanged = haveChanged
            observer = NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
            ) { _ in
                haveChanged.withLock { $0 = true }
                onChange()
            }
        }
        stores = presentStores()
    }

    deinit {
        if let observer { NotificationCenter.default.removeObserver(observer) }
    }

    private func presentStores() -> [(store: NSPersistentStore, url: URL?)] {
        guard let context, let name = request.fetchParameters?.entityName,
            let layout = context.modelLayout?.layout(named: name)
        else { return [] }
        let attached = try? context.persistentStoreCoordinator?.attachedStores(for: layout, in: request.affectedStores)
        return (attached ?? []).map { ($0.store, $0.store.url) }
    }

    /// Returns whether a store was added since the last call. Called on the context's queue.
    ///
    /// - Throws: An error if one of the stores is no longer the coordinator's.
    func hasMore() throws -> Bool {
        let haveChanged = haveChanged.withLock { value in
            defer { value = false }
            return value
        }
        guard haveChanged else { return false }
        let former = stores
        stores = presentStores()
        for (store, url) in former where !stores.contains(where: { $0.store === store }) {
            throw NSError.coreData(
                NSPersistentStoreOperationError,
                reason: "The results can no longer be followed: their store was removed from its coordinator", url: url)
        }
        return stores.count > former.count
    }
}
