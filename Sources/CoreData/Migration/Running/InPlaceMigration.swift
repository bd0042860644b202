// Implementation notes: Migration/Running.
//
// - `InPlaceMigration` does for stores of an `InPlaceEngine` the work that `StoreMigration` does for files.
// - Every process that has such a store open holds a shared lock of its version. The migration takes the exclusive lock
//   by repeated attempts, so that waiting can be cancelled and has a time limit. A second connection of the migrating
//   process has the position (`MigrationPosition`) in its name in the server. Waiting processes read it there.
// - Tables are locked some milliseconds at a time, so that readers do not queue behind the migration.
// - Inferred hops run in place (`MigrationTransaction`). Mapping models and stages with handlers use the copy stages
//   (`InPlaceMigration+Files`): rows into a file, copy stages, `StoreVerifier`, rows back into new tables. The
//   transaction lasts from the first row that is read to the commit.
// - The progress of a long statement comes from its connection. SQLite's virtual machine calls back, and the callback
//   can also stop the statement.

import Foundation

/// The migration of a store in a database before it is opened, if it needs one.
///
/// All hops are one transaction: after any failure or kill the store is as it was. Of several processes that begin at
/// once only one migrates. The other processes wait, and then find the store at its new version.
struct InPlaceMigration {
    let engine: any InPlaceEngine
    let request: MigrationRequest

    init(engine: any InPlaceEngine, _ request: MigrationRequest) {
        self.engine = engine
        self.request = request.shown(as: engine.shown(request.address))
    }

    var address: URL { request.address }
    var url: URL { request.url }
    var timeout: TimeInterval { request.timeout }

    /// The summary of a store in a database, as it was when it was read.
    private struct Summary: StoreSummary {
        let url: URL
        let metadata: [String: Any]
        let readModel: () throws -> NSManagedObjectModel?

        func model() throws -> NSManagedObjectModel? { try readModel() }
    }

    /// Makes sure that a store fits the model, as `StoreMigration.prepare()` does for files.
    ///
    /// - Returns: The summary of a store that fits; nil if there is no store, or no metadata were read.
    func prepare() throws -> (any StoreSummary)? {
        guard !request.ignoresVersion else { return nil }
        var attempts = Attempts(timeout: timeout)
        while let metadata = try present() {
            do {
                try check(metadata)
                if StagedHops.leavesDataStage(request, metadata), attempts.goOn() {
                    try migrate(from: metadata)
                    continue
                }
                return Summary(url: url, metadata: metadata) { try engine.cachedModel(at: address, timeout: timeout) }
            } catch let error as NSError where error.code == NSPersistentStoreIncompatibleVersionHashError {
                if let summary = try otherVersion() { return summary }
                try refuseOtherConfiguration(metadata)
                guard request.isMigrationAllowed, attempts.goOn() else { throw error }
                try migrate(from: metadata)
            }
        }
        return nil
    }

    /// The metadata of the store; nil if the database has none yet.
    private func present() throws -> [String: Any]? {
        do {
            return try engine.metadata(at: address, timeout: timeout)
        } catch let error as NSError where SQLStoreMetadata.isNotAStore(error) {
            return nil
        }
    }

    private func check(_ metadata: [String: Any]) throws {
        try SQLStoreMetadata.requireFinished(metadata, url)
        try StoreModelCheck(request) { try engine.cachedModel(at: address, timeout: timeout) }.check(metadata)
    }

    /// Throws if the store belongs to another configuration of the model. A database has one store, so another
    /// configuration needs a database of its own. A migration to it would lose the content of the first one.
    private func refuseOtherConfiguration(_ metadata: [String: Any]) throws {
        guard let stored = StoredVersion(metadata).hashes, !stored.isEmpty, let configuration = request.configuration
        else { return }
        let model = request.model
        let (all, own) = (model.entityVersionHashesByName, model.versionHashes(ofConfiguration: configuration))
        guard stored.allSatisfy({ all[$0.key] == $0.value && own[$0.key] == nil }) else { return }
        let names = stored.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
        throw NSError.coreData(
            NSPersistentStoreOpenError,
            reason: "A database holds one store, and this one has another configuration of the model (\(names)). "
                + "The configuration '\(configuration)' needs a database of its own.", url: url)
    }

    // MARK: Migrating

    private func migrate(from metadata: [String: Any]) throws {
        let store = SourceModel(metadata: metadata, url: url, for: request) {
            try engine.cachedModel(at: address, timeout: timeout)
        }
        try MigrationStrategy(for: request, of: store).withHops { hops, lossGuard in
            try carryOut(hops, from: metadata, lossGuard)
        }
    }

    /// Carries out hops: in place, or, if code of the program's own takes part, through files.
    private func carryOut(_ hops: [MigrationHop], from metadata: [String: Any], _ lossGuard: LossGuard?) throws {
        guard let first = hops.first, let last = hops.last else { return }
        let isInferred = !hops.contains(where: \.runsCode)
        // Other processes that wait read the position, even if this program does not.
        let progress = request.progress ?? Progress(totalUnitCount: -1)
        if request.progress == nil { MigrationFeed { _ in }.attach(to: progress) }
        if let online = onlineEngine {
            try carryOutOnline(hops, from: metadata, lossGuard: lossGuard, engine: online, progress: progress)
            return
        }
        var isDone = false
        try engine.migrating(
            at: address, from: metadata, changesTables: isInferred, timeout: timeout, progress
        ) { connection in
            MigrationMoment.reach(.transactionBegun)
            let present = try SQLStoreMetadata.read(from: connection, url: url)
            // Another process has migrated the store, so the caller reads its metadata again.
            guard StoredVersion(present) == StoredVersion(metadata) else { return }
            do {
                try (isInferred ? lossGuard : lossGuard?.atBeginning)?.check(present, first.source, on: connection)
                if isInferred {
                    var transaction = MigrationTransaction(request.to(last.target))
                    // On databases that change columns in place, dropping a column takes no time.
                    transaction.defersCleaning = false
                    try transaction.apply(
                        through: hops.dropLast().map(\.target), from: first.source, on: connection, progress)
                } else {
                    let copyStages = CopyingMigration.CopyStage.stages(for: hops, of: request, lossGuard)
                    try carryOutInFiles(copyStages, from: first.source, present, on: connection, progress)
                }
            } catch let error as any SQLFailure {
                throw MigrationErrors.translated(error, url: url, doing: "migrating")
            }
            MigrationMoment.reach(.stepsDone)
            isDone = true
        }
        if isDone { MigrationMoment.reach(.committed) }
        progress.completedUnitCount = progress.totalUnitCount
    }
}
