/// Ends a request before it has found everything. Any thread may use it.
///
/// Stores that have a time limit for requests (`NSPersistentStoreRequestTimeLimitOption`) check it while they read.
package final class RequestStop: Sendable {
    private let state = Locked(false)
    private let condition: @Sendable () -> Bool

    package init() { condition = { false } }

    /// Creates a stop.
    ///
    /// - Parameter condition: Another condition on which requests end. The thread of a request calls it.
    package init(when condition: @escaping @Sendable () -> Bool) { self.condition = condition }

    package func ask() { state.withLock { $0 = true } }

    package var wasAsked: Bool { state.withLock { $0 } || condition() }

    /// Runs a body on this thread. Its requests end with `userCancelled` once the stop was requested.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try ProcessorDeadline.run(seconds: .infinity, stoppedBy: { self.wasAsked }) { _ in try body() }
    }
}
