import Foundation

// Moving a store to a file that is read and written as a whole.
extension NSPersistentStoreCoordinator {
    /// Writes the store to a new file in a folder of its own, and renames it over a file at its address when it is
    /// whole.
    final func convertToWholeFile(by move: StoreMove) throws -> NSPersistentStore {
        guard move.place == .file else { throw move.refusal }
        try FileKind.require(.file, at: move.url, followsLinks: true)
        let target = FileKind.target(of: move.url)
        // A SQLite store at the target keeps its external values if the move fails.
        try StoreExchange.recover(SQLiteStoreFiles(target), timeout: move.timeout)
        // The next move or opening of the new store removes what a killed process leaves in this folder.
        guard let folder = try MigrationFolder.lock(target, creating: true, timeout: move.timeout, move.progress) else {
            throw move.refusal
        }
        do {
            try folder.clear()
            // Short names: the store's own may be as long as names can be.
            func place(_ name: String, _ file: String) throws -> URL {
                try folder.make(name).deletingLastPathComponent().appendingPathComponent(file)
            }
            let source = try readable(move, SQLiteStoreFiles(place("source", "Store.sqlite")))
            let draft = try place("moved", "Store")
            let parts = MigrationParts(move.progress, weights: [1])
            try parts.run(0) { try convert(source, to: draft, type: move.type, $0) }
            try WholeFile.write(Data(contentsOf: draft), to: move.url)
        } catch {
            try? folder.remove()
            throw error
        }
        try? folder.remove()
        return try add(ofType: move.type, move.configuration, at: move.url, move.options, insteadOf: nil)
    }

    /// Gives errors of SQLite's own functions as those of Core Data.
    static func reportingMove<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLiteError { throw error.nsError(doing: .saving) }
    }

    /// The store's content in a form that can be read object by object.
    private func readable(_ move: StoreMove, _ between: SQLiteStoreFiles) throws -> StoreMove {
        MigrationFeed.of(move.progress)?.begin(.copying)
        guard let engine = StoreEngines.engine(of: move.store) else { return move }
        // A migration reads a store without its -wal, and the store's own -wal may hold its latest rows.
        try engine.copy(move.store, to: between.main, replacing: false, move.progress)
        return move.from(between.main, type: NSSQLiteStoreType)
    }
}
