import Foundation

/// A connection to a port of this machine, byte by byte: nothing is put right, added or left out, as clients do that
/// are made for people.
final class LoopbackConnection {
    private let socket: Int32
    private var received = Data()
    private var isEnded = false

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter patience: seconds without a byte after which a test has failed; no more than a net below it.
    init(_ port: UInt16, patience: Int = 60) throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // Programs that other tests start at the same time must not hold it open.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            throw Failure(description: "port \(port): \(String(cString: strerror(errno)))")
        }
    }

    deinit { Foundation.close(socket) }

    // MARK: Sending

    func send(_ text: String) throws { try send(Data(text.utf8)) }

    /// Sends a byte whenever nothing has come for a hundredth of a second, at most a hundred thousand times.
    /// - Returns: whether the other side has ended the connection in this time.
    func isEndedWhileDripping() throws -> Bool {
        for _ in 0..<100_000 {
            var look = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            if poll(&look, 1, 10) > 0 {
                var byte: UInt8 = 0
                if recv(socket, &byte, 1, 0) <= 0 { return true }
            } else if (try? send("x")) == nil {
                return true
            }
        }
        return false
    }

    func send(_ data: Data) throws {
        var rest = data
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Failure(description: "not sent: \(String(cString: strerror(errno)))") }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the sending direction of the connection.
    func finish() { shutdown(socket, Int32(SHUT_WR)) }

    // MARK: Receiving

    /// Receives some bytes more; false at the end.
    private func receive() throws -> Bool {
        if isEnded { return false }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var count = recv(socket, &buffer, buffer.count, 0)
        while count < 0, errno == EINTR { count = recv(socket, &buffer, buffer.count, 0) }
        if count < 0, errno == EAGAIN { throw Failure(description: "no answer came; so far: \(text)") }
        // A connection that the other side resets is at its end, too.
        guard count > 0 else {
            if count < 0, errno != ECONNRESET { throw Failure(description: String(cString: strerror(errno))) }
            isEnded = true
            return false
        }
        received.append(contentsOf: buffer.prefix(count))
        return true
    }

    private var text: String { String(decoding: received.prefix(400), as: UTF8.self) }

    private func take(_ count: Int) throws -> Data {
        while received.count < count {
            guard try receive() else { throw Failure(description: "the answer ended early: \(text)") }
        }
        defer { received = Data(received.dropFirst(count)) }
        return Data(received.prefix(count))
    }

    private func take(through end: String) throws -> String {
        while true {
            if let place = received.firstRange(of: Data(end.utf8)) {
                defer { received = Data(received[place.upperBound...]) }
                return String(decoding: received[..<place.lowerBound], as: UTF8.self)
            }
            guard try receive() else { throw Failure(description: "the answer ended early: \(text)") }
        }
    }

    /// Everything up to the end of the connection.
    func rest() throws -> Data {
        while try receive() {}
        defer { received = Data() }
        return received
    }

    /// The next answer, whole.
    func answer() throws -> RawAnswer {
        var answer = try head()
        if let length = answer.header("Content-Length").flatMap({ Int($0) }) {
            answer.body = try take(length)
        } else if answer.isInParts {
            while let part = try part() { answer.body.append(part) }
        } else {
            answer.body = try rest()
        }
        return answer
    }

    /// The first line and the headers of the next answer.
    func head() throws -> RawAnswer {
        var lines = try take(through: "\r\n\r\n").components(separatedBy: "\r\n")
        let words = lines.removeFirst().split(separator: " ")
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw Failure(description: "this is no answer: \(words)")
        }
        let headers = lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        return RawAnswer(status: status, headers: headers)
    }

    /// The next part of an answer that comes in parts; nil at its end.
    func part() throws -> Data? {
        let line = try take(through: "\r\n")
        guard let size = Int(line, radix: 16) else { throw Failure(description: "no size of a part: \(line)") }
        let part = try take(size)
        _ = try take(through: "\r\n")
        return size == 0 ? nil : part
    }
}

/// An answer as it came.
struct RawAnswer {
    let status: Int
    let headers: [(name: String, value: String)]
    var body = Data()

    /// The value of a header; where it comes several times, all of them.
    func header(_ name: String) -> String? {
        let values = headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: "|")
    }

    var isInParts: Bool { header("Transfer-Encoding")?.lowercased() == "chunked" }
    var text: String { String(decoding: body, as: UTF8.self) }
}
