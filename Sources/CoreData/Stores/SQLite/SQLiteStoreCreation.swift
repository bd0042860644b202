import Foundation

/// Makes the tables and the first rows of a new store, all in one transaction: a kill leaves a database without tables,
/// which is taken for a new file, or a whole store.
struct SQLiteStoreCreation {
    let model: NSManagedObjectModel
    let schema: SQLSchema
    let layout: ModelLayout
    let entities: Set<String>?

    /// Somebody else has made the store in the meantime: it is there and can be opened.
    struct AlreadyMade: Error {}

    /// Fills an empty database and returns the new store's metadata. Throws `AlreadyMade` when it is not empty any
    /// more.
    func create(on connection: SQLiteConnection, settings: SQLiteStoreOptions, url: URL?) throws -> [String: Any] {
        // A -wal fixes the layout of the file; every other journal must be known before anything is written.
        if url != nil, let journal = settings.pragma("journal_mode"), journal.uppercased() != "WAL" {
            _ = try connection.text("PRAGMA journal_mode = '\(journal)'")
        }
        for (name, value) in [("page_size", "4096"), ("auto_vacuum", "2")] {
            try connection.execute("PRAGMA \(name) = '\(settings.pragma(name) ?? value)'")
        }
        if let encoding = settings.pragma("encoding") { try connection.execute("PRAGMA encoding = '\(encoding)'") }
        if url != nil {
            _ = try connection.text("PRAGMA journal_mode = '\(settings.pragma("journal_mode") ?? "WAL")'")
        }
        var metadata = SQLStoreMetadata.description(of: model, entities: entities, type: NSSQLiteStoreType)
        metadata[NSStoreUUIDKey] = UUID().uuidString
        metadata["_NSAutoVacuumLevel"] = settings.pragma("auto_vacuum") ?? "2"
        let cache = try ModelArchive.encodeDeflated(model)
        try connection.transaction {
            guard try connection.integer("SELECT COUNT(*) FROM sqlite_master") == 0 else { throw AlreadyMade() }
            for definition in Self.definitions(of: schema) { try connection.run(.define(definition)) }
            try SQLBookkeeping.Keys.fill(layout, schema, connection)
            try SQLStoreMetadata.write(metadata, to: connection, url: url)
            try connection.prepare(SQLBookkeeping.ModelCache.insert).run { $0.bind(1, cache) }
        }
        return metadata
    }

    /// A store's tables and indexes, in Core Data's order.
    static func definitions(of schema: SQLSchema) -> [SQLDefinition] {
        let bookkeeping = [
            SQLBookkeeping.Keys.definition, SQLBookkeeping.Metadata.definition, SQLBookkeeping.ModelCache.definition,
        ]
        return schema.allTables.map { .createTable($0) } + schema.indexes.map { .createIndex($0) }
            + bookkeeping.map { .createTable($0) }
    }
}
