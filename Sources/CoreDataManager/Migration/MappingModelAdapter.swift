import CoreData

/// Migrates by a mapping model of the program, or by Core Data's automatic migration if there is none.
///
/// A mapping model brings a progress and a way to cancel on every platform. The adapter finds the older version's model
/// and the mapping model among the program's resources, unless you give other functions. Several processes may launch
/// at once: one migrates, and the other processes wait and find the store migrated.
public struct MappingModelAdapter: MigrationAdapter {
    private let sourceModel: @Sendable (_ metadata: [String: Any]) -> NSManagedObjectModel?
    private let mappingModel: @Sendable (NSManagedObjectModel, NSManagedObjectModel) -> NSMappingModel?

    /// Makes an adapter.
    ///
    /// - Parameters:
    ///   - sourceModel: Finds the model of a store by its metadata.
    ///   - mappingModel: Finds the mapping model from the first model to the second.
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

    /// Forecasts whether a migration is required, without its cost.
    public func forecast(_ job: MigrationJob) throws -> LaunchForecast {
        LaunchForecast(isMigrationRequired: try job.isMigrationRequired())
    }

    /// Migrates by the mapping model, or as ``InferredMigrationAdapter`` does.
    public func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: job.storeType, at: job.storeURL, options: job.options)
        guard let source = sourceModel(metadata), let mapping = mappingModel(source, job.model) else {
            return try InferredMigrationAdapter().migrate(job, begun: begun)
        }
        try job.migrate(from: source, by: mapping, begun: begun)
        cleanUp(after: job)
    }

    /// Removes the copy that a killed process with an older version of this library has left beside the store.
    ///
    /// A copy that another process still has open remains.
    ///
    /// - Parameter job: The store, and the model that it has.
    public func cleanUp(after job: MigrationJob) {
        let folder = job.storeURL.deletingLastPathComponent()
        let copy = ".\(job.storeURL.lastPathComponent).migrated"
        guard FileManager.default.fileExists(atPath: folder.appendingPathComponent(copy).path) else { return }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        // A file beside the copy lists the object from which each new one was made. The copy is removed last, because
        // this function searches for it.
        for name in names where name.hasPrefix(".\(copy).associations-") { try? remove(folder, name, job) }
        try? remove(folder, copy, job)
    }

    /// Removes a store and the files that belong to it.
    ///
    /// - Throws: an error if another process has the store open.
    private func remove(_ folder: URL, _ name: String, _ job: MigrationJob) throws {
        let url = folder.appendingPathComponent(name)
        try NSPersistentStoreCoordinator(managedObjectModel: job.model).destroyPersistentStore(
            at: url, ofType: job.storeType, options: job.options)
        // Destroying an SQLite store leaves empty files.
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: url.path + suffix) {
            try FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }
}
