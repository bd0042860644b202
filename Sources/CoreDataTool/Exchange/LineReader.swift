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
    /// More than any row of SQLite or PostgreSQL makes. Without a bound, a device that never ends fills the memory.
    private static let greatestLength = 1 << 31
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
            if let end = place(of: UInt8(ascii: "\n"), from: searched) {
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
            try checkUnfinished()
            searched -= start
            try fill()
        }
    }

    /// The index of the first such byte in the buffer.
    private func place(of byte: UInt8, from first: Int) -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard first < bytes.count, let base = bytes.baseAddress else { return nil }
            return memchr(base + first, Int32(byte), bytes.count - first).map { UnsafeRawPointer($0) - base }
        }
    }

    /// Throws where what was read of a long line cannot become one of an export.
    private func checkUnfinished() throws {
        let length = buffer.count - start
        guard length >= Self.pieceSize else { return }
        // A device or a disk image has no line for long. Text in UTF-8 has no such byte.
        if length < 2 * Self.pieceSize, place(of: 0, from: start) != nil {
            throw ToolError(
                .unreadable, "\(shown): line \(number + 1): a byte is 0: this is no export, or one in UTF-16",
                details: ["'iconv -f UTF-16 -t UTF-8' makes UTF-8 of UTF-16. Nothing was made."])
        }
        if length > Self.greatestLength {
            throw ToolError(
                .unreadable, "\(shown): line \(number + 1) is longer than 2 GB", details: ["Nothing was made."])
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
