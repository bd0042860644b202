#if PostgreSQL
import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// Stands between clients and a server, and cuts a connection at a given message of the client.
// @unchecked Sendable: the variables are used under the lock.
public final class PostgreSQLProxy: @unchecked Sendable {
    private let folder: String
    private let server: PostgreSQLServer
    private let listening: Int32
    /// The server's version as clients see it, in two digits; nil for the real one.
    private let version: String?
    private let lock = NSLock()
    /// How many more messages pass before one is cut, and whether that one passes, too.
    private var plan: (left: Int, forwards: Bool)?

    public init(_ server: PostgreSQLServer, version: String? = nil) throws {
        self.server = server
        self.version = version
        folder = PostgreSQLServer.folder("px")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let path = folder + "/.s.PGSQL.5432"
        guard Self.with(path, { bind(listening, $0, $1) }) == 0, listen(listening, 20) == 0 else {
            throw PostgreSQLServer.Absence(description: "The proxy's socket could not be made.")
        }
        let descriptor = listening
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(descriptor, nil, nil)
                if client < 0 { return }
                guard let self else {
                    close(client)
                    return
                }
                self.serve(client)
            }
        }
    }

    deinit {
        shutdown(listening, Int32(SHUT_RDWR))
        close(listening)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The URL of a database by way of the proxy.
    public func url(ofDatabase name: String) -> URL {
        let direct = server.url(ofDatabase: name).absoluteString
        return URL(string: direct.replacingOccurrences(of: server.folder, with: folder))
            ?? URL(fileURLWithPath: "/dev/null")
    }

    /// Cuts the connection whose client sends the message behind so many. Where it forwards that message, the
    /// server gets it, and its answer is lost.
    public func cut(after messages: Int, forwards: Bool) { lock.withLock { plan = (messages, forwards) } }

    /// Stops cutting connections; returns whether one was cut since `cut(after:forwards:)`.
    public func disarm() -> Bool {
        lock.withLock {
            defer { plan = nil }
            return plan == nil
        }
    }

    private static func with(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private func serve(_ client: Int32) {
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.with(server.folder + "/.s.PGSQL.5432", { connect(upstream, $0, $1) }) == 0 else {
            close(client)
            close(upstream)
            return
        }
        Thread.detachNewThread { [self] in
            forward(client, upstream)
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(upstream, Int32(SHUT_WR))
        }
        Thread.detachNewThread { [version] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(upstream, &buffer, buffer.count)
                if count <= 0 { break }
                if let version, let name = buffer[..<count].firstRange(of: Array("server_version\0".utf8)) {
                    buffer.replaceSubrange(name.upperBound..<name.upperBound + 2, with: version.utf8)
                }
                // A client that is cut gets no answer; the server's answer is read all the same, so that it goes
                // on.
                _ = Self.send(buffer[..<count], to: client)
            }
            shutdown(client, Int32(SHUT_RDWR))
            close(client)
            close(upstream)
        }
    }

    @discardableResult
    private static func send(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    /// Forwards messages until one is to be cut, or the client has gone. The first message has no type byte before
    /// its length.
    private func forward(_ client: Int32, _ upstream: Int32) {
        var (waiting, isFirst) = ([UInt8](), true)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(client, &buffer, buffer.count)
            if count <= 0 { return }
            waiting += buffer[..<count]
            while true {
                let head = isFirst ? 0 : 1
                guard waiting.count >= head + 4 else { break }
                let length = waiting[head..<head + 4].reduce(0) { $0 << 8 | Int($1) } + head
                guard waiting.count >= length else { break }
                let message = waiting[..<length]
                if !isFirst, let forwards = isCut() {
                    if forwards { Self.send(message, to: upstream) }
                    return
                }
                isFirst = false
                guard Self.send(message, to: upstream) else { return }
                waiting.removeFirst(length)
            }
        }
    }

    /// Whether the message that comes now is cut, and whether it is forwarded; nil where it passes.
    private func isCut() -> Bool? {
        lock.withLock {
            guard let (left, forwards) = plan else { return nil }
            if left == 0 {
                plan = nil
                return forwards
            }
            plan = (left - 1, forwards)
            return nil
        }
    }
}
#endif
