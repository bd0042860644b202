import Foundation

// The conformances of the types that attributes and relationships can be declared with.

extension Int: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: Int? { 0 }

    /// The attribute's value; nil if it has none.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Int? {
        object.integer(property).map { Int(truncatingIfNeeded: $0) }
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: Int?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, integer: value.map { Int64(truncatingIfNeeded: $0) })
    }
}

extension Int8: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: Int8? { 0 }

    /// The attribute's value; nil if it has none.
    ///
    /// A number beyond the type's range loses its high bits.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Int8? {
        object.integer(property).map { Int8(truncatingIfNeeded: $0) }
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: Int8?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, integer: value.map { Int64(truncatingIfNeeded: $0) })
    }
}

extension Int16: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: Int16? { 0 }

    /// The attribute's value; nil if it has none.
    ///
    /// A number beyond the type's range loses its high bits.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Int16? {
        object.integer(property).map { Int16(truncatingIfNeeded: $0) }
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: Int16?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, integer: value.map { Int64(truncatingIfNeeded: $0) })
    }
}

extension Int32: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: Int32? { 0 }

    /// The attribute's value; nil if it has none.
    ///
    /// A number beyond the type's range loses its high bits.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Int32? {
        object.integer(property).map { Int32(truncatingIfNeeded: $0) }
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: Int32?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, integer: value.map { Int64(truncatingIfNeeded: $0) })
    }
}

extension Int64: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: Int64? { 0 }

    /// The attribute's value; nil if it has none.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Int64? {
        object.integer(property).map { Int64(truncatingIfNeeded: $0) }
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: Int64?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, integer: value.map { Int64(truncatingIfNeeded: $0) })
    }
}

extension UInt: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: UInt? { 0 }

    /// The attribute's value; nil if it has none.
    ///
    /// A negative number reads as its bit pattern.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> UInt? {
        object.integer(property).map { UInt(truncatingIfNeeded: $0) }
    }

    /// Sets or clears the attribute.
    ///
    /// A number above `Int64.max` is stored as its bit pattern, which is a negative number.
    @inlinable public static func setOptionalManagedValue(
        _ value: UInt?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, integer: value.map { Int64(truncatingIfNeeded: $0) })
    }
}

extension UInt8: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: UInt8? { 0 }

    /// The attribute's value; nil if it has none.
    ///
    /// A number beyond the type's range loses its high bits.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> UInt8? {
        object.integer(property).map { UInt8(truncatingIfNeeded: $0) }
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: UInt8?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, integer: value.map { Int64(truncatingIfNeeded: $0) })
    }
}

extension UInt16: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: UInt16? { 0 }

    /// The attribute's value; nil if it has none.
    ///
    /// A number beyond the type's range loses its high bits.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> UInt16?
    {
        object.integer(property).map { UInt16(truncatingIfNeeded: $0) }
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: UInt16?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, integer: value.map { Int64(truncatingIfNeeded: $0) })
    }
}

extension UInt32: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: UInt32? { 0 }

    /// The attribute's value; nil if it has none.
    ///
    /// A number beyond the type's range loses its high bits.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> UInt32?
    {
        object.integer(property).map { UInt32(truncatingIfNeeded: $0) }
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: UInt32?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, integer: value.map { Int64(truncatingIfNeeded: $0) })
    }
}

extension UInt64: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: UInt64? { 0 }

    /// The attribute's value; nil if it has none.
    ///
    /// A negative number reads as its bit pattern.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> UInt64?
    {
        object.integer(property).map { UInt64(truncatingIfNeeded: $0) }
    }

    /// Sets or clears the attribute.
    ///
    /// A number above `Int64.max` is stored as its bit pattern, which is a negative number.
    @inlinable public static func setOptionalManagedValue(
        _ value: UInt64?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, integer: value.map { Int64(truncatingIfNeeded: $0) })
    }
}

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

extension Double: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: Double? { 0 }

    /// The attribute's value; nil if it has none.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Double?
    {
        object.double(property)
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: Double?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, double: value)
    }
}

extension Float: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: Float? { 0 }

    /// The attribute's value; nil if it has none.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Float? {
        object.double(property).map { Float($0) }
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: Float?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, double: value.map { Double($0) })
    }
}

extension CGFloat: ManagedAttributeValue {
    /// The value that a missing one reads as.
    @inlinable public static var absentManagedValue: CGFloat? { 0 }

    /// The attribute's value; nil if it has none.
    @inlinable public static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> CGFloat?
    {
        object.double(property).map { CGFloat($0) }
    }

    /// Sets or clears the attribute.
    @inlinable public static func setOptionalManagedValue(
        _ value: CGFloat?, of property: ManagedSlot, in object: NSManagedObject
    ) {
        object.set(property, double: value.map { Double($0) })
    }
}

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
