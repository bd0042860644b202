import Foundation

/// The rule by which work that another program disturbs is tried again: pauses, a number of attempts, and a time limit.
package struct RetryPolicy: Sendable {
    /// The number of attempts that have neither a pause nor a time limit.
    package var immediateAttempts = 0
    /// The pause between two attempts in seconds. Each pause is a random one of the range, so that several programs
    /// that wait for one lock do not collide again and again.
    package var pauses: ClosedRange<TimeInterval>
    /// The longest pause in seconds if each pause may be twice as long as the one before; nil if the range stays.
    package var longestPause: TimeInterval?
    /// The number of repetitions; nil if only the time limits them.
    package var limit: Int?
    /// The seconds in which repetitions begin; nil if only their number is limited.
    package var timeout: TimeInterval?

    package init(
        immediateAttempts: Int = 0, pauses: ClosedRange<TimeInterval>, upTo longestPause: TimeInterval? = nil,
        limit: Int? = nil, timeout: TimeInterval? = nil
    ) {
        self.immediateAttempts = immediateAttempts
        self.pauses = pauses
        self.longestPause = longestPause
        self.limit = limit
        self.timeout = timeout
    }

    /// The policy of a lock for which the system has no wait with a time limit: pauses of one length.
    package static func polling(every pause: TimeInterval, timeout: TimeInterval) -> RetryPolicy {
        RetryPolicy(pauses: pause...pause, timeout: timeout)
    }

    /// The pause before a repetition, in seconds.
    ///
    /// - Parameter repetition: The number of repetitions so far.
    func pause(before repetition: Int) -> TimeInterval {
        guard let longestPause else { return .random(in: pauses) }
        let factor = exp2(TimeInterval(min(repetition, 60)))
        let (shortest, longest) = (pauses.lowerBound * factor, pauses.upperBound * factor)
        return .random(in: min(longestPause, shortest)...min(longestPause, longest))
    }
}

/// The attempts at one piece of work under a retry policy.
package struct Attempts {
    /// The number of attempts with any time limit. Even with a limit of zero, one exchange of the file by another
    /// process must not make the work fail.
    static let always = 20

    private let policy: RetryPolicy
    private let deadline: ContinuousClock.Instant?
    private var count = 0

    package init(_ policy: RetryPolicy) {
        self.policy = policy
        deadline = policy.timeout.map { ContinuousClock.now + .seconds($0.boundedTime) }
    }

    /// The attempts at work on a file that other processes may exchange: a fixed number in any case, after that until a
    /// time limit.
    init(timeout: TimeInterval) {
        self.init(RetryPolicy(immediateAttempts: Self.always - 1, pauses: 0.005...0.005, timeout: timeout))
    }

    /// Whether no further attempt is allowed: there were as many as the policy allows, or its time is over.
    package var isOver: Bool {
        if count < policy.immediateAttempts { return false }
        if let limit = policy.limit, count >= limit { return true }
        return deadline.map { ContinuousClock.now >= $0 } ?? false
    }

    /// Counts a repetition, and waits for as long as the policy says.
    ///
    /// - Parameter pause: The pauses of another policy, for a failure of another kind.
    package mutating func pause(as other: RetryPolicy? = nil) {
        if count >= policy.immediateAttempts {
            let length = (other ?? policy).pause(before: count - policy.immediateAttempts)
            if length > 0 { Thread.sleep(forTimeInterval: length) }
        }
        count += 1
    }

    /// Whether another attempt is allowed. Waits before it returns true.
    package mutating func goOn(as other: RetryPolicy? = nil) -> Bool {
        if isOver { return false }
        pause(as: other)
        return true
    }
}
