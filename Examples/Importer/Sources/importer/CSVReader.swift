import Foundation

/// Where a file is wrong, both counted from one: `stock.csv:7:12: price: "abc" is no number`. A column is a byte of its
/// line, as editors and compilers count.
struct Mistake: Error, CustomStringConvertible {
    let line: Int
    let column: Int
    let text: String

    var description: String { "\(line):\(column): \(text)" }
}

/// Reads a file of comma-separated values (RFC 4180) without holding all of it. Values may stand in quotation marks and
/// then have commas, ends of lines and doubled quotation marks.
struct CSVReader {
    struct Value {
        let text: String
        let line: Int
        let column: Int

        func mistake(_ text: String) -> Mistake { Mistake(line: line, column: column, text: text) }
    }

    private let file: FileHandle
    private var buffer = Data()
    private var place = 0
    private var (line, column) = (1, 1)

    init(_ file: FileHandle) throws {
        self.file = file
        buffer = try file.read(upToCount: 1 << 16) ?? Data()
        // Spreadsheets begin a file with a byte order mark.
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    private mutating func peek() throws -> UInt8? {
        if place == buffer.count {
            (buffer, place) = (try file.read(upToCount: 1 << 16) ?? Data(), 0)
        }
        return place < buffer.count ? buffer[buffer.startIndex + place] : nil
    }

    private mutating func take() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        place += 1
        (line, column) = byte == UInt8(ascii: "\n") ? (line + 1, 1) : (line, column + 1)
        return byte
    }

    /// The values of the next record; nil at the end of the file. Empty lines are no records.
    mutating func next() throws -> [Value]? {
        while let byte = try peek(), byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { _ = try take() }
        guard try peek() != nil else { return nil }
        var values: [Value] = []
        repeat { values.append(try value()) } while try isFollowedByComma()
        return values
    }

    private mutating func isFollowedByComma() throws -> Bool {
        let (line, column) = (self.line, self.column)
        var byte = try take()
        if byte == UInt8(ascii: "\r") { byte = try take() }
        switch byte {
        case UInt8(ascii: ","): return true
        case UInt8(ascii: "\n"), nil: return false
        default: throw Mistake(line: line, column: column, text: "a comma or the end of the line has to be here")
        }
    }

    private mutating func value() throws -> Value {
        let (line, column) = (self.line, self.column)
        var bytes: [UInt8] = []
        if try peek() == UInt8(ascii: "\"") {
            _ = try take()
            while true {
                guard let byte = try take() else {
                    throw Mistake(line: line, column: column, text: "the quotation mark is never closed")
                }
                if byte == UInt8(ascii: "\"") {
                    guard try peek() == byte else { break }
                    _ = try take()
                }
                bytes.append(byte)
            }
        } else {
            while let byte = try peek(), !",\r\n\"".utf8.contains(byte), let taken = try take() { bytes.append(taken) }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Mistake(line: line, column: column, text: "the value is not UTF-8")
        }
        return Value(text: text, line: line, column: column)
    }
}
