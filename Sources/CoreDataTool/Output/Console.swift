import Foundation

/// The output of the program: results go to the standard output, all messages to the standard error.
package final class Console {
    private let output: Int32
    private let errors: Int32
    private var buffer: [UInt8] = []
    /// Whether a body of `whole` runs, whose output may be dropped.
    private var isHeld = false
    private static let bufferSize = 64 * 1024

    /// The columns of the terminal; nil if the output is none.
    package let columns: Int?
    /// Whether the output takes colours: a terminal, and no NO_COLOR in the environment.
    package let hasColours: Bool
    /// The columns of the terminal of the standard error, for progress; nil if it is none.
    package let errorColumns: Int?

    package init(output: Int32 = STDOUT_FILENO, errors: Int32 = STDERR_FILENO) {
        self.output = output
        self.errors = errors
        columns = Self.columns(of: output)
        errorColumns = Self.columns(of: errors)
        let environment = ProcessInfo.processInfo.environment
        hasColours = columns != nil && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        buffer.reserveCapacity(Self.bufferSize + 4096)
    }

    /// A console that keeps the output until the caller takes it.
    package static func keeping() -> Console { Console(keepingBeside: STDERR_FILENO) }

    private init(keepingBeside errors: Int32) {
        output = -1
        self.errors = errors
        columns = nil
        errorColumns = nil
        hasColours = false
    }

    /// Returns the output since the last call, of a console that keeps it.
    package func takeKept() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }

    private static func columns(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        let answered = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
        return answered && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Writes text as it is.
    package func write(_ text: String) throws { try write(text.utf8) }

    /// Writes a line.
    package func line(_ text: String = "") throws {
        try write(text.utf8)
        try write(CollectionOfOne(UInt8(ascii: "\n")))
    }

    package func write(_ bytes: some Sequence<UInt8>) throws {
        buffer.append(contentsOf: bytes)
        try flushWhereFull()
    }

    private func flushWhereFull() throws {
        if buffer.count >= Self.bufferSize, !isHeld, output >= 0 { try flush() }
    }

    /// Writes the output of `body`, or none of it if `body` throws.
    package func whole(_ body: () throws -> Void) throws {
        let start = buffer.count
        isHeld = true
        defer { isHeld = false }
        do {
            try body()
        } catch {
            buffer.removeSubrange(start...)
            throw error
        }
        isHeld = false
        try flushWhereFull()
    }

    /// Lets `body` append to the output, without a copy.
    package func append(_ body: (inout [UInt8]) -> Void) throws {
        body(&buffer)
        try flushWhereFull()
    }

    /// Writes the gathered output. The program does so before it ends.
    package func flush() throws {
        defer { buffer.removeAll(keepingCapacity: true) }
        try buffer.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(output, rest.baseAddress, rest.count)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EPIPE {
                    throw ToolError(.closed, "the output was closed before everything was written")
                } else if errno != EINTR {
                    throw ToolError(.failed, "the output cannot be written: \(String(cString: strerror(errno)))")
                }
            }
        }
    }

    /// Writes a message to the standard error.
    package func say(_ text: String) { draw("\(text)\n") }

    /// Writes to the standard error without a line's end, for a line that is drawn anew.
    ///
    /// If the standard error is closed, the error of writing has no reader, and is ignored.
    package func draw(_ text: String) {
        try? FileHandle(fileDescriptor: errors).write(contentsOf: Data(text.utf8))
    }

    package enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
    }

    /// The text in a colour, if the output takes colours.
    package func styled(_ text: String, _ style: Style) -> String {
        hasColours ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}

extension Slice where Base == UnsafeRawBufferPointer {
    fileprivate var baseAddress: UnsafeRawPointer? { UnsafeRawBufferPointer(rebasing: self).baseAddress }
}
