#if Studio
import CMicroHTTPD
import Foundation
import Synchronization

/// Ends connections whose request does not arrive. The library ends silent ones, but not those that send a byte now
/// and then. Where nearly all connections are taken, the one that has waited longest is ended, so that silent
/// connections keep no client out.
final class RequestClock: Sendable {
    private struct Connection {
        let socket: Int32
        /// When a request began to be awaited; nil while one is being answered.
        var since: DispatchTime?
    }

    /// By the address of the library's connection.
    private let connections = Mutex<[Int: Connection]>([:])
    private let seconds: Double
    private let most: Int
    // Made and ended once; the source guards itself.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    init(_ limits: ServerLimits) {
        let seconds = limits.requestSeconds
        self.seconds = seconds
        // The limit is lower than the library's, so that a new connection is accepted before another one has ended.
        most = Int(limits.connections) - max(1, Int(limits.connections) / 8)
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "studio.clock"))
        timer.schedule(deadline: .now() + seconds / 4, repeating: seconds / 4)
        timer.setEventHandler { [weak self] in self?.endLate() }
        timer.resume()
    }

    func opened(_ connection: OpaquePointer) {
        let made = Connection(socket: opencoredata_connection_socket(connection), since: .now())
        let key = Self.key(connection)
        connections.withLock { connections in
            connections[key] = made
            if connections.count > most { Self.endLongest(of: connections, besides: key) }
        }
    }

    /// Ends the connection that has waited longest for a request.
    private static func endLongest(of connections: [Int: Connection], besides key: Int) {
        let waiting = connections.compactMap { entry in
            entry.key == key ? nil : entry.value.since.map { (since: $0, socket: entry.value.socket) }
        }
        if let longest = waiting.min(by: { $0.since < $1.since }) { end(longest.socket) }
    }

    private static func end(_ socket: Int32) { shutdown(socket, Int32(SHUT_RDWR)) }

    /// The request is whole, and is being answered.
    func arrived(_ connection: OpaquePointer) { setAwaited(connection, since: nil) }

    /// The answer is sent; the next request may come.
    func ended(_ connection: OpaquePointer) { setAwaited(connection, since: .now()) }

    func closed(_ connection: OpaquePointer) {
        let key = Self.key(connection)
        _ = connections.withLock { $0.removeValue(forKey: key) }
    }

    private func setAwaited(_ connection: OpaquePointer, since: DispatchTime?) {
        let key = Self.key(connection)
        connections.withLock { $0[key]?.since = since }
    }

    private static func key(_ connection: OpaquePointer) -> Int { Int(bitPattern: connection) }

    func stop() { timer.cancel() }

    private func endLate() {
        let limit = DispatchTime.now().uptimeNanoseconds
        // Under the lock: a socket that the library closes has left the table before.
        connections.withLock { connections in
            for connection in connections.values {
                guard let since = connection.since else { continue }
                let waited = Double(limit &- since.uptimeNanoseconds) / 1e9
                if waited > seconds { Self.end(connection.socket) }
            }
        }
    }
}
#endif
