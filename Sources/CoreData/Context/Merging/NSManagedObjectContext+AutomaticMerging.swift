import Foundation

// Automatic merging: a context merges the saves of other contexts in the order of their commits, on its own queue, and
// merges several waiting saves at once.
extension NSManagedObjectContext {
    /// The value of `automaticallyMergesChangesFromParent` unless a subclass overrides it.
    final var _automaticallyMergesChangesFromParent: Bool {
        get {
            checkConfinementOnceUsed()
            return guardedLock.withLock { guarded.mergesAutomatically }
        }
        set {
            checkConfinementOnceUsed()
            require(
                concurrencyType != .confinementConcurrencyType,
                "Automatic merging is not supported by contexts using NSConfinementConcurrencyType")
            guardedLock.withLock {
                guarded.mergesAutomatically = newValue
                if !newValue { guarded.pendingMerges = [] }
            }
            if newValue { subscribeToCoordinator() }
        }
    }

    /// Lets a context without a queue collect the saves of other contexts, which `mergeWaitingChanges()` takes over.
    package final func collectMerges() {
        guardedLock.withLock { guarded.mergesAutomatically = true }
        subscribeToCoordinator()
    }

    /// A context with a parent is found by the parent.
    final func subscribeToCoordinator() {
        guard parent == nil, guardedLock.withLock({ guarded.mergesAutomatically }) else { return }
        persistentStoreCoordinator?.subscribe(self)
    }

    /// Appends changes to this context's pending merges, if it merges automatically. Called on any thread.
    final func deliver(_ changes: MergedChanges) {
        let isFirst = guardedLock.withLock {
            guard guarded.mergesAutomatically else { return false }
            guarded.pendingMerges.append(changes)
            if guarded.pendingMerges.count > Self.manyPendingMerges { joinPendingMerges() }
            defer { guarded.isMergeScheduled = true }
            return !guarded.isMergeScheduled
        }
        if isFirst { enqueue { $0.mergeWaitingChanges() } }
    }

    /// With more pending merges than this they become one, because a context may not be used for a long time.
    private static let manyPendingMerges = 1_000

    private func joinPendingMerges() {
        guard var joined = guarded.pendingMerges.first else { return }
        for later in guarded.pendingMerges.dropFirst() { joined.append(later) }
        guarded.pendingMerges = [joined.withLastChanges()]
    }

    /// Appends changes to the pending merges of the children that merge automatically: changes that this context has
    /// saved, or that one of them saved into it.
    final func announceToChildren(
        _ changes: @autoclosure () -> MergedChanges, except saver: NSManagedObjectContext? = nil
    ) {
        let others = livingChildren.filter { $0 !== saver }
        if others.isEmpty { return }
        let changes = changes()
        for child in others { child.deliver(changes) }
    }

    /// Merges the saves that wait, on the context's queue, or on the thread that uses a context without one.
    package final func mergeWaitingChanges() {
        let waiting = guardedLock.withLock {
            let waiting = guarded.pendingMerges
            guarded.pendingMerges = []
            guarded.isMergeScheduled = false
            return waiting
        }
        guard var changes = waiting.first else { return }
        for later in waiting.dropFirst() { changes.append(later) }
        merge(changes)
    }

    /// Runs a body on the context's queue later, if the context still exists then.
    final func enqueue(_ body: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        queue?.async { [weak self] in
            guard let self else { return }
            self.hold { body(self) }
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// Adds a context that receives the changes of saves.
    final func subscribe(_ context: NSManagedObjectContext) {
        lock.withLock {
            subscribers.removeAll { $0.context == nil || $0.context === context }
            subscribers.append(WeakContext(context: context))
        }
    }

    /// Appends the changes of a save to the pending merges of the other contexts, in the order of the saves. Called
    /// inside `withSaveLock`. A save of another process has no saver, and comes at any time.
    final func publish(_ changes: @autoclosure () -> MergedChanges, from saver: NSManagedObjectContext?) {
        let others = lock.withLock { subscribers.compactMap(\.context) }.filter {
            $0 !== saver && $0.persistentStoreCoordinator === self
        }
        if others.isEmpty { return }
        let changes = changes()
        for context in others { context.deliver(changes) }
    }
}
