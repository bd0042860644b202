import Foundation

/// Converts the values of batch requests for one entity into the values of slots.
struct BatchValues {
    private let layout: EntityLayout
    private let ranges: BatchRanges
    /// The attributes that the store keeps.
    private let stored: SlotMask
    /// The stored attributes that need a value, and whether each has a default value.
    private let required: [(slot: Int, hasDefault: Bool)]
    private unowned let coordinator: NSPersistentStoreCoordinator

    init(_ layout: EntityLayout, _ coordinator: NSPersistentStoreCoordinator) {
        self.layout = layout
        self.coordinator = coordinator
        ranges = BatchRanges(layout)
        var stored = SlotMask()
        var required: [(slot: Int, hasDefault: Bool)] = []
        let requiredSlots = Set(layout.validationRules.requiredSlots)
        for (place, slot) in layout.slots.enumerated() where slot.isPersistent {
            guard case .attribute(let attribute) = slot.role else { continue }
            stored.insert(place)
            if requiredSlots.contains(place) { required.append((place, attribute.defaultValue != nil)) }
        }
        self.stored = stored
        self.required = required
    }

    // MARK: Rows to insert

    func given(by dictionary: [String: Any]) throws -> GivenValues {
        var given = GivenValues(slotCount: layout.slots.count)
        for (name, value) in dictionary { try set(value, for: name, in: &given) }
        try requireMandatory(given)
        return given
    }

    func given(by dictionary: BatchDictionary) throws -> GivenValues {
        var given = GivenValues(slotCount: layout.slots.count)
        try dictionary.forEachSlot { slot, value in
            if isStored(slot) { given.set(try converted(value, slot), at: slot) }
        }
        for (key, value) in dictionary.others {
            try set(value, for: key.base as? String ?? "\(key.base)", in: &given)
        }
        try requireMandatory(given)
        return given
    }

    /// The attributes that were set on a scratch object.
    func given(by object: NSManagedObject) throws -> GivenValues {
        try object.encodeBoxedChanges()
        let set = object.overlay?.values ?? ChangedValues()
        var given = GivenValues(values: set.bySlot(layout.slots.count))
        try set.mask.forEach { slot in
            guard isStored(slot) else { return }
            try ranges.check(given.values[slot], slot)
            given.mask.insert(slot)
        }
        try requireMandatory(given)
        return given
    }

    private func isStored(_ slot: Int) -> Bool { stored.contains(slot) }

    private func set(_ value: Any, for name: String, in given: inout GivenValues) throws {
        switch layout.access(at: name) {
        case .attribute(let slot):
            if isStored(slot) { given.set(try converted(value, slot), at: slot) }
        case .composite(let composite):
            for (slot, value) in try elements(of: value, composite) where isStored(slot) { given.set(value, at: slot) }
        default:
            throw failure(
                NSManagedObjectValidationError, name,
                "\(name) is no attribute of \(layout.name), and only those are set.")
        }
    }

    /// The values of a composite attribute's elements for a dictionary; elements that are not in it become nil.
    private func elements(
        of value: Any, _ composite: CompositeAccess
    ) throws -> [(slot: Int, value: SlotValue)] {
        guard let values = value is NSNull || Self.isNone(value) ? [:] : value as? [String: Any] else {
            throw failure(
                NSManagedObjectValidationError, composite.name,
                "Unacceptable type of value for attribute: property = \"\(composite.name)\"; desired type = "
                    + "NSDictionary; given type = \(type(of: value)); entity = \(layout.name).")
        }
        for name in values.keys where composite.elements[name] == nil {
            throw failure(
                NSManagedObjectValidationError, composite.name,
                "the composite attribute \(composite.name) of entity \(layout.name) has no element \"\(name)\".")
        }
        return try composite.elements.flatMap { name, access -> [(slot: Int, value: SlotValue)] in
            switch access {
            case .attribute(let slot): [(slot, try converted(values[name] ?? NSNull(), slot))]
            case .composite(let inner): try elements(of: values[name] ?? NSNull(), inner)
            case .toOne, .toMany, .fetched: []
            }
        }
    }

    /// Whether a value is an optional without a value. A cast does not distinguish such an optional from a value of a
    /// wrong type.
    static func isNone(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional && mirror.children.isEmpty
    }

    private func converted(_ value: Any, _ slot: Int) throws -> SlotValue {
        let kind = layout.slots[slot].kind
        if kind == .transformable, case .attribute(let attribute) = layout.slots[slot].role, !(value is NSNull),
            !Self.isNone(value)
        {
            return .data(try TransformableCoding.data(from: value, of: attribute))
        }
        if let converted = SlotValue(value, as: kind) {
            try ranges.check(converted, slot)
            return converted
        }
        if Self.isNone(value) { return .null }
        let description = layout.slots[slot]
        throw failure(
            NSManagedObjectValidationError, description.name,
            "Unacceptable type of value for attribute: property = \"\(description.name)\"; given type = "
                + "\(type(of: value)); entity = \(layout.name).")
    }

    private func requireMandatory(_ given: GivenValues) throws {
        for (slot, hasDefault) in required {
            if given.mask.contains(slot) ? !given.values[slot].isNull : hasDefault { continue }
            let name = layout.slots[slot].name
            throw failure(NSValidationMissingMandatoryPropertyError, name, "\(name) is a required value.")
        }
    }

    // MARK: Updates

    /// The slots that a property sets: a to-one relationship has a second one if its destination has subentities.
    func assignments(of value: Any, to name: String) throws -> [(slot: Int, value: BatchUpdate.Assigned)] {
        var value = value
        if let expression = value as? NSExpression {
            guard expression.expressionType == .constantValue else { return try assignments(of: expression, to: name) }
            value = expression.constantValue ?? NSNull()
        }
        switch layout.access(at: name) {
        case .attribute(let slot) where isStored(slot):
            return [(slot, .constant(try converted(value, slot)))]
        case .composite(let composite):
            return try elements(of: value, composite).filter { isStored($0.slot) }.map {
                ($0.slot, .constant($0.value))
            }
        case .toOne(let slot) where layout.slots[slot].isPersistent:
            return try references(to: value, slot)
        default:
            throw cannotUpdate(name)
        }
    }

    private func assignments(
        of expression: NSExpression, to name: String
    ) throws -> [(slot: Int, value: BatchUpdate.Assigned)] {
        guard case .attribute(let slot)? = layout.access(at: name), isStored(slot) else { throw cannotUpdate(name) }
        return [(slot, .expression(expression))]
    }

    private func references(to value: Any, _ slot: Int) throws -> [(slot: Int, value: BatchUpdate.Assigned)] {
        guard case .toOne(let relationship, let companion) = layout.slots[slot].role else { return [] }
        if let inverse = relationship.inverseRelationship, !inverse.isToMany {
            throw NSError.coreData(
                NSCoreDataError,
                reason: "Invalid one-to-one relationship (\(relationship.name)) passed to propertiesToUpdate of "
                    + "'\(layout.name)': its two sides cannot be kept in step")
        }
        if value is NSNull {
            return [(slot, .constant(.null))] + (companion.map { [($0, .constant(.null))] } ?? [])
        }
        guard let id = (value as? NSManagedObject)?.objectID ?? value as? NSManagedObjectID, !id.isTemporaryID else {
            throw failure(
                NSManagedObjectValidationError, relationship.name,
                "Unacceptable value for the relationship \(relationship.name) of \(layout.name): a saved object or "
                    + "its id is needed, not \(type(of: value)).")
        }
        let reference = try reference(to: id, relationship, layout.destinations[slot].layoutIndex)
        return [(slot, .reference(reference))]
            + (companion.map { [($0, .constant(.int(Int64(reference.key.layoutIndex))))] } ?? [])
    }

    /// The key of the object in this coordinator. Throws when no store of the coordinator holds the object, and when
    /// the relationship does not lead to the object's entity.
    private func reference(
        to id: NSManagedObjectID, _ relationship: NSRelationshipDescription, _ destination: Int
    ) throws -> BatchReference {
        func reference(_ key: ObjectKey) -> BatchReference {
            BatchReference(key: key, id: id, relationship: relationship, entityName: layout.name)
        }
        let expected = layout.model.entities[destination]
        guard let entity = layout.model.layout(named: id.layout.name), expected.subtree.contains(entity.index) else {
            throw reference(id.objectKey).failure("is of the entity \(id.layout.name), not of \(expected.name)")
        }
        guard let store = id.storeIdentifier.flatMap(coordinator.storeNumber(identifier:)) else {
            throw reference(id.objectKey).failure("is in no store of the coordinator")
        }
        let key = ObjectKey.key(storeNumber: store, primaryKey: id.objectKey.primaryKey)
        return reference(ObjectKey(layoutIndex: entity.index, key: key))
    }

    private func cannotUpdate(_ name: String) -> NSError {
        NSError.coreData(
            NSCoreDataError,
            reason: "Invalid property (\(name)) passed to propertiesToUpdate of '\(layout.name)': only stored "
                + "attributes and to-one relationships can be updated, and only attributes by an expression",
            userInfo: [NSValidationKeyErrorKey: name])
    }

    private func failure(_ code: Int, _ name: String, _ reason: String) -> NSError {
        NSError.coreData(code, reason: reason, userInfo: [NSValidationKeyErrorKey: name])
    }
}
