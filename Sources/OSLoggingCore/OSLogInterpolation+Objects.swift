import Foundation

extension OSLogInterpolation {
    /// Adds a string, which is private unless said otherwise.
    public mutating func appendInterpolation(
        _ argumentString: String, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(argumentString, align, privacy)
    }

    /// Adds the description of a value, which is private unless said otherwise.
    @_disfavoredOverload
    public mutating func appendInterpolation(
        _ value: any CustomStringConvertible, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(value.description, align, privacy)
    }

    /// Adds the name of a type, which is private unless said otherwise.
    public mutating func appendInterpolation(
        _ value: any Any.Type, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(String(describing: value), align, privacy)
    }

    /// Adds the description of an object, which is private unless said otherwise.
    public mutating func appendInterpolation(_ argumentObject: NSObject?, privacy: OSLogPrivacy = .auto) {
        append(argumentObject?.description ?? "(null)", .none, privacy)
    }

    /// Adds the description of an error, which is private unless said otherwise.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ error: (any Error)?, privacy: OSLogPrivacy = .auto) {
        append(error.map { "\($0)" } ?? "(null)", .none, privacy)
    }

    /// Adds the description of an error that has one, which is private unless said otherwise.
    public mutating func appendInterpolation(
        _ error: any Error & CustomStringConvertible, privacy: OSLogPrivacy = .auto
    ) {
        append(error.description, .none, privacy)
    }

    /// Adds a truth value.
    public mutating func appendInterpolation(
        _ boolean: Bool, format: OSLogBoolFormat = .truth, privacy: OSLogPrivacy = .auto
    ) {
        append(format.text(boolean), isNumber: true, .none, privacy)
    }
}
