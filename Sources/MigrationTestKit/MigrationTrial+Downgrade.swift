import CoreData

extension MigrationTrial {
    /// Tries to open the store of a later version as a program of an older version does, with a container's defaults.
    ///
    /// This happens after an update that is withdrawn. The store must open without losing a value, or the opening must
    /// be refused. Then the error names every loss, or the reason why a migration back is impossible, and the store is
    /// unchanged.
    ///
    /// If a migration to the later version exists, the older version makes the store, so that the store's metadata list
    /// it as a former version. The objects are of the later version.
    ///
    /// - Parameters:
    ///   - newer: The version of the objects.
    ///   - older: The version that opens the store.
    /// - Returns: The entry of a report.
    /// - Throws: The error of making a temporary folder.
    public func downgrade(_ newer: ModelVersion, to older: ModelVersion) throws -> MigrationTrialReport.Entry {
        var entry = MigrationTrialReport.Entry(name: "\(newer.name) → \(older.name), downgrade", play: .downgrade)
        entry.step = ExpectedRefusal(from: newer.name, to: older.name)
        try play([older, newer], &entry) { folder, url, entry in
            if fill == nil { try passThrough(older, newer, url) }
            guard make(url, newer, &entry) else { return }
            let before = try TrialContent(of: url, newer, options: storeOptions)
            entry.rows = before.counts.values.reduce(0, +)
            let known = TrialLosses(before, from: newer, to: older)?.losses
            let losses = known ?? []
            let allowed = Set(options[NSMigrationAllowedLossesOption] as? [String] ?? [])
            let isAllowed = { (loss: TrialLosses.Loss) in allowed.contains(loss.name) }
            let present = try Self.state(url, in: folder)
            do {
                var options = options.merging(Self.defaults) { $1 }
                // The older program has no stages, and no version beyond its own.
                options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
                options[NSMigrationKnownVersionsOption] = nil
                if let opening {
                    try opening.open(url, older.name)
                } else {
                    try TrialStore.open(url, older.freshModel(), options: options) { _ in }
                }
            } catch {
                entry.refusal = TrialStore.text(error)
                let losses = known?.filter { !isAllowed($0) }
                // A plan may refuse a newer store of which nothing would be lost.
                if opening == nil || losses?.isEmpty == false {
                    entry.problems += Self.problems(of: error as NSError, losses)
                }
                entry.problems += try Self.changes(present, Self.state(url, in: folder))
                entry.isRefusalExpected = true
                return
            }
            entry.notes += losses.filter(isAllowed).map { "it loses \($0), as the options allow" }
            entry.problems += losses.filter { !isAllowed($0) }.map { "it went through and loses \($0)" }
            // If there is no migration, the schema is that of the version that made the store.
            let isMadeByNewer = fill != nil && older.hasSameHashes(as: newer)
            var checks = TrialChecks(
                older: newer, newer: older, mapping: nil, before: before, built: isMadeByNewer ? newer : older)
            checks.storeOptions = storeOptions
            entry.problems += try checks.problems(url, in: folder)
        }
        return entry
    }

    /// Makes an empty store that was migrated from the older version, if that migration exists. Otherwise makes none.
    private func passThrough(_ older: ModelVersion, _ newer: ModelVersion, _ url: URL) throws {
        do {
            try TrialStore.open(url, older.freshModel(), options: storeOptions) { _ in }
            try migrate(
                url, from: older, to: newer,
                mapping: older.hasSameHashes(as: newer) ? nil : mapping(from: older, to: newer))
        } catch {
            guard url.isFileURL else {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: older.freshModel())
                return try coordinator.destroyPersistentStore(at: url, ofType: TrialStore.type(of: url))
            }
            for name in try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path) {
                try FileManager.default.removeItem(at: url.deletingLastPathComponent().appendingPathComponent(name))
            }
        }
    }

    /// The problems of a refusal: losses that its error does not name.
    static func problems(of error: NSError, _ losses: [TrialLosses.Loss]?) -> [String] {
        // Without an inferred mapping the migration back is missing, and the error gives the reason.
        guard let losses else { return [] }
        let isObstacle = [NSInferredMappingModelError, NSMigrationError].contains(error.code)
        if losses.isEmpty { return isObstacle ? [] : ["it was refused, though nothing would be lost"] }
        if let told = error.userInfo[NSMigrationLossesErrorKey] as? [MigrationLoss] {
            return losses.compactMap { loss in
                let count = told.first { $0.name == loss.name }?.count ?? 0
                return count == loss.rows ? nil : "the refusal tells of \(count) rows for the loss of \(loss)"
            }
        }
        let text = "\(error.localizedDescription) \(error.localizedFailureReason ?? "") \(error.userInfo)"
        return losses.filter { !$0.isNamed(in: text) && !isObstacle }.map {
            "the refusal does not name the loss of \($0)"
        }
    }

    /// The files of a folder, with their bytes. Files that only speed up reading are left out, and so is an empty log.
    /// For a store in a database, its whole content.
    private static func state(_ url: URL, in folder: URL) throws -> [String: Data] {
        if !url.isFileURL {
            let lines = try StoreSchema.inventory(of: url, withRows: true)
            return Dictionary(lines.map { ($0, Data()) }) { first, _ in first }
        }
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
            let data = FileManager.default.contents(atPath: folder.appendingPathComponent(name).path) ?? Data()
            if name.hasSuffix("-wal"), data.isEmpty { continue }
            files[name] = data
        }
        return files
    }

    private static func changes(_ before: [String: Data], _ after: [String: Data]) -> [String] {
        Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
            .map { "it was refused, and “\($0)” has changed" }
    }
}
