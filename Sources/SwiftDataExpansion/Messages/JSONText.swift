#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A value within a JSON text.
///
/// Looking for a member skips the values before it, and decodes none of them: most of a message is unused, and the
/// compiler sends the whole class for each of its members. Foundation's decoder would also add its own time to the
/// start of the program.
struct JSONText {
    private let bytes: [UInt8]
    private let start: Int

    /// The first value of a text.
    init(_ bytes: [UInt8]) {
        self.init(bytes, from: 0)
    }

    private init(_ bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        self.start = bytes.afterSpaces(from: start)
    }

    /// The members of an object, in the order of the text; empty for any other value, and up to the fault in a damaged
    /// text.
    var members: [(key: String, value: JSONText)] {
        var members: [(key: String, value: JSONText)] = []
        guard byte(at: start) == .leftBrace else { return members }
        var position = bytes.afterSpaces(from: start + 1)
        while byte(at: position) == .quote {
            let key = JSONText(bytes, from: position)
            position = bytes.afterSpaces(from: bytes.endOfValue(from: position))
            guard byte(at: position) == .colon, let name = key.string else { break }
            let value = JSONText(bytes, from: position + 1)
            members.append((name, value))
            position = bytes.afterSpaces(from: bytes.endOfValue(from: value.start))
            guard byte(at: position) == .comma else { break }
            position = bytes.afterSpaces(from: position + 1)
        }
        return members
    }

    /// The elements of an array; empty for any other value.
    var elements: [JSONText] {
        var elements: [JSONText] = []
        guard byte(at: start) == .leftBracket else { return elements }
        var position = bytes.afterSpaces(from: start + 1)
        while position < bytes.count, bytes[position] != .rightBracket {
            let element = JSONText(bytes, from: position)
            elements.append(element)
            position = bytes.afterSpaces(from: bytes.endOfValue(from: element.start))
            guard byte(at: position) == .comma else { break }
            position = bytes.afterSpaces(from: position + 1)
        }
        return elements
    }

    subscript(key: String) -> JSONText? {
        members.first { $0.key == key }?.value
    }

    /// The text of a string; nil for any other value.
    var string: String? {
        guard byte(at: start) == .quote else { return nil }
        let end = bytes.endOfValue(from: start)
        guard end - start > 1, bytes[end - 1] == .quote else { return nil }
        return String(decoding: bytes.unescaped(start + 1..<end - 1), as: UTF8.self)
    }

    /// The value of an integer without a sign; nil for any other value.
    var integer: Int? {
        let digits = bytes[start..<max(start, bytes.endOfValue(from: start))]
        return Int(String(decoding: digits, as: UTF8.self))
    }

    /// The bytes that the value takes in the text.
    var rawLength: Int { max(0, bytes.endOfValue(from: start) - start) }

    private func byte(at position: Int) -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }
}

extension [UInt8] {
    fileprivate func afterSpaces(from start: Int) -> Int {
        var position = Swift.min(start, count)
        while position < count, [.space, .newline, .carriageReturn, .tab].contains(self[position]) { position += 1 }
        return position
    }

    /// The place behind the value that begins at a place. Brackets are counted, not matched.
    fileprivate func endOfValue(from start: Int) -> Int {
        guard start < count else { return count }
        switch self[start] {
        case .quote: return endOfString(from: start)
        case .leftBrace, .leftBracket: return endOfBrackets(from: start)
        default:
            var position = start
            while position < count, ![.comma, .rightBrace, .rightBracket, .space, .newline].contains(self[position]) {
                position += 1
            }
            return position
        }
    }

    private func endOfBrackets(from start: Int) -> Int {
        var (depth, position) = (0, start)
        while position < count {
            switch self[position] {
            case .quote:
                position = endOfString(from: position)
                continue
            case .leftBrace, .leftBracket: depth += 1
            case .rightBrace, .rightBracket: depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { break }
        }
        return position
    }

    /// Finds quotes by the C library: in a debug build a loop over the bytes takes many times as long.
    private func endOfString(from start: Int) -> Int {
        withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return 0 }
            var position = start + 1
            while position < buffer.count {
                guard let found = memchr(base + position, Int32(UInt8.quote), buffer.count - position) else { break }
                let quote = UnsafeRawPointer(found) - base
                var backslashes = 0
                while quote - backslashes > position, buffer[quote - backslashes - 1] == .backslash { backslashes += 1 }
                if backslashes.isMultiple(of: 2) { return quote + 1 }
                position = quote + 1
            }
            return buffer.count
        }
    }

    /// The bytes of a string without its escapes.
    fileprivate func unescaped(_ range: Range<Int>) -> [UInt8] {
        withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return [] }
            var text: [UInt8] = []
            text.reserveCapacity(range.count)
            var position = range.lowerBound
            while position < range.upperBound {
                let left = range.upperBound - position
                guard let found = memchr(base + position, Int32(UInt8.backslash), left) else { break }
                let backslash = UnsafeRawPointer(found) - base
                text.append(contentsOf: buffer[position..<backslash])
                position = backslash + 1
                guard position < range.upperBound else { break }
                position += text.appendEscape(buffer[position..<range.upperBound])
            }
            if position < range.upperBound { text.append(contentsOf: buffer[position..<range.upperBound]) }
            return text
        }
    }

    /// Appends the character of an escape, and returns the length of the escape behind its backslash.
    private mutating func appendEscape(_ escape: Slice<UnsafeRawBufferPointer>) -> Int {
        let letter = escape[escape.startIndex]
        switch letter {
        case UInt8(ascii: "n"): append(.newline)
        case UInt8(ascii: "t"): append(.tab)
        case UInt8(ascii: "r"): append(.carriageReturn)
        case UInt8(ascii: "b"): append(8)
        case UInt8(ascii: "f"): append(12)
        case UInt8(ascii: "u"): return 1 + appendCodeUnits(escape.dropFirst())
        default: append(letter)
        }
        return 1
    }

    /// Appends the character of one or two escaped code units, and returns the length of their text behind the first
    /// `u`.
    private mutating func appendCodeUnits(_ text: Slice<UnsafeRawBufferPointer>) -> Int {
        func unit(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt16? {
            digits.count < 4 ? nil : UInt16(String(decoding: digits.prefix(4), as: UTF8.self), radix: 16)
        }
        guard let first = unit(text) else { return 0 }
        let rest = text.dropFirst(4)
        if UTF16.isLeadSurrogate(first), rest.starts(with: [.backslash, UInt8(ascii: "u")]),
            let second = unit(rest.dropFirst(2)), UTF16.isTrailSurrogate(second)
        {
            append(contentsOf: String(decoding: [first, second], as: UTF16.self).utf8)
            return 10
        }
        append(contentsOf: String(decoding: [first], as: UTF16.self).utf8)
        return 4
    }
}

extension UInt8 {
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let backslash = UInt8(ascii: "\\")
    fileprivate static let colon = UInt8(ascii: ":")
    fileprivate static let comma = UInt8(ascii: ",")
    fileprivate static let leftBrace = UInt8(ascii: "{")
    fileprivate static let rightBrace = UInt8(ascii: "}")
    fileprivate static let leftBracket = UInt8(ascii: "[")
    fileprivate static let rightBracket = UInt8(ascii: "]")
    fileprivate static let space = UInt8(ascii: " ")
    fileprivate static let tab = UInt8(ascii: "\t")
    fileprivate static let newline = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
}
