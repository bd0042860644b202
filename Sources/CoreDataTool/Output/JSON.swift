import Foundation

/// A value of JSON, whose members keep their order.
package indirect enum JSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    /// A number as text, for decimals that a Double does not hold.
    case digits(String)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    /// A text, or null if there is none.
    package static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

    /// A number, or null if there is none.
    package static func optional(_ number: (some BinaryInteger)?) -> JSON {
        number.map { .integer(Int64($0)) } ?? .null
    }

    /// Appends the text of the value. With `indent` nil it has no line breaks.
    package func append(to bytes: inout [UInt8], indent: Int? = nil) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): Self.append(value, to: &bytes)
        // JSON has no form for a value that is no number.
        case .number(let value):
            value.isFinite ? bytes.append(contentsOf: "\(value)".utf8) : Self.append("\(value)", to: &bytes)
        case .digits(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): Self.append(text, to: &bytes)
        case .array(let values):
            Self.append(values, between: "[", and: "]", to: &bytes, indent: indent) { $0.append(to: &$1, indent: $2) }
        case .object(let members):
            Self.append(members, between: "{", and: "}", to: &bytes, indent: indent) { member, bytes, indent in
                Self.append(member.0, to: &bytes)
                bytes.append(contentsOf: (indent == nil ? ":" : ": ").utf8)
                member.1.append(to: &bytes, indent: indent)
            }
        }
    }

    private static func append<Element>(
        _ elements: [Element], between opening: String, and closing: String, to bytes: inout [UInt8], indent: Int?,
        element: (Element, inout [UInt8], Int?) -> Void
    ) {
        bytes.append(contentsOf: opening.utf8)
        let inner = indent.map { $0 + 2 }
        for (place, value) in elements.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine(&bytes, inner)
            element(value, &bytes, inner)
        }
        if !elements.isEmpty { breakLine(&bytes, indent) }
        bytes.append(contentsOf: closing.utf8)
    }

    private static func breakLine(_ bytes: inout [UInt8], _ indent: Int?) {
        guard let indent else { return }
        bytes.append(UInt8(ascii: "\n"))
        for _ in 0..<indent { bytes.append(UInt8(ascii: " ")) }
    }

    /// Appends text in quotes. Control characters, and those that turn the direction of text, are escaped, because a
    /// terminal may show the lines.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for (place, byte) in utf8.enumerated() where mayBeEscaped(byte) {
                guard let (scalar, length) = escaped(at: place, of: utf8) else { continue }
                bytes.append(contentsOf: utf8[start..<place])
                appendEscaped(scalar, to: &bytes)
                start = place + length
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether a character that begins with a byte may have to be escaped.
    private static func mayBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2
    }

    /// The character at a place and how many bytes it has; nil if it is not escaped.
    private static func escaped(
        at place: Int, of utf8: UnsafeBufferPointer<UInt8>
    ) -> (Unicode.Scalar, length: Int)? {
        let length = utf8[place] < 0x80 ? 1 : utf8[place] < 0xE0 ? 2 : 3
        let bits = length == 1 ? 0x7F : length == 2 ? 0x1F : 0xF
        let value = utf8[place + 1..<place + length].reduce(UInt32(utf8[place]) & UInt32(bits)) {
            $0 << 6 | UInt32($1 & 0x3F)
        }
        guard let scalar = Unicode.Scalar(value), scalar.isUnfit || scalar == "\"" || scalar == "\\" else { return nil }
        return (scalar, length)
    }

    private static func appendEscaped(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch scalar {
        case "\n": bytes.append(UInt8(ascii: "n"))
        case "\r": bytes.append(UInt8(ascii: "r"))
        case "\t": bytes.append(UInt8(ascii: "t"))
        case "\"", "\\": bytes.append(UInt8(scalar.value))
        default:
            bytes.append(UInt8(ascii: "u"))
            for shift in [12, 8, 4, 0] { bytes.append(hexDigit(UInt8(scalar.value >> UInt32(shift) & 0xF))) }
        }
    }

    /// Appends a number.
    package static func append(_ number: Int64, to bytes: inout [UInt8]) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        var rest = number.magnitude
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension Console {
    /// Writes a value on lines of its own, indented.
    package func write(_ json: JSON) throws {
        try append { json.append(to: &$0, indent: 0) }
        try line()
    }

    /// Writes a value without line breaks, and ends the line.
    package func writeLine(_ json: JSON) throws {
        try append { json.append(to: &$0) }
        try line()
    }
}
