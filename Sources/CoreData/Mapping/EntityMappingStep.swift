import Foundation

/// One entity mapping with everything that the migration needs to carry it out: its policy, its entities, and the
/// sources of all values.
final class EntityMappingStep {
    /// An attribute and the source of its value.
    struct Attribute {
        let name: String
        let mapping: NSPropertyMapping
        let expression: NSExpression
        /// The attribute's slot; nil for an attribute without a slot of its own (composite attributes).
        let slot: Int?
        /// The slot of the source object that holds the value as it will be stored.
        var sourceSlot: Int?
        /// The range of an integer attribute that an inferred mapping computes from an attribute with a larger range.
        var limit: ClosedRange<Int64>?
    }

    /// A relationship and the source of its members.
    struct Relationship {
        let relationship: NSRelationshipDescription
        let mapping: NSPropertyMapping
        let expression: NSExpression
        /// Set if the expression calls a function of the manager, as in most mapping models.
        let usual: Usual?
        /// Whether objects get the relationship as they are made, because its destinations exist already.
        var isSetEarly = false
        /// The numbers of the entity mappings that make the same links from the other side; nil if none does.
        var otherSides: [Int]?
        /// Whether the second pass leaves the relationship out.
        var isLeftOut = false
    }

    /// A relationship to the destinations of the objects to which a relationship of the source object leads: by one
    /// entity mapping, or by any.
    struct Usual {
        let key: String
        let mappingName: String?
    }

    let mapping: NSEntityMapping
    /// The place among the mapping model's entity mappings.
    let number: Int
    let name: String
    let policy: NSEntityMigrationPolicy
    let source: EntityLayout?
    let destination: EntityLayout?
    private(set) var attributes: [Attribute] = []
    /// For each slot of the destination the slot of the source or none, if all attributes are copies of the source's.
    private(set) var copiedSlots: [Int?]?
    private(set) var relationships: [Relationship] = []

    private let isInferred: Bool
    /// Whether the policy is of the framework's own class, so that no program code runs.
    let isPlain: Bool
    /// Whether the second pass has the same result as the framework's own policy.
    let linksPlainly: Bool
    /// Whether every object was made from one source object, within this mapping, and no code has changed it since.
    var isRegular = true

    init(
        _ mapping: NSEntityMapping, number: Int, manager: NSMigrationManager, isInferred: Bool = false
    ) throws {
        self.mapping = mapping
        self.isInferred = isInferred
        self.number = number
        name = mapping.name ?? ""
        policy = try Self.policyClass(of: mapping).makePolicy(())
        isPlain = type(of: policy) == NSEntityMigrationPolicy.self
        linksPlainly = !PolicyOverrides.createRelationships(type(of: policy))
        source = try mapping.sourceEntityName.map { name in
            guard let found = manager.sourceModel.layout.layout(named: name) else {
                throw MappingErrors.unknownEntity(name, side: "source", mapping)
            }
            return found
        }
        destination = try mapping.destinationEntityName.map { name in
            guard let found = manager.destinationModel.layout.layout(named: name) else {
                throw MappingErrors.unknownEntity(name, side: "destination", mapping)
            }
            return found
        }
        guard let destination else { return }
        for property in mapping.attributeMappings ?? [] { try add(attribute: property, destination) }
        for property in mapping.relationshipMappings ?? [] { try add(relationship: property, destination) }
        if attributes.allSatisfy({ $0.slot != nil && $0.sourceSlot != nil }) {
            var slots = [Int?](repeating: nil, count: destination.slots.count)
            for attribute in attributes { if let slot = attribute.slot { slots[slot] = attribute.sourceSlot } }
            copiedSlots = slots
        }
    }

    static func policyClass(of mapping: NSEntityMapping) throws -> NSEntityMigrationPolicy.Type {
        guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else {
            return NSEntityMigrationPolicy.self
        }
        guard let found = ManagedClassLookup.anyClass(named: name) as? NSEntityMigrationPolicy.Type else {
            throw MappingErrors.unknownPolicy(name, mapping)
        }
        return found
    }

    /// Whether the hooks of a policy class need no values that earlier hooks have left in memory.
    static func canResume(_ policy: NSEntityMigrationPolicy.Type) -> Bool {
        policy == NSEntityMigrationPolicy.self || policy.canResume
    }

    var canResume: Bool { Self.canResume(type(of: policy)) }

    private func add(attribute property: NSPropertyMapping, _ destination: EntityLayout) throws {
        guard let name = property.name, let expression = property.valueExpression else { return }
        guard let attribute = destination.entity.attributesByName[name] else {
            throw MappingErrors.unknownProperty(name, mapping)
        }
        if attribute is NSDerivedAttributeDescription { return }
        var slot: Int?
        if case .attribute(let found)? = destination.access[name] { slot = found }
        var result = Attribute(name: name, mapping: property, expression: expression, slot: slot)
        result.limit = isInferred ? limit(expression, attribute) : nil
        if result.limit == nil, let slot, let source, let key = Self.sourceKey(expression),
            case .attribute(let origin)? = source.access[key],
            Self.isSame(source.slots[origin], destination.slots[slot])
        {
            result.sourceSlot = origin
        }
        attributes.append(result)
    }

    /// The range of integers that an inferred mapping must not exceed.
    private func limit(_ expression: NSExpression, _ attribute: NSAttributeDescription) -> ClosedRange<Int64>? {
        var expression = expression
        if case .conditional(_, _, let other) = expression.payload { expression = other }
        guard let key = Self.sourceKey(expression), let old = source?.entity.attributesByName[key],
            case .integers(let range)? = AttributeConversion(from: old, to: attribute)?.limit
        else { return nil }
        return range
    }

    /// Whether a stored value of one slot has the same bits in the other slot.
    private static func isSame(_ source: Slot, _ destination: Slot) -> Bool {
        source.kind == destination.kind && source.kind != .transformable && source.isPersistent
    }

    private func add(relationship property: NSPropertyMapping, _ destination: EntityLayout) throws {
        guard let name = property.name, let expression = property.valueExpression else { return }
        guard let relationship = destination.entity.relationshipsByName[name] else {
            throw MappingErrors.unknownProperty(name, mapping)
        }
        relationships.append(
            Relationship(
                relationship: relationship, mapping: property, expression: expression, usual: usual(expression)))
    }

    /// The key in an expression `$source.key`.
    private static func sourceKey(_ expression: NSExpression) -> String? {
        guard case .keyPath(let path, let operand?) = expression.payload, path.keys.count == 1,
            case .variable(NSMigrationSourceObjectKey) = operand.payload
        else { return nil }
        return path.keys[0]
    }

    private func usual(_ expression: NSExpression) -> Usual? {
        guard case .function(let function, let target?, let arguments) = expression.payload, arguments.count == 2,
            case .variable(NSMigrationManagerKey) = target.payload, let key = Self.sourceKey(arguments[1]),
            source?.entity.relationshipsByName[key] != nil,
            case .constant(let name as String, _) = arguments[0].payload
        else { return nil }
        switch function {
        case MappingExpressions.instancesByMapping: return Usual(key: key, mappingName: name)
        case MappingExpressions.instancesByRelationship: return Usual(key: key, mappingName: nil)
        default: return nil
        }
    }

    /// Whether the step calls its policy with source objects.
    var hasSourceObjects: Bool {
        guard source != nil else { return false }
        return mapping.mappingType != .removeEntityMappingType || !isPlain
    }

    /// Whether the second pass over the objects has no work.
    var needsNoRelationships: Bool { linksPlainly && relationships.allSatisfy(\.isLeftOut) }

    /// The to-many relationships that the second pass reads (in the source's layout) and changes (in the
    /// destination's).
    var sourceToManys: [Int] { relationships.filter { !$0.isLeftOut }.compactMap { toMany($0.usual?.key, source) } }
    var destinationToManys: [Int] {
        relationships.filter { !$0.isLeftOut }.compactMap { toMany($0.relationship.name, destination) }
    }

    private func toMany(_ name: String?, _ layout: EntityLayout?) -> Int? {
        guard let name, case .toMany(let index)? = layout?.access[name] else { return nil }
        return index
    }

    // MARK: Relationships that need no second pass

    /// Finds the relationships that need no second pass as long as policies do not change the objects otherwise.
    ///
    /// A to-one relationship to objects of an earlier mapping is set while its object is made. If the other side of a
    /// to-many relationship is to-one, setting the to-one side makes both. So no relationship has to be in memory as a
    /// whole.
    func findLinks(among steps: [EntityMappingStep]) {
        guard linksPlainly else { return }
        for index in relationships.indices {
            relationships[index].isSetEarly = canBeSetEarly(relationships[index], among: steps)
            relationships[index].otherSides = otherSides(of: relationships[index], among: steps)
        }
    }

    /// Decides at the beginning of this mapping's second pass which of these links to leave out. `irregular` has the
    /// numbers of the mappings that were not regular at that time.
    func decideLinksToLeaveOut(irregular: Set<Int>) {
        for index in relationships.indices {
            let others = relationships[index].otherSides
            relationships[index].isLeftOut =
                !irregular.contains(number)
                && (relationships[index].isSetEarly || others?.allSatisfy { !irregular.contains($0) } ?? false)
        }
    }

    private func canBeSetEarly(_ plan: Relationship, among steps: [EntityMappingStep]) -> Bool {
        guard let usual = plan.usual, let source, let destination, case .toOne? = source.access[usual.key],
            case .toOne(let slot)? = destination.access[plan.relationship.name], !plan.relationship.isTransient,
            let origin = source.entity.relationshipsByName[usual.key]?.destinationEntity,
            let target = source.model.layout(of: origin)
        else { return false }
        switch destination.destinations[slot].inverse {
        case .toMany? where plan.relationship.inverseRelationship?.isOrdered == false: break
        case nil where plan.relationship.inverseRelationship == nil: break
        default: return false
        }
        let makers = steps.filter { step in
            usual.mappingName.map { $0 == step.name } ?? step.source.map { $0.subtree.overlaps(target.subtree) }
                ?? false
        }
        return !makers.isEmpty && makers.allSatisfy { $0.number < number }
    }

    private func otherSides(of plan: Relationship, among steps: [EntityMappingStep]) -> [Int]? {
        let relationship = plan.relationship
        guard relationship.isToMany, !relationship.isOrdered, let inverse = relationship.inverseRelationship,
            inverse !== relationship, let usual = plan.usual, let destination,
            let target = relationship.destinationEntity.flatMap({ destination.model.layout(of: $0) }),
            let counterpart = source?.entity.relationshipsByName[usual.key]?.inverseRelationship
        else { return nil }
        if inverse.isToMany, !inverse.isOrdered {
            // One of the two sides must make the links.
            func text(_ end: NSRelationshipDescription) -> String { "\(end.entity.name ?? "").\(end.name)" }
            if text(relationship) < text(inverse) { return nil }
        }
        let others = steps.filter { step in step.destination.map { target.subtree.contains($0.index) } ?? false }
        let areAll = others.allSatisfy { other in
            other.linksPlainly
                && other.relationships.contains {
                    $0.relationship.name == inverse.name && $0.usual?.key == counterpart.name
                        && ($0.usual?.mappingName ?? name) == name
                }
        }
        return areAll && !others.isEmpty ? others.map(\.number) : nil
    }
}
