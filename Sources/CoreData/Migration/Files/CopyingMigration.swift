// About the room Migration/Files.
//
// - `LightweightMigrator` opens the file and holds the transaction of a migration in place. The other types here copy,
//   count and verify.
// - Mapping models and stages with handlers run code of the program's own, so they work on a copy (over
//   `Stores/SQLite/Files` and `Stores/Files`).
// - `SoleUse` waits until nobody else has the store open, empties its -wal and holds SQLite's exclusive lock. The copy
//   is built from an `immutable` connection, which needs no lock. Opening the file by other means would drop the lock.
// - The journal (`ExchangeJournal`) is there only while both versions are whole. `StoreExchange+Recovery` runs before
//   every opening. With a journal it goes forward step by step, and each step sees whether it is done.
// - The copy is given up in one case: a program that knows nothing of the journal has written to the older version, or
//   another file lies there, such as a backup. `FileState` tells files apart that have the same name, versions and
//   counters.
// - Without a journal the store is as it was, and the next migration resumes after the last complete leg.
// - A leg makes a new file of the one before, in a folder of its own (`step-N`): a mapping model's hop, a stage with
//   handlers, or all inferred hops between them. So the file before stays after any failure. Nothing in the new file
//   need be taken back, or reach the disk, before it is whole.
// - `MigrationCheckpoint` counts only for the same file in the same state, the same legs and the same build of the
//   program.
// - Within the leg of a mapping model `MappedPosition` says how far it is, about twice a second and after each entity
//   mapping. See the notes in `MappedPosition.swift`. Stages run again as a whole.
// - Rows are counted where they are written (`RowTally`, in the store: saves, batches, anybody's), and around SQL's own
//   work (`EntityCounts`). Every leg has to have as many. The last one is verified as a whole.
// - Names are exchanged by the kernel (`CExchange`, a header around `renameat2`). Where it cannot, there are two
//   renames, between which the store has no main file; recovery knows that state too.
// - The folder of external data can be another store's too (`SharedSupport`), or become so at any moment. The journal
//   says which files in it are the older version's. All others go into the newer folder, before the exchange and once
//   more after it.
// - Errors of waiting name the processes at work: `LockHolders` looks for the files in the kernel's table of locks. A
//   process that waited for the lock has the older file open afterwards, and opens the store again (`hasMoved`).
// - A store that is one file, XML, binary or a program's own (`FileMigration`), needs neither journal nor verifier. It
//   is refused when it is opened. The newer file is made by the same legs of mapping models, read once more, and
//   renamed over the older one. Such a destination is saved once, at the end (`AtomicRows`).

import Foundation

/// A migration that builds the newer version beside the store, checks that it is whole, and puts it in the store's
/// place.
///
/// From its beginning to its end nobody else can open the store. After any failure the store is as it was. A killed
/// process leaves the folder of the copy, or the journal of an exchange. The next migration resumes the copy after the
/// last complete leg. The next opening completes the exchange.
struct CopyingMigration {
    let store: SQLiteStoreFiles
    let model: NSManagedObjectModel
    let configuration: String?
    let timeout: TimeInterval
    var progress: Progress?

    init(
        storeAt url: URL, model: NSManagedObjectModel, configuration: String?, timeout: TimeInterval,
        progress: Progress?
    ) {
        store = SQLiteStoreFiles(url)
        self.model = model
        self.configuration = configuration
        self.timeout = timeout
        self.progress = progress
    }

    /// A part of the way from the older version to the newer one.
    struct Leg {
        /// Tells the leg from all others; a checkpoint names it.
        var name: String
        /// The time that it takes in proportion to the others.
        var weight: Double
        /// Whether the leg itself resumes with files that a killed process has left in its place.
        var isKept = false
        /// The version that it leads to.
        var model: NSManagedObjectModel
        /// Makes a new file of one that stays as it is and can be read without a lock. There is no file at the new
        /// place before. Returns how many rows the entities of the newer file must have: copied rows, and rows that the
        /// program's own code made, without those that it removed.
        var make: (_ from: SQLiteStoreFiles, _ into: SQLiteStoreFiles, Progress?) throws -> [String: Int]

        /// A leg that is inferred, through any number of versions at once.
        static func inferred(
            _ name: String, from source: NSManagedObjectModel? = nil, through versions: [NSManagedObjectModel],
            to model: NSManagedObjectModel, _ configuration: String?, _ options: [AnyHashable: Any]?,
            _ lossGuard: LossGuard?
        ) -> Leg {
            Leg(name: name, weight: Double(versions.count + 1), model: model) { from, into, progress in
                let parts = MigrationParts(progress, weights: [1, 2 * Double(versions.count + 1)])
                try parts.run(0) { part in
                    MigrationFeed.of(part)?.begin(.copying)
                    try FollowedWork(progress: part).copy(from, to: into)
                }
                MigrationMoment.reach(.copied)
                let before = try EntityCounts(of: into, source, following: FollowedWork(progress: progress))
                try parts.run(1) { part in
                    try LightweightMigrator.migrate(
                        storeAt: into.main, through: versions, to: model, configuration: configuration, source: source,
                        options: options, isDiscardable: true, lossGuard: lossGuard, progress: part)
                }
                return try before.after(through: versions + [model], configuration: configuration)
            }
        }
    }

    /// Migrates a store that is still of the version these metadata name. False when it is not: somebody else migrated
    /// it.
    func run(from metadata: [String: Any], _ legs: [Leg]) throws -> Bool {
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
                try build(folder, use, legs)
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
            // With a journal the newer version is whole: the next opening puts it in its place.
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

    /// Goes all legs, or those that an earlier attempt has not gone, and verifies the result.
    private func build(_ folder: MigrationFolder, _ use: SoleUse, _ legs: [Leg]) throws {
        var checkpoint = MigrationCheckpoint(
            older: try StoreExchange.digest(of: store.main), olderChanges: try use.changeCounter(),
            olderFile: FileState(store.main), legs: legs.map(\.name), program: MigrationCheckpoint.thisProgram, done: 0,
            place: "")
        let found = MigrationCheckpoint.read(in: folder.url).flatMap { $0.isSameMigration(as: checkpoint) ? $0 : nil }
        checkpoint = found ?? checkpoint
        if checkpoint.done < legs.count {
            // Other files there were not finished.
            let next = legs[checkpoint.done].isKept ? [Self.place(of: checkpoint.done)] : []
            let isKnown = found != nil
            try folder.clear(keeping: isKnown ? [checkpoint.place] + next : [])
            // The files of the leg are of use only to the same migration.
            if !isKnown, !next.isEmpty { try checkpoint.write(in: folder.url) }
        }
        let parts = MigrationParts(
            progress, weights: legs.map(\.weight) + [Self.verifying * legs.reduce(0) { $0 + $1.weight }])
        for number in 0..<checkpoint.done { parts.skip(number) }
        for number in checkpoint.done..<legs.count {
            let (leg, before) = (legs[number], checkpoint.place)
            checkpoint.place = Self.place(of: number)
            let copy = SQLiteStoreFiles(try folder.make(checkpoint.place, keeping: leg.isKept))
            checkpoint.rows = try parts.run(number) { part in
                try leg.make(before.isEmpty ? store : SQLiteStoreFiles(folder.file(in: before)), copy, part)
            }
            MigrationMoment.reach(.legDone)
            // One file, and on the disk, before the checkpoint names it.
            try withExtendedLifetime(SoleUse(of: copy, timeout: timeout)) {}
            // The last one is verified as a whole.
            if number + 1 < legs.count { try count(copy, leg.model, checkpoint.rows) }
            try FollowedWork(progress: progress).synchronize(copy.main.deletingLastPathComponent())
            checkpoint.done = number + 1
            try checkpoint.write(in: folder.url)
            MigrationMoment.reach(.checkpointWritten)
            if !before.isEmpty { try folder.remove(before) }
        }
        try folder.moveCopy(from: checkpoint.place)
        if legs.contains(where: \.isKept) { try MappedPosition.removeNumber(from: folder.copy) }
        MigrationMoment.reach(.settled)
        try parts.run(legs.count) { part in
            MigrationFeed.of(part)?.begin(.verifying)
            let alone = try SoleUse(of: folder.copy, timeout: timeout)
            try withExtendedLifetime(alone) {
                try StoreVerifier(model, configuration).verify(
                    folder.copy.main, rows: checkpoint.rows, following: FollowedWork(progress: part))
            }
        }
        keepRights(on: folder.copy)
        MigrationMoment.reach(.verified)
    }

    /// Gives the newer files the rights of the older ones, so that nobody can read more than before.
    private func keepRights(on copy: SQLiteStoreFiles) {
        for (older, newer) in [(store.main, copy.main), (store.supportFolder, copy.supportFolder)] {
            var status = stat()
            guard stat(older.path, &status) == 0 else { continue }
            // Only the superuser can do it, and only then it is needed; it comes first, because it takes rights away.
            if status.st_uid != geteuid() || status.st_gid != getegid() { give(newer, status.st_uid, status.st_gid) }
            chmod(newer.path, status.st_mode & 0o7777)
        }
    }

    /// Makes somebody else the owner of a file, or of a folder with everything in it.
    private func give(_ url: URL, _ owner: uid_t, _ group: gid_t) {
        _ = lchown(url.path, owner, group)
        let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL { _ = lchown(file.path, owner, group) }
    }

    /// Checks that the result of a leg has as many rows as it says.
    private func count(_ copy: SQLiteStoreFiles, _ model: NSManagedObjectModel, _ expected: [String: Int]) throws {
        let found = try EntityCounts(of: copy, model, following: FollowedWork(progress: progress))
        if let error = EntityCounts.failure(found.rows, expected: expected, url: store.main) { throw error }
    }

    private static func place(of number: Int) -> String { "step-\(number + 1)" }
}
