import Foundation

/// The triggers by which Apple's framework keeps derived attributes, in the text that its stores have.
///
/// Stores of Apple's with triggers show those of one derivation: the count of a one-to-many relationship, which the
/// root entity of a table declares. Any other derivation is refused, because a trigger of our own would be taken for
/// Apple's.
package struct DerivedAttributeTriggers {
    private let counts: [Count]

    /// The triggers in the order of Apple's stores.
    var triggers: [StoreCatalog.Trigger] { counts.flatMap(\.triggers) }

    /// Throws an error that names the attribute if Apple's triggers for a derivation of a model are not known.
    package static func require(for model: NSManagedObjectModel) throws {
        _ = try Self(model.layout, SQLSchemaBuilder.schema(of: model.layout))
    }

    /// The known triggers of a schema, without those of other derivations.
    static func known(_ layout: ModelLayout, _ schema: SQLSchema) -> [StoreCatalog.Trigger] {
        DerivationOrder.places(in: layout).filter { schema.numbers[$0.entity.index] != nil }
            .flatMap { Count($0, layout, schema)?.triggers ?? [] }
    }

    /// Throws an error that names the attribute if Apple's triggers for a derivation are not known.
    init(_ layout: ModelLayout, _ schema: SQLSchema) throws {
        counts = try DerivationOrder.places(in: layout).compactMap { place in
            guard schema.numbers[place.entity.index] != nil else { return nil }
            guard let count = Count(place, layout, schema) else { throw Self.refusal(of: place) }
            return count
        }
        var names: Set<String> = []
        for trigger in triggers where !names.insert(trigger.name.lowercased()).inserted {
            throw NSError.coreData(
                NSPersistentStoreIncompatibleSchemaError,
                reason: "Two derived attributes need a trigger of the name \(trigger.name).",
                remedy: "Rename one of the attributes, or leave out NSSQLiteDerivedAttributeTriggersOption.")
        }
    }

    /// Makes the triggers that the file does not have, and computes their counts anew: a trigger only adds to a count.
    func install(on connection: SQLiteConnection) throws {
        if try missing(on: connection).isEmpty { return }
        try connection.transaction {
            // Another process may have made them before the transaction began.
            let missing = try Set(missing(on: connection).map(\.name))
            for count in counts where count.triggers.contains(where: { missing.contains($0.name) }) {
                try connection.execute(count.renewal)
            }
            for trigger in triggers where missing.contains(trigger.name) {
                try connection.run(.define(.asFound(trigger.sql)))
            }
        }
    }

    /// SQLite compares the names of triggers without case. A trigger of Apple's may have another text in an older file,
    /// but it reports to Apple's function.
    private func missing(on connection: SQLiteConnection) throws -> [StoreCatalog.Trigger] {
        let present = try Dictionary(
            connection.catalog(ofTables: []).triggers.map { ($0.name.lowercased(), $0) }
        ) { first, _ in first }
        return try triggers.filter { trigger in
            guard let found = present[trigger.name.lowercased()] else { return true }
            guard found.table.lowercased() == trigger.table.lowercased(), found.sql.contains("NSCoreData") else {
                throw NSError.coreData(
                    NSPersistentStoreIncompatibleSchemaError,
                    reason: "Another program has made a trigger of the name \(trigger.name), which Apple's trigger of "
                        + "a derived attribute needs.",
                    remedy: "Drop the trigger, or leave out NSSQLiteDerivedAttributeTriggersOption.")
            }
            return false
        }
    }

    private static func refusal(of place: DerivationOrder.Place) -> NSError {
        .coreData(
            NSPersistentStoreIncompatibleSchemaError,
            reason: "The derived attribute \(place.entity.name).\(place.entity.slots[place.slot].name) "
                + "(\(place.expression)) has no known trigger of Apple's. Known are those for the count of a "
                + "one-to-many relationship, such as 'books.@count', between two entities without superentities.",
            remedy: "Leave out NSSQLiteDerivedAttributeTriggersOption, or --for-apple.")
    }

    /// The count of the rows of another table that name a row.
    private struct Count {
        let name: String
        let attribute: String
        /// The table of the counting entity, and the column of the count.
        let table: String
        let column: String
        /// The table of the counted rows, and the column of the key that they name.
        let members: String
        let key: String

        init?(_ place: DerivationOrder.Place, _ layout: ModelLayout, _ schema: SQLSchema) {
            let owner = place.entity
            guard owner.superIndex == nil, let path = Self.countedPath(in: place.expression),
                case .toMany(let index)? = owner.access[path],
                case .inverseKey(let slot, _) = owner.toManys[index].kind
            else { return nil }
            let destination = layout.entities[owner.toManys[index].destinationIndex]
            guard destination.superIndex == nil, let table = schema.table(ofRoot: owner.index)?.name,
                let column = schema.column(layout: owner.index, slot: place.slot),
                let members = schema.table(ofRoot: destination.index)?.name,
                let key = schema.column(layout: destination.index, slot: slot)
            else { return nil }
            attribute = owner.slots[place.slot].name
            name = SQLNames.word("\(owner.name)_\(attribute)")
            self.table = table
            self.column = column
            self.members = members
            self.key = key
        }

        /// The relationship in `books.@count` and `count:(books)`.
        private static func countedPath(in expression: NSExpression) -> String? {
            switch expression.payload {
            case .keyPath(let path, operand: nil):
                return path.keys.count == 2 && path.keys[1] == "@count" ? path.keys[0] : nil
            case .function("count:", nil, let arguments):
                guard case .keyPath(let path, operand: nil)? = arguments.first?.payload, path.keys.count == 1 else {
                    return nil
                }
                return path.keys[0]
            default: return nil
            }
        }

        /// Corrects counts that are not those of the file's rows.
        var renewal: String {
            let counted = "(SELECT COUNT(*) FROM \(members) WHERE \(key) = \(table).Z_PK)"
            return "UPDATE \(table) SET \(column) = \(counted) WHERE \(column) IS NOT \(counted)"
        }

        var triggers: [StoreCatalog.Trigger] {
            let isSet = "WHEN (NEW.\(key) NOT NULL)"
            let wasSet = "WHEN (OLD.\(key) NOT NULL)"
            let more = report("\(column) + 1", of: "NEW.\(key)")
            let less = report("\(column) - 1", of: "OLD.\(key)")
            let first = report("IFNULL(\(column), 0) + 1", of: "NEW.\(key)")
            let counted = "(SELECT IFNULL(COUNT(\(key)), 0) FROM \(members) WHERE \(key) = NEW.Z_PK)"
            let update = "UPDATE OF \(key) ON \(members)"
            return [
                trigger("PARAMETER_INSERT", on: members, after: "INSERT ON \(members)", isSet, first),
                trigger("PARAMETER_UPDATE_INCREMENT", on: members, after: update, isSet, more),
                trigger("PARAMETER_UPDATE_DECREMENT", on: members, after: update, wasSet, less),
                trigger("PARAMETER_DELETE", on: members, after: "DELETE ON \(members)", wasSet, less),
                trigger(
                    "SOURCE_INSERT", on: table, after: "INSERT ON \(table)", "",
                    report(counted, of: "NEW.Z_PK", function: "InsertUpdated")),
            ]
        }

        private func trigger(
            _ kind: String, on table: String, after event: String, _ condition: String, _ body: String
        ) -> StoreCatalog.Trigger {
            let name = "Z_DA_\(table)_\(name)_\(kind)"
            let rows = condition.isEmpty ? "FOR EACH ROW" : "FOR EACH ROW \(condition)"
            return StoreCatalog.Trigger(
                name: name, table: table, sql: "CREATE TRIGGER \(name) AFTER \(event) \(rows) BEGIN \(body) END")
        }

        /// Sets the count of an owner, and reports it to the process that writes.
        private func report(_ value: String, of owner: String, function: String = "Updated") -> String {
            let attribute = attribute.replacingOccurrences(of: "'", with: "''")
            return "UPDATE \(table) SET \(column) = \(value) WHERE Z_PK = \(owner); "
                + "SELECT NSCoreDataDATrigger\(function)AffectedObjectValue('\(table)', Z_ENT, Z_PK, '\(attribute)', "
                + "\(column)) FROM \(table) WHERE Z_PK = \(owner);"
        }
    }
}
