/// The end of a request before it has found everything, which any thread may ask for.
///
/// Stores that have a time limit for requests (`NSPersistentStoreRequestTimeLimitOption`) look for it while they read.
package final class RequestStop: Sendable {
    private let state = Locked(false)

    package init() {}

    package func ask() { state.withLock { $0 = true } }

    package var wasAsked: Bool { state.withLock { $0 } }

    /// Runs a body on this thread whose requests end with `userCancelled` once it is asked.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try ProcessorDeadline.run(seconds: .infinity, stoppedBy: { self.wasAsked }) { _ in try body() }
    }
}
