import Foundation

/// A type that `@NSManaged` properties read and write without boxing.
///
/// Numbers, strings, dates, data, UUIDs, URLs, decimals, their optionals, and sets and arrays of managed objects
/// conform. Generated accessors find the conformance of a property's declared type at compile time. Another type needs
/// a conformance only to be stored as one of these.
///
/// OpenCoreData only.
public protocol ManagedValue {
    /// Returns the value of a property of an object.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - object: The object that has it.
    /// - Returns: The value. A missing number reads as 0, a missing string or data as empty. The process stops if the
    ///   type has no such value.
    static func managedValue(of property: ManagedSlot, in object: NSManagedObject) -> Self
    /// Sets a property of an object.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - property: The property.
    ///   - object: The object that has it.
    static func setManagedValue(_ value: Self, of property: ManagedSlot, in object: NSManagedObject)
}

/// A type of attribute values whose optional can be read and written too.
///
/// OpenCoreData only.
public protocol ManagedAttributeValue: ManagedValue {
    /// The value that a missing one reads as if the property's type is not optional; nil if the type has none.
    static var absentManagedValue: Self? { get }
    /// Returns the value of an attribute; nil if it has none.
    ///
    /// - Parameters:
    ///   - property: The attribute.
    ///   - object: The object that has it.
    /// - Returns: The value, or nil.
    static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Self?
    /// Sets or clears an attribute.
    ///
    /// - Parameters:
    ///   - value: The new value, or nil.
    ///   - property: The attribute.
    ///   - object: The object that has it.
    static func setOptionalManagedValue(_ value: Self?, of property: ManagedSlot, in object: NSManagedObject)
}

extension ManagedAttributeValue {
    /// Returns the value, or ``absentManagedValue``; stops the process if both are nil.
    @inlinable
    public static func managedValue(of property: ManagedSlot, in object: NSManagedObject) -> Self {
        if let value = optionalManagedValue(of: property, in: object) ?? absentManagedValue { return value }
        property.stopForMissingValue(Self.self, in: object)
    }

    /// Sets the attribute.
    @inlinable
    public static func setManagedValue(_ value: Self, of property: ManagedSlot, in object: NSManagedObject) {
        setOptionalManagedValue(value, of: property, in: object)
    }
}

extension Optional: ManagedValue where Wrapped: ManagedAttributeValue {
    /// Returns the value of an attribute; nil if it has none.
    @inlinable
    public static func managedValue(of property: ManagedSlot, in object: NSManagedObject) -> Wrapped? {
        Wrapped.optionalManagedValue(of: property, in: object)
    }

    /// Sets or clears an attribute.
    @inlinable
    public static func setManagedValue(_ value: Wrapped?, of property: ManagedSlot, in object: NSManagedObject) {
        Wrapped.setOptionalManagedValue(value, of: property, in: object)
    }
}

extension ManagedSlot {
    /// Stops the process, because a property whose type is not optional has no value.
    ///
    /// - Parameters:
    ///   - type: The declared type of the property.
    ///   - object: The object that has the property.
    public func stopForMissingValue<Value>(_ type: Value.Type, in object: NSManagedObject) -> Never {
        fatalError(
            "Property '\(name)' of entity '\(object.entity.name ?? "")' has no value, and its type \(type) is not optional"
        )
    }
}
