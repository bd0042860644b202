#if PostgreSQL
import CoreData
import Foundation

// Entities of the older version that are two in the newer one.
extension OnlinePlan {
    /// An entity of the older version whose rows have some of their columns in rows of another table in the newer
    /// one, too.
    struct Split: Equatable {
        struct Column: Equatable {
            var old: String
            var new: String
            /// The values that replace NULL, in either version.
            var oldDefault: String?
            var newDefault: String?
        }

        /// The table of the older version's rows, and what rows call their entity.
        var table: String
        var labels: [String]
        /// Its column that leads to the other row.
        var reference: String
        /// The table of the other rows, what they call their entity, and what leads back.
        var part: String
        var partLabel: String
        var back: String
        var columns: [Column]
    }

    mutating func lookAtSplits() {
        for split in migration.splits {
            let refused = refusals.count
            inspect(at: split)
            guard refusals.count == refused else { continue }
            if let found = place(of: split) {
                if splits.contains(where: { $0.table == found.table }) {
                    refuse(
                        destination.entities[split.part].name,
                        because: "is the second entity that is made of one, or of entities with a common parent",
                        help: "Make one at a time: the next one in a later version.")
                }
                splits.append(found)
            } else {
                refuse(
                    destination.entities[split.part].name,
                    because: "is not held by the store beside what it comes from",
                    help: "Migrate without NSPostgreSQLOnlineMigrationOption.")
            }
        }
    }

    private mutating func inspect(at split: OnlineSplit) {
        let (owner, part) = (destination.entities[split.owner], destination.entities[split.part])
        if !source.entities[split.source].entity.subentities.isEmpty || part.superIndex != nil {
            refuse(
                part.name, because: "is made of an entity with others below it, or has a parent",
                help: "Make it in a version of its own, without NSPostgreSQLOnlineMigrationOption.")
        }
        if ![.nullifyDeleteRule, .cascadeDeleteRule].contains(split.reference.deleteRule)
            || split.back.deleteRule == .noActionDeleteRule
        {
            refuse(
                owner.name, property: split.reference.name,
                because: "has a rule for deletions that the older version does not follow, "
                    + "which deletes both objects as the one that it knows",
                help: "Let it be “Cascade” or “Nullify” until the older version has gone.")
        }
        if let names = part.entity.uniquenessConstraintNames.first {
            refuse(
                part.name, property: names.first,
                because: "is unique, and the older version writes any number of equal values",
                help: "Add the constraint in a later version.")
        }
        for case let attribute as NSAttributeDescription in part.entity.properties
        where !attribute.isTransient && !attribute.isOptional && !(attribute is NSDerivedAttributeDescription) {
            let old = split.attributes.first { $0.new === attribute }?.old
            if old?.isOptional == false || defaultValue(of: attribute, in: part) != nil { continue }
            refuse(
                part.name, property: attribute.name,
                because: "is mandatory, and the older version writes objects without a value",
                help: "Give it a default value, or make it optional until the older version has gone.")
        }
    }

    private func defaultValue(of attribute: NSAttributeDescription, in entity: EntityLayout) -> String? {
        let (layout, schema) = entity.model === source ? (source, old) : (destination, new)
        guard let place = entity.slots.firstIndex(where: { $0.property === attribute }),
            let name = schema.columns[entity.index][place],
            let column = schema.table(ofRoot: layout.entities[entity.index].rootIndex)?.columns
                .first(where: { $0.name == name })
        else { return nil }
        return PostgreSQLDialect().defaultValue(of: attribute, in: column.type)
    }

    private func place(of split: OnlineSplit) -> Split? {
        let (origin, owner) = (source.entities[split.source], destination.entities[split.owner])
        let part = destination.entities[split.part]
        func column(_ property: NSPropertyDescription, _ entity: EntityLayout, _ schema: SQLSchema) -> String? {
            entity.slots.firstIndex { $0.property === property }.flatMap { schema.columns[entity.index][$0] }
        }
        guard let table = old.table(ofRoot: origin.rootIndex)?.name,
            let partTable = new.table(ofRoot: part.rootIndex)?.name,
            let reference = column(split.reference, owner, new), let back = column(split.back, part, new)
        else { return nil }
        let columns = split.attributes.compactMap { attribute -> Split.Column? in
            guard let from = column(attribute.old, origin, old), let into = column(attribute.new, part, new) else {
                return nil
            }
            return Split.Column(
                old: from, new: into,
                oldDefault: attribute.old.isOptional ? nil : defaultValue(of: attribute.old, in: origin),
                newDefault: attribute.new.isOptional ? nil : defaultValue(of: attribute.new, in: part))
        }
        return Split(
            table: table, labels: [sourcePlaces.label(of: origin.name)], reference: reference, part: partTable,
            partLabel: places.label(of: part.name), back: back, columns: columns)
    }
}
#endif
