// Implementation notes: Migration/Staged.
//
// - `StagedHops` finds the store's checksum among the stages and makes a hop of each version after it. The hops are
//   carried out as those of a search: in place and in one transaction, or, if a stage has handlers, as copy stages
//   (`StageMigration`).
// - A data stage leads to a version with equal hashes and other identifiers. A store at its beginning fits the model by
//   its hashes, so opening it asks `leavesDataStage(_:)` besides.

import Foundation

/// Finds the hops from a store's version to the present one in the stages of a manager.
struct StagedHops {
    let request: MigrationRequest
    let manager: NSStagedMigrationManager
    private let modelCatalog: ModelCatalog

    init(request: MigrationRequest, manager: NSStagedMigrationManager) {
        self.request = request
        self.manager = manager
        modelCatalog = ModelCatalog(request.bundles)
    }

    private var url: URL { request.url }
    private var model: NSManagedObjectModel { request.model }
    private var configuration: String? { request.configuration }

    /// A version between, and the custom stage that leads to it, if one does.
    private struct Stop {
        var checksum: String
        /// The names of the version, if a custom stage names its model.
        var reference: NSManagedObjectModelReference?
        var stage: NSCustomMigrationStage?

        var identifiers: Set<String> {
            Set((try? reference?.resolve())?.versionIdentifiers.map { "\($0.base)" } ?? [])
        }
    }

    /// A version whose model was found, and the stage that leads to it if it runs code of the program's own.
    private struct StagedVersion {
        var model: NSManagedObjectModel
        var stage: NSCustomMigrationStage?
    }

    /// The hops from the version of a store. A hop has its stage if the stage has handlers.
    func find(from store: SourceModel) throws -> [MigrationHop] {
        let stops = try stops()
        let stored = storedChecksum(store, stops)
        let versions = try versions(on: way(from: stored, store.metadata, stops))
        let source = try source(store, stored)
        let held = try withConfiguration(versions, store.metadata, source)
        return zip([source] + held.map(\.model), held).map { older, version in
            MigrationHop(source: older, target: version.model, means: .inferred, stage: version.stage)
        }
    }

    /// The store's model. If neither the store nor the program's resources have it, a stage may.
    private func source(_ store: SourceModel, _ stored: String) throws -> NSManagedObjectModel {
        do {
            return try store.find()
        } catch {
            guard let given = try? modelOfStages(stored), store.fits(given) else { throw error }
            return given.copied()
        }
    }

    // MARK: The versions

    /// The checksum of the store's version, as the stages name it.
    private func storedChecksum(_ store: SourceModel, _ stops: [Stop]) -> String {
        let hashes = store.metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let stored = VersionHash.checksum(of: hashes)
        guard !stops.contains(where: { $0.checksum == stored }), let present = try? store.find() else { return stored }
        // An older version of this library may have computed other hashes of the same model.
        return VersionHash.checksum(of: present.entityVersionHashesByName.filter { hashes[$0.key] != nil })
    }

    /// The version with a checksum. If several versions have it, the identifiers decide; without any that fit, the
    /// first one.
    private static func place(of checksum: String, _ identifiers: Set<String>, in stops: [Stop]) -> Int? {
        let places = stops.indices.filter { stops[$0].checksum == checksum }
        if places.count < 2 { return places.first }
        return places.first { stops[$0].identifiers == identifiers } ?? places.first
    }

    /// The places of the store's version and of the model's. Nil for one that is in none of the stages.
    private func ends(
        _ stored: String, _ metadata: [String: Any], _ stops: [Stop]
    ) -> (start: Int?, end: Int?) {
        let names = metadata[NSStoreModelVersionIdentifiersKey] as? [Any] ?? []
        let own = Set(model.versionIdentifiers.map { "\($0.base)" })
        return (
            Self.place(of: stored, Set(names.map { "\($0)" }), in: stops),
            Self.place(of: targetChecksum, own, in: stops)
        )
    }

    /// Whether a store whose hashes are the model's is at the beginning of a stage with handlers that leads to other
    /// identifiers.
    static func leavesDataStage(_ request: MigrationRequest, _ metadata: [String: Any]) -> Bool {
        guard request.isMigrationAllowed, let manager = request.stagedManager else { return false }
        let hops = StagedHops(request: request, manager: manager)
        let target = hops.targetChecksum
        // Wrong stages are an error of a migration only.
        guard let stops = try? hops.stops(), stops.count(where: { $0.checksum == target }) > 1,
            case (let start?, let end?) = hops.ends(target, metadata, stops), start < end
        else { return false }
        return stops[(start + 1)...end].contains { $0.stage?.hasHandlers == true }
    }

    /// The versions after the store's, up to the model's.
    private func way(from stored: String, _ metadata: [String: Any], _ stops: [Stop]) throws -> [Stop] {
        let target = targetChecksum
        guard case (let start?, let end?) = ends(stored, metadata, stops) else {
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
    /// listed once. Versions with equal checksums have different identifiers.
    private func stops() throws -> [Stop] {
        var stops: [Stop] = []
        func add(
            _ checksum: String, _ reference: NSManagedObjectModelReference? = nil,
            by stage: NSCustomMigrationStage? = nil
        ) throws {
            if stops.last?.checksum == checksum, stage == nil { return }
            let new = Stop(checksum: checksum, reference: reference, stage: stage)
            let same = stops.filter { $0.checksum == checksum }
            guard same.isEmpty || !same.contains(where: { $0.identifiers == new.identifiers }) else {
                throw NSError.coreData(
                    NSMigrationError,
                    reason: "Duplicate version checksums across stages detected: '\(checksum)'.", url: url)
            }
            stops.append(new)
        }
        for stage in manager.stages {
            switch stage {
            case let stage as NSLightweightMigrationStage:
                for checksum in stage.versionChecksums { try add(checksum) }
            case let stage as NSCustomMigrationStage:
                try add(stage.currentModel.versionChecksum, stage.currentModel)
                try add(stage.nextModel.versionChecksum, stage.nextModel, by: stage)
            default:
                throw NSError.coreData(
                    NSMigrationError,
                    reason: "A migration stage must be an NSLightweightMigrationStage or an NSCustomMigrationStage.",
                    url: url)
            }
        }
        return stops
    }

    // MARK: Models

    /// The versions after the store's whose models were found. Changes to the other versions become a part of the next
    /// one.
    private func versions(on way: [Stop]) throws -> [StagedVersion] {
        try way.enumerated().compactMap { number, stop in
            guard let next = try version(stop, isLast: number + 1 == way.count) else { return nil }
            return StagedVersion(model: next, stage: stop.stage.flatMap { $0.hasHandlers ? $0 : nil })
        }
    }

    /// Adds the store's configuration to versions that do not have it. It contains their part of the store's content.
    private func withConfiguration(
        _ versions: [StagedVersion], _ metadata: [String: Any], _ source: NSManagedObjectModel
    ) throws -> [StagedVersion] {
        guard let configuration,
            versions.contains(where: { $0.model.entities(forConfigurationName: configuration) == nil })
        else { return versions }
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        let map = MigrationMap(
            from: source, storing: hashes.map { Set($0.keys) }, to: model, configuration: configuration, infers: true,
            mappings: MappingModelCandidates(in: []))
        map.add(versions.dropLast().map(\.model))
        let hops = map.way(along: [MigrationMap.start] + map.others + [MigrationMap.end])
        // If a hop cannot be inferred, the migration itself throws the reason.
        guard hops.count == versions.count else { return versions }
        return zip(versions, hops).map { StagedVersion(model: $1.target, stage: $0.stage) }
    }

    /// The model of a version. Nil for a lightweight version between whose model is not found. Its changes are then
    /// part of those to the next one.
    private func version(_ stop: Stop, isLast: Bool) throws -> NSManagedObjectModel? {
        if isLast { return model }
        if let stage = stop.stage { return try stage.nextModel.resolve() }
        return try modelOfStages(stop.checksum) ?? modelCatalog.model(withChecksum: stop.checksum)
    }

    /// The model with a checksum that a custom stage begins or ends with; nil if there is none.
    private func modelOfStages(_ checksum: String) throws -> NSManagedObjectModel? {
        for case let stage as NSCustomMigrationStage in manager.stages {
            for reference in [stage.currentModel, stage.nextModel] where reference.versionChecksum == checksum {
                return try reference.resolve()
            }
        }
        return nil
    }
}
