import Foundation

// The values of attributes and relationships, and the functions of the manager that expressions call.
extension MappedMigrationRun {
    /// The variables of a value expression.
    func evaluationContext(
        source: NSManagedObject?, destination: NSManagedObject?, mapping: NSEntityMapping, property: NSPropertyMapping?,
        policy: NSEntityMigrationPolicy
    ) -> EvaluationContext {
        EvaluationContext(
            source,
            substitutions: [
                NSMigrationManagerKey: manager, NSMigrationSourceObjectKey: source ?? NSNull(),
                NSMigrationDestinationObjectKey: destination ?? NSNull(), NSMigrationEntityMappingKey: mapping,
                NSMigrationPropertyMappingKey: property ?? NSNull(), NSMigrationEntityPolicyKey: policy,
            ])
    }

    func makeDestination(
        _ entity: NSEntityDescription, from source: NSManagedObject, _ mapping: NSEntityMapping
    ) throws -> NSManagedObject {
        guard !entity.isAbstract else {
            let place = MappingErrors.Place(mapping: mapping, source: source.objectID)
            throw MappingFailure(error: MappingErrors.abstract(entity, place))
        }
        let object = NSManagedObject(entity: entity, insertInto: destinationContext)
        if currentStep?.isPlain == false { objectsOfPolicies.noteOfFramework(object) }
        return object
    }

    // MARK: Attributes

    func setAttributes(
        of destination: NSManagedObject, from source: NSManagedObject, _ mapping: NSEntityMapping,
        _ policy: NSEntityMigrationPolicy
    ) throws {
        guard let step = step(of: mapping) else {
            throw MappingFailure(error: MappingErrors.unknownMapping(mapping.name ?? ""))
        }
        let isForeseen = source.binding.layout === step.source && destination.binding.layout === step.destination
        if isForeseen, let slots = step.copiedSlots, copyRow(of: source, to: destination, slots) { return }
        for attribute in step.attributes {
            if isForeseen, let slot = attribute.slot, let sourceSlot = attribute.sourceSlot {
                destination.setSlot(slot, to: source.slotValue(at: sourceSlot))
                continue
            }
            let context = evaluationContext(
                source: source, destination: destination, mapping: mapping, property: attribute.mapping, policy: policy)
            let value = attribute.expression.value(in: context)
            try rethrow()
            try set(value, for: attribute, of: destination, step)
        }
    }

    /// Sets the whole row of a new destination object to the source's values, instead of single changes. Returns false
    /// if either object has changes.
    private func copyRow(of source: NSManagedObject, to destination: NSManagedObject, _ slots: [Int?]) -> Bool {
        let layout = destination.binding.layout
        let row = source.firedRow()
        guard destination.overlay == nil, destination.row === layout.defaultRow,
            source.overlay?.hasChangedValues != true
        else { return false }
        destination.row = Snapshot.copy(of: row, slots: slots, over: layout.defaultRow, layout)
        return true
    }

    private func set(
        _ value: Any?, for attribute: EntityMappingStep.Attribute, of destination: NSManagedObject,
        _ step: EntityMappingStep
    ) throws {
        guard let slot = attribute.slot, destination.binding.layout === step.destination else {
            return destination.setValue(value is NSNull ? nil : value, forKey: attribute.name)
        }
        let kind = destination.binding.layout.slots[slot].kind
        if let limit = attribute.limit, let number = value as? NSNumber, !number.isWhole(within: limit) {
            var place = place(step)
            place.property = attribute.name
            throw MappingFailure(error: MappingErrors.beyond(limit, number, place))
        }
        if kind == .transformable { return destination.setBoxedValue(value, at: slot) }
        if let stored = Self.stored(value, kind) { return destination.setSlot(slot, to: stored) }
        var place = place(step)
        place.property = attribute.name
        if kind == .decimal, let number = value as? NSNumber {
            throw MappingFailure(error: MappingErrors.beyondDecimals(number, place))
        }
        throw MappingFailure(
            error: MappingErrors.unacceptable(
                value ?? NSNull(), for: attribute.name,
                type: destination.binding.layout.entity.attributesByName[attribute.name]?.attributeType.readableName
                    ?? "",
                place))
    }

    /// The value of a slot; nil if the value is not of the slot's kind, or is a number beyond all decimals.
    private static func stored(_ value: Any?, _ kind: SlotKind) -> SlotValue? {
        guard kind == .decimal, let number = value as? NSNumber, !(number is NSDecimalNumber) else {
            return SlotValue(value, as: kind)
        }
        let double = number.doubleValue
        if double.isNaN { return .decimal(.nan) }
        // Foundation stops the process at an infinite number, and makes NaN of some numbers that a decimal can have.
        guard DecimalStorage.isDecimal(double) else { return nil }
        let decimal = number.decimalValue
        return decimal.isNaN ? DecimalStorage.decimal(double).map { .decimal($0) } : .decimal(decimal)
    }

    // MARK: Relationships

    func setRelationships(
        of destination: NSManagedObject, _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy
    ) throws {
        guard let step = step(of: mapping) else {
            throw MappingFailure(error: MappingErrors.unknownMapping(mapping.name ?? ""))
        }
        let source = source(of: destination, step)
        for plan in step.relationships where !plan.isLeftOut {
            currentRelationship = plan.relationship
            defer { currentRelationship = nil }
            var members: [NSManagedObject]
            if let usual = plan.usual, let source, source.binding.layout === step.source {
                members = try self.members(usual, source)
            } else {
                let context = evaluationContext(
                    source: source, destination: destination, mapping: mapping, property: plan.mapping, policy: policy)
                let value = plan.expression.value(in: context)
                try rethrow()
                members = try objects(value, of: plan.relationship.name)
            }
            if plan.mapping.linking == .joining {
                members = try joined(members, plan.relationship, of: destination, step)
            }
            try set(members, plan.relationship, of: destination, step, alone: plan.mapping.linking == .alone)
        }
    }

    /// The members together with those that the other side has made already. Throws if the two sides contradict each
    /// other.
    private func joined(
        _ members: [NSManagedObject], _ relationship: NSRelationshipDescription, of destination: NSManagedObject,
        _ step: EntityMappingStep
    ) throws -> [NSManagedObject] {
        let inverse = relationship.inverseRelationship
        var place = place(step)
        place.property = relationship.name
        for member in members where inverse?.isToMany == false {
            guard let inverse, member.entity.relationshipsByName[inverse.name] != nil,
                let other = member.value(forKey: inverse.name) as? NSManagedObject, other !== destination
            else { continue }
            throw MappingFailure(error: MappingErrors.disagreement(with: inverse, place))
        }
        var present: [NSManagedObject] = []
        switch destination.binding.layout.access[relationship.name] {
        case .toMany(let index)?: present = destination.members(of: index).map { destinationContext.object(for: $0) }
        case .toOne?: present = [destination.value(forKey: relationship.name) as? NSManagedObject].compactMap(\.self)
        default: break
        }
        let known = Set(members.map { ObjectIdentifier($0) })
        let all = members + present.filter { !known.contains(ObjectIdentifier($0)) }
        if let inverse, !relationship.isToMany, all.count > 1 {
            throw MappingFailure(error: MappingErrors.disagreement(with: inverse, place))
        }
        return all
    }

    private func members(_ usual: EntityMappingStep.Usual, _ source: NSManagedObject) throws -> [NSManagedObject] {
        let keys: [ObjectKey]
        switch source.binding.layout.access[usual.key] {
        case .toOne(let slot)?: keys = source.reference(at: slot).map { [$0] } ?? []
        case .toMany(let index)?: keys = source.members(of: index)
        default: keys = []
        }
        if keys.isEmpty { return [] }
        if let name = usual.mappingName { return try destinations(of: keys, [try step(named: name)]) }
        return try destinations(ofAnyMapping: keys)
    }

    private func set(
        _ members: [NSManagedObject], _ relationship: NSRelationshipDescription, of destination: NSManagedObject,
        _ step: EntityMappingStep, alone: Bool
    ) throws {
        let target = relationship.destinationEntity.flatMap { destination.binding.layout.model.layout(of: $0) }
        for member in members {
            let isOurs = member.binding.context === destinationContext
            if isOurs, target?.subtree.contains(member.binding.layout.index) ?? false { continue }
            var place = place(step)
            place.property = relationship.name
            let type = "\(target?.name ?? "") of the destination store"
            throw MappingFailure(
                error: MappingErrors.unacceptable(member, for: relationship.name, type: type, place))
        }
        switch destination.binding.layout.access[relationship.name] {
        case .toMany(let index)?:
            try destinationContext.loadRows(of: members)
            destination.setMembers(members, of: index)
        case .toOne(let slot)? where alone: destination.writeReference(members.first?.objectKey, at: slot)
        case .toOne?: destination.setValue(members.first, forKey: relationship.name)
        default: break
        }
    }

    // MARK: Associations

    func associate(_ source: NSManagedObject, with destination: NSManagedObject, _ mapping: NSEntityMapping) {
        guard let step = step(of: mapping) else {
            return noting(()) { _ in
                throw MappingFailure(error: MappingErrors.unknownMapping(mapping.name ?? ""))
            }
        }
        noteAssociation(in: step)
        associations.associate(source, with: destination, mapping: step.number)
    }

    func destinations(ofMapping name: String, of sources: [NSManagedObject]?) throws -> [NSManagedObject] {
        if let sources, sources.count == 1, let step = currentStep, step.name == name {
            // Policies mostly request the destination of the present object.
            if let new = associations.onlyDestination(of: sources[0], mapping: step.number) { return [new] }
        }
        let step = try step(named: name)
        guard let sources else {
            let found = try associations.allDestinations(mapping: step.number)
            return found.saved.map { destinationContext.object(for: $0) } + found.new
        }
        return try destinations(of: sources.map(\.objectKey), [step])
    }

    func destinations(ofAnyMapping sources: [NSManagedObject]) throws -> [NSManagedObject] {
        try destinations(ofAnyMapping: sources.map(\.objectKey))
    }

    /// The destinations of the objects by any entity mapping, as far as the relationship can lead to them.
    private func destinations(ofAnyMapping keys: [ObjectKey]) throws -> [NSManagedObject] {
        let layout = currentRelationship.flatMap {
            manager.destinationModel.layout.layout(of: $0.destinationEntity ?? $0.entity)
        }
        var result: [NSManagedObject] = []
        for key in keys {
            for object in try destinations(of: [key], steps(from: key.layoutIndex)) {
                if let layout, !layout.subtree.contains(object.binding.layout.index) { continue }
                result.append(object)
            }
        }
        return result
    }

    private func destinations(of keys: [ObjectKey], _ steps: [EntityMappingStep]) throws -> [NSManagedObject] {
        if keys.count == 1, steps.count == 1 {
            let found = try associations.destinations(of: keys[0], mapping: steps[0].number)
            return found.saved.isEmpty ? found.new : found.saved.map { destinationContext.object(for: $0) } + found.new
        }
        var result: [NSManagedObject] = []
        result.reserveCapacity(keys.count)
        var seen: Set<ObjectIdentifier> = []
        for key in keys {
            for step in steps {
                let found = try associations.destinations(of: key, mapping: step.number)
                for object in found.saved.map({ destinationContext.object(for: $0) }) + found.new
                where seen.insert(ObjectIdentifier(object)).inserted {
                    result.append(object)
                }
            }
        }
        return result
    }

    func sources(ofMapping name: String, of destinations: [NSManagedObject]?) throws -> [NSManagedObject] {
        let step = try step(named: name)
        let given: [NSManagedObject]
        if let destinations {
            given = destinations
        } else {
            let all = try associations.allDestinations(mapping: step.number)
            given = all.saved.map { destinationContext.object(for: $0) } + all.new
        }
        var seen: Set<ObjectKey> = []
        return given.flatMap { associations.sources(of: $0, mapping: step.number) }
            .filter { seen.insert($0).inserted }.map { sourceContext.object(for: $0) }
    }

    // MARK: Values that expressions pass

    /// The request for the objects of a source entity for which a predicate holds.
    func fetchRequest(
        _ name: Any?, predicate: Any?, includesSubentities: Bool
    ) throws -> NSFetchRequest<NSManagedObject> {
        guard let name = name as? String, let entity = manager.sourceModel.entitiesByName[name] else {
            throw MappingFailure(
                error: MappingErrors.unknownEntity(
                    "\(name ?? "nil")", side: "source", currentMapping ?? NSEntityMapping()))
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.includesSubentities = includesSubentities
        if let text = predicate as? String, !text.isEmpty, text != "TRUEPREDICATE" {
            do {
                request.predicate = try PredicateParser.predicate(text, [])
            } catch {
                throw MappingFailure(
                    error: .coreData(
                        NSMigrationError, reason: "The predicate of a source expression cannot be read: \(error)"))
            }
        }
        return request
    }

    /// The object or objects in a value of any form; none for nil.
    func objects(_ value: Any?, of use: String) throws -> [NSManagedObject] {
        guard let value, !(value is NSNull) else { return [] }
        if let object = value as? NSManagedObject { return [object] }
        let elements = ExpressionValue(value).elements ?? [value]
        return try elements.map { element in
            if let object = element as? NSManagedObject { return object }
            throw MappingFailure(
                error: MappingErrors.unacceptable(
                    element, for: use, type: "managed object", MappingErrors.Place(mapping: currentMapping)))
        }
    }
}
