import Foundation

/// A migration that builds the newer version beside the store, looks whether it is whole, and puts it in the store's place.
///
/// From its beginning to its end nobody else can open the store. Whatever fails, the store is as it was; a killed process
/// leaves the folder of the copy, which the next migration clears, or the journal of an exchange, which the next opening ends.
struct CopyingMigration {
    let store: SQLiteStoreFiles
    let model: NSManagedObjectModel
    let configuration: String?
    let timeout: TimeInterval

    /// Migrates a store that is still of the version these metadata name. False when it is not: somebody else migrated it.
    ///
    /// - Parameter build: makes the newer version where nothing lies yet. The store can be read without a lock meanwhile.
    func run(
        from metadata: [String: Any], _ build: (_ use: SoleUse, _ copy: SQLiteStoreFiles) throws -> Void
    ) throws -> Bool {
        try StoreExchange.recover(store, timeout: timeout)
        guard let folder = try MigrationFolder.lock(store, creating: true, timeout: timeout) else { return false }
        do {
            // What an earlier attempt has left: how far the program's own code came in it is not known.
            try folder.clear()
            let use = try SoleUse(of: store, timeout: timeout)
            do {
                let present = try SQLiteStoreMetadata.metadata(at: store.main, timeout: timeout)
                guard Self.isSame(present, metadata) else {
                    use.giveBack()
                    try folder.remove()
                    return false
                }
                try build(use, folder.copy)
                let alone = try SoleUse(of: folder.copy, timeout: timeout)
                try withExtendedLifetime(alone) {
                    try StoreVerifier(model, configuration).verify(folder.copy.main)
                }
            } catch {
                use.giveBack()
                throw error
            }
            try StoreExchange(folder: folder).run(with: use)
            return true
        } catch {
            // With a journal the newer version is whole: the next opening puts it in its place.
            if !FileManager.default.fileExists(atPath: ExchangeJournal.url(in: folder.url).path) {
                try? folder.remove()
            }
            if let error = error as? SQLiteError {
                throw MigrationErrors.translated(error, url: store.main, doing: "copying")
            }
            throw error
        }
    }

    private static func isSame(_ present: [String: Any], _ metadata: [String: Any]) -> Bool {
        let key = NSStoreModelVersionHashesKey
        return present[key] as? [String: Data] == metadata[key] as? [String: Data]
            && present[NSStoreUUIDKey] as? String == metadata[NSStoreUUIDKey] as? String
    }
}
