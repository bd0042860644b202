/// The methods of `NSManagedObject` that a class of objects overrides.
enum ObjectOverrides {
    /// Whether a class overrides `value(forKey:)`.
    static func reading(_ type: NSManagedObject.Type) -> Bool { reading.isOverridden(by: type) }

    /// Whether a class overrides `validateValue(_:forKey:)`. Only for such a class a save boxes each value of each
    /// object and calls the method.
    static func validation(_ type: NSManagedObject.Type) -> Bool { validation.isOverridden(by: type) }

    /// Whether a class overrides `awakeFromFetch()`.
    static func awakening(_ type: NSManagedObject.Type) -> Bool { awakening.isOverridden(by: type) }

    private static let reading = VTableSlot(
        in: NSManagedObject.self, same: NothingOverridden.self, other: ReadingOverridden.self)
    private static let validation = VTableSlot(
        in: NSManagedObject.self, same: NothingOverridden.self, other: ValidationOverridden.self)

    private static let awakening = VTableSlot(
        in: NSManagedObject.self, same: NothingOverridden.self, other: AwakeningOverridden.self)

    private final class NothingOverridden: NSManagedObject {}
    private final class ReadingOverridden: NSManagedObject {
        override func value(forKey key: String) -> Any? { nil }
    }
    private final class AwakeningOverridden: NSManagedObject {
        override func awakeFromFetch() { super.awakeFromFetch() }
    }
    private final class ValidationOverridden: NSManagedObject {
        override func validateValue(
            _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
        ) throws {
            try super.validateValue(value, forKey: key)
        }
    }
}
