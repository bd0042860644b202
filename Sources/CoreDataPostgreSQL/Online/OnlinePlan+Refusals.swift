#if PostgreSQL
import CoreData
import Foundation

// Changes that are impossible while programs of the older version run: each with its reason, and how to split it.
extension OnlinePlan {
    mutating func lookForWhatCannotBe() {
        let one = "Make it in a version of its own, without NSPostgreSQLOnlineMigrationOption."
        for change in migration.difference.changes {
            switch change {
            case .parentChanged(let entity, _, _):
                refuse(
                    entity, because: "gets another parent, and the older version reads its rows by the present one",
                    help: one
                )
            case .madeToMany(let entity, let property): lookAtLinks(property, of: entity)
            case .orderingChanged(let entity, let property, _):
                refuse(
                    entity, property: property, because: "gets another order, which the older version does not keep",
                    help: one)
            case .inverseChanged(let entity, let property):
                refuse(
                    entity, property: property, because: "gets another inverse, which the older version does not keep",
                    help: one)
            case .destinationChanged(let entity, let property, _, _, _),
                .movedToSubentity(let entity, let property):
                refuse(
                    entity, property: property, because: "leads elsewhere, where the older version cannot follow",
                    help: "Add a relationship beside it, and remove the old one in a later version.")
            case .entityAdded, .entityRemoved, .entityRenamed, .propertyAdded, .propertyRemoved, .propertyRenamed,
                .madeOptional, .madeMandatory, .typeChanged, .externalStorageChanged:
                break
            }
        }
        for entity in destination.entities where new.numbers[entity.index] != nil {
            if let index = migration.difference.sourceOf[entity.index] {
                inspect(at: entity, source.entities[index])
            } else {
                inspect(atNew: entity)
            }
        }
        for entity in source.entities where old.numbers[entity.index] != nil {
            lookAtWhatGoes(of: entity)
        }
        lookAtSplits()
    }

    /// Refuses the migration where a view or a foreign key of another program would keep the server from dropping a
    /// table or column that only the older version has.
    mutating func lookAtDependents(on connection: PostgreSQLConnection) throws {
        let before = Dictionary(old.allTables.map { ($0.name, $0) }) { first, _ in first }
        let after = Dictionary(new.allTables.map { ($0.name, $0) }) { first, _ in first }
        for dependent in try connection.dependents() {
            guard let table = before[dependent.table] else { continue }
            if let kept = after[dependent.table] {
                let isOfOlder = table.columns.contains { $0.name == dependent.column }
                if !isOfOlder || kept.columns.contains(where: { $0.name == dependent.column }) { continue }
            } else if dependent.isOfTable {
                continue
            }
            refuse(
                nil, because: "\(dependent), which goes with the older version",
                help: "Drop it before, and make it anew over what the newer version has.")
        }
    }

    // MARK: Entities

    private mutating func inspect(at entity: EntityLayout, _ former: EntityLayout) {
        if entity.entity.isAbstract != former.entity.isAbstract {
            refuse(
                entity.name,
                because: "is abstract in one version alone: the other one would meet, or make, its objects",
                help: "Leave it as it is until the older version has gone.")
        }
        for property in entity.entity.ownProperties where !property.isTransient {
            let before = migration.difference.properties[entity.index][property.name]
            if before == nil, let below = entityThatHad(property, below: entity) {
                let kind = property is NSRelationshipDescription ? "a relationship" : "an attribute"
                refuse(
                    entity.name, property: property.name,
                    because: "was \(kind) of “\(below)”, an entity below, and the older version keeps its values there",
                    help: "Add \(kind) of another name, let programs fill both, and remove the old one in a later "
                        + "version; or move it in a version of its own, without NSPostgreSQLOnlineMigrationOption.")
                continue
            }
            switch (property, before) {
            case (let attribute as NSAttributeDescription, let before as NSAttributeDescription?):
                inspect(at: attribute, before, of: entity)
            case (let relationship as NSRelationshipDescription, let before as NSRelationshipDescription):
                inspect(at: relationship, before, of: entity)
            case (let relationship as NSRelationshipDescription, nil):
                inspect(atNew: relationship, of: entity)
            default: break
            }
        }
        lookAtTombstones(entity, former)
    }

    /// The subentity that had a property which the entity has now.
    private func entityThatHad(_ property: NSPropertyDescription, below entity: EntityLayout) -> String? {
        entity.subtree.first {
            $0 != entity.index && migration.difference.properties[$0][property.name] != nil
        }.map { destination.entities[$0].name }
    }

    private mutating func inspect(atNew entity: EntityLayout) {
        if migration.difference.sourceOf[entity.rootIndex] != nil {
            let root = destination.entities[entity.rootIndex].name
            refuse(
                entity.name,
                because: "is a new entity below “\(root)”, whose objects the older version would meet where it reads "
                    + "those of “\(root)”",
                help: "Make it an entity without a parent, or add it without NSPostgreSQLOnlineMigrationOption.")
        }
        for property in entity.entity.ownProperties where !property.isTransient {
            if let derived = property as? NSDerivedAttributeDescription, readsOthers(derived) {
                refuseDerived(entity.name, property.name)
            }
            if let relationship = property as? NSRelationshipDescription {
                inspect(atNew: relationship, of: entity)
            }
        }
    }

    private func readsOthers(_ derived: NSDerivedAttributeDescription) -> Bool {
        derived.derivationExpression?.description.contains(".") ?? false
    }

    private mutating func refuseDerived(_ entity: String, _ property: String) {
        refuse(
            entity, property: property,
            because: "is derived in another way than before, and the older version would not keep it up",
            help: "Add it, or remove it, in a version that is migrated without others.")
    }

    /// History keeps the values of deleted objects in columns by the order of names, so the order must not change.
    private mutating func lookAtTombstones(_ entity: EntityLayout, _ former: EntityLayout) {
        let before = HistoryTombstones.slots(of: former).map { former.slots[$0].name }
        let now = HistoryTombstones.slots(of: entity).map { entity.slots[$0].name }
        let origins = migration.difference.properties[entity.index].mapValues(\.name)
        if before == now.map({ origins[$0] ?? $0 }) { return }
        refuse(
            entity.name, because: "preserves other values of deleted objects in history, or in another order",
            help: "Leave “Preserve After Deletion” as it is, and the order of these names, until the older version has "
                + "gone.")
    }

    // MARK: Attributes

    private mutating func inspect(
        at attribute: NSAttributeDescription, _ former: NSAttributeDescription?, of entity: EntityLayout
    ) {
        func derivation(_ attribute: NSAttributeDescription?) -> String? {
            (attribute as? NSDerivedAttributeDescription).map { $0.derivationExpression?.description ?? "" }
        }
        if derivation(attribute) != derivation(former) { return refuseDerived(entity.name, attribute.name) }
        if let composite = attribute as? NSCompositeAttributeDescription {
            let before = (former as? NSCompositeAttributeDescription)?.leaves.map(Self.text)
            if former == nil, attribute.isOptional { return }
            if before == composite.leaves.map(Self.text), former?.isOptional == attribute.isOptional { return }
            return refuse(
                entity.name, property: attribute.name, because: "is composed in another way",
                help: "Add a composite attribute beside it, and remove the old one in a later version.")
        }
        guard let former else {
            if attribute.isOptional { return }
            if isUnique(attribute, entity) {
                return refuse(
                    entity.name, property: attribute.name,
                    because:
                        "is mandatory and part of a uniqueness constraint, and objects of the older version would all "
                        + "have its default value",
                    help: "Add it as an optional attribute. Make it mandatory in a version of its own, without "
                        + "NSPostgreSQLOnlineMigrationOption, when all objects have a value.")
            }
            if hasDefault(attribute) { return }
            return refuse(
                entity.name, property: attribute.name,
                because: "is mandatory, and objects of the older version have no value for it",
                help: "Give it a default value, or make it optional until the older version has gone.")
        }
        if former is NSCompositeAttributeDescription {
            return refuse(
                entity.name, property: attribute.name, because: "was composed before", help: "Give it another name.")
        }
        if former.attributeType != attribute.attributeType || former.isOptional != attribute.isOptional,
            isUnique(attribute, entity)
                || source.layout(of: former.entity).map({ isUnique(former, $0) }) ?? false
        {
            let change =
                former.attributeType != attribute.attributeType
                ? "gets another type" : attribute.isOptional ? "becomes optional" : "becomes mandatory"
            return refuse(
                entity.name, property: attribute.name,
                because:
                    "is part of a uniqueness constraint and \(change): it would lie in two columns, and each version "
                    + "sees what is unique in its own",
                help:
                    "Split the change: remove the constraint in a version before, and add it again in one after this. "
                    + "Or change it in a version of its own, without NSPostgreSQLOnlineMigrationOption.")
        }
        if former.isOptional, !attribute.isOptional, !hasDefault(attribute) {
            refuse(
                entity.name, property: attribute.name,
                because: "is mandatory, and the older version writes objects without a value",
                help: "Give it a default value.")
        }
        if !former.isOptional, attribute.isOptional, !hasDefault(former) {
            refuse(
                entity.name, property: attribute.name,
                because: "is optional, and the older version wants a value in each object, for which it has no default",
                help: "Leave it mandatory until the older version has gone.")
        }
        if former.attributeType != attribute.attributeType || former.isOptional != attribute.isOptional,
            former is NSDerivedAttributeDescription
        {
            refuseDerived(entity.name, attribute.name)
        }
    }

    private static func text(_ leaf: (path: [String], attribute: NSAttributeDescription)) -> String {
        "\(leaf.path) \(leaf.attribute.attributeType.rawValue) \(leaf.attribute.isOptional)"
    }

    private func hasDefault(_ attribute: NSAttributeDescription) -> Bool {
        PostgreSQLDialect().defaultValue(of: attribute, in: type(of: attribute)) != nil
    }

    private func type(of attribute: NSAttributeDescription) -> SQLColumnType {
        for layout in [destination, source] {
            let isOfNewer = layout === destination
            for entity in layout.entities {
                guard let place = entity.slots.firstIndex(where: { $0.property === attribute }) else { continue }
                let schema = isOfNewer ? new : old
                guard let name = schema.columns[entity.index][place],
                    let column = schema.table(ofRoot: entity.rootIndex)?.columns.first(where: { $0.name == name })
                else { continue }
                return column.type
            }
        }
        return .varchar
    }

    // MARK: Relationships

    private mutating func inspect(
        at relationship: NSRelationshipDescription, _ former: NSRelationshipDescription, of entity: EntityLayout
    ) {
        // A relationship that becomes to-many has been checked already.
        let isCounted = relationship.isToMany == former.isToMany
        if relationship.isOptional != former.isOptional || isCounted && relationship.minCount != former.minCount
            || isCounted && relationship.isToMany && relationship.maxCount != former.maxCount
        {
            refuse(
                entity.name, property: relationship.name,
                because:
                    "leads to another number of objects at least or at most, which the other version does not respect",
                help: "Leave it as it is until the older version has gone.")
        }
        let keeps = [relationship, former].map { $0.deleteRule == .noActionDeleteRule }
        if keeps[0] != keeps[1] {
            refuse(
                entity.name, property: relationship.name,
                because: "has the rule “No Action” for deletions in one version alone",
                help: "Leave the rule as it is until the older version has gone.")
        }
    }

    /// Checks a relationship that the other version does not have: that version makes objects without it, and
    /// deletes objects that it leads to.
    private mutating func inspect(atNew relationship: NSRelationshipDescription, of entity: EntityLayout) {
        // The older version makes and deletes both objects as the one object of its own model.
        if migration.splits.contains(where: { $0.reference === relationship || $0.back === relationship }) {
            return
        }
        // The older version also makes and deletes the objects of a split.
        func isKnown(_ entity: EntityLayout) -> Bool {
            migration.difference.sourceOf[entity.index] != nil
                || migration.splits.contains { $0.part == entity.index }
        }
        let target = relationship.destinationEntity.flatMap { destination.layout(of: $0) }
        inspect(
            atUnknown: relationship, of: entity.name, isKnown(entity), target.map(isKnown) ?? false, other: "older")
    }

    private mutating func inspect(
        atUnknown relationship: NSRelationshipDescription, of entity: String, _ isKnown: Bool,
        _ isTargetKnown: Bool, other: String
    ) {
        if !relationship.isOptional, isKnown || isTargetKnown {
            refuse(
                entity, property: relationship.name,
                because: "is mandatory, and the \(other) version makes or deletes objects without knowing of it",
                help: "Make it optional until the older version has gone.")
        }
        if isKnown, ![.nullifyDeleteRule, .noActionDeleteRule].contains(relationship.deleteRule) {
            refuse(
                entity, property: relationship.name,
                because: "has a rule for deletions that the \(other) version does not follow",
                help: "Let it be “Nullify” until the older version has gone.")
        }
    }

    // MARK: Removed parts

    private mutating func lookAtWhatGoes(of entity: EntityLayout) {
        let now = migration.difference.destinationOf[entity.index]
        if now == nil, migration.difference.destinationOf[entity.rootIndex] != nil {
            refuse(
                entity.name, because: "goes, and the newer version would meet its objects, which the older one makes",
                help: "Delete its objects, and remove it when no program makes any.")
        }
        let kept = now.map { Array(migration.difference.properties[$0].values) } ?? []
        for property in entity.entity.ownProperties where !property.isTransient {
            if kept.contains(where: { $0 === property }) { continue }
            if let attribute = property as? NSAttributeDescription, now != nil {
                lookAtWhatGoes(attribute, of: entity)
            }
            if let relationship = property as? NSRelationshipDescription {
                let target = relationship.destinationEntity.flatMap { source.layout(of: $0) }
                let isTargetKnown = target.map { migration.difference.destinationOf[$0.index] != nil } ?? false
                inspect(atUnknown: relationship, of: entity.name, now != nil, isTargetKnown, other: "newer")
            }
        }
    }

    private mutating func lookAtWhatGoes(_ attribute: NSAttributeDescription, of entity: EntityLayout) {
        if attribute is NSDerivedAttributeDescription { return refuseDerived(entity.name, attribute.name) }
        if attribute.isOptional || hasDefault(attribute) && !isUnique(attribute, entity) { return }
        refuse(
            entity.name, property: attribute.name,
            because: "goes, and the older version wants a value in the objects that the newer one makes",
            help: "Make it optional, or give it a default value, in a version before.")
    }
}
#endif
