import Foundation

/// Makes a new store in an empty database, in one transaction: a kill leaves a database without tables, which is taken
/// for a new file, or a whole store.
struct SQLiteStoreCreation {
    let layout: ModelLayout
    let schema: SQLSchema
    let entities: Set<String>?

    /// Somebody else has made the store in the meantime: it is there and can be opened.
    struct AlreadyMade: Error {}

    /// Fills an empty database and returns the new store's metadata. Throws `AlreadyMade` when it is not empty any
    /// more.
    ///
    /// - Parameter given: metadata that the store has besides, or in the place of its own.
    func create(
        on connection: SQLiteConnection, settings: SQLiteStoreOptions, url: URL?, with given: [String: Any] = [:]
    ) throws -> [String: Any] {
        // A -wal fixes the layout of the file; every other journal must be known before anything is written.
        if url != nil, let journal = settings.pragma("journal_mode"), journal.uppercased() != "WAL" {
            try connection.setJournalMode(journal)
        }
        for (name, value) in [("page_size", "4096"), ("auto_vacuum", "2")] {
            try connection.setPragma(name, to: settings.pragma(name) ?? value)
        }
        if let encoding = settings.pragma("encoding") { try connection.setPragma("encoding", to: encoding) }
        if url != nil { try connection.setJournalMode(settings.pragma("journal_mode") ?? "WAL") }
        var metadata = SQLStoreMetadata.ofNewStore(of: layout.model, entities: entities, type: NSSQLiteStoreType)
        metadata[SQLiteStoreMetadata.vacuumKey] = settings.pragma("auto_vacuum") ?? "2"
        metadata.merge(given) { $1 }
        let store = try NewStore(schema, layout)
        try connection.transaction {
            guard try connection.isEmpty() else { throw AlreadyMade() }
            try store.make(metadata, on: connection, url: url)
        }
        return metadata
    }
}
