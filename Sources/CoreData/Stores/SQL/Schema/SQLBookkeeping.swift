import Foundation

/// The tables with a store's bookkeeping, as in Apple's files.
package enum SQLBookkeeping {
    /// One row for each entity: its number, name and parent, and the highest key that was given.
    package enum Keys {
        package static let table = "Z_PRIMARYKEY"
        package static let number = "Z_ENT"
        package static let name = "Z_NAME"
        package static let parent = "Z_SUPER"
        package static let highest = "Z_MAX"

        package static let columns = [number, name, parent, highest]

        package static var definition: SQLTable {
            SQLTable(
                name: table,
                columns: [
                    SQLColumn(name: number, type: .integer, isPrimaryKey: true), SQLColumn(name: name, type: .varchar),
                    SQLColumn(name: parent, type: .integer), SQLColumn(name: highest, type: .integer),
                ], isBookkeeping: true)
        }

        /// Fills the table of a new store.
        package static func fill(_ layout: ModelLayout, _ schema: SQLSchema, _ connection: any SQLConnection) throws {
            let held = layout.entities.filter { schema.numbers[$0.index] != nil }
            try connection.prepare(.insert(SQLInsert(into: table, columns))).run(held.count) { place, parameters in
                let entity = held[place]
                parameters.bind(1, Int64(schema.numbers[entity.index] ?? 0))
                parameters.bind(2, entity.name)
                parameters.bind(3, Int64(entity.superIndex.flatMap { schema.numbers[$0] } ?? 0))
                parameters.bind(4, Int64(0))
            }
        }

        /// Selects the highest key that a table has or had; the number of its entity is the first parameter. The
        /// recorded key may be lower than a key in the table. In a damaged store it may be a text, which SQLite sorts
        /// after any number.
        package static func highestKey(in rows: String) -> SQLStatement {
            func orZero(_ select: SQLSelect) -> SQLExpression { .function(.coalesce, [.scalar(select), .number(0)]) }
            let noted = SQLSelect(
                [.binary(.add, .column(highest), .number(0))], of: table,
                where: .binary(.equal, .column(number), .parameter(1)))
            let present = SQLSelect([.function(.max, [.column(SQLSchema.keyColumn)])], of: rows)
            return .select(
                SQLSelect(
                    results: [.init(expression: .function(.greatest, [orZero(noted), orZero(present)]))], from: .nothing
                ))
        }

        /// Sets the highest key, the first parameter, of an entity's number, the second.
        package static let setHighestKey = SQLStatement.update(
            SQLUpdate(
                table, [.init(highest, .parameter(1))], where: .binary(.equal, .column(number), .parameter(2))))
    }

    /// One row: the identifier, and all other metadata as a property list.
    package enum Metadata {
        package static let table = "Z_METADATA"
        package static let version = "Z_VERSION"
        package static let identifier = "Z_UUID"
        package static let list = "Z_PLIST"

        package static var definition: SQLTable {
            SQLTable(
                name: table,
                columns: [
                    SQLColumn(name: version, type: .integer, isPrimaryKey: true),
                    SQLColumn(name: identifier, type: .identifier), SQLColumn(name: list, type: .blob),
                ], isBookkeeping: true)
        }

        package static let select = SQLStatement.select(
            SQLSelect([.column(identifier), .column(list)], of: table, orderedBy: [.column(version)], limit: 1))

        /// Writes the row. Identifier and property list are the parameters.
        package static let write = SQLStatement.insert(
            SQLInsert(
                into: table, [version, identifier, list], .values([.number(1), .parameter(1), .parameter(2)]),
                conflict: .replaces(key: [version])))
    }

    /// One row: the model that the store was last opened with.
    package enum ModelCache {
        package static let table = "Z_MODELCACHE"
        package static let content = "Z_CONTENT"

        package static var definition: SQLTable {
            SQLTable(name: table, columns: [SQLColumn(name: content, type: .blob)], isBookkeeping: true)
        }

        package static let select = SQLStatement.select(SQLSelect([.column(content)], of: table, limit: 1))
        package static let insert = SQLStatement.insert(SQLInsert(into: table, [content]))
    }
}

extension SQLConnection {
    /// The highest key that a table has or had, for the number of its entity.
    package func highestKey(in table: String, ofNumber number: Int64) throws -> Int64 {
        try statement(.bookkeeping(.highestKey(table: table))) { SQLBookkeeping.Keys.highestKey(in: table) }
            .first({ $0.bind(1, number) }) { $0.int64(0) } ?? 0
    }

    /// The highest key, after which new keys follow. Throws if a damaged counter, or row, leaves no keys.
    package func highestKeyBeforeNew(in table: String, ofNumber number: Int64) throws -> Int64 {
        let highest = try highestKey(in: table, ofNumber: number)
        guard highest < Int64.max / 2 else {
            throw NSError.coreData(
                NSPersistentStoreSaveError,
                reason: "The keys of the table \(table) are used up: its highest one, or the counter of the entity "
                    + "\(number) in \(SQLBookkeeping.Keys.table), is \(highest).")
        }
        return highest
    }

    /// Sets the highest key of an entity's number. False if the number does not exist.
    @discardableResult
    package func setHighestKey(_ key: Int64, ofNumber number: Int64) throws -> Bool {
        let outcome = try statement(.bookkeeping(.setHighestKey)) { SQLBookkeeping.Keys.setHighestKey }
            .run { parameters in
                parameters.bind(1, key)
                parameters.bind(2, number)
            }
        return outcome.changed > 0
    }
}
