import Foundation

/// Merges what other processes save into a context that merges automatically, as long as it is retained.
///
/// A store that keeps history says what has changed. Of another store the context reads all of its objects again. Saves
/// through the context's own coordinator are left out, because automatic merging has delivered them.
// @unchecked Sendable: `last` is used under the lock.
final class RemoteChangeMerging: @unchecked Sendable {
    private weak var context: NSManagedObjectContext?
    private let lock = NSLock()
    /// The numbers of the newest transactions that were merged, by the numbers of the stores.
    private var last: [Int: Int64] = [:]
    private var watches: StoreCommitWatches?

    /// - Parameter context: A context with a coordinator of its own, which is not retained.
    init(into context: NSManagedObjectContext, of coordinator: NSPersistentStoreCoordinator) {
        self.context = context
        for attached in coordinator.lock.withLock({ coordinator.attached }) {
            guard let history = attached.rows.history, history.tracksHistory else { continue }
            history.noteSaves()
            // If the number cannot be read now, the first commit makes the context read everything again.
            last[attached.number] = try? history.lastTransactionNumber()
        }
        watches = StoreCommitWatches(of: coordinator) { [weak self] in self?.merge(from: $0) }
    }

    private func merge(from attached: NSPersistentStoreCoordinator.AttachedStore) {
        guard let context else { return }
        do {
            let changes = try lock.withLock { try newChanges(of: attached) }
            if !changes.isEmpty { context.deliver(changes) }
        } catch {
            context.enqueue { $0.failFollowers(error) }
        }
    }

    private func newChanges(of attached: NSPersistentStoreCoordinator.AttachedStore) throws -> MergedChanges {
        var changes = MergedChanges()
        changes.isCached = false
        guard let history = attached.rows.history, history.tracksHistory else {
            changes.invalidatesAll = true
            return changes
        }
        let newest = try history.lastTransactionNumber()
        defer { last[attached.number] = newest }
        guard let known = last[attached.number], try history.isComplete(after: known) else {
            history.noteSaves()
            changes.invalidatesAll = true
            return changes
        }
        let own = history.takeNotedSaves(through: newest)
        try history.changes(.afterNumber(known)) { change in
            // A transaction that is committed while the history is read belongs to the next call.
            if change.transaction > newest || own.contains(change.transaction) { return }
            switch change.type {
            case .insert: changes.inserted.append(change.key)
            case .update: changes.updated.append(change.key)
            case .delete: changes.deleted.append(change.key)
            }
        }
        return changes
    }
}

extension NSManagedObjectContext {
    /// Begins to merge what other processes save, for the results that follow this context. The result has to be
    /// retained by them. Called on the context's queue.
    final func followingRemoteChanges() -> RemoteChangeMerging? {
        if let parent {
            // The parent merges on its own queue, and announces the changes to its children.
            return parent.followingRemoteChanges()
        }
        let (known, mergesAutomatically) = guardedLock.withLock {
            (guarded.remoteChangeMerging.merging, guarded.mergesAutomatically)
        }
        if let known { return known }
        guard mergesAutomatically, let coordinator = links.coordinator else { return nil }
        // It reads the stores, so the lock is not held. Of two that begin at once, the second is dropped.
        let merging = RemoteChangeMerging(into: self, of: coordinator)
        return guardedLock.withLock {
            if let known = guarded.remoteChangeMerging.merging { return known }
            guarded.remoteChangeMerging.merging = merging
            return merging
        }
    }

    /// Passes an error to everything that follows this context or a context below it.
    final func failFollowers(_ error: any Error) {
        for follower in followers { follower.core?.fail(error) }
        for child in livingChildren { child.enqueue { $0.failFollowers(error) } }
    }
}

/// A weak reference in `GuardedState`.
struct WeakRemoteChangeMerging {
    weak var merging: RemoteChangeMerging?
}
