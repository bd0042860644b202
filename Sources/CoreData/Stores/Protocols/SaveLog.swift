import Foundation

/// The transactions of the saves through one store, for a follower that leaves them out.
package final class SaveLog: Sendable {
    private let numbers = Locked<Set<Int64>>([])

    package init() {}

    package func append(_ number: Int64) { numbers.withLock { _ = $0.insert(number) } }

    /// The transactions through a number, which are forgotten. A save that has not ended yet may miss among them.
    package func take(through number: Int64) -> Set<Int64> {
        numbers.withLock { all in
            let taken = all.filter { $0 <= number }
            all.subtract(taken)
            return taken
        }
    }
}
