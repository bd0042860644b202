import CoreData
import Foundation

/// A parsed value of JSON, with its place in the line for error messages. Numbers keep their text.
struct ReadJSON {
    let content: ReadContent
    /// The number of bytes before the value.
    let offset: Int

    /// A mistake at a place of a line.
    struct Mistake: Error {
        let offset: Int
        let problem: String
    }

    /// Reads one value that takes up the whole line.
    init(_ line: [UInt8]) throws(Mistake) {
        var reader = JSONLineReader(line)
        self = try reader.whole()
    }

    init(_ content: ReadContent, at offset: Int) {
        self.content = content
        self.offset = offset
    }

    /// The name of the value's kind in messages.
    var kind: String {
        switch content {
        case .null: "null"
        case .bool: "a truth value"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }

    var string: String? { if case .string(let text) = content { text } else { nil } }

    func mistake(_ problem: String) -> Mistake { Mistake(offset: offset, problem: problem) }

    func expected(_ what: String) -> Mistake { mistake("\(what) is expected, not \(kind)") }

    func text(_ what: String = "a text") throws(Mistake) -> String {
        guard let string else { throw expected(what) }
        return string
    }

    /// The value itself, if it is the text of a UUID.
    func uuid() throws(Mistake) -> ReadJSON {
        guard UUID(uuidString: try text("a UUID")) != nil else { throw mistake("this is no UUID") }
        return self
    }

    func members(_ what: String = "an object") throws(Mistake) -> [ReadMember] {
        guard case .object(let members) = content else { throw expected(what) }
        return members
    }

    func integer() throws(Mistake) -> Int64 {
        guard case .number(let text) = content else { throw expected("a number") }
        guard let number = Int64(text) else { throw mistake("\(text) is no whole number of 64 bits") }
        return number
    }
}

/// The content of such a value.
enum ReadContent {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([ReadJSON])
    case object([ReadMember])
}

/// A name in an object, and its value.
struct ReadMember {
    let key: ReadJSON
    let value: ReadJSON
}

/// A strict parser of JSON in one line.
private struct JSONLineReader {
    private let bytes: [UInt8]
    private var place = 0
    private var depth = 0
    private static let deepest = 100

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private func mistake(_ problem: String) -> ReadJSON.Mistake { .init(offset: place, problem: problem) }

    private var byte: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpaces() {
        while let byte, [0x20, 0x09, 0x0D, 0x0A].contains(byte) { place += 1 }
    }

    private mutating func take(_ letter: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard byte == UInt8(ascii: letter) else { return false }
        place += 1
        return true
    }

    mutating func whole() throws(ReadJSON.Mistake) -> ReadJSON {
        let value = try value()
        skipSpaces()
        if place < bytes.count { throw mistake("something stands behind the value") }
        return value
    }

    private mutating func value() throws(ReadJSON.Mistake) -> ReadJSON {
        skipSpaces()
        let start = place
        guard let byte else { throw mistake("the line ends where a value is expected") }
        switch byte {
        case UInt8(ascii: "\""): return ReadJSON(.string(try string()), at: start)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            if depth > Self.deepest { throw mistake("values lie too deep in each other") }
            defer { depth -= 1 }
            place += 1
            return ReadJSON(bytes[start] == UInt8(ascii: "{") ? try members() : try elements(), at: start)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return ReadJSON(.number(try number()), at: start)
        default:
            for (word, content) in [("null", ReadContent.null), ("true", .bool(true)), ("false", .bool(false))]
            where bytes[start...].starts(with: word.utf8) {
                place += word.utf8.count
                return ReadJSON(content, at: start)
            }
            throw mistake("a value is expected")
        }
    }

    private mutating func members() throws(ReadJSON.Mistake) -> ReadContent {
        var members: [ReadMember] = []
        if take("}") { return .object([]) }
        repeat {
            skipSpaces()
            let start = place
            guard byte == UInt8(ascii: "\"") else { throw mistake("a name in quotes is expected") }
            let key = ReadJSON(.string(try string()), at: start)
            guard take(":") else { throw mistake("a colon is expected") }
            members.append(ReadMember(key: key, value: try value()))
        } while take(",")
        guard take("}") else { throw mistake("a comma or '}' is expected") }
        return .object(members)
    }

    private mutating func elements() throws(ReadJSON.Mistake) -> ReadContent {
        var elements: [ReadJSON] = []
        if take("]") { return .array([]) }
        repeat { elements.append(try value()) } while take(",")
        guard take("]") else { throw mistake("a comma or ']' is expected") }
        return .array(elements)
    }

    private mutating func number() throws(ReadJSON.Mistake) -> String {
        let start = place
        while let byte, [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte) || (0x30...0x39).contains(byte) { place += 1 }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        guard Double(text) != nil else {
            place = start
            throw mistake("'\(text)' is no number")
        }
        return text
    }

    private mutating func string() throws(ReadJSON.Mistake) -> String {
        place += 1
        let start = place
        while let byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { place += 1 }
        if byte == UInt8(ascii: "\"") {
            defer { place += 1 }
            return try text(bytes[start..<place], at: start)
        }
        var result = Array(bytes[start..<place])
        while let byte, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw mistake("a control character stands in a text") }
            place += 1
            if byte == UInt8(ascii: "\\") { try escape(&result) } else { result.append(byte) }
        }
        guard place < bytes.count else { throw mistake("a text has no end") }
        place += 1
        return try text(result[...], at: start)
    }

    private func text(_ bytes: ArraySlice<UInt8>, at start: Int) throws(ReadJSON.Mistake) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ReadJSON.Mistake(offset: start, problem: "a text is not in UTF-8")
        }
        if CombiningMarks.areEndless(in: text) {
            throw ReadJSON.Mistake(offset: start, problem: "a letter has too many combining marks")
        }
        return text
    }

    private mutating func escape(_ result: inout [UInt8]) throws(ReadJSON.Mistake) {
        let letters: [UInt8: UInt8] = [
            0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
        ]
        guard let letter = byte else { return }
        if let meant = letters[letter] {
            place += 1
            result.append(meant)
            return
        }
        guard letter == UInt8(ascii: "u") else { throw mistake("a backslash stands before what it cannot mean") }
        place += 1
        var unit = try hexadecimal()
        if (0xD800..<0xDC00).contains(unit), bytes[place...].starts(with: "\\u".utf8) {
            place += 2
            let low = try hexadecimal()
            guard (0xDC00..<0xE000).contains(low) else { throw mistake("half of a character is missing") }
            unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(unit) else { throw mistake("half of a character is missing") }
        result.append(contentsOf: Character(scalar).utf8)
    }

    private mutating func hexadecimal() throws(ReadJSON.Mistake) -> UInt32 {
        let digits = bytes[place..<min(place + 4, bytes.count)]
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw mistake("four hexadecimal digits are expected") }
        place += 4
        return number
    }
}
