import Foundation

/// Brings a store to the present version stage by stage.
///
/// Where no stage has code of the program's own, the store is migrated in place, one transaction per version. Otherwise a copy
/// goes through the stages and takes the store's place at the end: whatever fails or is killed on the way, the store is as it
/// was, and no handler has half run on it.
struct StagedMigration {
    let url: URL
    let model: NSManagedObjectModel
    let configuration: String?
    let options: [AnyHashable: Any]?
    let manager: NSStagedMigrationManager

    /// A version on the way, and the custom stage that leads to it, if one does.
    private struct Stop {
        var checksum: String
        var stage: NSCustomMigrationStage?
    }

    /// Migrates from the version that the store's metadata name.
    func run(_ metadata: [String: Any]) throws {
        let way = try way(from: metadata)
        guard way.contains(where: { $0.stage?.hasHandlers ?? false }) else {
            return try goThrough(way, at: url, progress: progress)
        }
        let settings = try SQLiteStoreOptions(options, url: url)
        let copying = CopyingMigration(
            store: SQLiteStoreFiles(url), model: model, configuration: configuration, timeout: settings.timeout)
        let isDone = try copying.run(from: metadata) { use, copy in
            try use.copy(to: copy)
            try goThrough(way, at: copy.main, progress: progress)
        }
        // Somebody else has migrated the store meanwhile.
        if !isDone {
            try StoreMigration.prepare(url: url, model: model, configuration: configuration, options: options)
        }
    }

    private var progress: Progress? { options?[NSMigrationProgressOption] as? Progress }

    // MARK: The way

    /// The versions after the store's, up to the model's.
    private func way(from metadata: [String: Any]) throws -> [Stop] {
        let stops = try stops()
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let stored = VersionHash.checksum(of: hashes)
        let target = targetChecksum
        guard let start = stops.firstIndex(where: { $0.checksum == stored }),
            let end = stops.firstIndex(where: { $0.checksum == target })
        else {
            let unknown = stops.contains { $0.checksum == stored } ? "model" : "store"
            throw NSError.coreData(
                NSManagedObjectModelReferenceNotFoundError,
                reason: "Cannot use staged migration with an unknown model version. The \(unknown)’s version checksum "
                    + "'\(unknown == "store" ? stored : target)' is in none of the stages.", url: url)
        }
        guard start < end else {
            throw NSError.coreData(
                NSStagedMigrationBackwardMigrationError,
                reason: "A store file cannot be migrated backwards with staged migration.", url: url)
        }
        return Array(stops[(start + 1)...end])
    }

    /// The checksum of a store of this configuration.
    private var targetChecksum: String {
        var hashes = model.entityVersionHashesByName
        if let configuration, configuration != NSManagedObjectModel.defaultConfigurationName,
            let entities = model.entities(forConfigurationName: configuration)
        {
            let names = Set(entities.compactMap(\.name))
            hashes = hashes.filter { names.contains($0.key) }
        }
        return VersionHash.checksum(of: hashes)
    }

    /// All versions of all stages. Where a stage begins with the version the one before ended with, it is one.
    private func stops() throws -> [Stop] {
        var stops: [Stop] = []
        func add(_ checksum: String, by stage: NSCustomMigrationStage? = nil) throws {
            if stops.last?.checksum == checksum, stage == nil { return }
            guard !stops.contains(where: { $0.checksum == checksum }) else {
                throw NSError.coreData(
                    NSMigrationError,
                    reason: "Duplicate version checksums across stages detected: '\(checksum)'.", url: url)
            }
            stops.append(Stop(checksum: checksum, stage: stage))
        }
        for stage in manager.stages {
            switch stage {
            case let stage as NSLightweightMigrationStage:
                for checksum in stage.versionChecksums { try add(checksum) }
            case let stage as NSCustomMigrationStage:
                try add(stage.currentModel.versionChecksum)
                try add(stage.nextModel.versionChecksum, by: stage)
            default:
                throw NSError.coreData(
                    NSMigrationError,
                    reason: "A migration stage must be an NSLightweightMigrationStage or an NSCustomMigrationStage.",
                    url: url)
            }
        }
        return stops
    }

    // MARK: Going

    private func goThrough(_ way: [Stop], at url: URL, progress: Progress?) throws {
        var parts: [Progress?] = way.map { _ in nil }
        if let progress {
            progress.totalUnitCount = Int64(way.count)
            parts = way.map { _ in Progress(totalUnitCount: 1, parent: progress, pendingUnitCount: 1) }
        }
        for (stop, part) in zip(way, parts) {
            // The version before: the one the store has now.
            guard let next = try version(stop, isLast: stop.checksum == way.last?.checksum) else { continue }
            guard let stage = stop.stage, stage.hasHandlers else {
                try migrate(to: next, at: url, progress: part)
                continue
            }
            try handle(stage.willMigrateHandler, stage, try stage.currentModel.resolve(), at: url)
            try migrate(to: next, at: url, progress: part)
            try handle(stage.didMigrateHandler, stage, next, at: url)
        }
    }

    private func migrate(to next: NSManagedObjectModel, at url: URL, progress: Progress?) throws {
        try LightweightMigrator.migrate(
            storeAt: url, to: next, configuration: configuration, options: options, progress: progress)
        progress?.completedUnitCount = progress?.totalUnitCount ?? 0
    }

    private func handle(
        _ handler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?,
        _ stage: NSCustomMigrationStage,
        _ model: NSManagedObjectModel, at url: URL
    ) throws {
        guard let handler else { return }
        var options = options ?? [:]
        for key in [
            NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
            NSPersistentStoreStagedMigrationManagerOptionKey, NSMigrationProgressOption,
            NSPersistentStoreRemoteChangeNotificationPostOptionKey,
        ] {
            options[key] = nil
        }
        do {
            try manager.withContainer(model, store: url, configuration: configuration, options: options) {
                try handler(manager, stage)
            }
        } catch {
            let name = stage.label.map { " “\($0)”" } ?? ""
            throw NSError.coreData(
                NSMigrationError,
                reason: "The migration stage\(name) failed: \((error as NSError).localizedDescription)",
                url: self.url, underlying: error)
        }
    }

    /// The model of a version. Nil for a lightweight one on the way whose model is nowhere: its changes are then part of
    /// those to the next one.
    private func version(_ stop: Stop, isLast: Bool) throws -> NSManagedObjectModel? {
        if isLast { return model }
        if let stage = stop.stage { return try stage.nextModel.resolve() }
        for case let stage as NSCustomMigrationStage in manager.stages {
            for reference in [stage.currentModel, stage.nextModel] where reference.versionChecksum == stop.checksum {
                return try reference.resolve()
            }
        }
        return NSManagedObjectModel.versions(in: nil).first { $0.model.versionChecksum == stop.checksum }?.model
    }
}

extension NSCustomMigrationStage {
    fileprivate var hasHandlers: Bool { willMigrateHandler != nil || didMigrateHandler != nil }
}
