import Foundation

/// The attempts at work that others disturb: some in any case, after that until a time limit.
struct Attempts {
    /// The number of attempts with any time limit: even one of no time at all is no reason to fail over one exchange.
    static let always = 20

    private var count = 0
    private let deadline: ContinuousClock.Instant

    init(timeout: TimeInterval) { deadline = ContinuousClock.now + .seconds(timeout.boundedTime) }

    /// Whether it is begun once more.
    mutating func goOn() -> Bool {
        count += 1
        if count < Self.always { return true }
        usleep(5000)
        return ContinuousClock.now < deadline
    }
}
