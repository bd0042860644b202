import Foundation

/// How often a transaction is run again that somebody was in the way of, or whose connection was lost.
package struct Repetitions {
    private static let maximum = 8
    private var count = 0
    private var isOver = false

    package init() {}

    /// Nothing is repeated from now on.
    mutating func end() { isOver = true }

    /// Whether it is run once more; waits a little longer each time: until others are through, or a server is there
    /// again.
    package mutating func goOn(after failure: any SQLFailure) -> Bool {
        if isOver || count == Self.maximum || !failure.mayBeRepeated { return false }
        usleep(UInt32.random(in: 0...((failure.kind == .lost ? 20_000 : 1_000) << count)))
        count += 1
        return true
    }
}
