import Foundation

extension NSValueTransformerName {
    /// A transformer that turns a Boolean into its opposite.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsvaluetransformername/negatebooleantransformername)
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// A transformer that tests whether a value is nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsvaluetransformername/isniltransformername)
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// A transformer that tests whether a value is not nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsvaluetransformername/isnotniltransformername)
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// A transformer that decodes the object of a keyed archive, of any class. Use it with trusted archives only.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsvaluetransformername/keyedunarchivefromdatatransformername)
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
    /// A transformer that decodes the object of a keyed archive, of property-list classes only:
    /// ``NSSecureUnarchiveFromDataTransformer``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsvaluetransformername/secureunarchivefromdatatransformername)
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

/// A transformer that decodes objects from archives. Transformable attributes use its two directions in reverse.
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
        guard let data = Data(of: value) else { return nil }
        return KeyedArchive.object(of: data) { try NSKeyedUnarchiver.unarchiveTopLevelObjectWithData(data) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value, KeyedArchive.canHold(value as AnyObject) else { return nil }
        return KeyedArchive.data(of: value as AnyObject) {
            try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false)
        }
    }
}
