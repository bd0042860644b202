// Implementation notes: Migration/Staged.
//
// - `StagedMigration` finds the store's checksum among the stages and migrates from version to version. Without
//   handlers it works in place, in one transaction.

import Foundation

/// Brings a store to the present version stage by stage.
///
/// If no stage has handlers of the program, the store is migrated in place, in one transaction. Otherwise a copy is
/// migrated stage by stage, and takes the store's place at the end. After any failure or kill the store is as it was,
/// and no handler has changed it in part. A killed process leaves the copy after the last complete stage. The next
/// process resumes there.
struct StagedMigration {
    let url: URL
    let model: NSManagedObjectModel
    let configuration: String?
    let options: [AnyHashable: Any]?
    let manager: NSStagedMigrationManager
    private let modelCatalog = ModelCatalog(nil)

    /// A version between, and the custom stage that leads to it, if one does.
    private struct Stop {
        var checksum: String
        var stage: NSCustomMigrationStage?
    }

    /// A version whose model was found, and the stage that leads to it if it runs code of the program's own.
    private struct StagedVersion {
        var model: NSManagedObjectModel
        var stage: NSCustomMigrationStage?
    }

    /// Migrates from the version that the store's metadata name.
    func run(_ metadata: [String: Any]) throws {
        let versions = try withConfiguration(versions(on: way(from: metadata)), metadata) {
            try SourceModel(
                metadata: metadata, url: url, timeout: StoreOptions.timeout(options)
            ).find()
        }
        let timeout = StoreOptions.timeout(options)
        let lossGuard = try lossGuard(versions, metadata)
        try lossGuard?.atBeginning.checkBeforehand(timeout: timeout)
        guard versions.contains(where: { $0.stage != nil }) else {
            try LightweightMigrator.migrate(
                storeAt: url, through: versions.dropLast().map(\.model), to: model, configuration: configuration,
                options: options, lossGuard: lossGuard, progress: progress)
            return
        }
        let copying = CopyingMigration(
            storeAt: url, model: model, configuration: configuration, timeout: timeout,
            progress: progress)
        // If another process has migrated the store, its metadata are read again.
        if try !copying.run(from: metadata, copyStages(versions, lossGuard)) {
            try StoreMigration.prepare(url: url, model: model, configuration: configuration, options: options)
        }
    }

    /// The guard against losing values, if the stages lead back to a version that the store was of before. Otherwise
    /// nil, because a program that names versions in stages decides itself which values are lost.
    private func lossGuard(_ versions: [StagedVersion], _ metadata: [String: Any]) throws -> LossGuard? {
        try lossGuard(versions, metadata) {
            let timeout = StoreOptions.timeout(options)
            return try SourceModel(metadata: metadata, url: url, timeout: timeout).find()
        }
    }

    private func lossGuard(
        _ versions: [StagedVersion], _ metadata: [String: Any], source: () throws -> NSManagedObjectModel
    ) rethrows -> LossGuard? {
        guard VersionRecord(metadata).holds(model.versionHashes(ofConfiguration: configuration)) else { return nil }
        return LossGuard(
            url: url, target: model, configuration: configuration, options: options,
            hops: hops(from: try source(), versions))
    }

    /// The guard for a store whose model the caller has.
    func lossGuard(from source: NSManagedObjectModel, _ metadata: [String: Any]) throws -> LossGuard? {
        lossGuard(try withConfiguration(versions(on: way(from: metadata)), metadata) { source }, metadata) { source }
    }

    /// The copy stages for a store whose model the caller has.
    func copyStages(from source: NSManagedObjectModel, _ metadata: [String: Any]) throws -> [CopyingMigration.CopyStage]
    {
        let versions = try withConfiguration(versions(on: way(from: metadata)), metadata) { source }
        return copyStages(versions, lossGuard(versions, metadata) { source })
    }

    /// The hops from the store's version that the migration would make, for a forecast.
    func hops(from source: NSManagedObjectModel, _ metadata: [String: Any]) throws -> [MigrationHop] {
        try hops(from: source, withConfiguration(versions(on: way(from: metadata)), metadata) { source })
    }

    private func hops(from source: NSManagedObjectModel, _ versions: [StagedVersion]) -> [MigrationHop] {
        zip([source] + versions.map(\.model), versions).map { older, version in
            MigrationHop(
                source: older, target: version.model, means: .inferred,
                stage: version.stage.map { $0.label ?? "without a label" })
        }
    }

    private var progress: Progress? { options?[NSMigrationProgressOption] as? Progress }

    // MARK: The versions

    /// The versions after the store's, up to the model's.
    private func way(from metadata: [String: Any]) throws -> [Stop] {
        let stops = try stops()
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        var stored = VersionHash.checksum(of: hashes)
        if !stops.contains(where: { $0.checksum == stored }),
            let present = try? SourceModel(
                metadata: metadata, url: url, timeout: StoreOptions.timeout(options)
            ).find()
        {
            // An older version of this library may have computed other hashes of the same model.
            stored = VersionHash.checksum(of: present.entityVersionHashesByName.filter { hashes[$0.key] != nil })
        }
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

    /// The checksum that a store of this configuration will have.
    private var targetChecksum: String {
        VersionHash.checksum(of: model.versionHashes(ofConfiguration: configuration))
    }

    /// All versions of all stages. If a stage begins with the version with which the stage before ended, the version is
    /// listed once.
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

    // MARK: Migrating

    /// The versions after the store's whose models were found. Changes to the other versions become a part of the next
    /// one.
    private func versions(on way: [Stop]) throws -> [StagedVersion] {
        try way.compactMap { stop in
            guard let next = try version(stop, isLast: stop.checksum == way.last?.checksum) else { return nil }
            return StagedVersion(model: next, stage: stop.stage.flatMap { $0.hasHandlers ? $0 : nil })
        }
    }

    /// Adds the store's configuration to versions that do not have it. It contains their part of the store's content.
    private func withConfiguration(
        _ versions: [StagedVersion], _ metadata: [String: Any], source: () throws -> NSManagedObjectModel
    ) throws -> [StagedVersion] {
        guard let configuration,
            versions.contains(where: { $0.model.entities(forConfigurationName: configuration) == nil })
        else { return versions }
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        let map = try MigrationMap(
            from: source(), storing: hashes.map { Set($0.keys) }, to: model, configuration: configuration, infers: true,
            mappings: MappingModelCandidates(in: []))
        map.add(versions.dropLast().map(\.model))
        let hops = map.way(along: [MigrationMap.start] + map.others + [MigrationMap.end])
        // If a hop cannot be inferred, the migration itself throws the reason.
        guard hops.count == versions.count else { return versions }
        return zip(versions, hops).map { StagedVersion(model: $1.target, stage: $0.stage) }
    }

    /// A copy stage for each migration stage with code of the program's own, and one for all versions between them.
    private func copyStages(_ versions: [StagedVersion], _ lossGuard: LossGuard?) -> [CopyingMigration.CopyStage] {
        var copyStages: [CopyingMigration.CopyStage] = []
        var plain: [NSManagedObjectModel] = []
        /// The guard for some number of versions up to an index.
        func part(_ count: Int, before end: Int) -> LossGuard? {
            var part = lossGuard
            part?.hops.removeSubrange(end...)
            part?.hops.removeFirst(end - count)
            // The stage's code has run by then.
            for place in part?.hops.indices ?? 0..<0 { part?.hops[place].stage = nil }
            return part
        }
        func endPlain(before end: Int) {
            let own = part(plain.count, before: end)
            guard let last = plain.popLast() else { return }
            let name = (plain + [last]).map { "→ \($0.versionChecksum)" }.joined(separator: " ")
            copyStages.append(
                .inferred(
                    name, through: plain, to: last, configuration: configuration, options: options, lossGuard: own))
            plain = []
        }
        for (number, version) in versions.enumerated() {
            guard let stage = version.stage else {
                plain.append(version.model)
                continue
            }
            endPlain(before: number)
            let own = part(1, before: number + 1)
            let before = number > 0 ? versions[number - 1].model : nil
            let way = "\(stage.currentModel.versionChecksum) → \(version.model.versionChecksum)"
            copyStages.append(
                .init(name: "\(stage.label ?? "stage"): \(way)", weight: 2, model: version.model) {
                    try run(
                        stage, from: current(stage, before), to: version.model, source: $0, target: $1, lossGuard: own,
                        progress: $2)
                })
        }
        endPlain(before: versions.count)
        return copyStages
    }

    /// The version that a stage begins with. If it does not have the configuration, the version before takes its place,
    /// which has it in any case.
    private func current(
        _ stage: NSCustomMigrationStage, _ before: NSManagedObjectModel?
    ) throws -> NSManagedObjectModel {
        let model = try stage.currentModel.resolve()
        return model.entities(forConfigurationName: configuration) == nil ? before ?? model : model
    }

    func handle(
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
                error.isOfFullDisk ? NSFileWriteOutOfSpaceError : NSMigrationError,
                reason: "The migration stage\(name) failed: \((error as NSError).localizedDescription)",
                url: self.url, underlying: error)
        }
    }

    /// The model of a version. Nil for a lightweight version between whose model is not found. Its changes are then
    /// part of those to the next one.
    private func version(_ stop: Stop, isLast: Bool) throws -> NSManagedObjectModel? {
        if isLast { return model }
        if let stage = stop.stage { return try stage.nextModel.resolve() }
        for case let stage as NSCustomMigrationStage in manager.stages {
            for reference in [stage.currentModel, stage.nextModel] where reference.versionChecksum == stop.checksum {
                return try reference.resolve()
            }
        }
        return modelCatalog.model(withChecksum: stop.checksum)
    }
}

extension NSCustomMigrationStage {
    fileprivate var hasHandlers: Bool { willMigrateHandler != nil || didMigrateHandler != nil }
}
