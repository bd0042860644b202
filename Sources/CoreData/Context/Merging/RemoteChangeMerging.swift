import Foundation

/// Merges what other processes save into a context that merges automatically, or into all such contexts of a
/// coordinator, as long as it is retained.
///
/// A store that keeps history says what has changed. Of another store the context reads all of its objects again, if
/// another connection than the store's own may have committed. Saves through the context's own coordinator are left
/// out, because automatic merging has delivered them.
// @unchecked Sendable: `logs` is used under the lock.
package final class RemoteChangeMerging: @unchecked Sendable {
    private weak var context: NSManagedObjectContext?
    /// The coordinator of the contexts, if there is no single context.
    private weak var coordinator: NSPersistentStoreCoordinator?
    private let lock = NSLock()
    /// What was read of each store, by its number.
    private var logs: [Int: Log] = [:]
    private var watches: StoreCommitWatches?

    private struct Log {
        /// The newest transaction that was merged; nil if it is not known, or without history.
        var last: Int64?
        let ownSaves = SaveLog()
        /// Tells the commits of this process from those of another one where no history does.
        var foreignVersion: Int64?
    }

    /// - Parameter context: A context with a coordinator of its own, which is not retained.
    init(into context: NSManagedObjectContext, of coordinator: NSPersistentStoreCoordinator) {
        self.context = context
        for attached in coordinator.lock.withLock({ coordinator.attached }) {
            logs[attached.number] = Self.log(of: attached)
        }
        watches = StoreCommitWatches(of: coordinator) { [weak self] in self?.merge(from: $0) }
    }

    /// - Parameter coordinator: A coordinator, which is not retained. Its contexts that merge get the changes at each
    ///   call of `look()`.
    package init(of coordinator: NSPersistentStoreCoordinator) {
        self.coordinator = coordinator
        for attached in coordinator.lock.withLock({ coordinator.attached }) {
            logs[attached.number] = Self.log(of: attached)
        }
    }

    /// Hands the contexts of the coordinator what other processes have committed by now. Any thread may call it.
    package func look() {
        guard let coordinator else { return }
        for attached in coordinator.lock.withLock({ coordinator.attached })
        where attached.rows.history != nil || attached.rows.foreignVersion != nil {
            merge(from: attached)
        }
    }

    private func merge(from attached: NSPersistentStoreCoordinator.AttachedStore) {
        do {
            // They are delivered under the lock: a second look, which finds nothing new, comes after the delivery.
            try lock.withLock {
                let changes = try newChanges(of: attached)
                if changes.isEmpty { return }
                context?.deliver(changes)
                coordinator?.publish(changes, from: nil)
            }
        } catch {
            context?.enqueue { $0.failFollowers(error) }
        }
    }

    private func newChanges(of attached: NSPersistentStoreCoordinator.AttachedStore) throws -> MergedChanges {
        var changes = MergedChanges()
        changes.isCached = false
        // Of a store that was added since, everything is read again at its first commit.
        var log = logs[attached.number] ?? Self.log(of: attached, isNew: true)
        defer { logs[attached.number] = log }
        guard let history = attached.rows.history, history.tracksHistory else {
            let version = attached.rows.foreignVersion
            changes.invalidatesAll = version == nil || version != log.foreignVersion
            log.foreignVersion = version
            return changes
        }
        let newest = try history.lastTransactionNumber()
        let known = log.last
        log.last = newest
        guard let known, try history.isComplete(after: known) else {
            changes.invalidatesAll = true
            return changes
        }
        let own = log.ownSaves.take(through: newest)
        if Int64(own.count) == newest - known { return changes }
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

    /// The state of a store now. If it cannot be read, the next commit makes the context read everything again.
    private static func log(of attached: NSPersistentStoreCoordinator.AttachedStore, isNew: Bool = false) -> Log {
        var log = Log()
        if let history = attached.rows.history, history.tracksHistory {
            history.record(savesIn: log.ownSaves)
            if !isNew { log.last = try? history.lastTransactionNumber() }
        } else if !isNew {
            log.foreignVersion = attached.rows.foreignVersion
        }
        return log
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
