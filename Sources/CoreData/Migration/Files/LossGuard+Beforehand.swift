import Foundation

extension LossGuard {
    /// Throws if rows would lose values, before the migration changes the store.
    func checkBeforehand() throws {
        guard let first = hops.first else { return }
        do {
            let isStore: Void? = try SQLiteStoreSummary.reading(at: request.url, timeout: request.timeout) {
                summary, connection in
                // If another process has migrated the store by now, its metadata are read again.
                guard !lost(summary.metadata).isEmpty, SourceModel(summary).fits(first.source) else { return }
                try check(summary.metadata, first.source, on: connection)
            }
            if isStore == nil { throw SQLStoreMetadata.notAStore(request.url) }
        } catch let error as SQLiteError {
            throw MigrationErrors.translated(error, url: request.url, doing: "looking for what would be lost")
        }
    }
}
