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

    /// Fills an empty database and returns the new store's metadata. Throws `AlreadyMade` when it is not empty any more.
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
        var metadata = SQLiteStoreMetadata.description(of: model, entities: entities)
        metadata[NSStoreUUIDKey] = UUID().uuidString
        metadata["_NSAutoVacuumLevel"] = settings.pragma("auto_vacuum") ?? "2"
        let cache = try SQLiteModelCache.encode(model)
        try connection.transaction {
            guard try connection.integer("SELECT COUNT(*) FROM sqlite_master") == 0 else { throw AlreadyMade() }
            for statement in Self.definitions(of: schema) { try connection.execute(statement) }
            try fillKeys(connection)
            try SQLiteStoreMetadata.write(metadata, to: connection, url: url)
            let insert = try connection.prepare("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
            insert.bind(1, cache)
            try insert.run()
        }
        return metadata
    }

    /// The statements that make a store's tables and indexes, in Core Data's order.
    static func definitions(of schema: SQLSchema) -> [String] {
        schema.allTables.map(SQLPrinter.createTable) + schema.indexes.map(SQLPrinter.createIndex) + [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        ]
    }

    /// One row per entity: its number, name and parent, and the highest key handed out.
    private func fillKeys(_ connection: SQLiteConnection) throws {
        let insert = try connection.prepare(
            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)")
        for entity in layout.entities {
            guard let number = schema.numbers[entity.index] else { continue }
            insert.bind(1, Int64(number))
            insert.bind(2, entity.name)
            insert.bind(3, Int64(entity.superIndex.flatMap { schema.numbers[$0] } ?? 0))
            try insert.run()
        }
    }
}
