/// Ends a request before it has found everything. Any thread may use it.
///
/// Stores that have a time limit for requests (`NSPersistentStoreRequestTimeLimitOption`) check it while they read.
package final class RequestStop: Sendable {
    private let state = Locked(false)

    package init() {}

    package func ask() { state.withLock { $0 = true } }

    package var wasAsked: Bool { state.withLock { $0 } }

    /// Runs a body on this thread. Its requests end with `userCancelled` once the stop was requested.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try ProcessorDeadline.run(seconds: .infinity, stoppedBy: { self.wasAsked }) { _ in try body() }
    }
}
