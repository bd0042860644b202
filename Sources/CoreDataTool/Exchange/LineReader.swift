import Foundation

/// The lines of a file, or of the standard input, one after the other.
struct LineReader {
    private let descriptor: Int32
    private let shown: String
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private static let pieceSize = 256 * 1024
    /// How many milliseconds may pass before ^C is noticed.
    private static let pause: Int32 = 200
    /// The number of the line that was read last.
    private(set) var number = 0

    /// - Parameter descriptor: stays open.
    init(_ descriptor: Int32, shown: String) {
        self.descriptor = descriptor
        self.shown = shown
    }

    /// The next line without its end; nil behind the last one.
    mutating func next() throws -> [UInt8]? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                number += 1
                return Array(buffer[start..<end])
            }
            searched = buffer.count
            if isAtEnd {
                guard start < buffer.count else { return nil }
                defer { start = buffer.count }
                number += 1
                return Array(buffer[start...])
            }
            searched -= start
            try fill()
        }
    }

    /// Waits for the writer at the other end of a pipe, and for ^C.
    private func awaitInput() throws {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        repeat { try Interruption.check() } while poll(&state, 1, Self.pause) == 0
    }

    private mutating func fill() throws {
        try awaitInput()
        buffer.removeFirst(start)
        start = 0
        let present = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: Self.pieceSize))
        let count = buffer.withUnsafeMutableBytes { bytes in
            while true {
                let count = read(descriptor, bytes.baseAddress.map { $0 + present }, Self.pieceSize)
                if count >= 0 || errno != EINTR { return count }
            }
        }
        buffer.removeLast(Self.pieceSize - max(0, count))
        if count < 0 { throw ToolError(.unreadable, "\(shown): \(String(cString: strerror(errno)).lowercased())") }
        isAtEnd = count == 0
    }
}
