import Foundation

extension LossGuard {
    /// Throws when rows would lose something, before anything of the store is touched.
    func checkBeforehand(timeout: TimeInterval) throws {
        guard let first = hops.first else { return }
        do {
            let isStore: Void? = try SQLiteStoreLook.reading(at: url, timeout: timeout) { look, connection in
                // If somebody else has migrated the store by now, it is looked at again.
                guard !lost(look.metadata).isEmpty, SourceModel(look).fits(first.source) else { return }
                try check(look.metadata, first.source, on: connection)
            }
            if isStore == nil { throw SQLStoreMetadata.notAStore(url) }
        } catch let error as SQLiteError {
            throw MigrationErrors.translated(error, url: url, doing: "looking for what would be lost")
        }
    }
}
