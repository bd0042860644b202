import Foundation
import Synchronization

/// A property of an entity class, which generated accessors keep in a constant.
///
/// The slot finds the property by name once and by position afterwards, so that a read needs no search by name. Any
/// thread may use it.
///
/// OpenCoreData only.
public final class ManagedSlot: Sendable {
    /// The property's name in the model.
    public let name: String
    /// The name of the property to use in an entity that has none of the first name.
    private let otherName: String?
    /// The layout's identifier in the high half, the slot (or the to-many index) in the low one.
    private let found = Atomic<UInt64>(0)

    /// Creates the slot of a property.
    ///
    /// - Parameter name: The property's name in the model.
    public init(_ name: String) {
        self.name = name
        otherName = nil
    }

    /// Creates the slot of a property that an entity may have under either of two names.
    ///
    /// For example, `primitiveTitle` is an attribute of that name or the primitive value of `title`.
    ///
    /// - Parameters:
    ///   - name: The name that counts if the entity has both properties or neither.
    ///   - otherName: The name that counts if the entity has only this property.
    public init(_ name: String, or otherName: String) {
        self.name = name
        self.otherName = otherName
    }

    /// Whether the property is the primitive one of another property.
    func isPrimitive(in object: NSManagedObject) -> Bool { otherName.map { key(in: object) == $0 } ?? false }

    /// The name under which the object's entity has the property. The entity of a key-path recorder comes from the
    /// models in use.
    final func key(in object: NSManagedObject) -> String {
        guard let otherName else { return name }
        let isKnown: (String) -> Bool
        if object.isRecorder {
            let properties = ModelsInUse.entities(of: type(of: object)).last?.propertiesByName
            isKnown = { properties?[$0] != nil }
        } else {
            let access = object.binding.layout.access
            isKnown = { access[$0] != nil }
        }
        return !isKnown(name) && isKnown(otherName) ? otherName : name
    }

    @inline(__always)
    func slot(in object: NSManagedObject, as kinds: AccessorKinds) -> Int {
        let cached = found.load(ordering: .relaxed)
        if UInt32(truncatingIfNeeded: cached >> 32) == object.layoutIdentifier { return Int(cached & 0xFFFF_FFFF) }
        return find(in: object, as: kinds)
    }

    /// The number in the place of a slot if the property is a fetched one.
    static var fetched: Int { -1 }

    @inline(never)
    private func find(in object: NSManagedObject, as kinds: AccessorKinds) -> Int {
        let name = key(in: object)
        if object.isRecorder { return KeyPathRecording.slot(of: object, askedFor: name, as: kinds) }
        let layout = object.binding.layout
        guard let access = layout.access[name]?.soleElement ?? layout.access(at: name) else {
            fatalError("Property '\(name)' is not in entity '\(layout.name)' of the model in use")
        }
        kinds.check(access, name: name, in: layout)
        let slot: Int =
            switch access {
            case .attribute(let slot), .toOne(let slot): slot
            case .toMany(let index): index
            // The position is not stored, because the getter of an array finds the property by its name.
            case .fetched: Self.fetched
            case .composite: fatalError("Composite attribute '\(name)' of '\(layout.name)' has many slots")
            }
        if slot == Self.fetched { return slot }
        found.store(UInt64(layout.identifier) << 32 | UInt64(slot), ordering: .relaxed)
        return slot
    }
}

/// Typed access to an object's values without a search by name and without boxing.
///
/// Generated and hand-written accessors call these methods on the context's queue. A getter fires the fault if needed,
/// and a setter marks the object as changed. The process stops if the entity does not have the property, or has it with
/// another type.
///
/// OpenCoreData only.
extension NSManagedObject {
    /// Returns the integer of an attribute, or a boolean as 0 or 1; nil if it has no value.
    ///
    /// - Parameter property: An integer or boolean attribute.
    /// - Returns: The value, or nil.
    public final func integer(_ property: ManagedSlot) -> Int64? {
        checkConfinement("reading", property.name)
        let slot = property.slot(in: self, as: .integer)
        if let row = plainRow {
            return row._withUnsafeGuaranteedRef { $0.isNull(slot) ? nil : $0.int(slot) }
        }
        guard case .int(let value) = readValue(at: slot) else { return nil }
        return value
    }

    /// Returns the boolean of an attribute; nil if it has no value.
    ///
    /// - Parameter property: An integer or boolean attribute. Any number but 0 is true.
    /// - Returns: The value, or nil.
    public final func boolean(_ property: ManagedSlot) -> Bool? {
        integer(property).map { $0 != 0 }
    }

    /// Returns the number of a double or float attribute; nil if it has no value.
    ///
    /// - Parameter property: A double or float attribute.
    /// - Returns: The value, or nil.
    public final func double(_ property: ManagedSlot) -> Double? {
        checkConfinement("reading", property.name)
        let slot = property.slot(in: self, as: .double)
        if let row = plainRow {
            return row._withUnsafeGuaranteedRef { $0.isNull(slot) ? nil : $0.double(slot) }
        }
        guard case .double(let value) = readValue(at: slot) else { return nil }
        return value
    }

    /// Returns the date of an attribute; nil if it has no value.
    ///
    /// - Parameter property: A date attribute.
    /// - Returns: The value, or nil.
    public final func date(_ property: ManagedSlot) -> Date? {
        double(property).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// Returns the string of an attribute; nil if it has no value.
    ///
    /// - Parameter property: A string attribute.
    /// - Returns: The value, or nil.
    public final func string(_ property: ManagedSlot) -> String? {
        checkConfinement("reading", property.name)
        let slot = property.slot(in: self, as: .string)
        if let row = plainRow {
            return row._withUnsafeGuaranteedRef { $0.isNull(slot) ? nil : $0.string(slot) }
        }
        guard case .string(let value) = readValue(at: slot) else { return nil }
        return value
    }

    /// Returns the bytes of a binary attribute; nil if it has no value.
    ///
    /// - Parameter property: A binary attribute.
    /// - Returns: The value, or nil.
    public final func data(_ property: ManagedSlot) -> Data? {
        guard case .data(let value) = typedValue(property, as: .data) else { return nil }
        return value
    }

    /// Returns the UUID of an attribute; nil if it has no value.
    ///
    /// - Parameter property: A UUID attribute.
    /// - Returns: The value, or nil.
    public final func uuid(_ property: ManagedSlot) -> UUID? {
        guard case .uuid(let value) = typedValue(property, as: .uuid) else { return nil }
        return value
    }

    /// Returns the decimal of an attribute; nil if it has no value.
    ///
    /// - Parameter property: A decimal attribute.
    /// - Returns: The value, or nil.
    public final func decimal(_ property: ManagedSlot) -> Decimal? {
        guard case .decimal(let value) = typedValue(property, as: .decimal) else { return nil }
        return value
    }

    /// Returns the URL of a URI attribute; nil if it has no value, or text that is not a URL.
    ///
    /// - Parameter property: A URI attribute.
    /// - Returns: The value, or nil.
    public final func uri(_ property: ManagedSlot) -> URL? {
        guard case .string(let value) = typedValue(property, as: .string) else { return nil }
        return URL(string: value)
    }

    /// Returns the object that a to-one relationship leads to.
    ///
    /// - Parameter property: A to-one relationship.
    /// - Returns: The object, which may be a fault, or nil.
    public final func toOne(_ property: ManagedSlot) -> NSManagedObject? {
        checkConfinement("reading", property.name)
        let slot = property.slot(in: self, as: .toOne)
        return flags.contains(.tracksReads) ? observedDestination(at: slot) : referencedObject(at: slot)
    }

    /// Returns the members of a to-many relationship, or the objects of a fetched property.
    ///
    /// - Parameter property: A to-many relationship or a fetched property.
    /// - Returns: The objects, in order if the relationship is ordered.
    public final func toMany(_ property: ManagedSlot) -> [NSManagedObject] {
        checkConfinement("reading", property.name)
        let index = property.slot(in: self, as: .toMany)
        if index == ManagedSlot.fetched, case .fetched(let description)? = binding.layout.access[property.key(in: self)]
        {
            return fetchedObjects(of: description)
        }
        return flags.contains(.tracksReads) ? observedMembers(of: index) : memberObjects(of: index)
    }

    @inline(__always)
    private func readValue(at slot: Int) -> SlotValue {
        flags.contains(.tracksReads) ? observedSlotValue(at: slot) : slotValue(at: slot)
    }

    @inline(__always)
    private func typedValue(_ property: ManagedSlot, as kinds: AccessorKinds) -> SlotValue {
        checkConfinement("reading", property.name)
        return readValue(at: property.slot(in: self, as: kinds))
    }

    /// Sets an integer attribute.
    ///
    /// - Parameters:
    ///   - property: An integer or boolean attribute.
    ///   - value: The new value, or nil.
    public final func set(_ property: ManagedSlot, integer value: Int64?) {
        write(property, as: .integer, value.map { .int($0) } ?? .null)
    }

    /// Sets a boolean attribute.
    ///
    /// - Parameters:
    ///   - property: An integer or boolean attribute.
    ///   - value: The new value, or nil.
    public final func set(_ property: ManagedSlot, boolean value: Bool?) {
        write(property, as: .integer, value.map { .int($0 ? 1 : 0) } ?? .null)
    }

    /// Sets a double or float attribute.
    ///
    /// - Parameters:
    ///   - property: A double or float attribute.
    ///   - value: The new value, or nil.
    public final func set(_ property: ManagedSlot, double value: Double?) {
        write(property, as: .double, value.map { .double($0) } ?? .null)
    }

    /// Sets a date attribute.
    ///
    /// - Parameters:
    ///   - property: A date attribute.
    ///   - value: The new value, or nil.
    public final func set(_ property: ManagedSlot, date value: Date?) {
        write(property, as: .double, value.map { .double($0.timeIntervalSinceReferenceDate) } ?? .null)
    }

    /// Sets a string attribute.
    ///
    /// - Parameters:
    ///   - property: A string attribute.
    ///   - value: The new value, or nil.
    public final func set(_ property: ManagedSlot, string value: String?) {
        write(property, as: .string, value.map { .string($0) } ?? .null)
    }

    /// Sets a binary attribute.
    ///
    /// - Parameters:
    ///   - property: A binary attribute.
    ///   - value: The new value, or nil.
    public final func set(_ property: ManagedSlot, data value: Data?) {
        write(property, as: .data, value.map { .data($0) } ?? .null)
    }

    /// Sets a UUID attribute.
    ///
    /// - Parameters:
    ///   - property: A UUID attribute.
    ///   - value: The new value, or nil.
    public final func set(_ property: ManagedSlot, uuid value: UUID?) {
        write(property, as: .uuid, value.map { .uuid($0) } ?? .null)
    }

    /// Sets a decimal attribute.
    ///
    /// - Parameters:
    ///   - property: A decimal attribute.
    ///   - value: The new value, or nil.
    public final func set(_ property: ManagedSlot, decimal value: Decimal?) {
        write(property, as: .decimal, value.map { .decimal($0) } ?? .null)
    }

    /// Sets a URI attribute to the URL's absolute string.
    ///
    /// - Parameters:
    ///   - property: A URI attribute.
    ///   - value: The new value, or nil.
    public final func set(_ property: ManagedSlot, uri value: URL?) {
        write(property, as: .string, value.map { .string($0.absoluteString) } ?? .null)
    }

    /// Sets a to-one relationship; the inverse follows.
    ///
    /// An object of another context stops the process.
    ///
    /// - Parameters:
    ///   - property: A to-one relationship.
    ///   - value: An object of the same context, or nil.
    public final func set(_ property: ManagedSlot, toOne value: NSManagedObject?) {
        checkConfinement("writing", property.name)
        setReference(value, at: property.slot(in: self, as: .toOne))
    }

    /// Replaces the members of a to-many relationship; the inverses follow.
    ///
    /// An object of another context stops the process. An object that comes twice counts once, at its first place.
    ///
    /// - Parameters:
    ///   - property: A to-many relationship.
    ///   - value: The new members, all of the same context.
    public final func set(_ property: ManagedSlot, toMany value: [NSManagedObject]) {
        checkConfinement("writing", property.name)
        setMembers(value, of: property.slot(in: self, as: .toMany))
    }

    @inline(__always)
    private func write(_ property: ManagedSlot, as kinds: AccessorKinds, _ value: SlotValue) {
        checkConfinement("writing", property.name)
        let slot = property.slot(in: self, as: kinds)
        if flags.contains(.watched), property.isPrimitive(in: self) {
            binding.observation?.primitively { setWatched(slot, to: value) }
        } else {
            setSlot(slot, to: value)
        }
    }
}
