import Foundation

extension TimeInterval {
    /// Clocks, timers and databases count so far without an overflow.
    private static let longestTime: TimeInterval = 100 * 365.25 * 86_400

    /// A time that somebody has given, as one that can be counted: none where it is negative or no number, and a
    /// hundred years at most.
    package var boundedTime: TimeInterval { isNaN ? 0 : Swift.min(Swift.max(0, self), Self.longestTime) }
}
