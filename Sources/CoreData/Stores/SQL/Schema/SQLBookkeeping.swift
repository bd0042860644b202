/// The tables in which a store keeps what it needs to know of itself, as Core Data's own files have them.
enum SQLBookkeeping {
    /// One row per entity: its number, name and parent, and the highest key handed out.
    enum Keys {
        static let table = "Z_PRIMARYKEY"
        static let number = "Z_ENT"
        static let name = "Z_NAME"
        static let parent = "Z_SUPER"
        static let highest = "Z_MAX"

        static let columns = [number, name, parent, highest]

        static var definition: SQLTable {
            SQLTable(
                name: table,
                columns: [
                    SQLColumn(name: number, type: .integer, isPrimaryKey: true), SQLColumn(name: name, type: .varchar),
                    SQLColumn(name: parent, type: .integer), SQLColumn(name: highest, type: .integer),
                ], isBookkeeping: true)
        }

        /// The highest key that a table has or had: the number of its entity is the first parameter. What is noted may
        /// lag behind the table.
        static func highestKey(in rows: String) -> SQLStatement {
            func orZero(_ select: SQLSelect) -> SQLExpression { .function(.coalesce, [.scalar(select), .number(0)]) }
            let noted = SQLSelect(
                [.column(highest)], of: table, where: .binary(.equal, .column(number), .parameter(1)))
            let present = SQLSelect([.function(.max, [.column(SQLSchema.keyColumn)])], of: rows)
            return .select(
                SQLSelect(
                    results: [.init(expression: .function(.greatest, [orZero(noted), orZero(present)]))], from: .nothing
                ))
        }

        /// Notes the highest key, the first parameter, of an entity's number, the second.
        static let setHighestKey = SQLStatement.update(
            SQLUpdate(
                table, [.init(highest, .parameter(1))], where: .binary(.equal, .column(number), .parameter(2))))
    }

    /// One row: the identifier, and everything else as a property list.
    enum Metadata {
        static let table = "Z_METADATA"
        static let version = "Z_VERSION"
        static let identifier = "Z_UUID"
        static let list = "Z_PLIST"

        static var definition: SQLTable {
            SQLTable(
                name: table,
                columns: [
                    SQLColumn(name: version, type: .integer, isPrimaryKey: true),
                    SQLColumn(name: identifier, type: .identifier), SQLColumn(name: list, type: .blob),
                ], isBookkeeping: true)
        }

        static let select = SQLStatement.select(
            SQLSelect([.column(identifier), .column(list)], of: table, orderedBy: [.column(version)], limit: 1))

        /// Writes the row: identifier and property list are the parameters.
        static let write = SQLStatement.insert(
            SQLInsert(
                into: table, [version, identifier, list], .values([.number(1), .parameter(1), .parameter(2)]),
                conflict: .replaces(key: [version])))
    }

    /// One row: the model that the store was last opened with.
    enum ModelCache {
        static let table = "Z_MODELCACHE"
        static let content = "Z_CONTENT"

        static var definition: SQLTable {
            SQLTable(name: table, columns: [SQLColumn(name: content, type: .blob)], isBookkeeping: true)
        }

        static let select = SQLStatement.select(SQLSelect([.column(content)], of: table, limit: 1))
        static let insert = SQLStatement.insert(SQLInsert(into: table, [content]))
    }
}

extension SQLConnection {
    /// The highest key that a table has or had, for the number of its entity.
    func highestKey(in table: String, ofNumber number: Int64) throws -> Int64 {
        try statement(.bookkeeping(.highestKey(table: table))) { SQLBookkeeping.Keys.highestKey(in: table) }
            .first({ $0.bind(1, number) }) { $0.int64(0) } ?? 0
    }

    /// Notes the highest key of an entity's number. False where the number is not there.
    @discardableResult
    func setHighestKey(_ key: Int64, ofNumber number: Int64) throws -> Bool {
        let outcome = try statement(.bookkeeping(.setHighestKey)) { SQLBookkeeping.Keys.setHighestKey }
            .run { parameters in
                parameters.bind(1, key)
                parameters.bind(2, number)
            }
        return outcome.changed > 0
    }
}
