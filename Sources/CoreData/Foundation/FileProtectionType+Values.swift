import Foundation

// On a Mac this type of Foundation's is equatable, and it is bridged to strings: `FileProtectionType.complete as
// NSObject` is the value of an option.

extension FileProtectionType: @retroactive Equatable, @retroactive Hashable {}

extension FileProtectionType: @retroactive _ObjectiveCBridgeable {
    /// The raw value as an object.
    public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

    /// Sets the result to the kind of protection with this raw value.
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout FileProtectionType?) {
        result = FileProtectionType(rawValue: source.description)
    }

    /// Sets the result to the kind of protection with this raw value; returns true.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSString, result: inout FileProtectionType?
    ) -> Bool {
        _forceBridgeFromObjectiveC(source, result: &result)
        return true
    }

    /// The kind of protection with this raw value; for nil the one without protection.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> FileProtectionType {
        source.map { FileProtectionType(rawValue: $0.description) } ?? .none
    }
}
