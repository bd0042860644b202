import Foundation

/// Checks objects against their model before they are saved.
enum ObjectValidation {
    /// Checks required values, the attributes' validation predicates, and the counts of relationships. Several failures
    /// of one object are thrown as one error 1560.
    static func validateProperties(of object: NSManagedObject) throws {
        if ObjectOverrides.validation(type(of: object)) || object.validatesByName {
            return try askForEachProperty(of: object)
        }
        if keepsRulesByRow(object) { return }
        let layout = object.binding.layout
        let rules = layout.validationRules
        if rules.isEmpty { return }
        var errors: [NSError] = []
        // Firing a fault may change the object.
        let row = rules.requiredSlots.isEmpty ? nil : object.firedRow()
        let changed = object.overlay?.changedAmongFirst ?? 0
        if let row {
            // The rows of most objects have all values, and few values were changed.
            var doubtful = rules.firstRequired & (row.nullAmongFirst | changed)
            var missing: [Int] = []
            while doubtful != 0 {
                let slot = doubtful.trailingZeroBitCount
                doubtful &= doubtful - 1
                if isMissing(slot, in: object, row) { missing.append(slot) }
            }
            for slot in rules.otherRequired where isMissing(slot, in: object, row) { missing.append(slot) }
            if !missing.isEmpty {
                errors = missing.sorted().map { Self.missing(layout.slots[$0].name, object) }
            }
        }
        for toMany in rules.countedToManys {
            let count = object.members(of: toMany).count
            check(count, of: layout.toManys[toMany].relationship, in: object, into: &errors)
        }
        // Counting members may fire a fault, and that may change the object.
        let checked = (object.overlay?.changedAmongFirst ?? 0) & rules.firstChecked
        if checked != 0 || rules.checksOthers || object.flags.contains(.inserted) {
            for (slot, range) in rules.rangedSlots {
                guard case .int(let number)? = object.overlay?.value(at: slot) else { continue }
                check(number, within: range, of: layout.slots[slot].name, in: object, into: &errors)
            }
            for slot in rules.floatingSlots where isNaN(slot, in: object) {
                errors.append(notANumber(layout.slots[slot], object))
            }
        }
        for slot in rules.predicateSlots {
            guard case .attribute(let attribute) = layout.slots[slot].role, let value = object.boxedValue(at: slot)
            else { continue }
            check(value, of: attribute, in: object, into: &errors)
        }
        try raise(errors)
    }

    /// Whether the row of a saved object and its changed values show that it keeps all rules. If not, the object may
    /// keep them nevertheless.
    ///
    /// Most changed objects show it. This check counts no references: the object holds its binding, its row and its
    /// changes, the binding holds the layout, and the layout holds the rules.
    private static func keepsRulesByRow(_ object: NSManagedObject) -> Bool {
        guard object.flags.isDisjoint(with: [.inserted, .unfired]), let row = object.heldRow else { return false }
        return Unmanaged.passUnretained(object.binding)._withUnsafeGuaranteedRef { binding in
            Unmanaged.passUnretained(binding.layout)._withUnsafeGuaranteedRef { layout in
                Unmanaged.passUnretained(layout.validationRules)._withUnsafeGuaranteedRef { rules in
                    guard rules.areShownByRow else { return false }
                    let missing = rules.firstRequired & row._withUnsafeGuaranteedRef { $0.nullAmongFirst }
                    guard let overlay = object.overlay else { return missing == 0 }
                    return Unmanaged.passUnretained(overlay)._withUnsafeGuaranteedRef {
                        keepsRules(rules, changes: $0, missingInRow: missing)
                    }
                }
            }
        }
    }

    /// Whether changed values keep rules.
    ///
    /// - Parameter missing: The required slots that the row has no value of, as bits.
    @inline(__always)
    private static func keepsRules(
        _ rules: ValidationRules, changes: ObjectOverlay, missingInRow missing: UInt64
    ) -> Bool {
        let changed = changes.changedAmongFirst
        if missing & ~changed != 0 || changed & rules.firstRanged != 0 { return false }
        var required = changed & rules.firstRequired
        while required != 0 {
            if changes.isNull(required.trailingZeroBitCount) { return false }
            required &= required - 1
        }
        var floating = changed & rules.firstChecked
        while floating != 0 {
            if case .double(let number) = changes.values[floating.trailingZeroBitCount], number.isNaN { return false }
            floating &= floating - 1
        }
        return true
    }

    /// Checks a value for a property against the model.
    static func validate(_ value: Any?, forKey key: String, of object: NSManagedObject) throws {
        let layout = object.binding.layout
        let rules = layout.validationRules
        var errors: [NSError] = []
        switch layout.access[key] {
        case .attribute(let slot), .toOne(let slot):
            guard let value else {
                if rules.requiredSlots.contains(slot) { throw missing(key, object) }
                return
            }
            guard case .attribute(let attribute) = layout.slots[slot].role else { return }
            if let range = rules.rangedSlots.first(where: { $0.slot == slot })?.range, let number = value as? Int64 {
                check(number, within: range, of: key, in: object, into: &errors)
            }
            check(
                value, of: layout.slots[slot], isFloating: rules.floatingSlots.contains(slot), in: object, into: &errors
            )
            check(value, of: attribute, in: object, into: &errors)
        case .toMany(let index):
            guard rules.countedToManys.contains(index) else { return }
            let count =
                (value as? NSOrderedSet)?.count ?? (value as? NSSet)?.count ?? (value as? Set<NSManagedObject>)?.count
                ?? 0
            check(count, of: layout.toManys[index].relationship, in: object, into: &errors)
        case .composite(let composite):
            for slot in composite.slots where rules.floatingSlots.contains(slot) {
                var element = value
                for name in layout.slots[slot].elementPath { element = (element as? [String: Any])?[name] }
                check(element, of: layout.slots[slot], isFloating: true, in: object, into: &errors)
            }
        case .fetched, nil: return
        }
        try raise(errors)
    }

    /// Calls the class's own `validateValue(_:forKey:)` and its methods such as `validateEmail(_:)` for each property,
    /// and takes over replaced values.
    private static func askForEachProperty(of object: NSManagedObject) throws {
        var errors: [NSError] = []
        let layout = object.binding.layout
        for (key, access) in layout.access.sorted(by: { $0.key < $1.key }) {
            switch access {
            case .attribute(let slot):
                guard case .attribute(let attribute) = layout.slots[slot].role,
                    !(attribute is NSDerivedAttributeDescription)
                else { continue }
            case .toOne, .composite: break
            case .toMany(let index):
                // An unchanged relationship is not loaded for this.
                let isChanged = object.existingToManyState(index)?.hasChanges == true
                if !isChanged, !layout.validationRules.countedToManys.contains(index) { continue }
            case .fetched: continue
            }
            let old = object._primitiveValue(forKey: key).map { $0 as AnyObject }
            var new = old
            do {
                try object.validateValue(&new, forKey: key)
                if new !== old { object.setValue(new, forKey: key) }
            } catch {
                errors.append(error as NSError)
            }
        }
        try raise(errors)
    }

    private static func missing(_ name: String, _ object: NSManagedObject) -> NSError {
        failure(
            NSValidationMissingMandatoryPropertyError, object: object, name: name, value: nil,
            reason: "\(name) is a required value.")
    }

    private static func check(
        _ count: Int, of relationship: NSRelationshipDescription, in object: NSManagedObject,
        into errors: inout [NSError]
    ) {
        if count == 0, relationship.isOptional { return }
        let value = object._primitiveValue(forKey: relationship.name)
        if count < relationship.minCount {
            errors.append(
                failure(
                    NSValidationRelationshipLacksMinimumCountError, object: object, name: relationship.name,
                    value: value, reason: "Too few items in \(relationship.name)."))
        } else if relationship.maxCount > 0, count > relationship.maxCount {
            errors.append(
                failure(
                    NSValidationRelationshipExceedsMaximumCountError, object: object, name: relationship.name,
                    value: value, reason: "Too many items in \(relationship.name)."))
        }
    }

    private static func check(
        _ number: Int64, within range: ClosedRange<Int64>, of name: String, in object: NSManagedObject,
        into errors: inout [NSError]
    ) {
        if range.contains(number) { return }
        errors.append(
            failure(
                number > range.upperBound ? NSValidationNumberTooLargeError : NSValidationNumberTooSmallError,
                object: object, name: name, value: number,
                reason: "\(number) does not fit \(name), which holds \(range.lowerBound) to \(range.upperBound)."))
    }

    private static func notANumber(_ slot: Slot, _ object: NSManagedObject) -> NSError {
        slot.notANumber(entity: object.binding.layout.name, of: object)
    }

    private static func isNaN(_ slot: Int, in object: NSManagedObject) -> Bool {
        if let overlay = object.overlay, overlay.mask.contains(slot) {
            guard case .double(let number) = overlay.values[slot] else { return false }
            return number.isNaN
        }
        // A saved row was checked before; a new object's row may hold a default value.
        guard object.flags.contains(.inserted), let row = object.row, !row.isNull(slot) else { return false }
        return row.double(slot).isNaN
    }

    private static func check(
        _ value: Any?, of slot: Slot, isFloating: Bool, in object: NSManagedObject, into errors: inout [NSError]
    ) {
        guard isFloating, case .double(let number)? = SlotValue(value, as: slot.kind), number.isNaN else { return }
        errors.append(notANumber(slot, object))
    }

    private static func check(
        _ value: Any, of attribute: NSAttributeDescription, in object: NSManagedObject, into errors: inout [NSError]
    ) {
        for (index, predicate) in attribute.validationPredicates.enumerated() {
            do {
                if try UndecidedPredicate.throwing({ predicate.evaluate(with: value) }) { continue }
                errors.append(
                    broken(
                        predicate, warnings: attribute.validationWarnings, index: index, value: value, object: object,
                        name: attribute.name))
            } catch {
                errors.append(error as NSError)
            }
        }
    }

    /// Checks that the object's new references lead to existing objects: neither deleted in its context nor gone from
    /// the store (1550).
    static func validateReferences(of object: NSManagedObject, in context: NSManagedObjectContext) throws {
        var errors: [NSError] = []
        func check(_ target: NSManagedObject?, _ name: String) {
            guard let target, target.flags.contains(.deleted) else { return }
            errors.append(
                failure(
                    NSManagedObjectValidationError, object: object, name: name, value: target,
                    reason: "Dangling reference to an invalid object: \(name) leads to "
                        + "\(target.objectID.uriRepresentation()), which is deleted."))
        }
        let isNew = object.flags.contains(.inserted)
        for (slot, description) in object.binding.layout.slots.enumerated()
        where isNew || object.overlay?.mask.contains(slot) == true {
            switch description.role {
            case .toOne: check(object.reference(at: slot).flatMap(context.registeredObject(for:)), description.name)
            case .owner(let relationship):
                guard case .int(let key) = object.slotValue(at: slot) else { continue }
                check(context.registeredObject(forOwnerKey: key, of: relationship), relationship.name)
            case .attribute, .companion, .order: continue
            }
        }
        for toMany in object.binding.layout.toManys {
            // A relationship without an inverse is kept in the rows of the members, and the rows of deleted members are
            // not written.
            if toMany.relationship.inverseRelationship == nil { continue }
            for key in object.existingToManyState(toMany.index)?.added.keys ?? [] {
                check(context.registeredObject(for: key), toMany.relationship.name)
            }
        }
        try raise(errors)
    }

    /// Throws one error as it is, and several as one error 1560 with all of them under `NSDetailedErrorsKey`.
    static func raise(_ errors: [NSError]) throws {
        guard let first = errors.first else { return }
        if errors.count == 1 { throw first }
        let flat = errors.flatMap { $0.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [$0] }
        throw NSError.coreData(
            NSValidationMultipleErrorsError, reason: "Multiple validation errors occurred.",
            userInfo: [NSDetailedErrorsKey: flat])
    }

    private static func isMissing(_ slot: Int, in object: NSManagedObject, _ row: Snapshot) -> Bool {
        if object.binding.layout.hasTransformables, object.binding.layout.slots[slot].kind == .transformable {
            return object.boxedValue(at: slot) == nil
        }
        if let overlay = object.overlay, overlay.mask.contains(slot) { return overlay.isNull(slot) }
        return row.isNull(slot)
    }

    private static func broken(
        _ predicate: NSPredicate, warnings: [Any], index: Int, value: Any, object: NSManagedObject, name: String
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

    static func failure(
        _ code: Int, object: NSManagedObject, name: String, value: Any?, reason: String
    ) -> NSError {
        var info: [String: Any] = [NSValidationObjectErrorKey: object, NSValidationKeyErrorKey: name]
        if let value { info[NSValidationValueErrorKey] = value }
        return NSError.coreData(code, reason: "\(reason) (entity \(object.binding.layout.name))", userInfo: info)
    }
}
