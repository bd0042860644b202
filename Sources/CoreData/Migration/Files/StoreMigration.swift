import Foundation

/// The migration of a SQLite store in a file before it is opened, if it needs one.
struct StoreMigration {
    let request: MigrationRequest

    init(_ request: MigrationRequest) { self.request = request }

    /// Makes sure that a store fits the model.
    ///
    /// The store stays as it is if it does not exist, if it fits, or if its versioning is to be ignored. It also stays
    /// as it is if the model has no such configuration, which opening reports. Otherwise the options decide:
    ///
    /// - With `NSMigratePersistentStoresAutomaticallyOption` the store is migrated: by the stages of a manager, by
    ///   mapping models among the program's resources, or, with `NSInferMappingModelAutomaticallyOption`, in place.
    /// - Without this option the error is `NSPersistentStoreIncompatibleVersionHashError`, which names the entities
    ///   that differ.
    /// - Without any of the other options the error is `NSMigrationMissingMappingModelError`.
    ///
    /// A migration that would lose values whose loss the program has not allowed fails with
    /// `NSMigrationMissingSourceModelError` (`LossGuard`).
    ///
    /// - Returns: The summary of a store that fits.
    @discardableResult
    func prepare() throws -> SQLiteStoreSummary? {
        // Pragmas that cannot be some are an error, even if no store is there.
        _ = try SQLiteStoreOptions(request.options, url: request.url)
        guard StorePlace(request.url) == .file else { return nil }
        var attempts = Attempts(timeout: request.timeout)
        while true {
            do {
                try StoreExchange.recover(SQLiteStoreFiles(request.url), timeout: request.timeout)
                guard !request.ignoresVersion, FileManager.default.fileExists(atPath: request.url.path),
                    let summary = try SQLiteStoreSummary(at: request.url, timeout: request.timeout)
                else { return nil }
                if try fits(summary, &attempts) { return summary }
                try migrate(SourceModel(summary, for: request))
            } catch let error as NSError where error.code == NSMigrationMissingSourceModelError {
                guard isOfOtherVersion(than: error), attempts.goOn() else { throw error }
            }
            // Once more, because another program may have changed the version since it was read.
        }
    }

    /// Whether a store fits the model. Throws if it does not and may not be migrated.
    private func fits(_ summary: SQLiteStoreSummary, _ attempts: inout Attempts) throws -> Bool {
        do {
            try StoreModelCheck(request, archivedModel: summary.model).check(summary.metadata)
            return !StagedHops.leavesDataStage(request, summary.metadata) || !attempts.goOn()
        } catch let error as NSError where error.code == NSPersistentStoreIncompatibleVersionHashError {
            guard request.isMigrationAllowed, attempts.goOn() else { throw error }
            return false
        }
    }

    /// Whether another process has migrated the store between two readings: then the store keeps another model than the
    /// one that an error misses.
    private func isOfOtherVersion(than error: NSError) -> Bool {
        let key = NSStoreModelVersionHashesKey
        let hashes = (error.userInfo["metadata"] as? [String: Any])?[key] as? [String: Data]
        let present =
            try? SQLiteStoreMetadata.metadata(at: request.url, timeout: request.timeout)[key] as? [String: Data]
        guard let hashes, let present else { return false }
        return hashes != present
    }

    /// Brings a store to the request's version.
    func migrate(_ store: SourceModel) throws {
        try MigrationStrategy(for: request, of: store).withHops { hops, lossGuard in
            try WayMigration(request: request, hops: hops, lossGuard: lossGuard).carryOut(from: store.metadata)
        }
    }
}
