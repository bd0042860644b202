import Foundation

/// How often a transaction is run again that somebody was in the way of, or whose connection was lost.
struct Repetitions {
    private static let maximum = 8
    private var count = 0
    private var isOver = false

    /// Nothing is repeated from now on.
    mutating func end() { isOver = true }

    /// Whether it is run once more; waits a little longer each time, so that others get through.
    mutating func goOn() -> Bool {
        if isOver || count == Self.maximum { return false }
        usleep(UInt32.random(in: 0...(1000 << count)))
        count += 1
        return true
    }
}
