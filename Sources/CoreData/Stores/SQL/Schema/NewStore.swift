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
            definitions += schema.allTables.map { .createTable($0) } + schema.indexes.map { .createIndex($0) }
        }
        let bookkeeping = [
            SQLBookkeeping.Keys.definition, SQLBookkeeping.Metadata.definition, SQLBookkeeping.ModelCache.definition,
        ]
        return definitions + bookkeeping.map { .createTable($0, unlessThere: mayHaveBookkeeping) }
    }
}
