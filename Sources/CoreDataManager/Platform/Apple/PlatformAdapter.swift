import CoreData

extension CoreDataManager.Configuration {
    /// The adapter of this platform.
    static var platformAdapter: any MigrationAdapter { MappingModelAdapter() }
}
