#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

/// Watches connections that are at work for long. A server that has stopped, or a network that drops all packets,
/// sends no reset. If the server takes no new connection either, the one at work is ended, and its callers get an
/// error. Only servers of an address that names several are watched: another one may take over from them.
// @unchecked Sendable: all mutable state is used under the lock.
final class PostgreSQLWatch: @unchecked Sendable {
    static let shared = PostgreSQLWatch()

    /// The time after which the server of a busy connection is checked, and the seconds that it has to answer.
    private static let (patience, answer) = (Duration.seconds(3), 3)

    private let lock = NSLock()
    private var entries: [Int: Entry] = [:]
    private var last = 0
    private var isRunning = false
    private let queue = DispatchQueue(label: "PostgreSQLWatch", qos: .utility)

    private struct Entry {
        let socket: Int32
        let settings: [(String, String)]
        var since = ContinuousClock.now
        var isAsked = false
    }

    /// Runs a body that works with a connection.
    func watching<Result>(_ connection: PostgreSQLConnection, _ body: () throws -> Result) rethrows -> Result {
        guard let settings = connection.placeSettings else { return try body() }
        let number = lock.withLock { () -> Int in
            last += 1
            entries[last] = Entry(socket: connection.socket, settings: settings)
            if !isRunning {
                isRunning = true
                queue.asyncAfter(deadline: .now() + 1) { self.poll() }
            }
            return last
        }
        // Its socket may be another connection's afterwards.
        defer { _ = lock.withLock { entries.removeValue(forKey: number) } }
        return try body()
    }

    private func poll() {
        let now = ContinuousClock.now
        let late = lock.withLock { () -> [(number: Int, settings: [(String, String)])] in
            isRunning = !entries.isEmpty
            let late = entries.filter { !$0.value.isAsked && now - $0.value.since >= Self.patience }
            for number in late.keys { entries[number]?.isAsked = true }
            return late.map { ($0.key, $0.value.settings) }
        }
        for (number, settings) in late {
            Thread.detachNewThread {
                let isThere = PostgreSQLConnection.answers(
                    settings + [("connect_timeout", "\(Self.answer)")])
                self.lock.withLock {
                    guard let entry = self.entries[number] else { return }
                    self.entries[number]?.isAsked = false
                    self.entries[number]?.since = .now
                    if !isThere { shutdown(entry.socket, Int32(SHUT_RDWR)) }
                }
            }
        }
        if lock.withLock({ isRunning }) { queue.asyncAfter(deadline: .now() + 1) { self.poll() } }
    }
}
#endif
