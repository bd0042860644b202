import CoreData

/// Migrates a store for a manager, and says beforehand what that costs: the one place where platforms differ.
///
/// Everything else in this module uses only the interface that Apple's framework has too. `Configuration.adapter` is
/// the platform's own by default; an application may bring another one, for stores that need more than an inferred
/// mapping.
public protocol MigrationAdapter: Sendable {
    /// What migrating the store would cost. Reads only; called away from the main thread.
    ///
    /// - Throws: the error of reading the store. A migration that is impossible is no error but the forecast's
    ///   obstacles.
    func forecast(_ job: MigrationJob) throws -> LaunchForecast

    /// Migrates the store on the calling thread, which is never the main one, and closes it again.
    ///
    /// - Parameter begun: to be called once, before the work begins, with the object that tells the progress.
    /// - Throws: why the store could not be migrated. It must then be as it was before.
    func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws

    /// Removes what a killed process has left of a migration, before a store that needs none is opened. Nothing by
    /// default.
    func cleanUp(after job: MigrationJob)
}

extension MigrationAdapter {
    /// Leaves everything as it is.
    public func cleanUp(after job: MigrationJob) {}
}

/// A store and the model that it is to be brought to.
public struct MigrationJob {
    /// The store's file.
    public var storeURL: URL
    /// The store's type.
    public var storeType: String
    /// The model to reach.
    public var model: NSManagedObjectModel
    /// The configuration of the model that the store holds; nil for all entities.
    public var modelConfiguration: String?
    /// The store's options, without those that ask for a migration.
    public var options: [AnyHashable: Any]

    /// A job for an SQLite store of all entities, without options, unless told otherwise.
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

    /// Whether the store was written by another version of the model. Reads the store's metadata only. A file that a
    /// killed process left before its store was made is no older version: the store is made.
    ///
    /// - Throws: Core Data's error when the file is there and is no store of the type.
    public func isMigrationRequired() throws -> Bool {
        guard storeURL.isFileURL else {
            // Whatever is wrong with a store elsewhere, opening it says.
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

    /// Whether nothing can be in the store before it is opened: it lives in memory, or its file is empty, as that of a
    /// store that was destroyed.
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

    /// Opens the store by a coordinator of its own that may migrate, and closes it again.
    ///
    /// - Parameter more: options beside the job's own and the two that ask for an inferred migration.
    public func migrateByOpening(with more: [AnyHashable: Any] = [:]) throws {
        var options = options.merging(more) { $1 }
        options[NSMigratePersistentStoresAutomaticallyOption] = true
        options[NSInferMappingModelAutomaticallyOption] = true
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: storeType, configurationName: modelConfiguration, at: storeURL, options: options)
        // Closed at once: the coordinator that serves the program opens the store anew and can migrate nothing.
        try coordinator.remove(store)
    }
}

/// Migrates by Core Data's automatic migration alone, as every platform has it: no forecast, no progress.
public struct InferredMigrationAdapter: MigrationAdapter {
    /// The adapter; it has no settings.
    public init() {}

    /// Says whether a migration is required, and nothing of its cost.
    public func forecast(_ job: MigrationJob) throws -> LaunchForecast {
        LaunchForecast(isMigrationRequired: try job.isMigrationRequired())
    }

    /// Opens the store with both migration options; the progress stays at 0 until it is done, and cannot be cancelled.
    public func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
        let progress = Progress(totalUnitCount: 1)
        progress.isCancellable = false
        begun(ProgressAdapter(progress))
        try job.migrateByOpening()
        progress.completedUnitCount = 1
    }
}
