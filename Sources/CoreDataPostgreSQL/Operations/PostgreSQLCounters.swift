#if PostgreSQL
import CoreData
import Foundation

/// Counts what the connections of a store do.
final class PostgreSQLCounters: Sendable {
    private let counts = Locked(PostgreSQLActivity())

    var activity: PostgreSQLActivity { counts.withLock { $0 } }

    func add(_ count: Int = 1, to place: WritableKeyPath<PostgreSQLActivity, Int>) {
        counts.withLock { $0[keyPath: place] += count }
    }

    /// Runs a body that waits, and counts the wait from its beginning on.
    func waiting<Result>(
        _ place: WritableKeyPath<PostgreSQLActivity, PostgreSQLActivity.Waits>, _ body: () throws -> Result
    ) rethrows -> Result {
        let start = ContinuousClock.now
        counts.withLock { $0[keyPath: place].count += 1 }
        defer {
            let parts = (ContinuousClock.now - start).components
            let seconds = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
            counts.withLock {
                $0[keyPath: place].seconds += seconds
                $0[keyPath: place].longest = max($0[keyPath: place].longest, seconds)
            }
        }
        return try body()
    }
}
#endif
