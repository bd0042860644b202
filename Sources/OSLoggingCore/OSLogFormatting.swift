import Foundation

/// The columns of a value in a log message.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/oslogstringalignment)
public struct OSLogStringAlignment: Sendable {
    private let columns: Int
    private let isLeft: Bool

    /// As many columns as the value needs.
    public static var none: OSLogStringAlignment { OSLogStringAlignment(columns: 0, isLeft: false) }

    /// At least this many columns, with the value at the right.
    public static func right(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns(), isLeft: false)
    }

    /// At least this many columns, with the value at the left.
    public static func left(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns(), isLeft: true)
    }

    func aligned(_ text: String) -> String {
        guard columns > 0 else { return text }
        let room = String(repeating: " ", count: max(0, columns - text.count))
        return isLeft ? text + room : room + text
    }
}

/// The form of a truth value in a log message.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/oslogboolformat)
public enum OSLogBoolFormat: Sendable {
    /// `true` or `false`.
    case truth
    /// `YES` or `NO`.
    case answer

    func text(_ value: Bool) -> String {
        switch self {
        case .truth: value ? "true" : "false"
        case .answer: value ? "YES" : "NO"
        }
    }
}

/// The form of a whole number in a log message.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/oslogintegerformatting)
public struct OSLogIntegerFormatting: Sendable {
    private var radix = 10
    private var hasSign = false
    private var hasPrefix = false
    private var isUppercase = false
    private var minDigits = 1

    private init() {}

    /// Digits from 0 to 9.
    public static var decimal: OSLogIntegerFormatting { OSLogIntegerFormatting() }
    /// Digits from 0 to f.
    public static var hex: OSLogIntegerFormatting { hex(includePrefix: false) }
    /// Digits from 0 to 7.
    public static var octal: OSLogIntegerFormatting { octal(includePrefix: false) }

    /// Digits from 0 to 9.
    ///
    /// - Parameters:
    ///   - explicitPositiveSign: Whether positive numbers have a sign.
    ///   - minDigits: The least number of digits; zeros come first.
    public static func decimal(
        explicitPositiveSign: Bool = false, minDigits: @autoclosure () -> Int = 1
    ) -> OSLogIntegerFormatting {
        var format = OSLogIntegerFormatting()
        format.hasSign = explicitPositiveSign
        format.minDigits = minDigits()
        return format
    }

    /// Digits from 0 to f. A negative number is written as the bits of its type.
    ///
    /// - Parameters:
    ///   - explicitPositiveSign: Whether positive numbers have a sign.
    ///   - includePrefix: Whether `0x` comes first.
    ///   - uppercase: Whether letters are large.
    ///   - minDigits: The least number of digits; zeros come first.
    public static func hex(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false,
        minDigits: @autoclosure () -> Int = 1
    ) -> OSLogIntegerFormatting {
        var format = decimal(explicitPositiveSign: explicitPositiveSign, minDigits: minDigits())
        format.radix = 16
        format.hasPrefix = includePrefix
        format.isUppercase = uppercase
        return format
    }

    /// Digits from 0 to 7. A negative number is written as the bits of its type.
    ///
    /// - Parameters:
    ///   - explicitPositiveSign: Whether positive numbers have a sign.
    ///   - includePrefix: Whether `0o` comes first.
    ///   - uppercase: Whether letters are large.
    ///   - minDigits: The least number of digits; zeros come first.
    public static func octal(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false,
        minDigits: @autoclosure () -> Int = 1
    ) -> OSLogIntegerFormatting {
        var format = hex(
            explicitPositiveSign: explicitPositiveSign, includePrefix: includePrefix, uppercase: uppercase,
            minDigits: minDigits())
        format.radix = 8
        return format
    }

    func text<Number: FixedWidthInteger>(_ number: Number) -> String {
        let isNegative = radix == 10 && number < 0
        let digits =
            if radix == 10 {
                String(number.magnitude)
            } else if Number.bitWidth <= 32 {
                String(UInt32(truncatingIfNeeded: number), radix: radix, uppercase: isUppercase)
            } else {
                String(UInt64(truncatingIfNeeded: number), radix: radix, uppercase: isUppercase)
            }
        let zeros = String(repeating: "0", count: max(0, minDigits - digits.count))
        let prefix = hasPrefix ? (radix == 16 ? "0x" : "0o") : ""
        let sign = isNegative ? "-" : hasSign && number >= 0 ? "+" : ""
        return sign + (isUppercase ? prefix.uppercased() : prefix) + zeros + digits
    }
}

/// The form of a number with a fraction in a log message.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/oslogfloatformatting)
public struct OSLogFloatFormatting: Sendable {
    private let format: String

    private init(_ letter: String, hasSign: Bool, isUppercase: Bool, precision: Int? = nil) {
        let digits = precision.map { ".\(max(0, $0))" } ?? ""
        format = "%" + (hasSign ? "+" : "") + digits + (isUppercase ? letter.uppercased() : letter)
    }

    func text(_ number: Double) -> String { String(format: format, number) }

    /// Six digits behind the point.
    public static var fixed: OSLogFloatFormatting { fixed() }
    /// The digits of the number in base 16.
    public static var hex: OSLogFloatFormatting { hex() }
    /// One digit before the point, and an exponent.
    public static var exponential: OSLogFloatFormatting { exponential() }
    /// An exponent where the number is very small or very large.
    public static var hybrid: OSLogFloatFormatting { hybrid() }

    /// Six digits behind the point.
    public static func fixed(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
        OSLogFloatFormatting("f", hasSign: explicitPositiveSign, isUppercase: uppercase)
    }

    /// This many digits behind the point.
    public static func fixed(
        precision: @autoclosure () -> Int, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("f", hasSign: explicitPositiveSign, isUppercase: uppercase, precision: precision())
    }

    /// The digits of the number in base 16.
    public static func hex(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
        OSLogFloatFormatting("a", hasSign: explicitPositiveSign, isUppercase: uppercase)
    }

    /// One digit before the point, and an exponent.
    public static func exponential(
        explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("e", hasSign: explicitPositiveSign, isUppercase: uppercase)
    }

    /// One digit before the point, this many behind it, and an exponent.
    public static func exponential(
        precision: @autoclosure () -> Int, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("e", hasSign: explicitPositiveSign, isUppercase: uppercase, precision: precision())
    }

    /// An exponent where the number is very small or very large.
    public static func hybrid(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
        OSLogFloatFormatting("g", hasSign: explicitPositiveSign, isUppercase: uppercase)
    }

    /// This many digits at most, and an exponent where the number is very small or very large.
    public static func hybrid(
        precision: @autoclosure () -> Int, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("g", hasSign: explicitPositiveSign, isUppercase: uppercase, precision: precision())
    }
}
