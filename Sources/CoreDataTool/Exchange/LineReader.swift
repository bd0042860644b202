import Foundation

/// The lines of a file, or of the standard input, one after the other.
struct LineReader {
    private let descriptor: Int32
    private let shown: String
    /// The bytes that were read but not returned yet are from `start` to `end`; behind them is free capacity.
    private var buffer: [UInt8] = []
    private var (start, end) = (0, 0)
    private var isAtEnd = false
    private static let pieceSize = 256 * 1024
    /// The maximum number of milliseconds until ^C has an effect.
    private static let pause: Int32 = 200
    /// The longest line. Without a limit, a device that never ends would fill the memory.
    private static let greatestLength = 1 << 31
    /// The number of the line that was read last.
    private(set) var number = 0

    /// - Parameter descriptor: the descriptor, which stays open.
    init(_ descriptor: Int32, shown: String) {
        self.descriptor = descriptor
        self.shown = shown
    }

    /// The next line without its end; nil after the last one.
    mutating func next() throws -> [UInt8]? {
        var searched = start
        while true {
            if let lineEnd = place(of: UInt8(ascii: "\n"), from: searched) {
                defer { start = lineEnd + 1 }
                number += 1
                return Array(buffer[start..<lineEnd])
            }
            if isAtEnd {
                guard start < end else { return nil }
                defer { start = end }
                number += 1
                return Array(buffer[start..<end])
            }
            try checkUnfinished(from: searched)
            let length = end - start
            try fill()
            searched = start + length
        }
    }

    /// The index of the first such byte in the buffer.
    private func place(of byte: UInt8, from first: Int) -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard first < end, let base = bytes.baseAddress else { return nil }
            return memchr(base + first, Int32(byte), end - first).map { UnsafeRawPointer($0) - base }
        }
    }

    /// Throws if the bytes so far of a long line cannot be the beginning of a line of an export.
    private func checkUnfinished(from searched: Int) throws {
        let length = end - start
        guard length >= Self.pieceSize else { return }
        // A device or a disk image has a zero byte soon. Text in UTF-8 has none.
        if place(of: 0, from: searched) != nil {
            throw ToolError(
                .unreadable, "\(shown): line \(number + 1): a byte is 0: this is no export, or one in UTF-16",
                details: ["'iconv -f UTF-16 -t UTF-8' makes UTF-8 of UTF-16. Nothing was made."])
        }
        if length > Self.greatestLength {
            throw ToolError(
                .unreadable, "\(shown): line \(number + 1) is longer than 2 GB", details: ["Nothing was made."])
        }
    }

    /// Waits for the writer at the other end of a pipe, or for ^C.
    private func awaitInput() throws {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        repeat { try Interruption.check() } while poll(&state, 1, Self.pause) == 0
    }

    private mutating func fill() throws {
        try awaitInput()
        if buffer.count - end < Self.pieceSize {
            buffer.removeFirst(start)
            (start, end) = (0, end - start)
            // The capacity doubles each time, so that a long line is not moved for every piece.
            let room = max(2 * Self.pieceSize, 2 * end)
            if buffer.count < room { buffer += [UInt8](repeating: 0, count: room - buffer.count) }
        }
        let (present, room) = (end, buffer.count - end)
        let count = buffer.withUnsafeMutableBytes { bytes in
            while true {
                let count = read(descriptor, bytes.baseAddress.map { $0 + present }, room)
                if count >= 0 || errno != EINTR { return count }
            }
        }
        end += max(0, count)
        if count < 0 { throw ToolError(.unreadable, "\(shown): \(String(cString: strerror(errno)).lowercased())") }
        isAtEnd = count == 0
    }
}
