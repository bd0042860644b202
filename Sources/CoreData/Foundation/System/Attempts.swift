import Foundation

/// Counts the attempts at work that other processes disturb: a fixed number in any case, after that until a time limit.
struct Attempts {
    /// The number of attempts with any time limit. Even with a limit of zero, one exchange of the file by another
    /// process must not make the work fail.
    static let always = 20

    private var count = 0
    private let deadline: ContinuousClock.Instant

    init(timeout: TimeInterval) { deadline = ContinuousClock.now + .seconds(timeout.boundedTime) }

    /// Whether another attempt is allowed. After the fixed number of attempts, waits before it returns.
    mutating func goOn() -> Bool {
        count += 1
        if count < Self.always { return true }
        usleep(5000)
        return ContinuousClock.now < deadline
    }
}
