#if PostgreSQL
import CoreData
import Foundation

/// Finds values in rows for which only a version that is about to end has a place.
///
/// When a store went back to an earlier version, it has lost nothing at first. Programs of the newer version, which
/// continue, may have written values since for which the present version has no place.
struct PostgreSQLLosses {
    private let connection: PostgreSQLConnection
    private let version: PostgreSQLVersion
    private let dialect = PostgreSQLDialect()
    /// More objects than that are not counted.
    private static let most = 1_000

    init(_ connection: PostgreSQLConnection, _ version: PostgreSQLVersion) {
        (self.connection, self.version) = (connection, version)
    }

    /// - Parameter names: of entities and properties, as the version calls them.
    func found(among names: [String]) throws -> [MigrationLoss] {
        if names.isEmpty { return [] }
        let (model, layout, schema) = try version.schema(of: connection.address.shown)
        defer { withExtendedLifetime(model) {} }
        let present = try connection.tableNames()
        return try names.compactMap { name in
            let parts = name.split(separator: ".").map(String.init)
            guard let first = parts.first, let entity = layout.layout(named: first) else { return nil }
            let path = parts.dropFirst()
            guard let place = place(of: path, in: entity, schema), present.contains(place.table) else { return nil }
            let columns = try Set(connection.columnNames(of: place.table))
            // Another process may have been killed while it removed them.
            let conditions = place.conditions.filter { columns.contains($0.column) }.map(\.text)
            if conditions.isEmpty { return nil }
            let count = try count(place.table, conditions.joined(separator: " OR "))
            if count == 0 { return nil }
            return MigrationLoss(
                entity: first, property: path.isEmpty ? nil : path.joined(separator: "."), count: count,
                isExact: count < Self.most)
        }
    }

    private func count(_ table: String, _ condition: String) throws -> Int {
        let select = """
            SELECT count(*) FROM \
            (SELECT 1 FROM \(dialect.quoted(table)) WHERE \(condition) LIMIT \(Self.most)) found
            """
        return try connection.texts(select).first.flatMap { Int($0) } ?? 0
    }

    private typealias Condition = (column: String, text: String)

    /// The table of an entity, or of a property of it, and the conditions for rows that hold it. A to-many
    /// relationship whose keys are on the other side is not counted here: the other side is a loss of its own.
    private func place(
        of path: ArraySlice<String>, in entity: EntityLayout, _ schema: SQLSchema
    ) -> (table: String, conditions: [Condition])? {
        guard let table = schema.table(ofRoot: entity.rootIndex)?.name else { return nil }
        guard let name = path.first else {
            let column = dialect.quoted(SQLSchema.entityColumn)
            let label = dialect.literal(.string(version.places.label(of: entity.name)))
            return (table, [(SQLSchema.entityColumn, "\(column) = \(label)")])
        }
        var access = entity.access[name]
        for element in path.dropFirst() {
            guard case .composite(let composite) = access else { return nil }
            access = composite.elements[element]
        }
        switch access {
        case .attribute(let slot): return (table, [condition(slot, entity, schema)].compactMap { $0 })
        case .toOne(let slot): return (table, [condition(slot, entity, schema)].compactMap { $0 })
        case .composite(let composite):
            return (table, composite.slots.compactMap { condition($0, entity, schema) })
        case .toMany(let index):
            guard let end = schema.joinEnds[entity.index][index] else { return nil }
            return (end.table, [(end.ownerColumn, "true")])
        case .fetched, nil: return nil
        }
    }

    /// Whether a row has another value than a new object.
    private func condition(_ slot: Int, _ entity: EntityLayout, _ schema: SQLSchema) -> Condition? {
        guard let column = schema.columns[entity.index][slot] else { return nil }
        let name = dialect.quoted(column)
        var text = "\(name) IS NOT NULL"
        let type = schema.table(ofRoot: entity.rootIndex)?.columns.first { $0.name == column }?.type
        if case .attribute(let attribute) = entity.slots[slot].role, let type,
            let value = dialect.defaultValue(of: attribute, in: type)
        {
            text += " AND \(name) IS DISTINCT FROM \(value)"
        }
        return (column, "(\(text))")
    }
}
#endif
