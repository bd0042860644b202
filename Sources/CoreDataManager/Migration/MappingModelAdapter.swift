import CoreData

/// Migrates by a migration manager where the program has a mapping model for the two versions, so that there is a progress
/// and a way to cancel; by Core Data's automatic migration otherwise. Every platform has what it takes.
///
/// The older version's model and the mapping model are looked for among the program's resources unless told otherwise. The
/// store is migrated into a file beside it, which then takes its place.
public struct MappingModelAdapter: MigrationAdapter {
    private let sourceModel: @Sendable (_ metadata: [String: Any]) -> NSManagedObjectModel?
    private let mappingModel: @Sendable (NSManagedObjectModel, NSManagedObjectModel) -> NSMappingModel?

    /// - Parameters:
    ///   - sourceModel: finds the model of a store by its metadata.
    ///   - mappingModel: finds what leads from the first model to the second.
    public init(
        sourceModel: @escaping @Sendable (_ metadata: [String: Any]) -> NSManagedObjectModel? = {
            NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: $0)
        },
        mappingModel: @escaping @Sendable (NSManagedObjectModel, NSManagedObjectModel) -> NSMappingModel? = {
            NSMappingModel(from: nil, forSourceModel: $0, destinationModel: $1)
        }
    ) {
        self.sourceModel = sourceModel
        self.mappingModel = mappingModel
    }

    /// Says whether a migration is required, and nothing of its cost.
    public func forecast(_ job: MigrationJob) throws -> LaunchForecast {
        LaunchForecast(isMigrationRequired: try job.isMigrationRequired())
    }

    /// Migrates with the manager's progress, or as `InferredMigrationAdapter` does.
    public func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: job.storeType, at: job.storeURL, options: job.options)
        guard let source = sourceModel(metadata), let mapping = mappingModel(source, job.model) else {
            return try InferredMigrationAdapter().migrate(job, begun: begun)
        }
        let manager = NSMigrationManager(sourceModel: source, destinationModel: job.model)
        begun(MigrationManagerProgress(manager))
        let copy = copy(of: job)
        // A process that was killed may have left one behind.
        try remove(copy, job)
        do {
            try manager.migrateStore(
                from: job.storeURL, sourceType: job.storeType, options: job.options, with: mapping,
                toDestinationURL: copy, destinationType: job.storeType, destinationOptions: job.options)
            try NSPersistentStoreCoordinator(managedObjectModel: job.model).replacePersistentStore(
                at: job.storeURL, destinationOptions: job.options, withPersistentStoreFrom: copy,
                sourceOptions: job.options, ofType: job.storeType)
        } catch {
            try? remove(copy, job)
            throw error
        }
        try? remove(copy, job)
    }

    /// Removes the copy of a process that was killed when the copy had taken the store's place.
    public func cleanUp(after job: MigrationJob) {
        try? remove(copy(of: job), job)
    }

    private func copy(of job: MigrationJob) -> URL {
        job.storeURL.deletingLastPathComponent().appendingPathComponent(".\(job.storeURL.lastPathComponent).migrated")
    }

    /// Takes a store away, with what lies beside it. Nothing happens where there is none.
    private func remove(_ url: URL, _ job: MigrationJob) throws {
        guard FileManager.default.fileExists(atPath: url.path) else { return }
        try NSPersistentStoreCoordinator(managedObjectModel: job.model).destroyPersistentStore(
            at: url, ofType: job.storeType, options: job.options)
        // Destroying an SQLite store leaves empty files.
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: url.path + suffix) {
            try FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }
}

/// A migration that a migration manager carries out.
// @unchecked Sendable: the manager's progress is one number, and it may be cancelled from anywhere.
private final class MigrationManagerProgress: MigrationProgressReporting, @unchecked Sendable {
    private let manager: NSMigrationManager

    init(_ manager: NSMigrationManager) {
        self.manager = manager
    }

    var migrationStatus: MigrationStatus { MigrationStatus(fractionCompleted: Double(manager.migrationProgress)) }

    func cancelMigration() { manager.cancelMigrationWithError(CocoaError(.userCancelled)) }
}
