// Implementation notes: Stores/SQLite.
//
// This folder and its neighbours hold everything that is about SQLite, and nothing else:
// - `Driver/`: connections, statements, errors, the dialect, options and pragmas, the guard of files, and the catalog
//   of tables.
// - `Functions/`: the functions that statements call, and the triggers that update the spatial indexes of Apple's
//   files.
// - `Pool/`: the connections that read, the one that writes, the copying of the -wal, and databases in memory. A
//   database in memory belongs to one coordinator, or coordinators share it.
// - `Files/`: the files of a store. They are opened, created, filled, destroyed, replaced, exchanged and recovered
//   here. Further subjects are metadata that are read without a trace, the exclusive lock of a store, external values
//   that no row names, and notices of writes.
// - `Salvage/`: a damaged store, read page by page without SQLite.
// - `Engine/`: `SQLiteEngine`, which the coordinator finds by a store's type, and `SQLiteStore`.
// - The exchange of two files, its recovery and the exclusive lock lie in `Files/` and not with migrations, because an
//   engine also replaces and destroys stores by them.
// - `NewStore` (`Stores/SQL/Schema`) makes the content of a new store, for SQLite and for PostgreSQL.
// - Above the stores, only folders named `Files/` name types of SQLite's, and two files that `SourceLayerTests` lists.

import Foundation

/// SQLite's stores, in files and in memory.
struct SQLiteEngine: StoreEngine {
    var forms: [String: StoreForm] { [NSSQLiteStoreType: .file, NSInMemoryStoreType: .memory] }
    var storeClass: NSPersistentStore.Type { SQLiteStore.self }

    func open(_ opening: StoreOpening, copying other: NSPersistentStore?) throws -> any NSPersistentStore & RowStore {
        if opening.type == NSSQLiteStoreType, opening.url == nil {
            throw NSError.coreData(NSPersistentStoreOpenError, reason: "Cannot create an SQL store with a nil URL.")
        }
        return try SQLiteStore(
            layout: opening.layout, storeNumber: opening.number, type: opening.type,
            configurationName: opening.configuration,
            at: opening.type == NSInMemoryStoreType ? nil : opening.url?.standardizedFileURL, options: opening.options,
            use: opening.use, copying: other as? SQLiteStore, summary: opening.summary as? SQLiteStoreSummary)
    }

    func metadata(at url: URL, timeout: TimeInterval) throws -> [String: Any] {
        try SQLiteStoreMetadata.metadata(at: url, timeout: timeout)
    }

    func setMetadata(_ metadata: [String: Any], at url: URL, timeout: TimeInterval) throws {
        try SQLiteStoreMetadata.setMetadata(metadata, at: url, timeout: timeout)
    }

    func cachedModel(at url: URL, timeout: TimeInterval) throws -> NSManagedObjectModel? {
        guard let summary = try SQLiteStoreSummary(at: url, timeout: timeout) else {
            throw SQLStoreMetadata.withoutTables(url)
        }
        return try summary.model()
    }

    func destroy(at place: StorePlace, _ url: URL, timeout: TimeInterval, force: Bool) throws {
        if case .sharedMemory(let name) = place { return try SharedMemory.destroy(name, url: url, force: force) }
        try SQLiteStoreFiles(url).empty(timeout: timeout, force: force)
    }

    func replace(
        fileAt url: URL, with source: StorePlace, _ sourceURL: URL, timeout: TimeInterval, waiting: TimeInterval,
        force: Bool
    ) throws {
        let files = SQLiteStoreFiles(url)
        guard case .sharedMemory(let name) = source else {
            return try files.replace(
                with: SQLiteStoreFiles(sourceURL), timeout: timeout, waiting: waiting, force: force)
        }
        try files.replace(timeout: timeout, waiting: waiting, force: force) { copy in
            guard let reader = try SharedMemory.reader(of: name, timeout: timeout) else {
                throw StorePlace.missing(sourceURL)
            }
            try reader.copyMemory(to: copy)
        }
    }

    func salvage(
        _ url: URL, into newURL: URL, model: NSManagedObjectModel?, options: [AnyHashable: Any]?
    ) throws -> StoreSalvageReport {
        try StoreSalvage.salvage(url, into: newURL, model: model, options: options)
    }

    // MARK: Open stores

    func owns(_ store: NSPersistentStore) -> Bool { store is SQLiteStore }

    func copy(_ store: NSPersistentStore, to url: URL, replacing: Bool, _ progress: Progress?) throws {
        guard let store = store as? SQLiteStore else { return }
        func copy(to files: SQLiteStoreFiles) throws {
            if store.isInMemory { return try store.copyMemory(to: files) }
            guard let source = store.url else { return }
            try SQLiteStoreFiles(source).copy(to: files, following: FollowedWork(progress: progress))
        }
        let files = SQLiteStoreFiles(url)
        if replacing { return try files.replace { try copy(to: $0) } }
        try copy(to: files)
    }
}
