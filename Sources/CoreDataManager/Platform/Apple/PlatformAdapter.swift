import CoreData

extension CoreDataManager.Configuration {
    /// The adapter of this platform.
    static var platformAdapter: any MigrationAdapter { MappingModelAdapter() }

    /// The keys of options that say how to migrate, where the system has them.
    static var migrationOptions: [String] {
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) else { return [] }
        return [
            NSPersistentStoreStagedMigrationManagerOptionKey, NSPersistentStoreDeferredLightweightMigrationOptionKey,
        ]
    }

    /// The framework drops silently what a model has no place for.
    static var allowedLossesOption: String? { nil }
}
