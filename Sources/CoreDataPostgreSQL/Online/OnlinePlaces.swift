#if PostgreSQL
import CoreData
import Foundation

/// Chooses tables and columns for the properties of a newer version beside those of the older one. A property with
/// the same values keeps its column, and a new one gets a name that is free in the database.
struct OnlinePlaces {
    private let migration: OnlineMigration
    private let old: SQLSchema
    private let former: PostgreSQLPlaces
    private var chosen: PostgreSQLPlaces
    private(set) var refusals: [NSError] = []
    /// By entity of the newer version: the slots that have a name.
    private var known: Set<PostgreSQLNames.PropertyPart> = []

    private var source: ModelLayout { migration.difference.source }
    private var destination: ModelLayout { migration.difference.destination }

    init(_ migration: OnlineMigration, _ old: SQLSchema, _ former: PostgreSQLPlaces) {
        self.migration = migration
        self.old = old
        self.former = former
        chosen = PostgreSQLPlaces(names: PostgreSQLNames(), numbers: [:])
        for entity in destination.entities { keep(entity) }
        for split in migration.splits {
            let part = destination.entities[split.part].name
            chosen.mapping += split.attributes.map { "\(part).\($0.new.name) \($0.old.name)" }.sorted()
            chosen.names.columns[.formerKey(split.back.name, of: part)] = SQLSchema.keyColumn
        }
    }

    /// Whether an unfinished migration began with the same choice. The choice depends on names, renaming
    /// identifiers and mapping models, which connect the newer version's properties with the older one's, and on
    /// the columns of these. A migration that began with another choice has given rows other values.
    func isSame(as begun: PostgreSQLPlaces) -> Bool {
        chosen.formerKeys == begun.formerKeys && chosen.mapping == begun.mapping && chosen.origins == begun.origins
            && chosen.numbers.allSatisfy { begun.numbers[$0.key] == $0.value }
    }

    // MARK: What stays

    private mutating func keep(_ entity: EntityLayout) {
        guard let index = migration.difference.sourceOf[entity.index], let number = old.numbers[index] else {
            return
        }
        let origin = source.entities[index]
        chosen.numbers[entity.name] = number
        let label = former.label(of: origin.name)
        if label != entity.name { chosen.labels[entity.name] = label }
        chosen.origins[entity.name] = migration.difference.properties[entity.index].mapValues(\.name)
        if entity.superIndex == nil, let table = old.table(ofRoot: origin.rootIndex) {
            chosen.names.tables[entity.name] = table.name
        }
        for slot in entity.slots where slot.isPersistent {
            guard let place = self.slot(of: origin, for: slot, in: entity),
                let column = old.columns[origin.index][place]
            else { continue }
            let part = PostgreSQLNames.part(of: slot, in: entity)
            chosen.names.columns[part] = column
            known.insert(part)
        }
        for toMany in entity.toManys {
            guard
                let relationship = migration.difference.properties[entity.index][toMany.relationship.name]
                    as? NSRelationshipDescription
            else { continue }
            if !relationship.isToMany, toMany.declaringIndex == entity.index,
                let slot = origin.slots.firstIndex(where: { $0.property === relationship })
            {
                chosen.names.columns[.formerKey(toMany.relationship.name, of: entity.name)] =
                    old.columns[origin.index][slot]
            }
            guard
                let place = origin.toManys.first(where: { $0.relationship === relationship }),
                let end = old.joinEnds[origin.index][place.index]
            else { continue }
            // Where a relationship is its own inverse, the name of the other column follows from its own.
            if end.isReflexive, relationship.name != toMany.relationship.name {
                refusals.append(
                    OnlineMigration.refusal(
                        entity: entity.name, property: toMany.relationship.name,
                        reason: "is its own inverse and changes its name",
                        help: "Rename it in a version that is migrated without others."))
            }
            chosen.names.joins["\(entity.name).\(toMany.relationship.name)"] = end.table
            let part = PostgreSQLNames.PropertyPart(
                entity: entity.name, property: toMany.relationship.name, role: "members")
            chosen.names.columns[part] = end.ownerColumn
            known.insert(part)
        }
    }

    /// The slot of the older entity whose values a slot has; nil where there is none with the same values.
    private func slot(of origin: EntityLayout, for slot: Slot, in entity: EntityLayout) -> Int? {
        let properties = migration.difference.properties[entity.index]
        func key(_ number: Int) -> Int? { self.slot(of: origin, for: entity.slots[number], in: entity) }
        switch slot.role {
        case .attribute(let attribute):
            if let composite = slot.composite {
                guard let former = properties[composite.name] as? NSCompositeAttributeDescription else {
                    return nil
                }
                return origin.slots.firstIndex {
                    $0.composite === former && $0.elementPath == slot.elementPath
                }
            }
            guard let former = properties[slot.name] as? NSAttributeDescription,
                former.attributeType == attribute.attributeType, former.isOptional == attribute.isOptional
            else { return nil }
            return origin.slots.firstIndex { $0.property === former && $0.composite == nil }
        case .toOne(let relationship, _):
            guard let former = properties[relationship.name] as? NSRelationshipDescription else { return nil }
            return origin.slots.firstIndex { $0.property === former }
        case .companion(let number):
            guard let key = key(number) else { return nil }
            return origin.slots.firstIndex { if case .companion(key) = $0.role { true } else { false } }
        case .order(let number):
            guard let key = key(number) else { return nil }
            return origin.slots.firstIndex { if case .order(key) = $0.role { true } else { false } }
        case .owner(let relationship):
            guard let former = migration.difference.formerRelationship(relationship) else { return nil }
            return origin.slots.firstIndex { if case .owner(former) = $0.role { true } else { false } }
        }
    }

    // MARK: What is new

    /// The places, with names that are free in the database for all that is new.
    mutating func places(on connection: PostgreSQLConnection) throws -> PostgreSQLPlaces {
        let present = try connection.tableNames().union(connection.relationNames())
        var taken = try Set(IntrospectedSchema(connection).numbers.values)
        let labels = try Set(IntrospectedSchema(connection).numbers.keys)
        for entity in destination.entities where chosen.numbers[entity.name] == nil && isHeld(entity) {
            // The numbers of history's own entities are higher.
            let number = (taken.filter { $0 < Int(HistoryTables.changeEntity) }.max() ?? 0) + 1
            taken.insert(number)
            chosen.numbers[entity.name] = number
            let label = Self.free(entity.name) { name in
                labels.contains(name) || chosen.labels.values.contains(name)
            }
            if label != entity.name { chosen.labels[entity.name] = label }
        }
        var schema = schema()
        var tables = present.union(schema.allTables.map(\.name))
        for root in destination.entities where root.superIndex == nil {
            guard let table = schema.table(ofRoot: root.index), chosen.names.tables[root.name] == nil else {
                continue
            }
            let name = present.contains(table.name) ? Self.free(table.name, where: tables.contains) : table.name
            tables.insert(name)
            chosen.names.tables[root.name] = name
        }
        chooseJoins(schema, present, &tables)
        schema = self.schema()
        try chooseColumns(schema, on: connection)
        return chosen
    }

    private func isHeld(_ entity: EntityLayout) -> Bool {
        guard let held = migration.entities else { return true }
        return entity.subtree.contains { held.contains(destination.entities[$0].name) }
    }

    private func schema() -> SQLSchema {
        SQLSchemaBuilder.schema(
            of: destination, entities: migration.entities, numbers: chosen.numbers,
            style: PostgreSQLStyle(chosen.names))
    }

    private mutating func chooseJoins(_ schema: SQLSchema, _ present: Set<String>, _ tables: inout Set<String>) {
        for entity in destination.entities {
            for toMany in entity.toManys where toMany.declaringIndex == entity.index {
                let key = "\(entity.name).\(toMany.relationship.name)"
                guard let end = schema.joinEnds[entity.index][toMany.index], !end.isFlipped,
                    chosen.names.joins[key] == nil
                else { continue }
                let name = present.contains(end.table) ? Self.free(end.table, where: tables.contains) : end.table
                tables.insert(name)
                chosen.names.joins[key] = name
            }
        }
    }

    /// Chooses the names of new columns in tables that exist: another column may have the name that the model gives
    /// one.
    private mutating func chooseColumns(_ schema: SQLSchema, on connection: PostgreSQLConnection) throws {
        for root in destination.entities where root.superIndex == nil {
            guard let table = schema.table(ofRoot: root.index),
                old.entityTables.contains(where: { $0.name == table.name })
            else { continue }
            let there = try Set(connection.columnNames(of: table.name))
            var taken = there.union(table.columns.map(\.name))
            for index in root.subtree {
                let entity = destination.entities[index]
                for (number, slot) in entity.slots.enumerated() where slot.declaringIndex == index {
                    let part = PostgreSQLNames.part(of: slot, in: entity)
                    guard !known.contains(part), let column = schema.columns[index][number],
                        there.contains(column)
                    else { continue }
                    let name = Self.free(column, where: taken.contains)
                    taken.insert(name)
                    chosen.names.columns[part] = name
                }
            }
        }
    }

    /// Returns a name, with a number after it where the name is taken. The result is not longer than the server
    /// allows, because the server would cut the number off.
    private static func free(_ name: String, where isTaken: (String) -> Bool) -> String {
        if !isTaken(name) { return name }
        var number = 2
        while true {
            let numbered = PostgreSQLDialect.name(name, endingIn: "\(number)")
            if !isTaken(numbered) { return numbered }
            number += 1
        }
    }
}

extension ModelDifference {
    /// The older relationship that a relationship comes from.
    func formerRelationship(_ relationship: NSRelationshipDescription) -> NSRelationshipDescription? {
        guard let declaring = destination.layout(of: relationship.entity) else { return nil }
        for index in declaring.subtree {
            if let found = properties[index][relationship.name] as? NSRelationshipDescription { return found }
        }
        return nil
    }
}
#endif
