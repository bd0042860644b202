import Foundation

/// Measures how long it takes until the page of `coredata studio` has what another process has saved: from the start of
/// that process until the page, notified of the save, has read the object again.
struct StudioLatency {
    let program: URL
    let store: URL

    /// - Returns: the seconds of each of so many saves; nil where the program was built without the studio.
    func seconds(of saves: Int) throws -> [Double]? {
        let (studio, output) = (Process(), Pipe())
        studio.executableURL = program
        studio.arguments = ["studio", store.path, "--no-open"]
        studio.standardOutput = output
        studio.standardError = FileHandle.nullDevice
        try studio.run()
        defer {
            studio.interrupt()
            studio.waitUntilExit()
        }
        guard let address = LineSource(output.fileHandleForReading.fileDescriptor).next().flatMap(URL.init(string:))
        else { return nil }
        let cookie = try cookie(address)
        let events = try LineSource(request(address, "/api/events", cookie))
        try expect("HTTP/1.1 200", in: events)
        try expect(": here", in: events)
        return try (1...saves).map { number in
            let title = "saved \(number)"
            let start = ContinuousClock.now
            _ = try ChildProcess.output(
                of: ChildProcess.env,
                ["sqlite3", store.path, "UPDATE ZBOOK SET ZTITLE = '\(title)', Z_OPT = Z_OPT + 1 WHERE Z_PK = 1"])
            try expect("event: change", in: events)
            let answer = try LineSource(request(address, "/api/object?id=Book/1", cookie))
            try expect("\"\(title)\"", in: answer)
            return (ContinuousClock.now - start) / .seconds(1)
        }
    }

    private func expect(_ text: String, in lines: LineSource) throws {
        while let line = lines.next() { if line.contains(text) { return } }
        throw BenchmarkFailure(description: "the studio did not answer '\(text)'")
    }

    private func cookie(_ address: URL) throws -> String {
        let lines = try LineSource(request(address, "/?\(address.query ?? "")", nil))
        while let line = lines.next() {
            guard line.hasPrefix("Set-Cookie: ") else { continue }
            return String(line.dropFirst("Set-Cookie: ".count).prefix { $0 != ";" })
        }
        throw BenchmarkFailure(description: "the studio sent no cookie")
    }

    /// Sends a request; the socket that is returned has the answer.
    private func request(_ address: URL, _ path: String, _ cookie: String?) throws -> Int32 {
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = in_port_t(address.port ?? 0).bigEndian
        place.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection, $0, size) }
        }
        guard connected == 0 else { throw BenchmarkFailure(description: "\(address) does not answer") }
        let head = [
            "GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(address.port ?? 0)", "Connection: close",
            cookie.map { "Cookie: \($0)" } ?? "Accept: */*", "", "",
        ].joined(separator: "\r\n")
        guard head.withCString({ write(connection, $0, strlen($0)) }) == head.utf8.count else {
            throw BenchmarkFailure(description: "\(address) does not read")
        }
        return connection
    }
}

/// Lines of a descriptor, as they come.
private final class LineSource {
    private let descriptor: Int32
    private var rest: [UInt8] = []

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The next line; nil at the end.
    func next() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else {
                defer { rest = [] }
                return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)
            }
            rest += bytes.prefix(count)
        }
    }
}
