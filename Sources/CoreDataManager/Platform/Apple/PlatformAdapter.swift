import CoreData

extension CoreDataManager.Configuration {
    /// The adapter of this platform.
    static var platformAdapter: any MigrationAdapter { MappingModelAdapter() }

    /// The keys of options about the way of migrating, on systems that have them.
    static var migrationOptions: [String] {
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) else { return [] }
        return [
            NSPersistentStoreStagedMigrationManagerOptionKey, NSPersistentStoreDeferredLightweightMigrationOptionKey,
        ]
    }

    /// Nil, because the framework silently drops content for which a model has no place.
    static var allowedLossesOption: String? { nil }
}
