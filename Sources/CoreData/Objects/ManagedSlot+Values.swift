import Foundation

/// What the accessors of `@NSManaged` properties call: the overload follows the property's declared type.
extension ManagedSlot {
    // MARK: Attributes

    /// The value of a property whose type the storage knows.
    @inlinable
    public func value<Value: ManagedValue>(of object: NSManagedObject) -> Value {
        Value.managedValue(of: self, in: object)
    }

    /// Sets a property whose type the storage knows.
    @inlinable
    public func set<Value: ManagedValue>(_ value: Value, of object: NSManagedObject) {
        Value.setManagedValue(value, of: self, in: object)
    }

    /// An enumeration (or option set) kept as its raw value. The process stops at a raw value the type does not have.
    @inlinable
    public func value<Value: RawRepresentable>(of object: NSManagedObject) -> Value
    where Value.RawValue: ManagedAttributeValue {
        let raw = Value.RawValue.managedValue(of: self, in: object)
        if let value = Value(rawValue: raw) { return value }
        return valueForUnknown(raw, in: object)
    }

    /// Sets an enumeration kept as its raw value.
    @inlinable
    public func set<Value: RawRepresentable>(_ value: Value, of object: NSManagedObject)
    where Value.RawValue: ManagedAttributeValue {
        Value.RawValue.setManagedValue(value.rawValue, of: self, in: object)
    }

    /// An optional enumeration kept as its raw value; nil also for a raw value the type does not have.
    @inlinable
    public func value<Value: RawRepresentable>(of object: NSManagedObject) -> Value?
    where Value.RawValue: ManagedAttributeValue {
        Value.RawValue.optionalManagedValue(of: self, in: object).flatMap { Value(rawValue: $0) }
    }

    /// Sets or clears an enumeration kept as its raw value.
    @inlinable
    public func set<Value: RawRepresentable>(_ value: Value?, of object: NSManagedObject)
    where Value.RawValue: ManagedAttributeValue {
        Value.RawValue.setOptionalManagedValue(value?.rawValue, of: self, in: object)
    }

    /// A value of any other type, as key-value coding has it: `NSNumber`, `NSSet`, `NSOrderedSet`, transformed objects.
    @_disfavoredOverload
    public func value<Value>(of object: NSManagedObject) -> Value {
        let key = key(in: object)
        guard let value = object.plainPrimitiveValue(forKey: key) else {
            if let optional = Value.self as? any ExpressibleByNilLiteral.Type {
                return optional.init(nilLiteral: ()) as! Value  // its own type
            }
            if object.isRecorder, let value = KeyPathRecording.anyValue(of: Value.self) { return value }
            stopForMissingValue(Value.self, in: object)
        }
        if let value = value as? Value ?? (value as AnyObject) as? Value { return value }
        // A relationship that is declared as a set that can be changed.
        if value is NSOrderedSet {
            if let set = object.mutableOrderedSetValue(forKey: key) as? Value { return set }
        } else if value is NSSet, let set = object.mutableSetValue(forKey: key) as? Value {
            return set
        }
        // A Mac gives any number for one declared as a decimal.
        if let number = value as? NSNumber, let decimal = NSDecimalNumber(decimal: number.decimalValue) as? Value {
            return decimal
        }
        if object.isRecorder, let value = KeyPathRecording.anyValue(of: Value.self) { return value }
        fatalError(
            """
            Property '\(name)' of entity '\(object.entity.name ?? "")' holds a \(type(of: value)), \
            and its declared type is \(Value.self)
            """)
    }

    /// Sets a value of any other type.
    @_disfavoredOverload
    public func set<Value>(_ value: Value, of object: NSManagedObject) {
        object.setPrimitiveValue(Self.unwrapped(value), forKey: key(in: object))
    }

    /// An optional inside `Any` is not nil to key-value coding: it is taken apart first.
    private static func unwrapped<Value>(_ value: Value) -> Any? {
        guard let optional = value as? any OptionalValue else { return value }
        return optional.wrappedValue
    }

    /// Stops the process: a raw value has no case. (Any value will do while a key path is being followed.)
    public func valueForUnknown<Raw, Value>(_ raw: Raw, in object: NSManagedObject) -> Value {
        if object.isRecorder, let value = KeyPathRecording.anyValue(of: Value.self) { return value }
        fatalError(
            "Property '\(name)' of entity '\(object.entity.name ?? "")' holds \(raw), which is no \(Value.self)")
    }

    // MARK: To-one relationships
    // Constrained by the protocol, not the class: the compiler would take an accessor of `NSObject?` or `Any` for one
    // of a relationship, because a managed object is also an `NSObject`.

    /// The object of an optional to-one relationship.
    @inlinable
    public func value<Object: ManagedObjectClass>(of object: NSManagedObject) -> Object? {
        guard let target = object.toOne(self) else { return missingDestination(of: object) }
        // Mostly the class is the declared one itself, which is known where this is inlined. A cast to a type that only
        // the caller knows costs 30 times as much as comparing the two.
        if type(of: target) == Object.self { return unsafeDowncast(target, to: Object.self) }
        return destination(target, of: object)
    }

    /// What stands for a destination that there is not.
    @usableFromInline
    func missingDestination<Object: ManagedObjectClass>(of object: NSManagedObject) -> Object? {
        object.isRecorder ? KeyPathRecording.destination(of: object, as: Object.self) : nil
    }

    /// A destination that is of another class than the declared one: of one below it, or of none that fits.
    @usableFromInline
    func destination<Object: ManagedObjectClass>(_ target: NSManagedObject, of object: NSManagedObject) -> Object {
        typed(target, in: object)
    }

    /// The object of a to-one relationship whose type has no place for nil; stops the process when there is none.
    public func value<Object: ManagedObjectClass>(of object: NSManagedObject) -> Object {
        guard let target: Object = value(of: object) else { stopForMissingValue(Object.self, in: object) }
        return target
    }

    /// Points a to-one relationship at an object.
    public func set<Object: ManagedObjectClass>(_ value: Object, of object: NSManagedObject) {
        object.set(self, toOne: managedObject(value))
    }

    /// Points a to-one relationship at an object or at none.
    public func set<Object: ManagedObjectClass>(_ value: Object?, of object: NSManagedObject) {
        object.set(self, toOne: value.map(managedObject))
    }

    private func managedObject<Object: ManagedObjectClass>(_ value: Object) -> NSManagedObject {
        guard let object = value as? NSManagedObject else {
            fatalError("Relationship '\(name)' takes managed objects, not a \(type(of: value))")
        }
        return object
    }

    private func typed<Object>(_ target: NSManagedObject, in owner: NSManagedObject) -> Object {
        // Mostly the class is the declared one itself. A cast to a type that only the caller knows costs 30 times as
        // much as comparing the two.
        if type(of: target) == Object.self { return unsafeBitCast(target, to: Object.self) }
        if let target = target as? Object { return target }
        if owner.isRecorder { return KeyPathRecording.destination(of: owner, as: Object.self) }
        fatalError(
            """
            Relationship '\(name)' of entity '\(owner.entity.name ?? "")' leads to an object of class \
            \(type(of: target)), and its declared type is \(Object.self). Check that the class named by entity \
            '\(target.entity.name ?? "")' is found
            """)
    }

    /// The members of a to-many relationship as objects of their class.
    func members<Object: NSManagedObject>(of object: NSManagedObject, as type: Object.Type) -> [Object] {
        let members = object.toMany(self)
        if let typed = members as? [Object] { return typed }
        return members.map { self.typed($0, in: object) }
    }
}

/// Lets an optional of unknown type be taken apart.
private protocol OptionalValue {
    var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
    var wrappedValue: Any? { self }
}
