import Foundation

extension StagedMigration {
    /// Runs one stage with handlers of the program. It works on a copy, because no record shows how far a killed
    /// handler had come. The rows are counted behind each handler. The migration between two handlers has to leave as
    /// many rows.
    func run(
        _ stage: NSCustomMigrationStage, from current: NSManagedObjectModel, to next: NSManagedObjectModel,
        source: SQLiteStoreFiles, target: SQLiteStoreFiles, lossGuard: LossGuard?, progress: Progress?
    ) throws -> [String: Int] {
        let work = FollowedWork(progress: progress)
        let parts = MigrationParts(progress, weights: [1, 2, 2, 2])
        try parts.run(0) { part in
            MigrationFeed.of(part)?.begin(.copying)
            try FollowedWork(progress: part).copy(source, to: target)
        }
        MigrationMoment.reach(.copied)
        try parts.run(1) { part in
            MigrationFeed.of(part)?.begin(.handling)
            try handle(stage.willMigrateHandler, stage, current, at: target.main)
        }
        MigrationMoment.reach(.willHandled)
        let before = try EntityCounts(of: target, following: work)
        try parts.run(2) { part in try migrate(to: next, at: target.main, lossGuard, part) }
        let between = try EntityCounts(of: target, next, following: work)
        let expected = try before.after(through: [next], configuration: configuration)
        if let error = EntityCounts.failure(between.rows, expected: expected, url: url) { throw error }
        try parts.run(3) { part in
            MigrationFeed.of(part)?.begin(.handling)
            try handle(stage.didMigrateHandler, stage, next, at: target.main)
        }
        MigrationMoment.reach(.didHandled)
        try MigrationCancellation.check(progress)
        return stage.didMigrateHandler == nil
            ? between.rows : try EntityCounts(of: target, next, following: work).rows
    }

    private func migrate(
        to next: NSManagedObjectModel, at url: URL, _ lossGuard: LossGuard?, _ progress: Progress?
    ) throws {
        try LightweightMigrator.migrate(
            storeAt: url, to: next, configuration: configuration, options: options, isDiscardable: true,
            lossGuard: lossGuard, progress: progress)
    }
}
