import Foundation

/// Decides whether a transaction is repeated that another one has disturbed, or whose connection was lost.
package struct Repetitions {
    private static let maximum = 8
    private var count = 0
    private var isOver = false
    /// The time at which the wait for another server ends.
    private var deadline: ContinuousClock.Instant?
    /// The longest pause between two attempts to find another server, in microseconds.
    private static let longestPause: UInt32 = 200_000

    package init() {}

    /// Ends the repetitions: no later failure is repeated.
    mutating func end() { isOver = true }

    /// Whether the transaction is run once more. Waits a random time before it returns true, so that other transactions
    /// can end, or another server can take over. The limit of this time grows with each repetition.
    package mutating func goOn(after failure: any SQLFailure) -> Bool {
        if isOver || !failure.mayBeRepeated { return false }
        if failure.kind == .lost, let patience = failure.patience {
            let now = ContinuousClock.now
            let end = deadline ?? now + patience
            deadline = end
            if now >= end { return false }
            usleep(UInt32.random(in: 0...min(20_000 << UInt32(min(count, 8)), Self.longestPause)))
            count = min(count + 1, Self.maximum - 1)
            return true
        }
        if count >= Self.maximum { return false }
        usleep(UInt32.random(in: 0...((failure.kind == .lost ? 20_000 : 1_000) << count)))
        count += 1
        return true
    }
}
