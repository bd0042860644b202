import Foundation

/// The transactions that the saves through a store recorded: the last one, and those that followers have not read yet.
// @unchecked Sendable: mutable state is used under the lock.
final class RecordedSaves: @unchecked Sendable {
    private let lock = NSLock()
    private var last: Int64?
    private var logs: [WeakLog] = []

    private struct WeakLog {
        weak var log: SaveLog?
    }

    var lastTransaction: Int64? { lock.withLock { last } }

    func append(_ number: Int64) {
        let living = lock.withLock {
            last = number
            return logs.compactMap(\.log)
        }
        for log in living { log.append(number) }
    }

    /// Adds a log, which is not retained.
    func add(_ log: SaveLog) {
        lock.withLock {
            logs.removeAll { $0.log == nil }
            logs.append(WeakLog(log: log))
        }
    }
}
