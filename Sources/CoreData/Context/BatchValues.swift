import Foundation

/// Turns what batch requests are given into the values of slots; for one entity.
struct BatchValues {
    let layout: EntityLayout

    // MARK: Rows to insert

    func given(by dictionary: [String: Any]) throws -> GivenValues {
        var given = GivenValues(slotCount: layout.slots.count)
        for (name, value) in dictionary { try set(value, for: name, in: &given) }
        try requireMandatory(given)
        return given
    }

    func given(by dictionary: NSMutableDictionary) throws -> GivenValues {
        var given = GivenValues(slotCount: layout.slots.count)
        for (key, value) in dictionary { try set(value, for: key as? String ?? "\(key)", in: &given) }
        try requireMandatory(given)
        return given
    }

    /// What was set on a scratch object: its attributes.
    func given(by object: NSManagedObject) throws -> GivenValues {
        var given = GivenValues(slotCount: layout.slots.count)
        try object.encodeBoxedChanges()
        if let overlay = object.overlay {
            overlay.mask.forEach { slot in
                if isStored(slot) { given.set(overlay.values[slot], at: slot) }
            }
        }
        try requireMandatory(given)
        return given
    }

    /// Whether a slot is an attribute that the store keeps.
    private func isStored(_ slot: Int) -> Bool {
        guard case .attribute = layout.slots[slot].role else { return false }
        return layout.slots[slot].isPersistent
    }

    private func set(_ value: Any, for name: String, in given: inout GivenValues) throws {
        guard case .attribute(let slot)? = layout.access[name] else {
            throw failure(
                NSManagedObjectValidationError, name,
                "\(name) is no attribute of \(layout.name), and only those are set.")
        }
        if isStored(slot) { given.set(try converted(value, slot), at: slot) }
    }

    private func converted(_ value: Any, _ slot: Int) throws -> SlotValue {
        let description = layout.slots[slot]
        if description.kind == .transformable, case .attribute(let attribute) = description.role, !(value is NSNull) {
            return .data(try TransformableCoding.data(from: value, of: attribute))
        }
        if let converted = SlotValue(value, as: description.kind) { return converted }
        throw failure(
            NSManagedObjectValidationError, description.name,
            "Unacceptable type of value for attribute: property = \"\(description.name)\"; given type = "
                + "\(type(of: value)); entity = \(layout.name).")
    }

    private func requireMandatory(_ given: GivenValues) throws {
        for slot in layout.validationRules.requiredSlots where isStored(slot) {
            let isMissing: Bool =
                if given.mask.contains(slot) {
                    given.values[slot] == .null
                } else if case .attribute(let attribute) = layout.slots[slot].role {
                    attribute.defaultValue == nil
                } else {
                    false
                }
            guard isMissing else { continue }
            let name = layout.slots[slot].name
            throw failure(NSValidationMissingMandatoryPropertyError, name, "\(name) is a required value.")
        }
    }

    // MARK: Updates

    /// What setting a property means for the slots: a to-one relationship has a second one where its destination has
    /// subentities.
    func assignments(of value: Any, to name: String) throws -> [(slot: Int, value: BatchUpdate.Assigned)] {
        var value = value
        if let expression = value as? NSExpression {
            guard expression.expressionType == .constantValue else { return try assignments(of: expression, to: name) }
            value = expression.constantValue ?? NSNull()
        }
        switch layout.access[name] {
        case .attribute(let slot) where isStored(slot):
            return [(slot, .constant(try converted(value, slot)))]
        case .toOne(let slot) where layout.slots[slot].isPersistent:
            return try references(to: value, slot)
        default:
            throw cannotUpdate(name)
        }
    }

    private func assignments(
        of expression: NSExpression, to name: String
    ) throws -> [(slot: Int, value: BatchUpdate.Assigned)] {
        guard case .attribute(let slot)? = layout.access[name], isStored(slot) else { throw cannotUpdate(name) }
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
        var reference = SlotValue.null
        var entity = SlotValue.null
        if !(value is NSNull) {
            guard let key = (value as? any ObjectKeyConvertible)?.objectKey, !key.isTemporary else {
                throw failure(
                    NSManagedObjectValidationError, relationship.name,
                    "Unacceptable value for the relationship \(relationship.name) of \(layout.name): a saved object or "
                        + "its id is needed, not \(type(of: value)).")
            }
            reference = .int(key.key)
            entity = .int(Int64(key.layoutIndex))
        }
        return [(slot, .constant(reference))] + (companion.map { [($0, .constant(entity))] } ?? [])
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
