import Foundation

extension NSValueTransformerName {
    /// Turns a boolean into its opposite.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// Says whether a value is nil.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// Says whether a value is not nil.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// Makes the object of a keyed archive, of whatever classes.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
    /// Makes the object of a keyed archive, of property-list classes only: what transformable attributes use by
    /// default.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
}

extension ValueTransformerRegistry {
    static var builtIn: [NSValueTransformerName: ValueTransformer] {
        [
            .negateBooleanTransformerName: NegateBooleanTransformer(),
            .isNilTransformerName: IsNilTransformer(),
            .isNotNilTransformerName: IsNotNilTransformer(),
            .keyedUnarchiveFromDataTransformerName: KeyedUnarchiveFromDataTransformer(),
            .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
        ]
    }
}

/// A transformer that makes objects of archives: transformable attributes use it the other way round.
protocol UnarchivingTransformer: ValueTransformer {}

private final class NegateBooleanTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override func transformedValue(_ value: Any?) -> Any? {
        let flag = (value as? NSNumber)?.boolValue ?? (value as? Bool) ?? false
        return NSNumber(value: !flag)
    }
}

private final class IsNilTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override class func allowsReverseTransformation() -> Bool { false }
    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: value == nil) }
}

private final class IsNotNilTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override class func allowsReverseTransformation() -> Bool { false }
    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: value != nil) }
}

private final class KeyedUnarchiveFromDataTransformer: ValueTransformer, UnarchivingTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data else { return nil }
        return KeyedArchive.object(of: data) { try NSKeyedUnarchiver.unarchiveTopLevelObjectWithData(data) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value, KeyedArchive.canHold(value as AnyObject) else { return nil }
        return KeyedArchive.data(of: value as AnyObject) {
            try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false)
        }
    }
}
