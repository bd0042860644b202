import Foundation

/// Makes a store of another version by a stage with handlers, as one copy stage of a copying migration.
///
/// The stage works on a copy, because no record shows how far a killed handler had come.
struct StageMigration {
    /// The migration to the version that the stage ends with.
    let request: MigrationRequest
    /// The version of the older file.
    let source: NSManagedObjectModel
    let stage: NSCustomMigrationStage
    let manager: NSStagedMigrationManager
    var lossGuard: LossGuard?

    /// Copies the older file, which is only read, and calls the handlers around the hop. Rows are counted behind each
    /// handler, and the hop between the two has to leave as many.
    ///
    /// - Returns: The number of rows of each entity in the newer file.
    func make(
        _ store: SQLiteStoreFiles, into copy: SQLiteStoreFiles, _ progress: Progress?
    ) throws -> [String: Int] {
        let next = request.model
        let work = FollowedWork(progress: progress)
        let parts = MigrationParts(progress, weights: [1, 2, 2, 2])
        try parts.run(0) { part in
            MigrationFeed.of(part)?.begin(.copying)
            try FollowedWork(progress: part).copy(store, to: copy)
        }
        MigrationMoment.reach(.copied)
        let current = try current()
        try parts.run(1) { part in
            MigrationFeed.of(part)?.begin(.handling)
            try call(stage.willMigrateHandler, current, at: copy.main)
        }
        MigrationMoment.reach(.willHandled)
        let before = try EntityCounts(of: copy, source, following: work)
        try parts.run(2) { part in
            try LightweightMigrator(request.at(copy.main), isDiscardable: true, isForced: true, lossGuard: lossGuard)
                .apply(from: source, part)
        }
        let between = try EntityCounts(of: copy, next, following: work)
        let expected = try before.after(through: [next], configuration: request.configuration)
        if let error = EntityCounts.failure(between.rows, expected: expected, url: request.url) { throw error }
        try parts.run(3) { part in
            MigrationFeed.of(part)?.begin(.handling)
            try call(stage.didMigrateHandler, next, at: copy.main)
        }
        MigrationMoment.reach(.didHandled)
        try MigrationCancellation.check(progress)
        return stage.didMigrateHandler == nil
            ? between.rows : try EntityCounts(of: copy, next, following: work).rows
    }

    /// The version that the stage begins with. If it does not have the configuration, the version of the older file
    /// takes its place, which has it in any case.
    private func current() throws -> NSManagedObjectModel {
        let model = try stage.currentModel.resolve()
        return model.entities(forConfigurationName: request.configuration) == nil ? source : model
    }

    private func call(
        _ handler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?, _ model: NSManagedObjectModel,
        at url: URL
    ) throws {
        guard let handler else { return }
        var options = request.options ?? [:]
        for key in [
            NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
            NSPersistentStoreStagedMigrationManagerOptionKey, NSMigrationProgressOption,
            NSPersistentStoreRemoteChangeNotificationPostOptionKey,
        ] {
            options[key] = nil
        }
        do {
            try manager.withContainer(model, store: url, configuration: request.configuration, options: options) {
                try handler(manager, stage)
            }
        } catch {
            let name = stage.label.map { " “\($0)”" } ?? ""
            throw NSError.coreData(
                error.isOfFullDisk ? NSFileWriteOutOfSpaceError : NSMigrationError,
                reason: "The migration stage\(name) failed: \((error as NSError).localizedDescription)",
                url: request.url, underlying: error)
        }
    }
}
