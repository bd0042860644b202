import Foundation

/// Creates a new store in an empty database, in one transaction. A kill leaves a complete store, or a database without
/// tables, which is treated as a new file.
struct SQLiteStoreCreation {
    let layout: ModelLayout
    let schema: SQLSchema
    let entities: Set<String>?

    /// Another process has created the store since the database was found empty. The store can be opened.
    struct AlreadyMade: Error {}

    /// Fills an empty database and returns the new store's metadata. Throws `AlreadyMade` if the database is not empty
    /// any more.
    ///
    /// - Parameter given: metadata that the store gets in addition to its own; a key that is in both has this value.
    func create(
        on connection: SQLiteConnection, settings: SQLiteStoreOptions, url: URL?, with given: [String: Any] = [:]
    ) throws -> [String: Any] {
        // A -wal fixes the layout of the file. Every other journal mode must be set before anything is written.
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
