import Foundation

/// A log message in the form of C: a format and its arguments.
struct FormattedMessage {
    private var rest: Substring
    private var arguments: ArraySlice<Any?>
    private let isRedacting: Bool
    private let error: Int32

    /// The message as text.
    ///
    /// - Parameters:
    ///   - format: The format. `%{public}s` makes a value public, and `%{errno}d` gives the meaning of a number.
    ///   - arguments: The values. The text mentions each missing one.
    ///   - isRedacting: Whether private values are left out.
    ///   - error: The error of the system for `%m`.
    static func text(_ format: String, _ arguments: [Any?], isRedacting: Bool, error: Int32 = 0) -> String {
        var message = FormattedMessage(
            rest: format[...], arguments: arguments[...], isRedacting: isRedacting, error: error)
        var text = ""
        while let percent = message.rest.firstIndex(of: "%") {
            text += message.rest[..<percent]
            message.rest = message.rest[message.rest.index(after: percent)...]
            text += message.value()
        }
        return text + message.rest
    }

    /// The part of a format from the percent sign to the letter of the conversion.
    private struct Conversion {
        var annotations: [Substring] = []
        var flags = ""
        var width = 0
        var precision: Int?
        var letter: Character = "%"
    }

    private mutating func value() -> String {
        let start = rest
        guard let conversion = conversion() else { return "%" + start }
        if conversion.letter == "%" { return "%" }
        if conversion.letter == "m" { return String(cString: strerror(error)) }
        guard let argument = arguments.popFirst() else { return "<decode: missing data>" }
        let (text, isNumber) = Self.text(of: argument, conversion)
        let privacy = OSLogPrivacy(annotations: conversion.annotations)
        let shown = privacy.shown(text, isNumber: isNumber, isRedacting: isRedacting)
        let room = String(repeating: " ", count: max(0, conversion.width - shown.count))
        return conversion.flags.contains("-") ? shown + room : room + shown
    }

    private mutating func conversion() -> Conversion? {
        var result = Conversion()
        if rest.first == "{", let end = rest.firstIndex(of: "}") {
            result.annotations = rest[rest.index(after: rest.startIndex)..<end].split(separator: ",")
                .map { $0.drop { $0 == " " } }
            rest = rest[rest.index(after: end)...]
        }
        result.flags = String(taken { "-+ 0#'".contains($0) })
        result.width = number() ?? 0
        if result.width < 0 { (result.width, result.flags) = (-result.width, result.flags + "-") }
        if rest.first == "." {
            rest.removeFirst()
            result.precision = number() ?? 0
        }
        _ = taken { "hlqjztL".contains($0) }
        guard let letter = rest.popFirst() else { return nil }
        result.letter = letter
        return result
    }

    /// A number of the format, or the next argument in the place of an asterisk.
    private mutating func number() -> Int? {
        if rest.first == "*" {
            rest.removeFirst()
            return (arguments.popFirst() ?? nil).flatMap(Self.integer).map { Int(truncatingIfNeeded: $0) }
        }
        return Int(taken { $0.isASCII && $0.isNumber })
    }

    private mutating func taken(while isPart: (Character) -> Bool) -> Substring {
        let part = rest.prefix(while: isPart)
        rest = rest[part.endIndex...]
        return part
    }

    /// An argument as text, and whether it is a number, which is public.
    private static func text(of argument: Any?, _ conversion: Conversion) -> (text: String, isNumber: Bool) {
        switch conversion.letter {
        case "d", "D", "i", "u", "U", "x", "X", "o", "O":
            guard let number = argument.flatMap(integer) else { break }
            return (text(of: number, isNarrow: isNarrow(argument), conversion), true)
        case "c", "C":
            guard let number = argument.flatMap(integer),
                let scalar = Unicode.Scalar(UInt32(truncatingIfNeeded: number))
            else { break }
            return (String(Character(scalar)), true)
        case "f", "F", "e", "E", "g", "G", "a", "A":
            guard let number = argument.flatMap(fraction) else { break }
            let flags = conversion.flags.filter { "+ #".contains($0) }
            let digits = conversion.precision.map { ".\($0)" } ?? ""
            return (String(format: "%\(flags)\(digits)\(conversion.letter)", number), true)
        case "p":
            guard let address = argument.flatMap(address) else { break }
            return ("0x" + String(address, radix: 16), true)
        case "P":
            guard let start = argument.flatMap(address).flatMap(UnsafeRawPointer.init(bitPattern:)) else { break }
            return (bytes(at: start, count: conversion.precision ?? 0, conversion.annotations), false)
        default: break
        }
        let text = description(of: argument)
        return (conversion.letter == "s" ? String(text.prefix(conversion.precision ?? .max)) : text, false)
    }

    private static func text(of number: Int64, isNarrow: Bool, _ conversion: Conversion) -> String {
        if let meaning = conversion.annotations.lazy.compactMap(NumberMeaning.init(annotation:)).first {
            return meaning.text(number)
        }
        let zeros = conversion.flags.contains("0") && !conversion.flags.contains("-") ? conversion.width : 1
        let digits = conversion.precision ?? zeros
        let hasSign = conversion.flags.contains("+")
        let hasPrefix = conversion.flags.contains("#")
        switch conversion.letter {
        case "x", "X":
            let format = OSLogIntegerFormatting.hex(
                includePrefix: hasPrefix, uppercase: conversion.letter == "X", minDigits: digits)
            return isNarrow ? format.text(Int32(truncatingIfNeeded: number)) : format.text(number)
        case "o", "O":
            let format = OSLogIntegerFormatting.octal(minDigits: digits)
            return isNarrow ? format.text(Int32(truncatingIfNeeded: number)) : format.text(number)
        case "u", "U":
            let format = OSLogIntegerFormatting.decimal(minDigits: digits)
            return isNarrow ? format.text(UInt32(truncatingIfNeeded: number)) : format.text(UInt64(bitPattern: number))
        default: return OSLogIntegerFormatting.decimal(explicitPositiveSign: hasSign, minDigits: digits).text(number)
        }
    }

    private static func integer(_ argument: Any) -> Int64? {
        switch argument {
        case let number as any BinaryInteger: Int64(truncatingIfNeeded: number)
        case let boolean as Bool: boolean ? 1 : 0
        case let number as NSNumber: number.int64Value
        case let value as any RawRepresentable: integer(value.rawValue)
        default: nil
        }
    }

    private static func isNarrow(_ argument: Any?) -> Bool {
        (argument as? any FixedWidthInteger).map { type(of: $0).bitWidth <= 32 } ?? false
    }

    private static func fraction(_ argument: Any) -> Double? {
        switch argument {
        case let number as any BinaryFloatingPoint: Double(number)
        case let number as NSNumber: number.doubleValue
        default: integer(argument).map { Double($0) }
        }
    }

    private static func address(_ argument: Any) -> UInt? {
        switch argument {
        case let pointer as UnsafeRawPointer: UInt(bitPattern: pointer)
        case let pointer as UnsafeMutableRawPointer: UInt(bitPattern: pointer)
        case let pointer as OpaquePointer: UInt(bitPattern: pointer)
        case let pointer as any _Pointer: UInt(bitPattern: Int(bitPattern: pointer))
        default: type(of: argument) is AnyClass ? UInt(bitPattern: ObjectIdentifier(argument as AnyObject)) : nil
        }
    }

    private static func description(of argument: Any?) -> String {
        switch argument {
        case nil: "(null)"
        case let string as String: string
        case let string as UnsafePointer<CChar>: String(cString: string)
        case let string as UnsafeMutablePointer<CChar>: String(cString: string)
        case let value?: String(describing: value)
        }
    }

    private static func bytes(at start: UnsafeRawPointer, count: Int, _ annotations: [Substring]) -> String {
        if annotations.contains("uuid_t"), count == 16 {
            return UUID(uuid: start.loadUnaligned(as: uuid_t.self)).uuidString
        }
        let bytes = UnsafeRawBufferPointer(start: start, count: max(0, count))
        return bytes.map { OSLogIntegerFormatting.hex(minDigits: 2).text($0) }.joined(separator: " ")
    }
}
