import Foundation

/// What a migration between two versions of a model does to any store of the older one, as far as the models show it.
/// No store is made or read.
package struct MigrationVerdict {
    /// One hop of the migration.
    package struct Hop {
        package let target: NSManagedObjectModel
        /// The name of the mapping model; nil if the hop is inferred, and so done in place.
        package let mapping: String?
    }

    /// Rows that end the migration of a store that has them.
    package struct Refusal {
        package enum Kind {
            /// A mandatory property without a value.
            case missingValue
            /// A value that the new type cannot hold.
            case unfitValue(type: String)
            /// Several objects with equal values of a new uniqueness constraint.
            case duplicates(of: [String])
            case otherRows
        }

        package let kind: Kind
        package let entity: String
        package let property: String?
        package let help: String
    }

    /// Content that the last version has no place for, by its names in the older one.
    package struct Loss {
        package let entity: String
        package let property: String?
    }

    /// The hops to the newer version; empty if stores of both are alike, or no migration is possible.
    package private(set) var hops: [Hop] = []
    /// The reasons why no mapping can be inferred; empty if the migration is possible.
    package private(set) var obstacles: [MigrationForecast.Obstacle] = []
    package private(set) var refusals: [Refusal] = []
    package private(set) var losses: [Loss] = []

    /// Whether every store of the older version is migrated and keeps its content.
    package var isHarmless: Bool { obstacles.isEmpty && refusals.isEmpty && losses.isEmpty }

    /// Judges the migration between two versions.
    ///
    /// - Parameters:
    ///   - versions: versions that the migration may lead through.
    ///   - mappings: mapping models, which have the hashes of their versions.
    package init(
        from source: NSManagedObjectModel, to target: NSManagedObjectModel,
        through versions: [NSManagedObjectModel] = [], mappings: [NSMappingModel]
    ) {
        if source.entityVersionHashesByName == target.entityVersionHashesByName,
            source.layoutChecksum == target.layoutChecksum
        {
            return
        }
        let candidates = MappingModelCandidates(mappings)
        if candidates.mapping(from: source, to: target) == nil,
            let difference = try? ModelDifference(from: source.layout, to: target.layout), difference.onlyAdds
        {
            hops = [Hop(target: target, mapping: nil)]
            return
        }
        let way = MigrationWay(versions: versions, mappings: candidates)
        var best: MigrationVerdict?
        do {
            try way.tryHops(from: source, to: target) { hops in
                let direct = [MigrationHop(source: source, target: target, means: .inferred)]
                let verdict = try MigrationVerdict(of: hops ?? direct)
                best = best ?? verdict
                // Another way may have a place for rows that this one refuses.
                if let refusal = verdict.refusals.first { throw Self.error(of: refusal) }
                best = verdict
            }
        } catch let error as NSError where !MigrationErrors.isAboutRows(error) {
            obstacles = ForecastObstacles.of(error)
            return
        } catch {
            // `best` has the rows.
        }
        if let best { self = best }
    }

    private static func error(of refusal: Refusal) -> NSError {
        .coreData(NSMigrationError, reason: refusal.help, userInfo: [MigrationErrors.rowsKey: refusal.help])
    }

    /// The differences between two versions, in words.
    package static func changes(from source: NSManagedObjectModel, to target: NSManagedObjectModel) -> [ModelChange] {
        (try? ModelDifference(from: source.layout, to: target.layout))?.changes ?? []
    }
}

extension MigrationVerdict {
    private init(of hops: [MigrationHop]) throws {
        self.hops = hops.map { Hop(target: $0.target, mapping: $0.isInferred ? nil : $0.name) }
        losses = LossSearch.lost(on: hops, storing: nil, configuration: nil)
            .map { Loss(entity: $0.entity, property: $0.property) }
        // The rows that a mapping model leaves depend on code.
        let inferred = hops.prefix(while: \.isInferred)
        guard var source = inferred.first?.source else { return }
        let merged = MergedHops.merge(
            from: source, storing: nil, through: inferred.map(\.target), configuration: nil)
        for hops in merged {
            try follow(hops, from: source)
            source = hops.target
        }
    }

    private mutating func follow(_ hops: MergedHops, from source: NSManagedObjectModel) throws {
        let (dialect, style) = (SQLiteDialect(), CoreDataFileStyle())
        let transaction = MigrationTransaction(
            MigrationRequest(at: URL(fileURLWithPath: "/dev/null"), to: hops.target))
        let old = SQLSchemaBuilder.schema(of: source.layout, entities: nil, style: style)
        let new = try transaction.schema(nil, after: old, source, hops.origins, style: style)
        let (difference, plan) = try transaction.plan(
            from: source.layout, oldSchema: old, to: hops.target.layout, newSchema: new,
            catalog: StoreCatalog(old, rows: [:], in: dialect), in: dialect, origins: hops.origins)
        for case .check(let check) in plan.steps {
            guard let kind = Self.kind(of: check.reason) else { continue }
            refusals.append(
                Refusal(kind: kind, entity: check.entity, property: check.property, help: check.help))
        }
        refusals += Self.duplicates(difference)
    }

    /// The kind of rows that a check refuses. Nil if nearly no store has such rows: the only values that a decimal or a
    /// floating-point number cannot hold are NaN and those above 10 to the 127.
    private static func kind(of reason: MigrationCheck.Reason) -> Refusal.Kind? {
        switch reason {
        case .missingAttribute, .missingRelationship, .removedDestination: .missingValue
        case .unfitValue(let type):
            [.decimalAttributeType, .doubleAttributeType, .floatAttributeType].map(\NSAttributeType.readableName)
                .contains(type) ? nil : .unfitValue(type: type)
        case .abstractEntity, .ambiguousInverse, .otherSide, .otherConfiguration: .otherRows
        }
    }

    /// The new uniqueness constraints over values that objects have already.
    fileprivate static func duplicates(_ difference: ModelDifference) -> [Refusal] {
        difference.destination.entities.flatMap { entity -> [Refusal] in
            guard let origin = difference.sourceOf[entity.index].map({ difference.source.entities[$0].entity }) else {
                return []
            }
            let origins = difference.properties[entity.index]
            let before = constraints(of: origin)
            return entity.entity.uniquenessConstraintNames.filter { keys in
                let former = Set(keys.compactMap { origins[$0]?.name })
                if before.contains(where: { $0.isSubset(of: former) }) { return false }
                // No row has a value for a new attribute without a default, and such rows are all different.
                return keys.allSatisfy { key in
                    origins[key] != nil || entity.entity.attributesByName[key]?.defaultValue != nil
                }
            }
            .map { keys in
                Refusal(
                    kind: .duplicates(of: keys), entity: entity.name, property: keys.first,
                    help: "Remove the duplicates before the migration.")
            }
        }
    }

    private static func constraints(of entity: NSEntityDescription) -> [Set<String>] {
        entity.uniquenessConstraintNames.map(Set.init) + (entity.superentity.map(constraints) ?? [])
    }
}

extension ModelDifference {
    /// Whether no row can forbid the changes, and no row loses a value by them: most versions only add. No plan has to
    /// be made then.
    fileprivate var onlyAdds: Bool {
        let areAdditions = changes.allSatisfy { change in
            switch change {
            case .entityAdded, .entityRenamed, .propertyRenamed, .madeOptional: true
            case .propertyAdded(let entity, let property):
                destination.layout(named: entity)?.entity.propertiesByName[property]?.needsNoValue ?? false
            default: false
            }
        }
        return areAdditions && !makesDerived && MigrationVerdict.duplicates(self).isEmpty
            && destination.entities.allSatisfy { entity in
                guard entity.entity.isAbstract, let origin = sourceOf[entity.index] else { return true }
                return source.entities[origin].entity.isAbstract
            }
    }
}

extension ModelDifference {
    /// Whether an attribute with stored values is derived from now on.
    private var makesDerived: Bool {
        destination.entities.contains { entity in
            entity.entity.attributesByName.contains { name, attribute in
                guard attribute is NSDerivedAttributeDescription,
                    let origin = properties[entity.index][name] as? NSAttributeDescription
                else { return false }
                return !(origin is NSDerivedAttributeDescription) && !origin.isTransient
            }
        }
    }
}

extension NSPropertyDescription {
    /// Whether rows from before the property was added need no value of it, or have one.
    fileprivate var needsNoValue: Bool {
        if isOptional || isTransient || self is NSDerivedAttributeDescription { return true }
        if let relationship = self as? NSRelationshipDescription { return relationship.isToMany }
        return (self as? NSAttributeDescription)?.defaultValue != nil
    }
}
