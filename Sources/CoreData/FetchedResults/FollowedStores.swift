import Foundation

/// The stores from which results come. Results end with an error when one of them is removed.
// @unchecked Sendable: the observer is only used at the beginning and at the end.
final class FollowedStores: @unchecked Sendable {
    private weak var coordinator: NSPersistentStoreCoordinator?
    private let stores: [(store: NSPersistentStore, url: URL?)]
    private var observer: (any NSObjectProtocol)?

    init(
        of request: NSPersistentStoreRequest, in context: NSManagedObjectContext,
        onChange: @escaping @Sendable () -> Void
    ) {
        let coordinator = context.persistentStoreCoordinator
        self.coordinator = coordinator
        let layout = request.fetchParameters?.entityName.flatMap { context.modelLayout?.layout(named: $0) }
        stores =
            layout.flatMap { try? coordinator?.attachedStores(for: $0, in: request.affectedStores) }?
            .map { ($0.store, $0.store.url) } ?? []
        if let coordinator {
            observer = NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
            ) { _ in onChange() }
        }
    }

    deinit {
        if let observer { NotificationCenter.default.removeObserver(observer) }
    }

    /// Throws if one of the stores is no longer the coordinator's.
    func check() throws {
        let present = coordinator?.persistentStores ?? []
        for (store, url) in stores where !present.contains(where: { $0 === store }) {
            throw NSError.coreData(
                NSPersistentStoreOperationError,
                reason: "The results can no longer be followed: their store was removed from its coordinator", url: url)
        }
    }
}
