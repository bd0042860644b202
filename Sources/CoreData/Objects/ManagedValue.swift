import Foundation

/// A type of value that `@NSManaged` properties read and write without boxing: numbers, strings, dates, data, UUIDs,
/// URLs, decimals, their optionals, and sets and arrays of managed objects.
///
/// Generated accessors find the conformance of a property's declared type at compile time. Other types conform only to
/// be stored as one of these.
public protocol ManagedValue {
    /// The value of a property of an object. A non-optional number without a value reads as 0, a string or data as
    /// empty; the process stops where there is nothing to stand for nil.
    static func managedValue(of property: ManagedSlot, in object: NSManagedObject) -> Self
    /// Sets a property of an object.
    static func setManagedValue(_ value: Self, of property: ManagedSlot, in object: NSManagedObject)
}

/// An attribute's type of value, of which an optional can be read and written too.
public protocol ManagedAttributeValue: ManagedValue {
    /// What stands for nil where the property's type is not optional.
    static var absentManagedValue: Self? { get }
    /// The value of an attribute; nil when it has none.
    static func optionalManagedValue(of property: ManagedSlot, in object: NSManagedObject) -> Self?
    /// Sets or clears an attribute.
    static func setOptionalManagedValue(_ value: Self?, of property: ManagedSlot, in object: NSManagedObject)
}

extension ManagedAttributeValue {
    /// The value, or what stands for nil; stops the process where nothing does.
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
    /// The value of an attribute; nil when it has none.
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
    /// Stops the process: a property whose type has no place for nil has no value.
    public func stopForMissingValue<Value>(_ type: Value.Type, in object: NSManagedObject) -> Never {
        fatalError(
            "Property '\(name)' of entity '\(object.entity.name ?? "")' has no value, and its type \(type) is not optional"
        )
    }
}
