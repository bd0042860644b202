import CoreData

/// Migrates a store for a manager, and forecasts the cost.
///
/// Only adapters differ between platforms. All other code in this module uses only the interface that Apple's framework
/// has, too. ``CoreDataManager/CoreDataManager/Configuration/adapter`` is the platform's own adapter by default. Write
/// your own for stores that need more than an inferred mapping.
public protocol MigrationAdapter: Sendable {
    /// Forecasts the cost of migrating a store. The method only reads.
    ///
    /// The manager calls it away from the main thread.
    ///
    /// - Parameter job: The store, and the model to reach.
    /// - Returns: The forecast. If the migration is impossible, the forecast lists the obstacles.
    /// - Throws: The error of reading the store.
    func forecast(_ job: MigrationJob) throws -> LaunchForecast

    /// Migrates a store on the calling thread, and closes it again.
    ///
    /// The manager never calls it on the main thread.
    ///
    /// - Parameters:
    ///   - job: The store, and the model to reach.
    ///   - begun: A function that you call once, before the work begins, with an object that has the progress.
    /// - Throws: The error of the migration. The store must then be as it was before.
    func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws

    /// Removes the files that a migration in a killed process has left. The default does nothing.
    ///
    /// The manager calls it before it opens a store that needs no migration.
    ///
    /// - Parameter job: The store, and the model that it has.
    func cleanUp(after job: MigrationJob)
}

extension MigrationAdapter {
    /// Does nothing.
    public func cleanUp(after job: MigrationJob) {}
}

/// A store, and the model to which it is to be migrated.
public struct MigrationJob {
    /// The file of the store.
    public var storeURL: URL
    /// The type of the store.
    public var storeType: String
    /// The model to reach.
    public var model: NSManagedObjectModel
    /// The configuration of the model that the store holds; nil for all entities.
    public var modelConfiguration: String?
    /// The options of the store, without the two for automatic and inferred migration.
    public var options: [AnyHashable: Any]

    /// Makes a job.
    ///
    /// - Parameters:
    ///   - storeURL: The file of the store.
    ///   - storeType: The type of the store. The default is SQLite.
    ///   - model: The model to reach.
    ///   - modelConfiguration: The configuration of the model that the store holds; nil for all entities.
    ///   - options: The options of the store, without the two for automatic and inferred migration.
    public init(
        storeURL: URL, storeType: String = NSSQLiteStoreType, model: NSManagedObjectModel,
        modelConfiguration: String? = nil, options: [AnyHashable: Any] = [:]
    ) {
        self.storeURL = storeURL
        self.storeType = storeType
        self.model = model
        self.modelConfiguration = modelConfiguration
        self.options = options
    }

    /// Whether the store was written by another version of the model. The method reads the store's metadata only.
    ///
    /// A file that a killed process left before its store was made needs no migration, because opening it makes the
    /// store. A store in a database whose metadata cannot be read needs none either, because opening it throws the
    /// error.
    ///
    /// - Returns: True if the store has to be migrated.
    /// - Throws: Core Data's error if the file exists and is not a store of the type.
    public func isMigrationRequired() throws -> Bool {
        guard storeURL.isFileURL else {
            // The fault of a store in a database is reported when the store is opened.
            let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: storeType, at: storeURL, options: options)
            return metadata.map(isOfAnotherVersion) ?? false
        }
        guard FileManager.default.fileExists(atPath: storeURL.path), !isEmpty else { return false }
        let metadata: [String: Any]
        do {
            metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: storeType, at: storeURL, options: options)
        } catch let error as NSError where error.code == CocoaError.Code.fileReadCorruptFile.rawValue {
            guard canBeOpened else { throw error }
            return false
        }
        return isOfAnotherVersion(metadata)
    }

    private func isOfAnotherVersion(_ metadata: [String: Any]) -> Bool {
        !model.isConfiguration(withName: modelConfiguration, compatibleWithStoreMetadata: metadata)
    }

    /// Whether the store is certainly empty before it is opened: it is in memory, or its file is empty, as that of a
    /// destroyed store.
    private var isEmpty: Bool {
        let file = storeURL.standardizedFileURL.resolvingSymlinksInPath()
        if file.path == "/dev/null" { return true }
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return attributes?[.type] as? FileAttributeType == .typeRegular
            && (attributes?[.size] as? NSNumber)?.intValue == 0
    }

    /// Whether the store opens as it is.
    private var canBeOpened: Bool {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try? coordinator.addPersistentStore(
            ofType: storeType, configurationName: modelConfiguration, at: storeURL, options: options)
        guard let store else { return false }
        return (try? coordinator.remove(store)) != nil
    }

    /// Opens the store with a new coordinator that may migrate it, and closes it again.
    ///
    /// - Parameter more: Options to add to the job's own options and to the two that ask for an inferred migration.
    /// - Throws: Core Data's error of opening or migrating the store.
    public func migrateByOpening(with more: [AnyHashable: Any] = [:]) throws {
        var options = options.merging(more) { $1 }
        options[NSMigratePersistentStoresAutomaticallyOption] = true
        options[NSInferMappingModelAutomaticallyOption] = true
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: storeType, configurationName: modelConfiguration, at: storeURL, options: options)
        // Closed at once, because the program's own coordinator opens the store anew and must not migrate.
        try coordinator.remove(store)
    }
}

/// Migrates by Core Data's automatic migration only, without a forecast of the cost and without a progress.
public struct InferredMigrationAdapter: MigrationAdapter {
    /// Makes an adapter. It has no settings.
    public init() {}

    /// Forecasts whether a migration is required, without its cost.
    public func forecast(_ job: MigrationJob) throws -> LaunchForecast {
        LaunchForecast(isMigrationRequired: try job.isMigrationRequired())
    }

    /// Opens the store with both migration options.
    ///
    /// The progress stays at 0 until the migration is done, and the migration cannot be cancelled.
    public func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
        let progress = Progress(totalUnitCount: 1)
        progress.isCancellable = false
        begun(ProgressAdapter(progress))
        try job.migrateByOpening()
        progress.completedUnitCount = 1
    }
}
