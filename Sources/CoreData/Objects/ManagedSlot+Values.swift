import Foundation

/// The calls of accessors of `@NSManaged` properties. The declared type of the property chooses the overload.
extension ManagedSlot {
    // MARK: Attributes

    /// Returns the value of a property whose type conforms to ``ManagedValue``.
    ///
    /// - Parameter object: The object that has the property.
    /// - Returns: The value. If the type is not optional and has no value for nil, a missing value stops the process.
    @inlinable
    public func value<Value: ManagedValue>(of object: NSManagedObject) -> Value {
        Value.managedValue(of: self, in: object)
    }

    /// Sets a property whose type conforms to ``ManagedValue``.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - object: The object that has the property.
    @inlinable
    public func set<Value: ManagedValue>(_ value: Value, of object: NSManagedObject) {
        Value.setManagedValue(value, of: self, in: object)
    }

    /// Returns an enumeration or option set that is stored as its raw value.
    ///
    /// - Parameter object: The object that has the property.
    /// - Returns: The value. A raw value without a case stops the process.
    @inlinable
    public func value<Value: RawRepresentable>(of object: NSManagedObject) -> Value
    where Value.RawValue: ManagedAttributeValue {
        let raw = Value.RawValue.managedValue(of: self, in: object)
        if let value = Value(rawValue: raw) { return value }
        return valueForUnknown(raw, in: object)
    }

    /// Sets an enumeration or option set that is stored as its raw value.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - object: The object that has the property.
    @inlinable
    public func set<Value: RawRepresentable>(_ value: Value, of object: NSManagedObject)
    where Value.RawValue: ManagedAttributeValue {
        Value.RawValue.setManagedValue(value.rawValue, of: self, in: object)
    }

    /// Returns an optional enumeration or option set that is stored as its raw value.
    ///
    /// - Parameter object: The object that has the property.
    /// - Returns: The value; nil if there is none, and for a raw value without a case.
    @inlinable
    public func value<Value: RawRepresentable>(of object: NSManagedObject) -> Value?
    where Value.RawValue: ManagedAttributeValue {
        Value.RawValue.optionalManagedValue(of: self, in: object).flatMap { Value(rawValue: $0) }
    }

    /// Sets or clears an enumeration or option set that is stored as its raw value.
    ///
    /// - Parameters:
    ///   - value: The new value, or nil.
    ///   - object: The object that has the property.
    @inlinable
    public func set<Value: RawRepresentable>(_ value: Value?, of object: NSManagedObject)
    where Value.RawValue: ManagedAttributeValue {
        Value.RawValue.setOptionalManagedValue(value?.rawValue, of: self, in: object)
    }

    /// Returns a value of any other type, in the types of key-value coding.
    ///
    /// These are `NSNumber`, `NSSet`, `NSOrderedSet`, transformed objects and the like. A property that is declared as
    /// `NSMutableSet` or `NSMutableOrderedSet` gets a live set.
    ///
    /// - Parameter object: The object that has the property.
    /// - Returns: The value. A value of another type stops the process, and so does a missing value if the type is not
    ///   optional.
    @_disfavoredOverload
    public func value<Value>(of object: NSManagedObject) -> Value {
        let key = key(in: object)
        guard let value = object._primitiveValue(forKey: key) else {
            if let optional = Value.self as? any ExpressibleByNilLiteral.Type {
                return optional.init(nilLiteral: ()) as! Value  // its own type
            }
            if object.isRecorder, let value = KeyPathRecording.anyValue(of: Value.self) { return value }
            stopForMissingValue(Value.self, in: object)
        }
        if let value = value as? Value ?? (value as AnyObject) as? Value { return value }
        // A relationship that is declared as a mutable set.
        if value is NSOrderedSet {
            if let set = object.mutableOrderedSetValue(forKey: key) as? Value { return set }
        } else if value is NSSet, let set = object.mutableSetValue(forKey: key) as? Value {
            return set
        }
        // A Mac returns any number for a property that is declared as a decimal.
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

    /// Sets a value of any other type, in the types of key-value coding.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - object: The object that has the property.
    @_disfavoredOverload
    public func set<Value>(_ value: Value, of object: NSManagedObject) {
        let key = key(in: object)
        guard let observation = object.binding.observation, !isPrimitive(in: object) else {
            return object.setPrimitiveValue(Self.unwrapped(value), forKey: key)
        }
        observation.withAccessor { object.setPrimitiveValue(Self.unwrapped(value), forKey: key) }
    }

    /// Unwraps an optional inside `Any`, which key-value coding does not take for nil.
    private static func unwrapped<Value>(_ value: Value) -> Any? {
        guard let optional = value as? any OptionalValue else { return value }
        return optional.wrappedValue
    }

    /// Stops the process, because a raw value has no case. While a key path is being recorded, it returns any value of
    /// the type.
    ///
    /// - Parameters:
    ///   - raw: The raw value.
    ///   - object: The object that has the property.
    /// - Returns: A value of the type, while a key path is being recorded.
    public func valueForUnknown<Raw, Value>(_ raw: Raw, in object: NSManagedObject) -> Value {
        if object.isRecorder, let value = KeyPathRecording.anyValue(of: Value.self) { return value }
        fatalError(
            "Property '\(name)' of entity '\(object.entity.name ?? "")' holds \(raw), which is no \(Value.self)")
    }

    // MARK: To-one relationships
    // Constrained by the protocol, not the class. With the class the compiler would take an accessor of `NSObject?` or
    // `Any` for one of a relationship, because a managed object is also an `NSObject`.

    /// Returns the object of an optional to-one relationship.
    ///
    /// - Parameter object: The object that has the relationship.
    /// - Returns: The object, or nil. An object of another class than the declared one stops the process.
    @inlinable
    public func value<Object: ManagedObjectClass>(of object: NSManagedObject) -> Object? {
        guard let target = object.toOne(self) else { return missingDestination(of: object) }
        // Mostly the class is the declared one itself, a constant where this method is inlined. A cast to a generic
        // type costs 30 times as much as comparing the two classes.
        if type(of: target) == Object.self { return unsafeDowncast(target, to: Object.self) }
        return destination(target, of: object)
    }

    /// The result for a destination that does not exist.
    @usableFromInline
    func missingDestination<Object: ManagedObjectClass>(of object: NSManagedObject) -> Object? {
        object.isRecorder ? KeyPathRecording.destination(of: object, as: Object.self) : nil
    }

    /// Checks a destination that is not of the declared class itself: of a subclass, or of a class that does not fit.
    @usableFromInline
    func destination<Object: ManagedObjectClass>(_ target: NSManagedObject, of object: NSManagedObject) -> Object {
        typed(target, in: object)
    }

    /// Returns the object of a to-one relationship whose declared type is not optional.
    ///
    /// - Parameter object: The object that has the relationship.
    /// - Returns: The object. The process stops if there is none.
    public func value<Object: ManagedObjectClass>(of object: NSManagedObject) -> Object {
        guard let target: Object = value(of: object) else { stopForMissingValue(Object.self, in: object) }
        return target
    }

    /// Sets a to-one relationship whose declared type is not optional; the inverse follows.
    ///
    /// - Parameters:
    ///   - value: An object of the same context.
    ///   - object: The object that has the relationship.
    public func set<Object: ManagedObjectClass>(_ value: Object, of object: NSManagedObject) {
        object.set(self, toOne: managedObject(value))
    }

    /// Sets an optional to-one relationship; the inverse follows.
    ///
    /// - Parameters:
    ///   - value: An object of the same context, or nil.
    ///   - object: The object that has the relationship.
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
        // Mostly the class is the declared one itself. A cast to a generic type costs 30 times as much as comparing the
        // two classes.
        if type(of: target) == Object.self { return sameObject(target, of: Object.self) }
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

/// Unwraps an optional of unknown type.
private protocol OptionalValue {
    var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
    var wrappedValue: Any? { self }
}
