import CoreData
import Foundation

/// The migration of a shipped version to the current one.
private struct Chain {
    let version: GateVersion
    let source: NSManagedObjectModel
    var verdict: MigrationVerdict
}

/// A fault of chains, without the versions that they begin at. Chains with one fault have one finding.
private struct ChainFault: Hashable {
    let rule: ModelGateReport.Rule
    let entity: String?
    let property: String?
    /// What happens to stores, behind their versions.
    let text: String
    let remedy: String

    /// Whether both are one fault in different versions of a program.
    func isLike(_ other: ChainFault) -> Bool {
        rule == other.rule && entity == other.entity && property == other.property
    }
}

extension GateComparison {
    /// Judges the migration of every shipped version to the current one, unless code of the program takes part.
    mutating func checkChains(to current: GateVersion) {
        guard let target = current.model else { return }
        let mappingModels = GateMappings.mappings(of: tree, in: mappings.tree)
        let versions = shipped.versions.filter { !tree.versionsWithHandlers.contains($0.name) }
        let chains = chains(of: versions, to: target, through: tree.versions, mappingModels)
        addWays(of: chains, to: current)
        var faults: [(fault: ChainFault, versions: [String])] = []
        var former: [String: [ChainFault]]?
        for chain in chains {
            let found = self.faults(of: chain, current, target)
            if found.isEmpty { continue }
            let known = former ?? formerFaults()
            former = known
            for fault in found where !(known[chain.version.name] ?? []).contains(where: fault.isLike) {
                if let place = faults.firstIndex(where: { $0.fault == fault }) {
                    faults[place].versions.append(chain.version.name)
                } else {
                    faults.append((fault, [chain.version.name]))
                }
            }
        }
        for (fault, versions) in faults {
            findings.append(
                Finding(
                    fault.rule, file: current.path, line: current.line(entity: fault.entity, property: fault.property),
                    entity: fault.entity, property: fault.property,
                    message: "Stores of \(ModelGateReport.Way.list(versions)) \(fault.text)", remedy: fault.remedy))
        }
    }

    private func chains(
        of versions: [GateVersion], to target: NSManagedObjectModel, through others: [GateVersion],
        _ mappingModels: [NSMappingModel]
    ) -> [Chain] {
        let sources = versions.filter { version in version.model != nil }
        // Warm-up on one thread: the layout of the target is made once.
        _ = target.versionChecksum
        let direct = Self.inParallel(sources) { version -> Chain? in
            guard let model = version.model else { return nil }
            return Chain(
                version: version, source: model,
                verdict: MigrationVerdict(from: model, to: target, mappings: mappingModels))
        }
        .compactMap(\.self)
        // Another version may keep what the direct way refuses or loses, if the last hop from it is good.
        let good = direct.filter(\.verdict.isHarmless).map(\.source)
        let further = others.compactMap(\.model)
        if direct.allSatisfy(\.verdict.isHarmless) { return direct }
        return Self.inParallel(direct) { chain in
            var chain = chain
            if chain.verdict.isHarmless { return chain }
            // A loss ends with a version that has renamed the content, which may lose other content itself.
            let through = chain.verdict.obstacles.isEmpty && chain.verdict.refusals.isEmpty ? further : good
            if through.isEmpty && mappingModels.isEmpty { return chain }
            chain.verdict = MigrationVerdict(
                from: chain.source, to: target, through: through, mappings: mappingModels)
            return chain
        }
    }

    /// The results of a function for each element, made on several threads, in the order of the elements.
    private static func inParallel<Element, Result>(
        _ elements: [Element], _ make: (Element) -> Result
    ) -> [Result] {
        var results = [Result?](repeating: nil, count: elements.count)
        results.withUnsafeMutableBufferPointer { buffer in
            // Each iteration writes an element of its own.
            nonisolated(unsafe) let (places, elements, make) = (buffer, elements, make)
            DispatchQueue.concurrentPerform(iterations: elements.count) { number in
                places[number] = make(elements[number])
            }
        }
        return results.compactMap(\.self)
    }

    /// The faults that stores had with the current version of the commit, by the names of their versions.
    private func formerFaults() -> [String: [ChainFault]] {
        guard let current = shipped.current, let target = current.model else { return [:] }
        let models = GateMappings.mappings(of: shipped, in: mappings.shipped)
        let former = chains(of: shipped.versions, to: target, through: shipped.versions, models)
        return Dictionary(
            former.map { ($0.version.name, faults(of: $0, current, target)) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Ways

    private mutating func addWays(of chains: [Chain], to current: GateVersion) {
        for chain in chains {
            let verdict = chain.verdict
            let mappings = verdict.hops.compactMap(\.mapping)
            let isSame = chain.version.isSameVersion(as: current)
            let through = verdict.hops.dropLast().map { hop in
                tree.versions.first { $0.checksum == hop.target.layoutChecksum }?.name ?? "?"
            }
            let means: ModelGateReport.Way.Means =
                isSame ? .none : verdict.hops.isEmpty ? .impossible : mappings.isEmpty ? .inPlace : .copy
            if let place = ways.firstIndex(where: {
                $0.means == means && $0.through == through && $0.mappings == mappings
            }) {
                ways[place].from.append(chain.version.name)
            } else if chain.version.name != current.name || !isSame {
                ways.append(
                    .init(
                        model: tree.path, from: [chain.version.name], to: current.name, means: means,
                        through: through, mappings: mappings))
            }
        }
    }

    // MARK: Faults

    private func faults(of chain: Chain, _ current: GateVersion, _ target: NSManagedObjectModel) -> [ChainFault] {
        let verdict = chain.verdict
        let refusals = verdict.refusals.filter { !Self.isFilled($0, target) }
        return verdict.obstacles.map { self.fault($0, current) } + refusals.map { self.fault($0, current) }
            + verdict.losses.map { self.fault($0, of: chain, current, target: target) }
    }

    /// Whether the missing value comes from a default that a description cannot have, as SwiftData's schemas note it.
    private static func isFilled(_ refusal: MigrationVerdict.Refusal, _ target: NSManagedObjectModel) -> Bool {
        guard case .missingValue = refusal.kind, let name = refusal.property?.prefix(while: { $0 != "." }) else {
            return false
        }
        let attribute = target.entitiesByName[refusal.entity]?.attributesByName[String(name)]
        return attribute?.userInfo?["hasDefaultInCode"] != nil
    }

    private func fault(_ obstacle: MigrationForecast.Obstacle, _ current: GateVersion) -> ChainFault {
        let help = obstacle.help
        var reason = obstacle.reason
        if !help.isEmpty, reason.hasSuffix(help) { reason.removeLast(help.count) }
        reason = reason.trimmingCharacters(in: .whitespaces)
        return ChainFault(
            rule: .notInferred, entity: obstacle.entity, property: obstacle.property,
            text: "are not opened: nothing leads to '\(current.name)'. \(reason)",
            remedy: (help.isEmpty ? "" : "\(help) ")
                + "A stage with code of the program's own is not seen by this check; allow the finding then.")
    }

    private func fault(_ refusal: MigrationVerdict.Refusal, _ current: GateVersion) -> ChainFault {
        let place = refusal.property.map { "\(refusal.entity).\($0)" } ?? refusal.entity
        let end = "are not migrated to '\(current.name)'"
        func fault(_ rule: ModelGateReport.Rule, _ text: String, _ remedy: String) -> ChainFault {
            ChainFault(rule: rule, entity: refusal.entity, property: refusal.property, text: text, remedy: remedy)
        }
        switch refusal.kind {
        case .missingValue:
            return fault(
                .mandatory,
                "\(end) if they have an object of \(refusal.entity): '\(place)' is mandatory, has no default, and such "
                    + "objects may be without a value.", refusal.help)
        case .unfitValue(let type):
            return fault(
                .type, "\(end) if a value of '\(place)' does not fit its new type \(type).",
                "Keep the older type, or convert the values by a mapping model.")
        case .duplicates(let keys):
            return fault(
                .unique,
                "\(end) if two objects of \(refusal.entity) have equal values of \(keys.joined(separator: ", ")), which "
                    + "is unique now.",
                "Ship a version that removes the duplicates first, or remove them by a mapping model.")
        case .otherRows:
            return fault(
                .rows, "\(end) if they have rows that the new version does not allow at '\(place)'.", refusal.help)
        }
    }

    private func fault(
        _ loss: MigrationVerdict.Loss, of chain: Chain, _ current: GateVersion, target: NSManagedObjectModel
    ) -> ChainFault {
        let place = loss.property.map { "\(loss.entity).\($0)" } ?? loss.entity
        let what = loss.property == nil ? "all objects of '\(place)'" : "the values of '\(place)'"
        if let name = loss.property, let now = target.entitiesByName[loss.entity]?.attributesByName[name],
            let derived = now as? NSDerivedAttributeDescription
        {
            return ChainFault(
                rule: .loss, entity: loss.entity, property: name,
                text: "lose \(what): '\(current.name)' computes the attribute by "
                    + "\(derived.derivationExpression?.description ?? "its expression").",
                remedy: "Add a derived attribute of another name, and keep this one. If the loss is wanted, allow it: "
                    + "--allow loss:\(place).")
        }
        let allow = "If the loss is wanted, allow it: --allow loss:\(place)."
        let heir = heir(of: loss, chain.source, target).map { name in
            "If '\(name)' is what '\(loss.property ?? loss.entity)' was, set its renaming identifier to "
                + "'\(loss.property ?? loss.entity)'. "
        }
        return ChainFault(
            rule: .loss, entity: loss.entity, property: loss.property,
            text: "lose \(what): '\(current.name)' has no place for them.", remedy: (heir ?? "") + allow)
    }

    /// The only added element of the kind that is lost.
    private func heir(
        of loss: MigrationVerdict.Loss, _ source: NSManagedObjectModel, _ target: NSManagedObjectModel
    ) -> String? {
        guard let old = source.entitiesByName[loss.entity] else { return nil }
        guard let name = loss.property else {
            let added = target.entities.filter { entity in
                source.entitiesByName[entity.name ?? ""] == nil && entity.renamingIdentifier == entity.name
                    && !Set(entity.propertiesByName.keys).isDisjoint(with: old.propertiesByName.keys)
            }
            return added.count == 1 ? added[0].name : nil
        }
        guard let lost = old.propertiesByName[name], let new = target.entitiesByName[loss.entity] else { return nil }
        let added = new.properties.filter { property in
            guard old.propertiesByName[property.name] == nil, property.renamingIdentifier == property.name else {
                return false
            }
            switch (lost, property) {
            case (let lost as NSAttributeDescription, let property as NSAttributeDescription):
                return lost.attributeType == property.attributeType
            case (let lost as NSRelationshipDescription, let property as NSRelationshipDescription):
                return lost.isToMany == property.isToMany
                    && lost.destinationEntity?.name == property.destinationEntity?.name
            default: return false
            }
        }
        return added.count == 1 ? added[0].name : nil
    }
}
