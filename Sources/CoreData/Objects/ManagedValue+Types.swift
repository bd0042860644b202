import Foundation

// The conformances of the types that attributes and relationships can be declared with.

extension ManagedAttributeValue where Self: FixedWidthInteger {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: Self? { 0 }

    /// The attribute's value; nil if it has none.
    ///
    /// A number beyond the type's range loses its high bits. A negative number reads as its bit pattern if the type is
    /// unsigned and has 64 bits.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Self? {
        object.integer(property).map { Self(truncatingIfNeeded: $0) }
    }

    /// Sets or clears the attribute.
    ///
    /// A number above `Int64.max` is stored as its bit pattern, which is a negative number.
    @inlinable public static func setOptionalManagedValue(
        _ value: Self?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, integer: value.map { Int64(truncatingIfNeeded: $0) })
    }
}

extension Int: ManagedAttributeValue {}
extension Int8: ManagedAttributeValue {}
extension Int16: ManagedAttributeValue {}
extension Int32: ManagedAttributeValue {}
extension Int64: ManagedAttributeValue {}
extension UInt: ManagedAttributeValue {}
extension UInt8: ManagedAttributeValue {}
extension UInt16: ManagedAttributeValue {}
extension UInt32: ManagedAttributeValue {}
extension UInt64: ManagedAttributeValue {}

extension Bool: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: Bool? { false }

    /// The attribute's value; nil if it has none.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Bool? {
        object.boolean(property)
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: Bool?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, boolean: value)
    }
}

extension ManagedAttributeValue where Self: BinaryFloatingPoint {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: Self? { 0 }

    /// The attribute's value; nil if it has none.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Self? {
        object.double(property).map { Self($0) }
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: Self?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, double: value.map { Double($0) })
    }
}

extension Double: ManagedAttributeValue {}
extension Float: ManagedAttributeValue {}
extension CGFloat: ManagedAttributeValue {}

extension String: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: String? { "" }

    /// The attribute's value; nil if it has none.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> String?
    {
        object.string(property)
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: String?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, string: value)
    }
}

extension Data: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: Data? { Data() }

    /// The attribute's value; nil if it has none.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Data? {
        object.data(property)
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: Data?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, data: value)
    }
}

extension Date: ManagedAttributeValue {
    /// Nil: if the property's type is not optional, a missing value stops the process.
    @inlinable public static var absentManagedValue: Date? { nil }

    /// The attribute's value; nil if it has none.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Date? {
        object.date(property)
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: Date?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, date: value)
    }
}

extension UUID: ManagedAttributeValue {
    /// Nil: if the property's type is not optional, a missing value stops the process.
    @inlinable public static var absentManagedValue: UUID? { nil }

    /// The attribute's value; nil if it has none.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> UUID? {
        object.uuid(property)
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: UUID?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, uuid: value)
    }
}

extension URL: ManagedAttributeValue {
    /// Nil: if the property's type is not optional, a missing value stops the process.
    @inlinable public static var absentManagedValue: URL? { nil }

    /// The attribute's value; nil if it has none.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> URL? {
        object.uri(property)
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: URL?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, uri: value)
    }
}

extension Decimal: ManagedAttributeValue {
    /// Nil: if the property's type is not optional, a missing value stops the process.
    @inlinable public static var absentManagedValue: Decimal? { nil }

    /// The attribute's value; nil if it has none.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Decimal?
    {
        object.decimal(property)
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: Decimal?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, decimal: value)
    }
}

extension Set: ManagedValue where Element: NSManagedObject {
    /// The members of a to-many relationship.
    public static func managedValue(of property: ManagedSlot, in object: NSManagedObject) -> Set {
        Set(property.members(of: object, as: Element.self))
    }

    /// Replaces the members of a to-many relationship.
    public static func setManagedValue(_ value: Set, of property: ManagedSlot, in object: NSManagedObject) {
        object.set(property, toMany: Array(value))
    }
}

extension Set: ManagedAttributeValue where Element: NSManagedObject {
    /// Nil: a relationship always has a value, which may be empty.
    public static var absentManagedValue: Set? { nil }

    /// The members of a to-many relationship.
    public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Set? {
        managedValue(of: property, in: object)
    }

    /// Replaces the members of a to-many relationship; nil leaves none.
    public static func setOptionalManagedValue(
        _ value: Set?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        setManagedValue(value ?? [], of: property, in: object)
    }
}

extension Array: ManagedValue where Element: NSManagedObject {
    /// The members of a to-many relationship.
    public static func managedValue(of property: ManagedSlot, in object: NSManagedObject) -> Array {
        Array(property.members(of: object, as: Element.self))
    }

    /// Replaces the members of a to-many relationship.
    public static func setManagedValue(_ value: Array, of property: ManagedSlot, in object: NSManagedObject) {
        object.set(property, toMany: value)
    }
}

extension Array: ManagedAttributeValue where Element: NSManagedObject {
    /// Nil: a relationship always has a value, which may be empty.
    public static var absentManagedValue: Array? { nil }

    /// The members of a to-many relationship.
    public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Array? {
        managedValue(of: property, in: object)
    }

    /// Replaces the members of a to-many relationship; nil leaves none.
    public static func setOptionalManagedValue(
        _ value: Array?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        setManagedValue(value ?? [], of: property, in: object)
    }
}
