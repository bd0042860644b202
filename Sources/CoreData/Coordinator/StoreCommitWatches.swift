import Foundation

/// Calls a handler after commits to the stores of a coordinator, whichever process made them, until it is released.
///
/// It watches stores that are added later, too. A store that only its own process can write is not watched.
// @unchecked Sendable: `watches` is used under the lock.
final class StoreCommitWatches: @unchecked Sendable {
    private weak var coordinator: NSPersistentStoreCoordinator?
    private let handler: @Sendable (_ store: NSPersistentStoreCoordinator.AttachedStore) -> Void
    private let lock = NSLock()
    private var watches: [ObjectIdentifier: any CommitWatch] = [:]
    private var observer: (any NSObjectProtocol)?

    /// - Parameters:
    ///   - coordinator: The coordinator, which is not retained.
    ///   - handler: Called on a queue of the framework, with the store.
    init(
        of coordinator: NSPersistentStoreCoordinator,
        handler: @escaping @Sendable (_ store: NSPersistentStoreCoordinator.AttachedStore) -> Void
    ) {
        self.coordinator = coordinator
        self.handler = handler
        observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
        ) { [weak self] _ in self?.watchPresentStores() }
        watchPresentStores()
    }

    deinit {
        if let observer { NotificationCenter.default.removeObserver(observer) }
        for watch in watches.values { watch.cancel() }
    }

    private func watchPresentStores() {
        guard let coordinator else { return }
        let present = coordinator.lock.withLock { coordinator.attached }
        let known = Set(present.map { ObjectIdentifier($0.store) })
        let ended = lock.withLock {
            let ended = watches.filter { !known.contains($0.key) }.map(\.value)
            watches = watches.filter { known.contains($0.key) }
            return ended
        }
        for watch in ended { watch.cancel() }
        for attached in present where lock.withLock({ watches[ObjectIdentifier(attached.store)] == nil }) {
            let handler = handler
            do {
                let watch = try attached.rows.watchCommits { [weak coordinator] _ in
                    // The store may have been removed since; its rows cannot be read then.
                    guard let coordinator,
                        let match = try? coordinator.attachedStore(numbered: attached.number),
                        match.store === attached.store
                    else { return }
                    handler(match)
                }
                if let watch { lock.withLock { watches[ObjectIdentifier(attached.store)] = watch } }
            } catch {
                SQLStore.reportMissingNotifications(error)
            }
        }
    }
}
