import Foundation

extension TimeInterval {
    /// The longest time that clocks, timers and databases can count without an overflow.
    private static let longestTime: TimeInterval = 100 * 365.25 * 86_400

    /// The interval limited to values that can be counted: 0 for a negative one or one that is no number, and a hundred
    /// years at most.
    package var boundedTime: TimeInterval { isNaN ? 0 : Swift.min(Swift.max(0, self), Self.longestTime) }
}
