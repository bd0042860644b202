import Foundation

extension NSManagedObjectContext {
    /// When an asynchronous `perform` runs its block.
    public enum ScheduledTaskType: Sendable {
        /// At once if the caller is on the context's queue, otherwise as `enqueued`.
        case immediate
        /// Behind everything that waits on the context's queue.
        case enqueued
    }

    /// Runs the block on the context's queue later and returns at once. Pending changes are processed after it.
    @preconcurrency
    public final func perform(_ block: @escaping @Sendable () -> Void) {
        requireQueue("-performBlock:").async {
            self.gate?.enter()
            defer { self.gate?.leave() }
            HeldContexts.run(holding: self, holdsMain: self.isMain) {
                self.takeOverIncoming()
                block()
                self.endEvent()
                self.recentObjects.removeAll()
            }
        }
    }

    /// Runs the block on the calling thread while holding the context's queue, and returns its result; re-entrant.
    ///
    /// On a main-queue context the block runs on the main queue: inline when the caller holds it (also below blocks of
    /// private contexts), otherwise the caller waits for it.
    public final func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        let queue = requireQueue("-performBlockAndWait:")
        if HeldContexts.contains(self) { return try block() }
        let holdsMain = HeldContexts.isMainQueueHeld
        if isMain, holdsMain { return try HeldContexts.run(holding: self, holdsMain: true, block) }
        return try queue.sync {
            gate?.enter()
            defer { gate?.leave() }
            return try HeldContexts.run(holding: self, holdsMain: holdsMain || isMain) {
                defer {
                    if undoRecord != nil { endEvent() }
                    recentObjects.removeAll()
                }
                takeOverIncoming()
                return try block()
            }
        }
    }

    /// Runs the block on the context's queue and returns what it returns, suspending the caller meanwhile.
    ///
    /// The block is sent there: it is not isolated to the caller's actor, and may hold what the caller uses no more.
    public final func perform<T, Failure: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: sending @escaping () throws(Failure) -> T
    ) async throws(Failure) -> T {
        let queue = requireQueue("-performBlock:")
        let job = Transfer(block)
        let isInline = schedule == .immediate && isHeldByCaller
        let outcome: Transfer<Result<T, Failure>> = await withCheckedContinuation { continuation in
            let run: @Sendable () -> Void = {
                let holdsMain = isInline ? HeldContexts.isMainQueueHeld : self.isMain
                if !isInline { self.gate?.enter() }
                let result: Result<T, Failure> = HeldContexts.run(holding: self, holdsMain: holdsMain) {
                    defer {
                        self.endEvent()
                        self.recentObjects.removeAll()
                    }
                    if !isInline { self.takeOverIncoming() }
                    do throws(Failure) {
                        return .success(try job.value())
                    } catch {
                        return .failure(error)
                    }
                }
                if !isInline { self.gate?.leave() }
                continuation.resume(returning: Transfer(result))
            }
            if isInline { run() } else { queue.async(execute: run) }
        }
        return try outcome.value.get()
    }

    final var isMain: Bool { concurrencyType == .mainQueueConcurrencyType }

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

/// Carries a value to another queue where nobody else touches it any more.
struct Transfer<Value>: @unchecked Sendable {  // handed over: the sender does not use the value afterwards
    let value: Value
    init(_ value: Value) { self.value = value }
}
