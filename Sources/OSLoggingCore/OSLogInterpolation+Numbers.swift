import Foundation

extension OSLogInterpolation {
    /// Adds a whole number.
    public mutating func appendInterpolation<Number: FixedWidthInteger>(
        _ number: Number, format: OSLogIntegerFormatting = .decimal, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(format.text(number), isNumber: true, align, privacy)
    }

    /// Adds a number that has a meaning, such as a count of bytes.
    public mutating func appendInterpolation(
        _ number: Int32, format: OSLogInt32ExtendedFormat, privacy: OSLogPrivacy = .auto
    ) {
        append(format.meaning.text(Int64(number)), isNumber: true, .none, privacy)
    }

    /// Adds a number that has a meaning, such as a count of bytes.
    public mutating func appendInterpolation(
        _ number: Int, format: OSLogIntExtendedFormat, privacy: OSLogPrivacy = .auto
    ) {
        append(format.meaning.text(Int64(number)), isNumber: true, .none, privacy)
    }

    /// Adds a number with a fraction.
    public mutating func appendInterpolation(
        _ number: Double, format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(format.text(number), isNumber: true, align, privacy)
    }

    /// Adds a number with a fraction.
    public mutating func appendInterpolation(
        _ number: Float, format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(format.text(Double(number)), isNumber: true, align, privacy)
    }

    /// Adds a number with a fraction.
    public mutating func appendInterpolation(
        _ number: CGFloat, format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(format.text(Double(number)), isNumber: true, align, privacy)
    }
}
