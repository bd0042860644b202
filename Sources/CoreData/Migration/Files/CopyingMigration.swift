// Implementation notes: Migration/Files.
//
// - `LightweightMigrator` opens the file and holds the transaction of a migration in place. The other types here copy,
//   count and verify.
// - Mapping models and stages with handlers run the program's own code, so they work on a copy (over
//   `Stores/SQLite/Files` and `Stores/Files`).
// - `SoleUse` waits until no other connection has the store open, empties its -wal and holds SQLite's exclusive lock.
//   The copy is built from an `immutable` connection, which needs no lock. Opening the file by other means would drop
//   the lock.
// - The journal (`ExchangeJournal`) is there only while both versions are whole. `StoreExchange+Recovery` runs before
//   every opening. With a journal it continues the exchange step by step, and each step checks first whether it is done
//   already.
// - The copy is discarded in one case: a program without support for the journal has written to the older version, or
//   another file has its name, such as a backup. `FileState` distinguishes files that have the same name, versions and
//   counters.
// - Without a journal the store is as it was, and the next migration resumes after the last complete copy stage.
// - A copy stage makes a new file of the one before, in a folder of its own (`step-N`): by the hop of a mapping model,
//   a migration stage with handlers, or all inferred hops between them (`CopyingMigration+Stages`). So the file before
//   stays after any failure. Changes of the new file need no rollback, and need not reach the disk before the file is
//   whole.
// - `MigrationCheckpoint` counts only for the same file in the same state, the same copy stages and the same build of
//   the program.
// - Within the copy stage of a mapping model, `MappedPosition` records the position, about twice a second and after
//   each entity mapping. See the notes in `MappedPosition.swift`. Migration stages with handlers start again from their
//   beginning.
// - Rows are counted where they are written (`RowCounters` counts in the store those of all saves and batch requests),
//   and around SQL's own work (`EntityCounts`). The file of every copy stage must have as many rows as were counted.
//   The last file is verified as a whole.
// - The kernel exchanges the names (`CExchange`, a header around `renameat2`). Where it cannot, two renames take its
//   place. Between them the store has no main file, and recovery completes this state too.
// - The folder of external data can be another store's too (`SharedSupport`), or become so at any moment. The journal
//   lists the files in it that are the older version's. All other files are moved into the newer folder, before the
//   exchange and once more after it.
// - Errors of waiting name the processes that hold the locks: `LockHolders` searches the kernel's table of locks for
//   the files. A process that waited for the lock has the older file open afterwards, and opens the store again
//   (`hasMoved`).
// - A store that is a single file (XML, binary, or of a program's own type; `FileMigration`) needs neither journal nor
//   verifier. Its migration begins when opening it has failed. Mapping models make the newer file by the same copy
//   stages. The migration reads the file once more and renames it over the older one. The new file of such a store is
//   saved once, at the end (`AtomicRows`).

import Foundation

/// A migration that builds the newer version beside the store, checks that the copy is whole, and puts it in the
/// store's place.
///
/// From its beginning to its end no other process can open the store. After any failure the store is as it was. A
/// killed process leaves the folder of the copy, or the journal of an exchange. The next migration resumes the copy
/// after the last complete copy stage. The next opening completes the exchange.
struct CopyingMigration {
    private let request: MigrationRequest
    private let store: SQLiteStoreFiles
    private var timeout: TimeInterval { request.timeout }
    private var progress: Progress? { request.progress }

    init(_ request: MigrationRequest) {
        self.request = request
        store = SQLiteStoreFiles(request.url)
    }

    /// A part of the migration that makes one new file.
    struct CopyStage {
        /// The name that distinguishes the copy stage from all other ones; a checkpoint holds it.
        var name: String
        /// The time that the copy stage takes in proportion to the other ones.
        var weight: Double
        /// Whether the copy stage itself resumes with files that a killed process has left at the new place.
        var isKept = false
        /// The version of the new file.
        var model: NSManagedObjectModel
        /// Makes a new file of one that stays as it is and can be read without a lock. There is no file at the new
        /// place before. Returns how many rows the entities of the newer file must have: copied rows, and rows that the
        /// program's own code made, without those that it removed.
        var make: (_ from: SQLiteStoreFiles, _ into: SQLiteStoreFiles, Progress?) throws -> [String: Int]
    }

    /// Makes a newer version of a store by copy stages, and puts it in the store's place. Returns false if the store is
    /// not of the version any more that these metadata name, because another process has migrated it.
    func replaceStore(of metadata: [String: Any], by copyStages: [CopyStage]) throws -> Bool {
        try StoreExchange.recover(store, timeout: timeout)
        guard let folder = try MigrationFolder.lock(store.main, creating: true, timeout: timeout, progress) else {
            return false
        }
        MigrationMoment.reach(.folderLocked)
        do {
            let use = try SoleUse(of: store, timeout: timeout, progress)
            MigrationMoment.reach(.storeLocked)
            do {
                let present = try SQLiteStoreMetadata.metadata(at: store.main, timeout: timeout)
                guard Self.isSame(present, metadata) else {
                    use.giveBack()
                    try? folder.remove()
                    return false
                }
                try build(folder, use, copyStages)
            } catch {
                use.giveBack()
                throw error
            }
            MigrationFeed.of(progress)?.begin(.finishing)
            var exchange = StoreExchange(folder: folder, progress: progress)
            exchange.reached = { if $0 == .synchronized { try MigrationCancellation.check(progress) } }
            try exchange.run(with: use)
            return true
        } catch {
            // With a journal the newer version is whole, and the next opening puts it in the store's place.
            if !FileManager.default.fileExists(atPath: ExchangeJournal.url(in: folder.url).path) {
                try? folder.remove()
            }
            if let error = error as? SQLiteError {
                throw MigrationErrors.translated(error, url: store.main, doing: "copying", isInPlace: false)
            }
            throw MigrationErrors.ofOriginal(error, store.main)
        }
    }

    private static func isSame(_ present: [String: Any], _ metadata: [String: Any]) -> Bool {
        StoredVersion(present) == StoredVersion(metadata)
            && present[NSStoreUUIDKey] as? String == metadata[NSStoreUUIDKey] as? String
    }

    // MARK: Building

    private static let verifying = 0.05

    /// Runs all copy stages that no earlier attempt has completed, and verifies the result.
    private func build(_ folder: MigrationFolder, _ use: SoleUse, _ copyStages: [CopyStage]) throws {
        var checkpoint = MigrationCheckpoint(
            older: try StoreExchange.digest(of: store.main), olderChanges: try use.changeCounter(),
            olderFile: FileState(store.main), copyStages: copyStages.map(\.name),
            program: MigrationCheckpoint.thisProgram, done: 0,
            place: "")
        let found = MigrationCheckpoint.read(in: folder.url).flatMap { $0.isSameMigration(as: checkpoint) ? $0 : nil }
        checkpoint = found ?? checkpoint
        if checkpoint.done < copyStages.count {
            // Files in other folders belong to copy stages that were not finished.
            let next = copyStages[checkpoint.done].isKept ? [Self.place(of: checkpoint.done)] : []
            let isKnown = found != nil
            try folder.clear(keeping: isKnown ? [checkpoint.place] + next : [])
            // The unfinished files of a copy stage are of use only to a repetition of this migration.
            if !isKnown, !next.isEmpty { try checkpoint.write(in: folder.url) }
        }
        let parts = MigrationParts(
            progress, weights: copyStages.map(\.weight) + [Self.verifying * copyStages.reduce(0) { $0 + $1.weight }])
        for number in 0..<checkpoint.done { parts.skip(number) }
        for number in checkpoint.done..<copyStages.count {
            let (copyStage, before) = (copyStages[number], checkpoint.place)
            checkpoint.place = Self.place(of: number)
            let copy = SQLiteStoreFiles(try folder.make(checkpoint.place, keeping: copyStage.isKept))
            checkpoint.rows = try parts.run(number) { part in
                try copyStage.make(before.isEmpty ? store : SQLiteStoreFiles(folder.file(in: before)), copy, part)
            }
            MigrationMoment.reach(.copyStageDone)
            // The copy becomes one file, and reaches the disk, before the checkpoint names it.
            try withExtendedLifetime(SoleUse(of: copy, timeout: timeout)) {}
            // The last file is verified as a whole.
            if number + 1 < copyStages.count { try count(copy, copyStage.model, checkpoint.rows) }
            try FollowedWork(progress: progress).synchronize(copy.main.deletingLastPathComponent())
            checkpoint.done = number + 1
            try checkpoint.write(in: folder.url)
            MigrationMoment.reach(.checkpointWritten)
            if !before.isEmpty { try folder.remove(before) }
        }
        try folder.moveCopy(from: checkpoint.place)
        if copyStages.contains(where: \.isKept) { try MappedPosition.removeNumber(from: folder.copy) }
        MigrationMoment.reach(.settled)
        try parts.run(copyStages.count) { part in
            MigrationFeed.of(part)?.begin(.verifying)
            let alone = try SoleUse(of: folder.copy, timeout: timeout)
            try withExtendedLifetime(alone) {
                try StoreVerifier(request.model, request.configuration).verify(
                    folder.copy.main, rows: checkpoint.rows, following: FollowedWork(progress: part))
            }
        }
        keepRights(on: folder.copy)
        MigrationMoment.reach(.verified)
    }

    /// Gives the newer files the owner and permissions of the older ones, so that no user can read more than before.
    private func keepRights(on copy: SQLiteStoreFiles) {
        for (older, newer) in [(store.main, copy.main), (store.supportFolder, copy.supportFolder)] {
            var status = stat()
            guard stat(older.path, &status) == 0 else { continue }
            // Only the superuser can change owners, and only then it is needed. The change comes first, because it
            // removes permission bits.
            if status.st_uid != geteuid() || status.st_gid != getegid() { give(newer, status.st_uid, status.st_gid) }
            chmod(newer.path, status.st_mode & 0o7777)
        }
    }

    /// Sets the owner of a file, or of a folder with everything in it.
    private func give(_ url: URL, _ owner: uid_t, _ group: gid_t) {
        _ = lchown(url.path, owner, group)
        let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL { _ = lchown(file.path, owner, group) }
    }

    /// Checks that the new file of a copy stage has the number of rows that the stage returned.
    private func count(_ copy: SQLiteStoreFiles, _ model: NSManagedObjectModel, _ expected: [String: Int]) throws {
        let found = try EntityCounts(of: copy, model, following: FollowedWork(progress: progress))
        if let error = EntityCounts.failure(found.rows, expected: expected, url: store.main) { throw error }
    }

    private static func place(of number: Int) -> String { "step-\(number + 1)" }
}
