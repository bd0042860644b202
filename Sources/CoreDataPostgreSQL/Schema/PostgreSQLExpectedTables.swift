#if PostgreSQL
import CoreData

/// The tables as they will be after some changes, for statements that are made before anything changes.
struct PostgreSQLExpectedTables {
    private(set) var columns: [String: [String: PostgreSQLTables.Column]] = [:]
    private(set) var comments: [String: String] = [:]
    /// The foreign keys that stay.
    private(set) var foreignKeys: [PostgreSQLTables.ForeignKey: String] = [:]

    private let dialect = PostgreSQLDialect()

    /// The tables of a store whose own constraints are dropped before the changes.
    init(on connection: PostgreSQLConnection) throws {
        let tables = try PostgreSQLOpening.tables(on: connection)
        for table in tables {
            columns[table] = try PostgreSQLTables.columns(of: table, on: connection)
            comments[table] = try connection.comment(ofTable: dialect.quoted(table))
        }
        foreignKeys = try PostgreSQLTables.presentForeignKeys(on: connection).filter { !tables.contains($0.key.table) }
    }

    mutating func follow(_ definition: SQLDefinition) {
        switch definition {
        case .createTable(let table, _):
            columns[table.name] = [:]
            for column in table.columns {
                let isKey = column.isPrimaryKey || table.compositeKey.contains(column.name)
                add(column, to: table.name, isMandatory: isKey)
            }
        case .dropTable(let name): (columns[name], comments[name]) = (nil, nil)
        case .renameTable(let old, let new):
            columns[new] = columns.removeValue(forKey: old)
            comments[new] = comments.removeValue(forKey: old)
        case .addColumn(let column, let table): add(column, to: table, isMandatory: false)
        case .renameColumn(let old, let new, let table):
            let column = columns[table]?.removeValue(forKey: dialect.quoted(old))
            columns[table]?[dialect.quoted(new)] = column
        case .dropColumn(let name, let table): columns[table]?[dialect.quoted(name)] = nil
        case .changeType, .createIndex, .dropIndex, .createTrigger, .dropTrigger, .dropView, .asFound: break
        }
    }

    private mutating func add(_ column: SQLColumn, to table: String, isMandatory: Bool) {
        columns[table]?[dialect.quoted(column.name)] = PostgreSQLTables.Column(
            isMandatory: isMandatory, isIdentity: false, hasDefault: false)
    }
}
#endif
