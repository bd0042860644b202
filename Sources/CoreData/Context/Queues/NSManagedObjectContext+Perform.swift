import Foundation

extension NSManagedObjectContext {
    /// When an asynchronous `perform` runs its block.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/scheduledtasktype)
    public enum ScheduledTaskType: Sendable {
        /// At once if the caller is on the context's queue; otherwise like `enqueued`.
        case immediate
        /// After everything that waits on the context's queue.
        case enqueued
    }

    /// Does the work of `perform(_:)` unless a subclass overrides it.
    final func _perform(_ block: @escaping @Sendable () -> Void) {
        requireQueue("-performBlock:").async {
            self.hold {
                block()
                self.endEvent()
            }
        }
    }

    /// Runs a body as one turn of the context's queue, on which this is.
    final func hold(_ body: () -> Void) {
        fifoLock?.enter()
        defer { fifoLock?.leave() }
        HeldContexts.run(holding: self, holdsMain: isMain) {
            takeOverIncoming()
            body()
            forgetWhatBlockLeft()
        }
    }

    /// Does the work of `performAndWait(_:)` unless a subclass overrides it.
    final func _performAndWait(_ block: () -> Void) {
        let queue = requireQueue("-performBlockAndWait:")
        if HeldContexts.contains(self) { return block() }
        let holdsMain = HeldContexts.isMainQueueHeld
        if isMain, holdsMain {
            return HeldContexts.run(holding: self, holdsMain: true) { recentObjects.holdingOwnResults(block) }
        }
        let handOff = LockHandOff(waitingFor: self)
        queue.sync {
            fifoLock?.enter()
            handOff?.takeBack()
            defer { fifoLock?.leave() }
            HeldContexts.run(holding: self, holdsMain: holdsMain || isMain) {
                defer {
                    if undoRecord != nil { endEvent() }
                    forgetWhatBlockLeft()
                }
                takeOverIncoming()
                block()
            }
        }
    }

    /// Does the work of `perform(schedule:_:)`.
    nonisolated(nonsending) final func _perform<T>(
        schedule: ScheduledTaskType, _ block: @escaping () throws -> T
    ) async rethrows -> T {
        let caller = #isolation
        return try await awaiting(block, rescue: { throw $0 }) { work, resume in
            let queue = requireQueue("-performBlock:")
            let isInline = schedule == .immediate && isHeldByCaller
            let run: @Sendable () -> Void = {
                let holdsMain = isInline ? HeldContexts.isMainQueueHeld : self.isMain
                if !isInline { self.fifoLock?.enter() }
                HeldContexts.run(holding: self, holdsMain: holdsMain) {
                    defer {
                        self.endEvent()
                        self.forgetWhatBlockLeft()
                    }
                    if !isInline { self.takeOverIncoming() }
                    work()
                }
                if !isInline { self.fifoLock?.leave() }
                resume()
            }
            if isInline { run() } else { queue.async(for: caller, execute: run) }
        }
    }

    final var isMain: Bool { queueType == .mainQueueConcurrencyType }

    final var isHeldByCaller: Bool {
        HeldContexts.contains(self) || (isMain && HeldContexts.isMainQueueHeld)
    }

    private func requireQueue(_ method: String) -> DispatchQueue {
        guard let queue else {
            fatalError(
                "Can only use \(method) on an NSManagedObjectContext that was created with a queue.")
        }
        return queue
    }
}
