import CoreData
import Foundation
import Synchronization

/// Reads and writes the values of one property of an entity, whose type is none of the plain ones.
final class ValuePlan<Value>: MemoryPlan, @unchecked Sendable {  // immutable
    /// The value; nil if the store has none. A structure whose fields are all nil is a value.
    private let readValue: (_ModelCore) -> Value?
    private let writeValue: (Value?, _ModelCore) -> Void
    /// Whether the store has any part of the value.
    private let hasValue: (_ModelCore) -> Bool
    private let structure: StructurePlan?

    /// - Parameter structure: The plan that reads the values, if they are structures.
    init(
        read: @escaping (_ModelCore) -> Value?, write: @escaping (Value?, _ModelCore) -> Void,
        hasValue: @escaping (_ModelCore) -> Bool, structure: StructurePlan? = nil
    ) {
        readValue = read
        writeValue = write
        self.hasValue = hasValue
        self.structure = structure
    }

    /// The plan that reads the values at the least cost.
    var memoryPlan: MemoryPlan { structure ?? self }

    override func read(_ core: _ModelCore, into memory: UnsafeMutableRawPointer) -> Bool {
        guard let value = readValue(core) else { return false }
        memory.initializeMemory(as: Value.self, to: value)
        return true
    }

    /// The value of a property that is not optional; nil if the store does not have it.
    func read(_ core: _ModelCore) -> Value? { readValue(core) }

    /// The value of an optional property.
    func readOptional(_ core: _ModelCore) -> Value? { hasValue(core) ? readValue(core) : nil }

    func write(_ value: Value?, _ core: _ModelCore) { writeValue(value, core) }

    func isPresent(_ core: _ModelCore) -> Bool { hasValue(core) }
}

/// Makes plans. A path is the name of a property, with the names of fields behind it.
enum ValuePlans {
    /// The plan of a property of an entity, by its attribute in the model.
    static func plan<Value>(
        of type: Value.Type, at path: String, _ attribute: NSAttributeDescription
    ) -> ValuePlan<Value> {
        if let optional = type as? any OptionalType.Type,
            let plan = optional.plan(at: path, attribute) as? ValuePlan<Value>
        {
            return plan
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            return self.plan(of: type, at: path, composite)
        }
        if attribute.attributeType == .transformableAttributeType {
            return boxed(type, named: path, attribute)
        }
        if let plan = plain(type, path) as? ValuePlan<Value> { return plan }
        if let type = type as? any ManagedAttributeValue.Type, let plan = scalar(type, path) as? ValuePlan<Value> {
            return plan
        }
        if let type = type as? any RawRepresentable.Type, let plan = raw(type, path) as? ValuePlan<Value> {
            return plan
        }
        return json(type, at: path)
    }

    private static func plan<Value>(
        of type: Value.Type, at path: String, _ composite: NSCompositeAttributeDescription
    ) -> ValuePlan<Value> {
        switch ValueKind.of(type) {
        case .structure(let fields): return structure(type, fields, at: path, composite)
        case .enumeration(let cases): return enumeration(type, cases, at: path, composite)
        case .rawEnumeration:
            // An enumeration in a structure; one of a property is read without a plan.
            if let element = composite.elements.first, let raw = type as? any RawRepresentable.Type,
                let found = self.raw(raw, "\(path).\(element.name)") as? ValuePlan<Value>
            {
                return found
            }
            return json(type, at: path)
        default: return json(type, at: path)
        }
    }

    // MARK: One attribute

    /// The plans of the types that most fields have, which the compiler specialises. The general one costs more.
    private static func plain(_ type: any Any.Type, _ path: String) -> AnyObject? {
        switch ObjectIdentifier(type) {
        case ObjectIdentifier(Int.self): scalar(Int.self, path)
        case ObjectIdentifier(Double.self): scalar(Double.self, path)
        case ObjectIdentifier(Bool.self): scalar(Bool.self, path)
        case ObjectIdentifier(String.self): scalar(String.self, path)
        case ObjectIdentifier(Date.self): scalar(Date.self, path)
        case ObjectIdentifier(UUID.self): scalar(UUID.self, path)
        case ObjectIdentifier(Decimal.self): scalar(Decimal.self, path)
        case ObjectIdentifier(Int32.self): scalar(Int32.self, path)
        case ObjectIdentifier(Int64.self): scalar(Int64.self, path)
        default: nil
        }
    }

    @inline(__always)
    private static func scalar<Value: ManagedAttributeValue>(_ type: Value.Type, _ path: String) -> AnyObject {
        let slot = ManagedSlot(path)
        return ValuePlan<Value>(
            read: { Value.optionalManagedValue(of: slot, in: $0) },
            write: { Value.setOptionalManagedValue($0, of: slot, in: $1) },
            hasValue: { Value.optionalManagedValue(of: slot, in: $0) != nil })
    }

    private static func raw<Value: RawRepresentable>(_ type: Value.Type, _ path: String) -> AnyObject? {
        guard let raw = Value.RawValue.self as? any ManagedAttributeValue.Type else { return nil }
        return self.raw(type, by: raw, path)
    }

    private static func raw<Value: RawRepresentable, Raw: ManagedAttributeValue>(
        _ type: Value.Type, by raw: Raw.Type, _ path: String
    ) -> AnyObject {
        let slot = ManagedSlot(path)
        return ValuePlan<Value>(
            read: { core in
                (Raw.optionalManagedValue(of: slot, in: core) as? Value.RawValue).flatMap { Value(rawValue: $0) }
            },
            write: { Raw.setOptionalManagedValue($0?.rawValue as? Raw, of: slot, in: $1) },
            hasValue: { Raw.optionalManagedValue(of: slot, in: $0) != nil })
    }

    private static func json<Value>(_ type: Value.Type, at path: String) -> ValuePlan<Value> {
        let slot = ManagedSlot(path)
        return ValuePlan<Value>(
            read: { core in core.data(slot).flatMap { JSONBytes.value(of: type, in: $0) } },
            write: { value, core in core.set(slot, data: value.map { JSONBytes.of($0, at: path, core) }) },
            hasValue: { $0.data(slot) != nil })
    }

    /// Values that a value transformer makes into bytes. A value that is none of a property list is archived as JSON.
    private static func boxed<Value>(
        _ type: Value.Type, named name: String, _ attribute: NSAttributeDescription
    ) -> ValuePlan<Value> {
        let secure = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
        if attribute.valueTransformerName == secure, !Boxed.canHold(type) {
            return ValuePlan<Value>(
                read: { ($0.primitiveValue(forKey: name) as? Data).flatMap { JSONBytes.value(of: type, in: $0) } },
                write: { value, core in
                    core.setPrimitiveValue(value.map { JSONBytes.of($0, at: name, core) }, forKey: name)
                },
                hasValue: { $0.primitiveValue(forKey: name) != nil })
        }
        return ValuePlan<Value>(
            read: { core in Boxed.value(of: type, in: core.primitiveValue(forKey: name)) },
            write: { $1.setPrimitiveValue($0.map { Boxed.box($0) }, forKey: name) },
            hasValue: { $0.primitiveValue(forKey: name) != nil })
    }
}

/// Values as the bytes of JSON.
private enum JSONBytes {
    static func value<Value>(of type: Value.Type, in data: Data) -> Value? {
        guard let type = type as? any Decodable.Type else { return nil }
        return try? JSONDecoder().decode(type, from: data) as? Value
    }

    static func of<Value>(_ value: Value, at path: String, _ core: _ModelCore) -> Data {
        guard let encodable = value as? any Encodable, let data = try? JSONEncoder().encode(encodable) else {
            fatalError("Property '\(path)' of entity '\(core.entity.name ?? "")' cannot be JSON: \(value)")
        }
        return data
    }
}

extension OptionalType {
    fileprivate static func plan(at path: String, _ attribute: NSAttributeDescription) -> AnyObject {
        func open<Wrapped>(_ type: Wrapped.Type) -> AnyObject {
            let plan = ValuePlans.plan(of: type, at: path, attribute)
            return ValuePlan<Wrapped?>(
                read: { .some(plan.readOptional($0)) }, write: { plan.write($0 ?? nil, $1) },
                hasValue: { plan.isPresent($0) })
        }
        return _openExistential(wrappedType, do: open)
    }
}

/// Values as a keyed archive gives them.
private enum Boxed {
    /// Whether an archive of property-list values can hold the values of a type.
    static func canHold(_ type: any Any.Type) -> Bool {
        if let collection = type as? any BoxedCollection.Type { return collection.isOfPlainValues }
        if case .scalar = ValueKind.of(type) { return true }
        return type is AnyClass
    }

    static func box(_ value: Any) -> Any { (value as? any BoxedCollection)?.boxed ?? value }

    static func value<Value>(of type: Value.Type, in stored: Any?) -> Value? {
        guard let stored else { return nil }
        if let value = stored as? Value { return value }
        return (type as? any BoxedCollection.Type)?.collection(of: stored) as? Value
    }

    /// An element of an archived collection.
    static func element<Element>(_ stored: Any) -> Element? {
        if let element = stored as? Element { return element }
        guard let number = stored as? NSNumber else { return nil }
        let all: [Any] = [
            number.intValue, number.int64Value, number.int32Value, number.int16Value, number.int8Value,
            number.uintValue, number.uint64Value, number.uint32Value, number.uint16Value, number.uint8Value,
            number.doubleValue, number.floatValue, number.boolValue, number.decimalValue,
        ]
        return all.lazy.compactMap { $0 as? Element }.first
    }

    static func isPlain(_ type: any Any.Type) -> Bool {
        if case .scalar = ValueKind.of(type) { true } else { false }
    }
}

/// A collection that can be made of an archived one.
private protocol BoxedCollection {
    static var isOfPlainValues: Bool { get }
    static func collection(of stored: Any) -> Any?
    var boxed: Any { get }
}

extension Array: BoxedCollection {
    fileprivate static var isOfPlainValues: Bool { Boxed.isPlain(Element.self) }
    fileprivate var boxed: Any { self }

    fileprivate static func collection(of stored: Any) -> Any? {
        guard let list = stored as? NSArray ?? (stored as? [Any]).map({ NSArray(array: $0) }) else { return nil }
        var result: [Element] = []
        for stored in list {
            guard let element: Element = Boxed.element(stored) else { return nil }
            result.append(element)
        }
        return result
    }
}

extension Set: BoxedCollection {
    fileprivate static var isOfPlainValues: Bool { Boxed.isPlain(Element.self) }
    fileprivate var boxed: Any { NSSet(array: Array(self)) }

    fileprivate static func collection(of stored: Any) -> Any? {
        guard let list = (stored as? NSSet)?.allObjects else { return nil }
        return ([Element].collection(of: NSArray(array: list)) as? [Element]).map { Set($0) }
    }
}

extension Dictionary: BoxedCollection {
    fileprivate static var isOfPlainValues: Bool { Key.self == String.self && Boxed.isPlain(Value.self) }
    fileprivate var boxed: Any { NSDictionary(dictionary: self) }

    fileprivate static func collection(of stored: Any) -> Any? {
        guard let pairs = stored as? NSDictionary else { return nil }
        var result: [Key: Value] = [:]
        for (key, stored) in pairs {
            guard let key = key as? Key, let value: Value = Boxed.element(stored) else { return nil }
            result[key] = value
        }
        return result
    }
}
