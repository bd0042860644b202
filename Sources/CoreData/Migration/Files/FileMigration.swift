import Foundation

/// Migrates a store that is one file, read and written as a whole: XML, binary, or of a program's own subclass of
/// `NSAtomicStore`.
///
/// The newer version is made beside the store, hop by hop, and checked. Then the migration brings it to the disk and
/// renames it over the older one, so that at any moment one of the two has the store's name. After any failure or kill
/// the older file is as it was, and the next start begins anew. Two migrations of a file exclude each other. No lock
/// shows whether another process has read the file and will write it.
struct FileMigration {
    let storeClass: NSAtomicStore.Type
    let type: String
    let request: MigrationRequest

    /// Returns nil for stores of other kinds.
    init?(_ request: MigrationRequest, ofType type: String) {
        let url = request.address
        guard let storeClass = StoreClasses.wholeFileClass(for: type), url.isFileURL, StorePlace(url) == .file else {
            return nil
        }
        self.storeClass = storeClass
        self.type = type
        self.request = request.at(url.standardizedFileURL.resolvingSymlinksInPath())
    }

    private var url: URL { request.url }
    private var model: NSManagedObjectModel { request.model }
    private var configuration: String? { request.configuration }
    private var options: [AnyHashable: Any]? { request.options }
    private var progress: Progress? { request.progress }
    private var timeout: TimeInterval { request.timeout }

    /// Removes files that a killed process has left beside the store, after waiting for a migration that is running. If
    /// there are no such files, the cost is one check of the folder.
    func removeRemains() throws {
        guard MigrationFolder.exists(for: url), !MigrationFolder.isHeldHere(for: url),
            StoreOptions.bool(options, NSReadOnlyPersistentStoreOption) != true
        else { return }
        guard let folder = try MigrationFolder.lock(url, creating: false, timeout: timeout) else { return }
        // The journal belongs to a SQLite store that a caller opens as a store of another type.
        if FileManager.default.fileExists(atPath: ExchangeJournal.url(in: folder.url).path) { return }
        // A file that cannot be removed only takes space.
        try? folder.remove()
    }

    // MARK: Migrating

    /// Migrates the store. `refusal` is the error of opening it, which has its metadata.
    func migrate(after refusal: NSError) throws {
        guard let found = refusal.userInfo["metadata"] as? [String: Any] else { throw refusal }
        if request.stagedManager != nil {
            throw NSError.coreData(
                NSMigrationError,
                reason: "Only SQLite stores are migrated in stages, and this one is of type '\(type)'.",
                url: url)
        }
        guard let folder = try MigrationFolder.lock(url, creating: true, timeout: timeout, progress) else { return }
        MigrationMoment.reach(.folderLocked)
        do {
            try folder.clear()
            let before = FileState(url)
            let metadata = (try? storeClass.metadataForPersistentStore(with: url)) ?? found
            // Another process may have migrated the store first.
            let present = model.compatibility(ofConfiguration: configuration, withStoreMetadata: metadata)
            if present.differences != nil {
                let store = SourceModel(metadata: metadata, url: url, for: request)
                let hops = try MigrationStrategy(for: request, of: store).bestHops()
                try lossGuard(hops, of: url).atBeginning.check(metadata, ofType: type)
                let copy = try carryOut(hops, in: folder)
                try putInPlace(copy, of: before)
            }
        } catch {
            try? folder.remove()
            throw error
        }
        // The store is of the newer version. A file that cannot be removed only takes space, and the next opening
        // removes it.
        try? folder.remove()
        MigrationMoment.reach(.exchanged)
    }

    /// The guard against losses. The folder's lock excludes other migrations of the file, and a file that another
    /// process writes is not replaced.
    private func lossGuard(_ hops: [MigrationHop], of file: URL) -> LossGuard {
        LossGuard(request.at(file), hops: hops)
    }

    /// Carries out the hops, each of which makes a new file.
    private func carryOut(_ hops: [MigrationHop], in folder: MigrationFolder) throws -> URL {
        let parts = MigrationParts(progress, weights: hops.map { _ in 1 } + [0.2])
        var last = url
        var rows: [String: Int] = [:]
        for (number, hop) in hops.enumerated() {
            let place = "step-\(number + 1)"
            let target = try folder.make(place)
            // The losses of a hop behind a mapping model can be found only in the file that this migration has made.
            if number > 0, !hops[number - 1].isInferred {
                try lossGuard(Array(hops[number...]), of: last).atBeginning
                    .check(storeClass.metadataForPersistentStore(with: last), ofType: type)
            }
            rows = try parts.run(number) { part in try make(target, of: last, by: hop, part) }
            MigrationMoment.reach(.copyStageDone)
            let names = try FileManager.default.contentsOfDirectory(atPath: target.deletingLastPathComponent().path)
            guard names == [target.lastPathComponent] else {
                throw NSError.coreData(
                    NSMigrationError,
                    reason:
                        "Stores of the class \(storeClass) are not one file: \(names.sorted().joined(separator: ", ")).",
                    url: url)
            }
            last = target
        }
        try parts.run(hops.count) { part in
            MigrationFeed.of(part)?.begin(.verifying)
            try verify(last, rows)
        }
        MigrationMoment.reach(.verified)
        return last
    }

    /// Makes the new file of one hop. Returns the number of objects of each entity in it.
    private func make(
        _ target: URL, of source: URL, by hop: MigrationHop, _ progress: Progress?
    ) throws -> [String: Int] {
        let mapping: NSMappingModel
        switch hop.means {
        case .mapping(let model): mapping = model
        case .inferred:
            mapping = try NSMappingModel.inferredMappingModel(forSourceModel: hop.source, destinationModel: hop.target)
        }
        let managerClass = storeClass.migrationManagerClass() as? NSMigrationManager.Type ?? NSMigrationManager.self
        let manager = managerClass.makeManager(hop.source, hop.target)
        manager.destinationConfiguration = configuration
        manager.follower = progress
        manager.isCopyStage = true
        try manager.migrateStore(
            from: source, sourceType: type, options: ownOptions, with: mapping, toDestinationURL: target,
            destinationType: type, destinationOptions: ownOptions)
        return manager.madeRows ?? [:]
    }

    private var ownOptions: [AnyHashable: Any]? {
        options?.filter { $0.key != AnyHashable(NSMigrationProgressOption) }
    }

    /// Reads the new file as a program will, which finds references to missing objects, and counts its objects.
    private func verify(_ copy: URL, _ rows: [String: Int]) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: configuration, at: copy, options: [NSReadOnlyPersistentStoreOption: true])
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let found = try context.performAndWait {
            try Dictionary(
                uniqueKeysWithValues: rows.keys.map { name in
                    let request = NSFetchRequest<NSManagedObject>(entityName: name)
                    request.includesSubentities = false
                    return (name, try context.count(for: request))
                })
        }
        if let error = EntityCounts.failure(found, expected: rows, url: url) { throw error }
    }

    // MARK: Exchanging

    private func putInPlace(_ copy: URL, of before: FileState?) throws {
        MigrationFeed.of(progress)?.begin(.finishing)
        if let rights = before?.rights { chmod(copy.path, rights) }
        try Disk.synchronize(copy)
        MigrationMoment.reach(.synchronized)
        try MigrationCancellation.check(progress)
        try FileKind.require(.file, at: url)
        guard FileState(url) == before else {
            throw NSError.coreData(
                NSMigrationError,
                reason:
                    "“\(url.lastPathComponent)” was written by another program during its migration; it stays as it is.",
                url: url)
        }
        guard rename(copy.path, url.path) == 0 else {
            throw WriteFailure.error("The migrated store could not be put in its place", url)
        }
        MigrationMoment.reach(.mainsExchanged)
        Disk.synchronizeFolder(url.deletingLastPathComponent())
    }
}
