#if PostgreSQL
import CoreData
import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// The ways to the servers of a cluster, each of which may be in another state.
// @unchecked Sendable: the variables are used under the lock.
public final class PostgreSQLNetwork: @unchecked Sendable {
    public enum Way: Equatable, Sendable {
        case open
        /// Every byte comes so many milliseconds later.
        case slow(UInt32)
        /// Every byte is swallowed, and neither side gets an error.
        case silent
        /// Connections are reset, and new ones as well.
        case cut
    }

    private let folder: String
    private let cluster: PostgreSQLCluster
    private let lock = NSLock()
    private var ways: [Way]
    private var listening: [Int32] = []
    /// The open descriptors, by the numbers of servers.
    private var open: [(server: Int, descriptor: Int32)] = []

    public init(to cluster: PostgreSQLCluster) throws {
        self.cluster = cluster
        ways = cluster.ports.map { _ in .open }
        folder = PostgreSQLServer.folder("nw")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (server, port) in cluster.ports.enumerated() {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            guard UnixSocket.with("\(folder)/.s.PGSQL.\(port)", { bind(descriptor, $0, $1) }) == 0,
                listen(descriptor, 50) == 0
            else { throw PostgreSQLServer.Absence(description: "The network's socket could not be made.") }
            listening.append(descriptor)
            Thread.detachNewThread { [weak self] in
                while true {
                    let client = accept(descriptor, nil, nil)
                    if client < 0 { return }
                    guard let self else {
                        close(client)
                        return
                    }
                    self.serve(client, server)
                }
            }
        }
    }

    deinit {
        for descriptor in listening {
            shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The URL of a database by way of the network.
    public func url(ofDatabase name: String, servers: [Int]? = nil, options: String = "") -> URL {
        let direct = cluster.url(ofDatabase: name, servers: servers, options: options).absoluteString
        return URL(string: direct.replacingOccurrences(of: cluster.folder, with: folder))
            ?? URL(fileURLWithPath: "/dev/null")
    }

    /// Changes the way to a server.
    public func set(_ server: Int, _ way: Way) {
        lock.withLock {
            ways[server] = way
            guard way == .cut else { return }
            for entry in open where entry.server == server { shutdown(entry.descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private func way(to server: Int) -> Way { lock.withLock { ways[server] } }

    private func serve(_ client: Int32, _ server: Int) {
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        // Behind a silent network the client's connection is kept, although the server is not reached.
        let isReached =
            way(to: server) != .cut
            && UnixSocket.with("\(cluster.folder)/.s.PGSQL.\(cluster.ports[server])") { connect(upstream, $0, $1) }
                == 0
        guard isReached || way(to: server) == .silent else {
            close(client)
            close(upstream)
            return
        }
        lock.withLock { open += [(server, client), (server, upstream)] }
        let left = Locked(2)
        for (from, to) in [(client, upstream), (upstream, client)] {
            Thread.detachNewThread { [self] in
                forward(from, to, server)
                shutdown(to, Int32(SHUT_RDWR))
                shutdown(from, Int32(SHUT_RDWR))
                guard
                    left.withLock({ left -> Bool in
                        left -= 1
                        return left == 0
                    })
                else { return }
                lock.withLock {
                    open.removeAll { $0.descriptor == client || $0.descriptor == upstream }
                    close(client)
                    close(upstream)
                }
            }
        }
    }

    /// Passes bytes on until one side has gone. A server that was silent once has lost bytes, and stays silent: its
    /// client waits.
    private func forward(_ from: Int32, _ to: Int32, _ server: Int) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var isSilent = false
        while true {
            let count = read(from, &buffer, buffer.count)
            let way = way(to: server)
            isSilent = isSilent || way == .silent
            if count <= 0 {
                // The end does not come through either: only the client's own ends it.
                if isSilent { while read(to, &buffer, buffer.count) > 0 {} }
                return
            }
            if isSilent { continue }
            if case .slow(let milliseconds) = way { usleep(milliseconds * 1_000) }
            var sent = 0
            while sent < count {
                let part = buffer[sent..<count].withUnsafeBytes {
                    Glibc.send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if part <= 0 { return }
                sent += part
            }
        }
    }
}

/// Addresses of sockets in folders.
enum UnixSocket {
    static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
#endif
