import Foundation

/// Runs a block of an actor's code on a queue, while that actor's code waits for it.
///
/// The compiler takes a closure that is not `@Sendable` for code of the actor it is written in. In Swift 6 mode
/// closures inside it, such as those handed to `map`, check at run time whether they run there. The process stops where
/// they do not. A job that names the actor as its isolation passes that check.
private final class CallersIsolation: TaskExecutor {
    private let queue: DispatchQueue
    private let caller: UnownedSerialExecutor

    init(queue: DispatchQueue, caller: UnownedSerialExecutor) {
        self.queue = queue
        self.caller = caller
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(isolatedTo: self.caller, taskExecutor: self.asUnownedTaskExecutor())
        }
    }
}

extension DispatchQueue {
    /// Runs the block on the queue later, on behalf of the actor that waits for it, if any.
    final func async(for caller: (any Actor)?, execute block: @escaping @Sendable () -> Void) {
        guard let caller else { return async(execute: block) }
        // A detached task: the block sees neither the cancellation nor the task-local values of the waiting task, as on
        // a Mac.
        Task.detached(
            executorPreference: CallersIsolation(queue: self, caller: caller.unownedExecutor)
        ) {
            block()
            // The caller's actor is retained as long as a job names it as its isolation.
            withExtendedLifetime(caller) {}
        }
    }
}
