import Foundation

/// The option for the `NSMappingModel` that migrates the store if it does not fit the model.
///
/// OpenCoreData only. The option is used in place of a mapping model among the program's resources.
/// ``NSMigratePersistentStoresAutomaticallyOption`` has to be true, too.
///
/// The store is migrated in one hop, into a copy that takes its place. Locks, progress, cancelling and resuming after a
/// kill work as for other mapping models. A process that adds the store during the migration waits, and then opens the
/// migrated store. Do not change the mapping model while the store is being added.
public let NSMigrationMappingModelOption = "OpenCoreDataMigrationMappingModel"

/// The option for the `NSManagedObjectModel` that the mapping model under ``NSMigrationMappingModelOption`` begins
/// with.
///
/// OpenCoreData only. A store of another version is migrated without the mapping model, as if neither option were
/// there. Without this option the store's own model counts: the one in the store, or the one among the program's
/// resources.
public let NSMigrationSourceModelOption = "OpenCoreDataMigrationSourceModel"

/// The mapping model that a program names for the migration of a store.
struct GivenMapping {
    private let mapping: NSMappingModel
    private let source: NSManagedObjectModel?

    /// Returns nil if the options name no mapping model.
    init?(_ options: [AnyHashable: Any]?) {
        guard let mapping = options?[NSMigrationMappingModelOption] as? NSMappingModel else { return nil }
        self.mapping = mapping
        source = options?[NSMigrationSourceModelOption] as? NSManagedObjectModel
    }

    /// The hop from the version of a store to a model; nil if the mapping model begins with another version. The
    /// store's model is read only if the program does not name it.
    func hop(from store: SourceModel, to target: NSManagedObjectModel) throws -> MigrationHop? {
        if let source {
            guard store.fits(source) else { return nil }
            return MigrationHop(source: source.copied(), target: target, means: .mapping(mapping))
        }
        return MigrationHop(source: try store.find(), target: target, means: .mapping(mapping))
    }
}
