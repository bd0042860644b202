import Foundation
import Testing

/// The page's part: a client with the cookie.
final class StudioClient {
    let process: StudioProcess
    let cookie: String

    /// Opens the printed address.
    init(_ process: StudioProcess) throws {
        self.process = process
        let connection = try LoopbackConnection(process.port)
        try connection.send(
            "GET /?token=\(process.token) HTTP/1.1\r\nHost: 127.0.0.1:\(process.port)\r\n\r\n")
        let answer = try connection.answer()
        guard answer.status == 200, let cookie = answer.header("Set-Cookie")?.split(separator: ";").first else {
            throw LoopbackConnection.Failure(description: "the token was not taken: \(answer.status) \(answer.text)")
        }
        self.cookie = String(cookie)
    }

    private var head: String { "Host: 127.0.0.1:\(process.port)\r\nCookie: \(cookie)\r\n" }

    /// A request that reads something; the query's values are escaped here.
    func reading(_ path: String, _ query: KeyValuePairs<String, String> = [:]) -> String {
        let parts = query.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
        let target = parts.isEmpty ? path : "\(path)?\(parts.joined(separator: "&"))"
        return "GET \(target) HTTP/1.1\r\n\(head)\r\n"
    }

    /// A request that changes something.
    func writing(_ path: String, _ body: String = "{}") -> String {
        "POST \(path) HTTP/1.1\r\n\(head)Origin: http://127.0.0.1:\(process.port)\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Sends a request; the answer, whatever it is.
    func answer(to request: String) throws -> RawAnswer {
        let connection = try LoopbackConnection(process.port)
        try connection.send(request)
        return try connection.answer()
    }

    func get(_ name: String, _ query: KeyValuePairs<String, String> = [:]) throws -> RawAnswer {
        try answer(to: reading("/api/\(name)", query))
    }

    func post(_ name: String, _ body: String = "{}") throws -> RawAnswer {
        try answer(to: writing("/api/\(name)", body))
    }

    /// The answer to a request, as JSON; the request has to succeed.
    func read(
        _ name: String, _ query: KeyValuePairs<String, String> = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> AnyJSON {
        let answer = try get(name, query)
        #expect(answer.status == 200, "\(name): \(answer.text.prefix(1000))", sourceLocation: sourceLocation)
        #expect(answer.header("Content-Type") == "application/json; charset=utf-8", sourceLocation: sourceLocation)
        return try AnyJSON(answer.body)
    }

    /// The answer to a change, which has to have a status.
    func write(
        _ name: String, _ body: String = "{}", status: Int = 200, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> AnyJSON {
        let answer = try post(name, body)
        #expect(answer.status == status, "\(name) \(body): \(answer.text.prefix(1000))", sourceLocation: sourceLocation)
        return try AnyJSON(answer.body)
    }

    /// Listens to events.
    func events() throws -> EventStream { try EventStream(process.port, reading("/api/events")) }
}

/// An open stream of server-sent events.
final class EventStream {
    private let connection: LoopbackConnection
    private var text = ""
    /// Signs of life in a row after which a test has failed: one comes every five seconds.
    private static let patience = 12

    /// Connects; events of later saves are received.
    init(_ port: UInt16, _ request: String) throws {
        connection = try LoopbackConnection(port)
        try connection.send(request)
        let head = try connection.head()
        guard head.status == 200, head.header("Content-Type") == "text/event-stream; charset=utf-8" else {
            throw LoopbackConnection.Failure(description: "no events: \(head.status)")
        }
        // The first line comes when the server listens for it.
        guard try connection.part() != nil else { throw LoopbackConnection.Failure(description: "no events") }
    }

    /// The next event; nil where the stream ends.
    func next() throws -> (name: String, data: AnyJSON)? {
        for _ in 0..<Self.patience {
            while let end = text.range(of: "\n\n") {
                let lines = text[..<end.lowerBound].split(separator: "\n")
                text.removeSubrange(..<end.upperBound)
                let name = lines.first { $0.hasPrefix("event: ") }?.dropFirst("event: ".count)
                let data = lines.first { $0.hasPrefix("data: ") }?.dropFirst("data: ".count)
                if let name, let data { return (String(name), try AnyJSON(Data(data.utf8))) }
            }
            guard let part = try connection.part() else { return nil }
            text += String(decoding: part, as: UTF8.self)
        }
        throw LoopbackConnection.Failure(description: "no event came")
    }

    /// The next event of a name.
    func next(_ name: String) throws -> AnyJSON {
        while let event = try next() { if event.name == name { return event.data } }
        throw LoopbackConnection.Failure(description: "the events ended before '\(name)'")
    }
}
