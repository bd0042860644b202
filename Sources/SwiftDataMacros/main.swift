import SwiftDataExpansion

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// The compiler sends messages to the standard input and reads the answers from the standard output. Before each text
// stands its length in eight bytes, the lowest first.

/// The length of the longest message that is read. The compiler itself sends a few times the length of a source file.
let longest = 1 << 30

func receive(_ count: Int) -> [UInt8]? {
    var missing = count
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        while missing > 0, let base = buffer.baseAddress {
            let length = read(STDIN_FILENO, base + filled, missing)
            guard length > 0 || (length < 0 && errno == EINTR) else { break }
            filled += max(0, length)
            missing -= max(0, length)
        }
    }
    return missing == 0 ? bytes : nil
}

func send(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { buffer in
        var sent = 0
        while sent < buffer.count, let base = buffer.baseAddress {
            let length = write(STDOUT_FILENO, base + sent, buffer.count - sent)
            guard length > 0 || (length < 0 && errno == EINTR) else { exit(1) }
            sent += max(0, length)
        }
    }
}

while let header = receive(8) {
    let length = header.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard length <= longest, let message = receive(Int(length)) else { exit(1) }
    let answer = MacroPlugin.answer(to: message)
    send((0..<8).map { UInt8(truncatingIfNeeded: answer.count >> ($0 * 8)) } + answer)
}
