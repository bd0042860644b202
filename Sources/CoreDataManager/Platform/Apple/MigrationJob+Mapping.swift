import CoreData

extension MigrationJob {
    /// Migrates the store by a migration manager, into a folder of the system for replacing the store, and puts the
    /// result in the store's place.
    ///
    /// A file coordinator lets one process migrate at a time; its claim ends with the process. A process that waited
    /// for another one finds the store migrated, and does nothing.
    func migrate(
        from source: NSManagedObjectModel, by mapping: NSMappingModel,
        begun: (any MigrationProgressReporting) -> Void
    ) throws {
        let manager = NSMigrationManager(sourceModel: source, destinationModel: model)
        begun(MigrationManagerProgress(manager))
        var refusal: NSError?
        var outcome: Result<Void, any Error> = .success(())
        NSFileCoordinator().coordinate(writingItemAt: storeURL, options: .forReplacing, error: &refusal) { _ in
            outcome = Result {
                guard try isMigrationRequired() else { return }
                try migrate(by: manager, mapping)
            }
        }
        if let refusal { throw refusal }
        try outcome.get()
    }

    private func migrate(by manager: NSMigrationManager, _ mapping: NSMappingModel) throws {
        let folder = try FileManager.default.url(
            for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: storeURL, create: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let copy = folder.appendingPathComponent(storeURL.lastPathComponent)
        try manager.migrateStore(
            from: storeURL, sourceType: storeType, options: options, with: mapping, toDestinationURL: copy,
            destinationType: storeType, destinationOptions: options)
        try NSPersistentStoreCoordinator(managedObjectModel: model).replacePersistentStore(
            at: storeURL, destinationOptions: options, withPersistentStoreFrom: copy, sourceOptions: options,
            ofType: storeType)
    }
}

/// A migration that a migration manager carries out.
// @unchecked Sendable: the manager's progress is one number, and any thread may cancel it.
private final class MigrationManagerProgress: MigrationProgressReporting, @unchecked Sendable {
    private let manager: NSMigrationManager

    init(_ manager: NSMigrationManager) {
        self.manager = manager
    }

    var migrationStatus: MigrationStatus { MigrationStatus(fractionCompleted: Double(manager.migrationProgress)) }

    func cancelMigration() { manager.cancelMigrationWithError(CocoaError(.userCancelled)) }
}
