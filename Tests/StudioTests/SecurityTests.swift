import CoreData
import Foundation
import TestSupport
import Testing

@Suite("The studio and intruders", .enabled(if: StudioBuild.isPresent, "\(StudioBuild.absence)"))
struct SecurityTests {
    /// Starts a studio of the sample store; the body gets the process, and decides what it sends.
    private func withProcess(_ arguments: [String] = [], _ body: (StudioProcess) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let process = try StudioProcess(try StudioLibrary.make(in: folder), arguments)
            try body(process)
            #expect(process.end() == 0, "\(process.errors)")
        }
    }

    /// The answer of a server that takes bytes as they are; nil where it closes the connection.
    private func answer(_ process: StudioProcess, _ request: String) throws -> RawAnswer? {
        let connection = try LoopbackConnection(process.port)
        // A server that closes early may do so while this still sends.
        do { try connection.send(request) } catch {}
        return try? connection.answer()
    }

    private func get(
        _ process: StudioProcess, _ target: String, host: String? = nil, _ headers: String = ""
    ) throws -> RawAnswer {
        try #require(
            try answer(
                process, "GET \(target) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(process.port)")\r\n\(headers)\r\n"))
    }

    private static let api = [
        "store", "rows?entity=Book", "check?entity=Book", "object?id=Book/1", "members?id=Author/1&key=books",
        "value?id=Book/1&key=cover", "aggregate?entity=Book&values=count", "export?entity=Book&format=csv", "model",
        "diagram", "compare?from=a&to=b", "forecast?to=a", "history",
        "changes?transaction=1", "events", "pending", "nothing",
    ]
    private static let changes = [
        "edit/set", "edit/link", "edit/make", "edit/delete", "edit/undo", "edit/redo", "edit/discard", "edit/save",
        "edit/resolve", "migrate", "migrate/cancel",
    ]

    // MARK: The token and the cookie

    @Test("A request without a token gets nothing, not even whether the studio is there")
    func noToken() throws {
        try withProcess { process in
            for target in ["/", "/index.html", "/nothing"] + Self.api.map({ "/api/\($0)" }) {
                let answer = try get(process, target)
                #expect(answer.status == 401, "\(target)")
                #expect(!answer.text.contains("Book") && !answer.text.contains(process.token))
            }
            for change in Self.changes {
                let answer = try #require(
                    try answer(
                        process,
                        "POST /api/\(change) HTTP/1.1\r\nHost: 127.0.0.1:\(process.port)\r\n"
                            + "Origin: http://127.0.0.1:\(process.port)\r\nContent-Type: application/json\r\n"
                            + "Content-Length: 2\r\n\r\n{}"))
                #expect(answer.status == 401, "\(change)")
            }
        }
    }

    @Test("A wrong token is refused, and leaves the right one good; a right one is good once")
    func tokens() throws {
        try withProcess { process in
            let wrong = [
                "", "x", String(process.token.dropLast()), process.token + "0", String(process.token.reversed()),
                process.token.uppercased(), String(repeating: "0", count: 64),
            ]
            for token in wrong where token != process.token {
                let answer = try get(process, "/?token=\(token)")
                #expect(answer.status == 403, "\(token)")
                #expect(answer.header("Set-Cookie") == nil)
            }
            let first = try get(process, "/?token=\(process.token)")
            #expect(first.status == 200 && first.text.contains("http-equiv=\"refresh\""))
            for _ in 0..<2 {
                let second = try get(process, "/?token=\(process.token)")
                #expect(second.status == 403 && second.header("Set-Cookie") == nil)
                #expect(!second.text.contains(process.token))
            }
            // Only the page's own address takes it.
            #expect(try get(process, "/api/store?token=\(process.token)").status == 401)
        }
    }

    @Test("One of many that come with the token at once gets in")
    func race() throws {
        try withProcess { process in
            let connections = try (0..<16).map { _ in try LoopbackConnection(process.port) }
            let request = "GET /?token=\(process.token) HTTP/1.1\r\nHost: 127.0.0.1:\(process.port)\r\n\r\n"
            // All but the last byte first: the rest arrives nearly at once.
            for connection in connections { try connection.send(String(request.dropLast(1))) }
            for connection in connections { try connection.send("\n") }
            let answers = try connections.map { try $0.answer().status }
            #expect(answers.filter { $0 == 200 }.count == 1 && answers.filter { $0 == 403 }.count == 15)
        }
    }

    @Test("The cookie is for this server alone: no script reads it, no other site sends it")
    func cookie() throws {
        try withProcess { process in
            let answer = try get(process, "/?token=\(process.token)")
            let parts = try #require(answer.header("Set-Cookie")).split(separator: ";").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            #expect(Set(parts.dropFirst()) == ["Path=/", "HttpOnly", "SameSite=Strict"])
            let pair = parts[0].split(separator: "=").map(String.init)
            #expect(pair.count == 2 && pair[0] == "coredata-studio-\(process.port)")
            // It is not the token, which the address shows.
            #expect(pair[1].wholeMatch(of: /[0-9a-f]{64}/) != nil && pair[1] != process.token)
            func status(_ cookie: String) throws -> Int {
                try get(process, "/api/store", "Cookie: \(cookie)\r\n").status
            }
            #expect(try status(parts[0]) == 200)
            #expect(try status("a=b; \(parts[0]); c=d") == 200)
            #expect(try status("coredata-studio-\(process.port ^ 1)=\(pair[1])") == 401)
            #expect(try status("coredata-studio=\(pair[1])") == 401)
            #expect(try status("\(pair[0])=\(process.token)") == 401)
            #expect(try status("\(pair[0])=") == 401)
            #expect(try status("\(pair[0])=\(pair[1].dropLast())") == 401)
            #expect(try status("\(pair[0])") == 401)
        }
    }

    // MARK: Where requests come from

    @Test("A name that leads here is not ours")
    func hosts() throws {
        try withProcess { process in
            let client = try StudioClient(process)
            let (port, cookie) = (process.port, "Cookie: \(client.cookie)\r\n")
            let wrong = [
                "evil.example", "evil.example:\(port)", "127.0.0.1", "127.0.0.1:\(port ^ 1)", "127.0.0.2:\(port)",
                "localhost", "localhost.:\(port)", "[::1]:\(port)", "0.0.0.0:\(port)", "127.0.0.1:\(port).evil.example",
                "evil@127.0.0.1:\(port)", "",
            ]
            for host in wrong {
                for target in ["/", "/api/store", "/?token=\(process.token)"] {
                    let answer = try get(process, target, host: host, cookie)
                    // A name that is none the library refuses by itself.
                    #expect(answer.status == 421 || answer.status == 400, "\(host)\(target): \(answer.status)")
                }
            }
            #expect(try get(process, "/api/store", host: "localhost:\(port)", cookie).status == 200)
            let none = try answer(process, "GET /api/store HTTP/1.0\r\n\(cookie)\r\n")
            #expect(try #require(none).status == 421)
            let missing = try answer(process, "GET /api/store HTTP/1.1\r\n\(cookie)\r\n")
            #expect([400, 421].contains(try #require(missing).status))
            for second in ["evil.example", "127.0.0.1:\(port)"] {
                let twice = try get(process, "/api/store", "\(cookie)Host: \(second)\r\n")
                #expect(twice.status == 400, "\(second)")
            }
            // An address in the first line counts as little as a second name.
            let absolute = try answer(
                process, "GET http://127.0.0.1:\(port)/api/store HTTP/1.1\r\nHost: evil.example\r\n\(cookie)\r\n")
            #expect([400, 421].contains(try #require(absolute).status))
        }
    }

    /// The status of a POST with chosen headers.
    private func posted(
        _ client: StudioClient, origin: String?, type: String? = "application/json", length: Int? = 2,
        more: String = "", body: String = "{}"
    ) throws -> RawAnswer? {
        var headers = "Host: 127.0.0.1:\(client.process.port)\r\nCookie: \(client.cookie)\r\n\(more)"
        if let origin { headers += "Origin: \(origin)\r\n" }
        if let type { headers += "Content-Type: \(type)\r\n" }
        if let length { headers += "Content-Length: \(length)\r\n" }
        return try answer(client.process, "POST /api/edit/undo HTTP/1.1\r\n\(headers)\r\n\(body)")
    }

    @Test("Another page does not change anything, nor read")
    func origins() throws {
        try withProcess(["--write"]) { process in
            let client = try StudioClient(process)
            let own = "http://127.0.0.1:\(process.port)"
            #expect(try posted(client, origin: own)?.status == 200)
            for origin in [
                "null", "http://evil.example", "https://127.0.0.1:\(process.port)", "http://127.0.0.1",
                "http://localhost:\(process.port)", "http://127.0.0.1:\(process.port ^ 1)", "\(own)/",
                "\(own).evil.example", "",
            ] {
                #expect(try posted(client, origin: origin)?.status == 403, "\(origin)")
                let read = try get(process, "/api/store", "Cookie: \(client.cookie)\r\nOrigin: \(origin)\r\n")
                #expect(read.status == 403, "\(origin)")
            }
            #expect(try posted(client, origin: nil)?.status == 403)
            for site in ["cross-site", "same-site", "none"] {
                let read = try get(process, "/api/store", "Cookie: \(client.cookie)\r\nSec-Fetch-Site: \(site)\r\n")
                #expect(read.status == 403, "\(site)")
            }
            let read = try get(process, "/api/store", "Cookie: \(client.cookie)\r\nSec-Fetch-Site: same-origin\r\n")
            #expect(read.status == 200)
        }
    }

    // MARK: Requests

    @Test("A body is JSON, says its length, and has an end")
    func bodies() throws {
        try withProcess(["--write"]) { process in
            let client = try StudioClient(process)
            let own = "http://127.0.0.1:\(process.port)"
            for type in [
                "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                "text/plain; application/json", "application/jsonp", nil,
            ] {
                #expect(try posted(client, origin: own, type: type)?.status == 415, "\(type ?? "none")")
            }
            #expect(try posted(client, origin: own, type: "application/json; charset=utf-8")?.status == 200)
            #expect(try posted(client, origin: own, length: nil, body: "")?.status == 411)
            let parts = try posted(
                client, origin: own, length: nil, more: "Transfer-Encoding: chunked\r\n",
                body: "2\r\n{}\r\n0\r\n\r\n")
            #expect(parts?.status == 411)
            for more in [
                "Transfer-Encoding: chunked\r\n", "Content-Length: 2\r\n", "Content-Type: text/plain\r\n",
            ] {
                let answer = try posted(client, origin: own, more: more, body: "2\r\n{}\r\n0\r\n\r\n")
                #expect(answer?.status == 400, "\(more)")
            }
            // It is refused before the body is read: none is sent here.
            #expect(try posted(client, origin: own, length: (1 << 20) + 1, body: "")?.status == 413)
            #expect(try posted(client, origin: own, length: 1 << 40, body: "")?.status == 413)
            let large = "{\"x\":\"" + String(repeating: "x", count: (1 << 20) - 8) + "\"}"
            #expect(try posted(client, origin: own, length: large.utf8.count, body: large)?.status == 200)
            for length in ["-1", "x", "99999999999999999999", "2, 3"] {
                let answer = try posted(client, origin: own, length: nil, more: "Content-Length: \(length)\r\n")
                #expect(answer == nil || [400, 411, 413].contains(answer?.status), "\(length)")
            }
            for body in ["", "{", "[]", "null", "{\"id\":5,\"key\":7}", "{\"id\":\"Book/1\"}", "\u{0}"] {
                let answer = try client.post("edit/set", body)
                #expect(answer.status == 400, "\(body): \(answer.text)")
            }
            let unread = try answer(
                process, client.writing("/api/edit/set", "{}").replacingOccurrences(of: "{}", with: "\u{FF}\u{FE}"))
            #expect(unread?.status == 400)
            #expect(try client.read("pending")["pending"]["hasChanges"].truth == false)
        }
    }

    @Test("First lines and headers have an end, methods are two")
    func heads() throws {
        try withProcess { process in
            let client = try StudioClient(process)
            let long = String(repeating: "x", count: 200_000)
            let head = "Host: 127.0.0.1:\(process.port)\r\nCookie: \(client.cookie)\r\n"
            let requests = [
                "GET /\(long) HTTP/1.1\r\n\(head)\r\n", "GET / HTTP/1.1\r\n\(head)X: \(long)\r\n\r\n",
                "GET / HTTP/1.1\r\n\(head)" + (0..<20_000).map { "X\($0): y\r\n" }.joined() + "\r\n",
                "\(long) / HTTP/1.1\r\n\(head)\r\n", "GET /api/store?\(long) HTTP/1.1\r\n\(head)\r\n",
            ]
            for request in requests {
                let answer = try answer(process, request)
                #expect(
                    answer == nil || (400...499).contains(answer?.status ?? 0) || answer?.status == 501,
                    "\(answer?.status ?? 0)")
            }
            for nonsense in [
                "\r\n\r\n\r\n", "hello\r\n\r\n", "GET\r\n\r\n", "\u{0}\u{1}\r\n\r\n", "GET / HTTP/9.9\r\n\(head)\r\n",
            ] {
                let connection = try LoopbackConnection(process.port)
                try connection.send(nonsense)
                connection.finish()
                let said = String(decoding: try connection.rest(), as: UTF8.self)
                #expect(!said.contains(" 200 "), "\(nonsense.debugDescription): \(said)")
            }
            for method in ["HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "get", "BREW"] {
                let connection = try LoopbackConnection(process.port)
                try connection.send("\(method) /api/store HTTP/1.1\r\n\(head)\r\n")
                let answer = try connection.head()
                #expect((400...599).contains(answer.status), "\(method): \(answer.status)")
            }
            // And the studio is still there.
            #expect(try client.get("store").status == 200)
        }
    }

    @Test("Nothing is served but the page's own files")
    func paths() throws {
        try withProcess { process in
            let client = try StudioClient(process)
            let cookie = "Cookie: \(client.cookie)\r\n"
            #expect(try get(process, "/", cookie).status == 200)
            let targets = [
                "/../x", "/../index.html", "/..", "/.", "/./", "/./index.html", "/x/../index.html", "/%2e%2e/x",
                "/%2e%2e%2findex.html",
                "/..%2f..%2f..%2fetc%2fpasswd", "/../../../../../../etc/passwd", "/etc/passwd", "/%2fetc%2fpasswd",
                "/%00", "/index.html%00", "/index.html%00.js", "//", "//index.html", "//evil.example/", "///",
                "/index.html/", "/Page/index.html", "/\\..\\x", "/%5c..%5cx", "/%", "/%zz", "/%ff%fe", "/index.html;x",
                "/api", "/api/", "/api//store", "/api/../api/store", "/api/store/", "/API/store", "/api/%2e%2e/store",
                "http://127.0.0.1:\(process.port)/", "http://evil.example/", "*", "index.html", "?token=x",
                "/Library.sqlite",
                "/.git/config", "/\u{1F433}", "/index.html%20", "/%69ndex.html%3f",
            ]
            for target in targets {
                let answer = try answer(
                    process, "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(process.port)\r\n\(cookie)\r\n")
                let status = answer?.status ?? 400
                #expect([400, 404].contains(status), "\(target): \(status) \(answer?.text.prefix(80) ?? "")")
                #expect(answer?.text.contains("root:") != true)
            }
            let post = try answer(
                process,
                client.writing("/"))
            #expect(try #require(post).status == 405)
        }
    }

    // MARK: Answers

    private static let headers = [
        "Content-Security-Policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    ]

    @Test("Every answer says the browser's restrictions")
    func answers() throws {
        try withProcess { process in
            let cookieless = [
                try get(process, "/"), try get(process, "/?token=x"), try get(process, "/", host: "evil.example"),
            ]
            let client = try StudioClient(process)
            let cookie = "Cookie: \(client.cookie)\r\n"
            var answers = cookieless + [try get(process, "/?token=\(process.token)", cookie)]
            for target in ["/", "/nothing"] + Self.api.map({ "/api/\($0)" }) where target != "/api/events" {
                answers.append(try get(process, target, cookie))
            }
            answers.append(try client.post("edit/undo"))
            let events = try LoopbackConnection(process.port)
            try events.send(client.reading("/api/events"))
            answers.append(try events.head())
            for answer in answers {
                for (name, value) in Self.headers {
                    #expect(answer.header(name) == value, "\(answer.status) \(name) \(answer.text.prefix(80))")
                }
                #expect(answer.header("Content-Type") != nil && answer.header("Access-Control-Allow-Origin") == nil)
            }
            #expect(Set(answers.map(\.status)).isSuperset(of: [200, 400, 401, 403, 404, 421]))
        }
    }

    @Test("No value is served as something that could run")
    func types() throws {
        try withTemporaryFolder { folder in
            let bytes = [
                "page": Data("<html><script>alert(1)</script>".utf8), "drawing": Data("<svg onload='x'/>".utf8),
                "almost": Data([0xFF, 0xD8]), "text": Data("plain".utf8), "image": StudioLibrary.image,
            ]
            let store = try StudioLibrary.make(in: folder) { context in
                for (title, data) in bytes {
                    _ = try StudioLibrary.made("Book", ["title": title, "cover": data], context)
                }
            }
            try withStudio(store) { client in
                for row in try client.read("rows", ["entity": "Book", "columns": "title,cover"])["rows"].items {
                    guard let title = row["cells"][0].text, let data = bytes[title] else { continue }
                    let answer = try client.get("value", ["id": row["id"].text ?? "", "key": "cover"])
                    #expect(answer.body == data)
                    let isImage = title == "image"
                    #expect(answer.header("Content-Type") == (isImage ? "image/png" : "application/octet-stream"))
                    #expect((answer.header("Content-Disposition") == "attachment") != isImage)
                }
            }
        }
    }

    // MARK: Refused changes

    @Test("A studio that reads refuses every change, and the bytes of the store stay")
    func readOnly() throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder)
            let before = try FolderContents(folder)
            try withStudio(store) { client in
                #expect(try client.read("store")["isWritable"].truth == false)
                let bodies = [
                    "edit/set": #"{"id":"Book/1","key":"title","value":"x"}"#,
                    "edit/link": #"{"id":"Book/1","key":"author","to":null}"#, "edit/make": #"{"entity":"Book"}"#,
                    "edit/delete": #"{"ids":["Book/1"]}"#, "edit/resolve": #"{"policy":"mine"}"#,
                    "migrate": #"{"to":"2"}"#,
                ]
                for change in Self.changes where change != "migrate/cancel" {
                    let answer = try client.write(change, bodies[change] ?? "{}", status: 403)
                    #expect(answer["error"]["message"].text?.contains("--write") == true)
                }
                for path in Self.api where path != "events" {
                    _ = try client.answer(to: client.reading("/api/\(path)"))
                }
                #expect(
                    try client.read("object", ["id": "Book/1"])["attributes"].first("name", "title")["text"].text
                        == "Moby Dick")
                for attribute in try client.read("object", ["id": "Book/1"])["attributes"].items {
                    #expect(attribute["isEditable"].truth == false)
                }
            }
            #expect(try ToolRun.changes(in: folder, since: before) == [])
        }
    }

    // MARK: The end

    @Test("^C ends the studio while pages listen, and notifies them")
    func end() throws {
        try withProcess(["--write"]) { process in
            let client = try StudioClient(process)
            let streams = try (0..<3).map { _ in try client.events() }
            let idle = try LoopbackConnection(process.port)
            let begun = try LoopbackConnection(process.port)
            try begun.send("GET /api/store HTTP/1.1\r\nHo")
            _ = try client.write("edit/make", #"{"entity":"Tag"}"#)
            process.interrupt()
            for stream in streams {
                #expect(try stream.next("end")["message"].text?.isEmpty == false)
                #expect(try stream.next() == nil)
            }
            #expect(try idle.rest().isEmpty && begun.rest().isEmpty)
        }
    }

    @Test("^C ends the studio while a request takes long")
    func endWhileAnswering() throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder) { context in
                _ = try StudioLibrary.made("Tag", ["name": String(repeating: "a", count: 60)], context)
            }
            let process = try StudioProcess(store)
            let client = try StudioClient(process)
            let connection = try LoopbackConnection(process.port)
            let before = try process.ticks()
            // It is tried in very many ways whether the text matches.
            try connection.send(
                "GET /api/rows?entity=Tag&where=name%20MATCHES%20%22(.*a)%7B12%7D.*b%22 HTTP/1.1\r\n"
                    + "Host: 127.0.0.1:\(process.port)\r\nCookie: \(client.cookie)\r\n\r\n")
            // Only the time that it takes shows that it has begun.
            while try process.ticks() < before + 20 {}
            #expect(process.end() == 0, "\(process.errors)")
        }
    }
}
