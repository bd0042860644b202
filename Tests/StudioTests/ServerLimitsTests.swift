#if Studio
import Foundation
import Testing

@testable import StudioServer

@Suite("The limits of the studio's server for connections")
struct ServerLimitsTests {
    private func limits(_ change: (inout ServerLimits) -> Void) -> ServerLimits {
        var limits = ServerLimits()
        change(&limits)
        return limits
    }

    private func withServer(
        _ limits: ServerLimits, _ handler: @escaping LoopbackServer.Handler = { .text(200, $0.path) },
        _ body: (LoopbackServer) throws -> Void
    ) throws {
        let server = try #require(LoopbackServer(port: 0, limits: limits, handler: handler))
        defer { server.stop() }
        try body(server)
    }

    @Test("A request that arrives too slowly is ended")
    func drips() throws {
        try withServer(
            limits {
                $0.requestSeconds = 0.2
                $0.idleSeconds = 60
            }
        ) { server in
            let connection = try LoopbackConnection(server.port)
            try connection.send("GET / HTTP/1.1\r\nX: ")
            #expect(try connection.isEndedWhileDripping())
        }
    }

    @Test("A body that drips is ended, too")
    func drippingBody() throws {
        try withServer(limits { $0.requestSeconds = 0.2 }) { server in
            let cookie = try cookie(server)
            let connection = try LoopbackConnection(server.port)
            try connection.send(
                "POST /api/x HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nCookie: \(cookie)\r\n"
                    + "Origin: http://127.0.0.1:\(server.port)\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 1000000\r\n\r\n")
            #expect(try connection.isEndedWhileDripping())
        }
    }

    @Test("Silence is ended, before a request, within it and after an answer")
    func silence() throws {
        for limits in [limits { $0.requestSeconds = 0.2 }, limits { $0.idleSeconds = 1 }] {
            try withServer(limits) { server in
                let (silent, begun) = (try LoopbackConnection(server.port), try LoopbackConnection(server.port))
                try begun.send("GET / HT")
                let answered = try LoopbackConnection(server.port)
                try answered.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
                #expect(try answered.answer().status == 401)
                #expect(try silent.rest().isEmpty && answered.rest().isEmpty)
                // Some servers answer that it came too late.
                #expect(try !String(decoding: begun.rest(), as: UTF8.self).contains(" 200 "))
            }
        }
    }

    @Test("An answer that takes longer than a request may is not ended")
    func longAnswer() throws {
        let waited = DispatchSemaphore(value: 0)
        let handler: LoopbackServer.Handler = { _ in
            waited.wait()
            return .text(200, "late")
        }
        try withServer(limits { $0.requestSeconds = 0.1 }, handler) { server in
            let cookie = try cookie(server)
            let connection = try LoopbackConnection(server.port)
            try connection.send(
                "GET /api/x HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nCookie: \(cookie)\r\n\r\n")
            // A silent connection ends only after the clock has checked all connections.
            for _ in 0..<3 { #expect(try LoopbackConnection(server.port).rest().isEmpty) }
            waited.signal()
            #expect(try connection.answer().text == "late\n")
        }
    }

    @Test("Connections beyond the limit are closed or wait while requests are answered, and are free again")
    func connections() throws {
        let (asked, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let handler: LoopbackServer.Handler = { request in
            if request.path == "/slow" {
                asked.signal()
                go.wait()
            }
            return .text(200, request.path)
        }
        try withServer(limits { $0.connections = 4 }, handler) { server in
            let cookie = try cookie(server)
            func request(_ path: String) -> String {
                "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nCookie: \(cookie)\r\n\r\n"
            }
            func isAnswered() throws -> Bool {
                let connection = try LoopbackConnection(server.port, patience: 2)
                do { try connection.send(request("/x")) } catch {}
                return (try? connection.answer().text) == "/x\n"
            }
            var slow: [LoopbackConnection] = []
            // The connection of the cookie may still count.
            while slow.count < 4 {
                let connection = try LoopbackConnection(server.port)
                do { try connection.send(request("/slow")) } catch {}
                if asked.wait(timeout: .now() + 2) == .success { slow.append(connection) }
            }
            #expect(try !isAnswered())
            for _ in slow { go.signal() }
            for connection in slow { #expect(try connection.answer().text == "/slow\n") }
            slow.removeFirst()
            var isBack = false
            for _ in 0..<100 where !isBack { isBack = try isAnswered() }
            #expect(isBack)
        }
    }

    @Test("Silent connections are ended for one that sends a request")
    func silentOnes() throws {
        try withServer(
            limits {
                $0.connections = 8
                ($0.requestSeconds, $0.idleSeconds) = (600, 600)
            }
        ) { server in
            let silent = try (0..<20).map { _ in try LoopbackConnection(server.port) }
            // The connection may come before the one that makes a place free has ended.
            var isAnswered = false
            for _ in 0..<100 where !isAnswered {
                let connection = try LoopbackConnection(server.port)
                do { try connection.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n") } catch {}
                isAnswered = (try? connection.answer().status) == 401
            }
            #expect(isAnswered)
            // The first of them was ended for it.
            #expect(try silent[0].rest().isEmpty)
        }
    }

    @Test("A body that is longer than it said, or than is taken, does not reach the handler")
    func lengths() throws {
        let handler: LoopbackServer.Handler = { .text(200, "\($0.body.count)") }
        try withServer(limits { $0.body = 100 }, handler) { server in
            let cookie = try cookie(server)
            func send(_ length: Int, _ body: String) throws -> RawAnswer {
                let connection = try LoopbackConnection(server.port)
                try connection.send(
                    "POST /api/x HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nCookie: \(cookie)\r\n"
                        + "Origin: http://127.0.0.1:\(server.port)\r\nContent-Type: application/json\r\n"
                        + "Content-Length: \(length)\r\n\r\n\(body)")
                return try connection.answer()
            }
            #expect(try send(100, String(repeating: "x", count: 100)).text == "100\n")
            #expect(try send(101, "").status == 413)
            // Bytes beyond the length are no part of the body.
            #expect(try send(10, String(repeating: "x", count: 50)).text == "10\n")
        }
    }

    @Test("It listens on the loopback address alone, and two do not share a port")
    func loopback() throws {
        try withServer(ServerLimits()) { server in
            #expect(LoopbackServer(port: server.port, handler: { .text(200, $0.path) }) == nil)
            let table = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
            let port = String(format: ":%04X", server.port)
            let lines: [[Substring]] = table.split(separator: "\n").map { $0.split(separator: " ") }
            let listening = lines.filter { (fields: [Substring]) -> Bool in
                fields.count > 3 && fields[1].hasSuffix(port) && fields[3] == "0A"
            }
            let addresses: [String] = listening.map { String($0[1]) }
            #expect(addresses == ["0100007F\(port)"])
            let others: String = (try? String(contentsOfFile: "/proc/net/tcp6", encoding: .utf8)) ?? ""
            let isThere = others.split(separator: "\n").contains { (line: Substring) -> Bool in
                line.contains("\(port) ") && line.contains(" 0A ")
            }
            #expect(!isThere)
        }
    }

    private func cookie(_ server: LoopbackServer) throws -> String {
        let token = try #require(server.address.split(separator: "=").last)
        let connection = try LoopbackConnection(server.port)
        try connection.send("GET /?token=\(token) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        let header = try #require(try connection.answer().header("Set-Cookie"))
        return String(try #require(header.split(separator: ";").first))
    }
}
#endif
