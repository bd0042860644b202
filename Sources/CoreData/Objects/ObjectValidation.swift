import Foundation

/// Checks objects against their model before they are saved.
enum ObjectValidation {
    /// Required values, the attributes' validation predicates, and the counts of relationships. Several failures of one
    /// object come together as error 1560.
    static func validateProperties(of object: NSManagedObject) throws {
        let rules = object.home.layout.validationRules
        if rules.isEmpty { return }
        var errors: [NSError] = []
        for rule in rules.requiredSlots where isMissing(rule, in: object) {
            let name = object.home.layout.slots[rule].name
            errors.append(
                failure(NSValidationMissingMandatoryPropertyError, object, name, "\(name) is a required value."))
        }
        for toMany in rules.countedToManys {
            let relationship = object.home.layout.toManys[toMany].relationship
            let count = object.members(of: toMany).count
            if count == 0, relationship.isOptional { continue }
            if count < relationship.minCount {
                errors.append(
                    failure(
                        NSValidationRelationshipLacksMinimumCountError, object, relationship.name,
                        "Too few items in \(relationship.name)."))
            } else if relationship.maxCount > 0, count > relationship.maxCount {
                errors.append(
                    failure(
                        NSValidationRelationshipExceedsMaximumCountError, object, relationship.name,
                        "Too many items in \(relationship.name)."))
            }
        }
        for (slot, range) in rules.rangedSlots {
            guard case .int(let number)? = object.overlay?.value(at: slot), !range.contains(number) else { continue }
            let name = object.home.layout.slots[slot].name
            let isLarge = number > range.upperBound
            errors.append(
                failure(
                    isLarge ? NSValidationNumberTooLargeError : NSValidationNumberTooSmallError, object, name,
                    "\(number) does not fit \(name), which holds \(range.lowerBound) to \(range.upperBound)."))
        }
        for slot in rules.predicateSlots {
            guard case .attribute(let attribute) = object.home.layout.slots[slot].role,
                let value = object.boxedValue(at: slot)
            else { continue }
            for (index, predicate) in attribute.validationPredicates.enumerated()
            where !predicate.evaluate(with: value) {
                errors.append(broken(predicate, attribute.validationWarnings, index, value, object, attribute.name))
            }
        }
        try raise(errors)
    }

    /// The deny rule: a relationship that has it must be empty (or lead to objects that are deleted too).
    static func validateDeletion(of object: NSManagedObject) throws {
        var errors: [NSError] = []
        for (name, access) in object.home.layout.access {
            let remaining: [NSManagedObject]
            switch access {
            case .toOne(let slot):
                guard case .toOne(let relationship, _) = object.home.layout.slots[slot].role,
                    relationship.deleteRule == .denyDeleteRule
                else { continue }
                remaining = object.referencedObject(at: slot).map { [$0] } ?? []
            case .toMany(let index):
                guard object.home.layout.toManys[index].relationship.deleteRule == .denyDeleteRule else { continue }
                remaining = object.memberObjects(of: index)
            case .attribute, .fetched: continue
            }
            if remaining.contains(where: { !$0.flags.contains(.deleted) }) {
                errors.append(
                    failure(
                        NSValidationRelationshipDeniedDeleteError, object, name,
                        "Items cannot be deleted from \(name)."))
            }
        }
        try raise(errors)
    }

    /// One error as it is, several as one of 1560 with all of them under `NSDetailedErrorsKey`.
    static func raise(_ errors: [NSError]) throws {
        guard let first = errors.first else { return }
        if errors.count == 1 { throw first }
        let flat = errors.flatMap { $0.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [$0] }
        throw NSError.coreData(
            NSValidationMultipleErrorsError, reason: "Multiple validation errors occurred.",
            userInfo: [NSDetailedErrorsKey: flat])
    }

    private static func isMissing(_ slot: Int, in object: NSManagedObject) -> Bool {
        if object.home.layout.slots[slot].kind == .transformable { return object.boxedValue(at: slot) == nil }
        let row = object.firedRow()
        if let overlay = object.overlay, overlay.mask.contains(slot) { return overlay.values[slot].isNull }
        return row.isNull(slot)
    }

    private static func broken(
        _ predicate: NSPredicate, _ warnings: [Any], _ index: Int, _ value: Any, _ object: NSManagedObject,
        _ name: String
    ) -> NSError {
        let warning: Any? = index < warnings.count ? warnings[index] : nil
        let code = (warning as? NSNumber)?.intValue ?? (warning as? Int) ?? NSManagedObjectValidationError
        let text = warning as? String ?? "The value of \(name) does not satisfy \(predicate)."
        return NSError.coreData(
            code, reason: text,
            userInfo: [
                NSValidationObjectErrorKey: object, NSValidationKeyErrorKey: name,
                NSValidationValueErrorKey: value, NSValidationPredicateErrorKey: predicate,
            ])
    }

    private static func failure(_ code: Int, _ object: NSManagedObject, _ name: String, _ reason: String) -> NSError {
        var info: [String: Any] = [NSValidationObjectErrorKey: object, NSValidationKeyErrorKey: name]
        if let value = object.primitiveValue(forKey: name) { info[NSValidationValueErrorKey] = value }
        return NSError.coreData(code, reason: "\(reason) (entity \(object.home.layout.name))", userInfo: info)
    }
}

/// What of an entity has to be checked at a save; computed once per layout.
struct ValidationRules {
    var requiredSlots: [Int] = []
    var predicateSlots: [Int] = []
    var countedToManys: [Int] = []
    /// Integers of 16 and 32 bits, with what they hold.
    var rangedSlots: [(slot: Int, range: ClosedRange<Int64>)] = []

    var isEmpty: Bool {
        requiredSlots.isEmpty && predicateSlots.isEmpty && countedToManys.isEmpty && rangedSlots.isEmpty
    }

    init(slots: [Slot], toManys: [ToManySlot]) {
        for (number, slot) in slots.enumerated() {
            guard let property = slot.property else { continue }
            if case .attribute(let attribute) = slot.role {
                if attribute is NSDerivedAttributeDescription { continue }
                if !attribute.validationPredicates.isEmpty { predicateSlots.append(number) }
                switch attribute.attributeType {
                case .integer16AttributeType: rangedSlots.append((number, Int64(Int16.min)...Int64(Int16.max)))
                case .integer32AttributeType: rangedSlots.append((number, Int64(Int32.min)...Int64(Int32.max)))
                default: break
                }
            }
            if !property.isOptional { requiredSlots.append(number) }
        }
        for toMany in toManys {
            let relationship = toMany.relationship
            // That a to-many relationship is not optional says nothing by itself: its minimum count does.
            if relationship.minCount > 0 || relationship.maxCount > 1 {
                countedToManys.append(toMany.index)
            }
        }
    }
}
