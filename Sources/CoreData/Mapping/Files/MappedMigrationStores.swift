import Foundation

/// Opens and closes the two stores of a migration.
struct MappedMigrationStores {
    let ends: MappedMigrationEnds
    /// Whether another process may resume with the new store. Then a kill must leave it whole, and it may exist
    /// already.
    var isKept = false

    private static let sourceConfiguration = "OpenCoreDataMigrationSource"

    func openSource(_ model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
        do {
            let configuration = try configurationOfSource(model)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            var options = withoutMigration(ends.sourceOptions)
            // A program whose policies change the source store sets the option for writing.
            let isWritten = StoreOptions.bool(options, NSReadOnlyPersistentStoreOption) == false
            if !isWritten { options[NSReadOnlyPersistentStoreOption] = true }
            _ = try coordinator.add(
                ofType: ends.sourceType, configuration, at: ends.sourceURL, options,
                for: isWritten ? .work : .migrationSource(isLocked: ends.isSourceLocked), insteadOf: nil)
            return coordinator
        } catch {
            throw MappingErrors.sourceStore(error, ends.sourceURL)
        }
    }

    /// Makes a configuration if the store has only some of the model's entities. It leaves the other entities out.
    private func configurationOfSource(_ model: NSManagedObjectModel) throws -> String? {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: ends.sourceType, at: ends.sourceURL, options: ends.sourceOptions)
        guard let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
        let entities = model.entities.filter { hashes[$0.name ?? ""] != nil }
        if entities.count == model.entities.count || entities.isEmpty { return nil }
        if !model.isFrozen { model.setEntities(entities, forConfigurationName: Self.sourceConfiguration) }
        return model.configurations.contains(Self.sourceConfiguration) ? Self.sourceConfiguration : nil
    }

    func openDestination(_ model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
        do {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            var options = withoutMigration(ends.destinationOptions)
            options[NSReadOnlyPersistentStoreOption] = nil
            // The destination is written as a whole or not at all.
            let isNew = isOwnFile && (isKept || !SQLiteStoreFiles(ends.buildURL).exist)
            if isNew, let pragmas = ownPragmas(options) { options[NSSQLitePragmasOption] = pragmas }
            if options[NSSQLiteDerivedAttributeTriggersOption] == nil, try keepsTriggers(model) {
                options[NSSQLiteDerivedAttributeTriggersOption] = true
            }
            _ = try coordinator.add(
                ofType: ends.destinationType, ends.destinationConfiguration, at: ends.buildURL, options,
                for: .migrationDestination(isSole: isWhole || isOwnFile), insteadOf: nil)
            return coordinator
        } catch {
            throw MappingErrors.destinationStore(error, ends.destinationURL)
        }
    }

    private var asksForTriggers: Bool {
        StoreOptions.bool(ends.destinationOptions, NSSQLiteDerivedAttributeTriggersOption) == true
    }

    /// Throws if the options ask for triggers that are not known.
    func requireTriggers(for model: NSManagedObjectModel) throws {
        if asksForTriggers { try DerivedAttributeTriggers.require(for: model) }
    }

    /// Makes the triggers for which the options ask in a store that SQL alone has migrated.
    func makeTriggers(_ model: NSManagedObjectModel) throws {
        if asksForTriggers { close(try openDestination(model)) }
    }

    /// Whether the older file has Apple's triggers for derived attributes, and those of the newer version are known.
    private func keepsTriggers(_ model: NSManagedObjectModel) throws -> Bool {
        guard isOwnFile, StoreEngines.form(of: ends.sourceType) == .file, StorePlace(ends.sourceURL) == .file,
            (try? DerivedAttributeTriggers.require(for: model)) != nil
        else { return false }
        let connection = try SQLiteStoreMetadata.quietConnection(at: ends.sourceURL, timeout: 0)
        return try connection.catalog(ofTables: []).triggers.contains { $0.name.hasPrefix("Z_DA_") }
    }

    // MARK: A store of the migration's own

    /// Whether the destination is a SQLite store in a file.
    private var isOwnFile: Bool {
        StoreEngines.form(of: ends.destinationType) == .file && ends.destinationURL.isFileURL
            && StorePlace(ends.destinationURL) == .file
    }

    /// Whether the destination is read and written as a whole, and so only once.
    private var isWhole: Bool { StoreEngines.form(of: ends.destinationType) == .wholeFile }

    /// Pragmas for a new store. No other process opens it before it is whole, and a migration that fails removes it. So
    /// no commit has to reach the disk, and one connection reads and writes. Pragmas of the program stay.
    private func ownPragmas(_ options: [AnyHashable: Any]) -> [AnyHashable: Any]? {
        var pragmas: [AnyHashable: Any] = [
            "journal_mode": isKept ? "TRUNCATE" : "MEMORY", "locking_mode": "EXCLUSIVE", "synchronous": "OFF",
        ]
        guard let given = options[NSSQLitePragmasOption] as? [AnyHashable: Any]? else { return nil }
        for (name, value) in given ?? [:] { pragmas["\(name.base)".lowercased()] = value }
        // The user version has the number of the position.
        if isKept { pragmas["user_version"] = nil }
        return pragmas
    }

    /// Makes all rows of the destination store durable, with the note that it is complete.
    func commit(_ coordinator: NSPersistentStoreCoordinator) throws {
        do {
            for store in coordinator.persistentStores {
                let held = store.heldTransaction
                if ends.note != nil, held != nil || store.isWholeFile {
                    store.metadata = MigrationPass.noting(ends.note, in: store.metadata ?? [:])
                    try held?.saveMetadata()
                }
                try held?.commitHeldTransaction()
                if isWhole { try store.saveFile() }
            }
        } catch {
            throw MappingErrors.destinationStore(error, ends.destinationURL)
        }
    }

    /// Commits the rows so far, under a number, so that they remain after a kill.
    func commit(_ coordinator: NSPersistentStoreCoordinator, as number: Int) throws {
        do {
            for store in coordinator.persistentStores {
                try store.heldTransaction?.commitHeldTransaction(as: number)
            }
        } catch {
            throw MappingErrors.destinationStore(error, ends.destinationURL)
        }
    }

    /// Whether the new store does not exist yet. `leftNumber` is the number of the position that a killed process has
    /// left in it.
    var isDestinationMissing: Bool {
        !FileManager.default.fileExists(atPath: ends.buildURL.path) || SQLiteStoreFiles(ends.buildURL).isEmptied
    }
    var leftNumber: Int { MappedPosition.number(in: SQLiteStoreFiles(ends.buildURL)) }

    /// Removes the new store that a killed process has left.
    func removeRemains() throws { try SQLiteStoreFiles(ends.buildURL).removeRemains() }

    /// Sets the journal mode that the new store will be used with, and brings the store to the disk.
    func finishDestination() throws {
        guard isOwnFile else { return }
        do {
            let settings = try SQLiteStoreOptions(ends.destinationOptions, url: ends.destinationURL)
            let connection = try SQLiteConnection(
                path: ends.buildURL.path, access: .readWrite, busyTimeout: settings.timeout)
            try connection.setJournalMode(settings.pragma("journal_mode") ?? "WAL")
            if settings.pragma("synchronous")?.uppercased() == "OFF" { return }
        } catch let error as SQLiteError {
            throw MappingErrors.destinationStore(error, ends.destinationURL)
        }
        try Disk.synchronize(ends.buildURL)
        Disk.synchronizeFolder(ends.buildURL.deletingLastPathComponent())
    }

    /// The options without migration, because the stores are opened as they are.
    private func withoutMigration(_ options: [AnyHashable: Any]?) -> [AnyHashable: Any] {
        var options = options ?? [:]
        for key in [
            NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
            NSMigrationProgressOption,
        ] {
            options[key] = nil
        }
        return options
    }

    /// Closes a store, so that all of it is in its main file.
    func close(_ coordinator: NSPersistentStoreCoordinator) {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }

    func removeDestination() {
        guard ends.buildURL.isFileURL, StorePlace(ends.buildURL) == .file else { return }
        try? removeRemains()
    }

    /// Copies the entries that the application has put beside the store's own metadata.
    func carryMetadata() throws {
        // A store in memory ends when the last coordinator removes it.
        guard StorePlace(ends.destinationURL) == .file else { return }
        let source = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: ends.sourceType, at: ends.sourceURL, options: ends.sourceOptions)
        let target = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: ends.destinationType, at: ends.buildURL, options: ends.destinationOptions)
        var record = VersionRecord(source)
        let hashes = [source, target].map { $0[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:] }
        record.leave([hashes[0]], for: hashes[1])
        try changeMetadata { destination in
            var own = source.filter { key, _ in
                !key.hasPrefix("NS") && !key.hasPrefix("_NS") && key != StoredVersion.notesKey
                    && key != MigrationPass.metadataKey && destination[key] == nil
            }
            record.write(to: &own)
            return own.isEmpty ? nil : destination.merging(own) { first, _ in first }
        }
    }

    /// Leaves the note that the migration is complete in a store that no other process opens yet.
    func leaveNote() throws {
        guard ends.note != nil else { return }
        try changeMetadata { MigrationPass.noting(ends.note, in: $0) }
    }

    private func changeMetadata(_ change: ([String: Any]) -> [String: Any]?) throws {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: ends.destinationType, at: ends.buildURL, options: ends.destinationOptions)
        guard let changed = change(metadata) else { return }
        try NSPersistentStoreCoordinator.setMetadata(
            changed, forPersistentStoreOfType: ends.destinationType, at: ends.buildURL, options: ends.destinationOptions
        )
    }
}
