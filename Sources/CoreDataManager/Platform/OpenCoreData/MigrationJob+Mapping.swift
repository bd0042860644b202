import CoreData

extension MigrationJob {
    /// Migrates the store by a mapping model. The coordinator does the work: it excludes other processes, builds a
    /// copy, exchanges it with the store, and resumes where a killed process stopped. A process that waited for another
    /// one opens the migrated store.
    func migrate(
        from source: NSManagedObjectModel, by mapping: NSMappingModel,
        begun: (any MigrationProgressReporting) -> Void
    ) throws {
        let monitor = MigrationMonitor()
        begun(MonitorAdapter(monitor, forecast: nil))
        try migrateByOpening(with: [
            NSMigrationProgressOption: monitor.progress, NSMigrationMappingModelOption: mapping,
            NSMigrationSourceModelOption: source,
        ])
    }
}
