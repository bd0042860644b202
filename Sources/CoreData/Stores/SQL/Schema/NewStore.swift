import Foundation

/// The content of a new store: its tables and indexes, and its metadata.
package struct NewStore {
    private let layout: ModelLayout
    private let schema: SQLSchema
    private let archivedModel: Data
    /// Whether the tables of the entities belong to other programs, and stay as they are.
    package var usesExistingTables = false
    /// Whether the store's own tables may already exist, without rows.
    package var mayHaveBookkeeping = false

    package init(_ schema: SQLSchema, _ layout: ModelLayout) throws {
        self.schema = schema
        self.layout = layout
        archivedModel = try ModelArchive.encodeDeflated(layout.model)
    }

    /// Creates the content in the transaction that is open, in a database without a store.
    package func make(_ metadata: [String: Any], on connection: some SQLConnection, url: URL?) throws {
        for definition in definitions { try connection.run(.define(definition)) }
        try SQLBookkeeping.Keys.fill(layout, schema, connection)
        try SQLStoreMetadata.write(metadata, to: connection, url: url)
        try connection.prepare(SQLBookkeeping.ModelCache.insert).run { $0.bind(1, archivedModel) }
    }

    /// The tables and indexes, in Apple's order.
    package var definitions: [SQLDefinition] {
        var definitions: [SQLDefinition] = []
        if !usesExistingTables {
            let groups = tablesByRoot
            for group in groups { definitions += group.map { .createTable($0) } }
            for group in groups { definitions += indexes(of: group).map { .createIndex($0) } }
        }
        let bookkeeping = [
            SQLBookkeeping.Keys.definition, SQLBookkeeping.Metadata.definition, SQLBookkeeping.ModelCache.definition,
        ]
        return definitions + bookkeeping.map { .createTable($0, unlessThere: mayHaveBookkeeping) }
    }

    /// The tables of each root entity: its own, and the join tables that relationships of its entities name.
    private var tablesByRoot: [[SQLTable]] {
        var roots: [Int: Int] = [:]
        for entity in layout.entities {
            for case let end? in schema.joinEnds[entity.index] where !end.isFlipped {
                roots[end.joinIndex] = entity.rootIndex
            }
        }
        var groups = schema.entityTables.map { [$0] }
        for (join, table) in schema.joinTables.enumerated() {
            let place = roots[join].flatMap { schema.tableOfRoot[$0] } ?? groups.count - 1
            groups[place].append(table)
        }
        return groups
    }

    /// The indexes of keys, then that of the entities' numbers, then those that the model asks for.
    private func indexes(of group: [SQLTable]) -> [SQLIndex] {
        func rank(_ index: SQLIndex) -> Int {
            if index.columns.contains(where: { $0.direction != nil }) { return 3 }
            if index.table != group[0].name { return 1 }
            return index.columns.first?.name == SQLSchema.entityColumn ? 2 : 0
        }
        let names = Set(group.map(\.name))
        let own = schema.indexes.filter { names.contains($0.table) }
        return (0...3).flatMap { number in own.filter { rank($0) == number } }
    }
}
