import Foundation

/// A relationship of the step that is set early, by its index among them, and the source object to which it leads.
struct EarlyLink: Hashable {
    let number: Int
    let source: ObjectKey
}

// Relationships that are set while their objects are made.
extension InstancePass {
    private static let mostKnownLinks = 20_000

    /// A relationship that is set early, with its slots in source and destination objects.
    private struct Link {
        let plan: EntityMappingStep.Relationship
        let usual: EntityMappingStep.Usual
        let origin: Int
        let slot: Int

        init?(_ plan: EntityMappingStep.Relationship, _ step: EntityMappingStep) {
            guard let usual = plan.usual, case .toOne(let origin)? = step.source?.access[usual.key],
                case .toOne(let slot)? = step.destination?.access[plan.relationship.name]
            else { return nil }
            self.plan = plan
            self.usual = usual
            self.origin = origin
            self.slot = slot
        }
    }

    /// Links the new objects of a batch with their destinations, if these exist already.
    func setEarlyLinks(_ step: EntityMappingStep) throws {
        let plans = step.relationships.filter(\.isSetEarly)
        guard step.isRegular, !plans.isEmpty else { return }
        let links = plans.compactMap { Link($0, step) }
        for entry in run.associations.pending.entries where entry.source.mapping == step.number {
            let (source, destination) = (entry.sourceObject, entry.destination)
            guard !entry.isRepeated, destination.key < 0, source.binding.layout === step.source,
                destination.binding.layout === step.destination
            else {
                step.isRegular = false
                return
            }
            for (number, link) in links.enumerated() {
                guard let origin = source.reference(at: link.origin) else {
                    if destination.reference(at: link.slot) != nil { destination.setReference(nil, at: link.slot) }
                    continue
                }
                let place = EarlyLink(number: number, source: origin)
                let target = try knownLinks[place] ?? search(for: origin, link, at: place)
                let present = destination.reference(at: link.slot)
                if present == target { continue }
                if present == nil {
                    destination.writeReference(target, at: link.slot)
                } else {
                    destination.setReference(target.map { run.destinationContext.object(for: $0) }, at: link.slot)
                }
            }
        }
    }

    private func search(
        for source: ObjectKey, _ link: Link, at place: EarlyLink
    ) throws -> ObjectKey? {
        let target = link.plan.relationship.destinationEntity.flatMap {
            run.manager.destinationModel.layout.layout(of: $0)
        }
        func isAcceptable(_ key: ObjectKey) -> Bool { target?.subtree.contains(key.layoutIndex) ?? false }
        var found: ObjectKey?
        if let name = link.usual.mappingName {
            found = try run.associations.destinations(of: source, mapping: try run.step(named: name).number).saved.first
            // The second pass reports the problem.
            if let key = found, !isAcceptable(key) {
                found = nil
                run.currentStep?.isRegular = false
            }
        } else {
            for step in run.steps(from: source.layoutIndex) where found == nil {
                found = try run.associations.destinations(of: source, mapping: step.number).saved.first(
                    where: isAcceptable)
            }
        }
        if knownLinks.count >= Self.mostKnownLinks { forgetLinks() }
        knownLinks.updateValue(found, forKey: place)
        return found
    }

    func forgetLinks() { knownLinks.removeAll(keepingCapacity: true) }
}
