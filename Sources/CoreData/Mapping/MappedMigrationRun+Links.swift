import Foundation

/// Where a relationship that is set early leads to.
struct EarlyLink: Hashable {
    let relationship: ObjectIdentifier
    let source: ObjectKey
}

// Relationships that are set while their objects are made, and what makes a second pass necessary after all.
extension MappedMigrationRun {
    private static let mostKnownLinks = 20_000

    /// Points the new objects of a batch at what they lead to, where that is there already.
    func setEarlyLinks(_ step: EntityMappingStep) throws {
        let plans = step.relationships.filter(\.isSetEarly)
        guard step.isRegular, !plans.isEmpty else { return }
        for entry in associations.pending where entry.source.mapping == step.number {
            let (source, destination) = (entry.sourceObject, entry.destination)
            guard !entry.isRepeated, destination.objectKey.isTemporary, source.home.layout === step.source,
                destination.home.layout === step.destination
            else {
                step.isRegular = false
                return
            }
            for plan in plans {
                guard let usual = plan.usual, case .toOne(let origin)? = source.home.layout.access[usual.key],
                    case .toOne(let slot)? = destination.home.layout.access[plan.relationship.name]
                else { continue }
                let target = try source.reference(at: origin).flatMap { try self.destination(of: $0, plan, usual) }
                if destination.reference(at: slot) == target { continue }
                if destination.reference(at: slot) == nil {
                    destination.writeReference(target, at: slot)
                } else {
                    destination.setReference(target.map { destinationContext.object(for: $0) }, at: slot)
                }
            }
        }
    }

    private func destination(
        of source: ObjectKey, _ plan: EntityMappingStep.Relationship, _ usual: EntityMappingStep.Usual
    ) throws -> ObjectKey? {
        let link = EarlyLink(relationship: ObjectIdentifier(plan.relationship), source: source)
        if let known = knownLinks[link] { return known }
        let target = plan.relationship.destinationEntity.flatMap { manager.destinationModel.layout.layout(of: $0) }
        func isAcceptable(_ key: ObjectKey) -> Bool { target?.subtree.contains(key.layoutIndex) ?? false }
        var found: ObjectKey?
        if let name = usual.mappingName {
            found = try associations.destinations(of: source, mapping: try step(named: name).number).saved.first
            // The second pass tells what is wrong.
            if let key = found, !isAcceptable(key) {
                found = nil
                currentStep?.isRegular = false
            }
        } else {
            for step in steps(from: source.layoutIndex) where found == nil {
                found = try associations.destinations(of: source, mapping: step.number).saved.first(where: isAcceptable)
            }
        }
        if knownLinks.count >= Self.mostKnownLinks { knownLinks.removeAll(keepingCapacity: true) }
        knownLinks.updateValue(found, forKey: link)
        return found
    }

    /// An association for another mapping than the one being carried out.
    func noteAssociation(in step: EntityMappingStep) {
        if step === currentStep { return }
        step.isRegular = false
        knownLinks.removeAll()
    }

    /// Looks at what is about to be saved for objects that did not come about as the mappings say: their entities' mappings
    /// need the whole second pass.
    func noteIrregularities(_ work: NSManagedObjectContext.SaveWork) {
        guard hasPolicies else { return }
        for object in work.inserted {
            if !associations.isPending(object, mapping: currentStep?.number) { noteIrregular(object) }
        }
        for object in work.updated where !object.persistentChanges().isEmpty { noteIrregular(object) }
        for object in work.deleted { noteIrregular(object) }
    }

    private func noteIrregular(_ object: NSManagedObject) {
        let index = object.home.layout.index
        for step in steps where step.destination?.subtree.contains(index) ?? false { step.isRegular = false }
    }
}
