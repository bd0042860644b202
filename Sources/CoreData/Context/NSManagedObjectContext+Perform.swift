import Foundation

extension NSManagedObjectContext {
    /// When an asynchronous `perform` runs its block.
    public enum ScheduledTaskType: Sendable {
        /// At once if the caller is on the context's queue, otherwise as `enqueued`.
        case immediate
        /// Behind everything that waits on the context's queue.
        case enqueued
    }

    /// What `perform(_:)` does unless a subclass overrides it.
    final func plainPerform(_ block: @escaping @Sendable () -> Void) {
        requireQueue("-performBlock:").async {
            self.hold {
                block()
                self.endEvent()
            }
        }
    }

    /// Runs a body as one turn of the context's queue, on which this is.
    final func hold(_ body: () -> Void) {
        gate?.enter()
        defer { gate?.leave() }
        HeldContexts.run(holding: self, holdsMain: isMain) {
            takeOverIncoming()
            body()
            forgetWhatBlockLeft()
        }
    }

    /// What `performAndWait(_:)` does unless a subclass overrides it.
    final func plainPerformAndWait(_ block: () -> Void) {
        let queue = requireQueue("-performBlockAndWait:")
        if HeldContexts.contains(self) { return block() }
        let holdsMain = HeldContexts.isMainQueueHeld
        if isMain, holdsMain {
            return HeldContexts.run(holding: self, holdsMain: true) { recentObjects.holdingOwnResults(block) }
        }
        let loan = ContextLoan(waitingFor: self)
        queue.sync {
            gate?.enter()
            loan?.takeBack()
            defer { gate?.leave() }
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

    /// Runs the block on the calling thread while holding the context's queue, and returns its result; re-entrant.
    ///
    /// On a main-queue context the block runs on the main queue: inline when the caller holds it (also below blocks of
    /// private contexts), otherwise the caller waits for it. Goes through the form without result, which a subclass may
    /// override.
    public final func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        try returning(block, rescue: { throw $0 }, by: performAndWait(_:))
    }

    /// Runs the block on the context's queue and returns what it returns, suspending the caller meanwhile.
    ///
    /// The block runs on the context's queue, and may hold what the caller uses: the compiler lets it, as on a Mac, and
    /// the check of queues finds an object that is used on a wrong one. See
    /// [Apple's page](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/perform(schedule:_:)).
    nonisolated(nonsending) public final func perform<T>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws -> T
    ) async rethrows -> T {
        let caller = #isolation
        return try await awaiting(block, rescue: { throw $0 }) { work, resume in
            let queue = requireQueue("-performBlock:")
            let isInline = schedule == .immediate && isHeldByCaller
            let run: @Sendable () -> Void = {
                let holdsMain = isInline ? HeldContexts.isMainQueueHeld : self.isMain
                if !isInline { self.gate?.enter() }
                HeldContexts.run(holding: self, holdsMain: holdsMain) {
                    defer {
                        self.endEvent()
                        self.forgetWhatBlockLeft()
                    }
                    if !isInline { self.takeOverIncoming() }
                    work()
                }
                if !isInline { self.gate?.leave() }
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
