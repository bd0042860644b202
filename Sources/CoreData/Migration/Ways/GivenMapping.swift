import Foundation

/// Option of adding a store: the `NSMappingModel` by which the store is migrated when it does not fit the model,
/// instead of one among the program's resources.
///
/// The store is migrated in one hop, into a copy that takes its place, with everything that
/// `NSMigratePersistentStoresAutomaticallyOption`, which has to be there too, does for other mapping models: locks,
/// progress, cancelling, going on after a kill. Whoever adds the store meanwhile waits, and then opens the migrated
/// one. The mapping model must not be changed while the store is added.
///
/// An addition to Apple's interface.
public let NSMigrationMappingModelOption = "OpenCoreDataMigrationMappingModel"

/// Option of adding a store, beside `NSMigrationMappingModelOption`: the `NSManagedObjectModel` that the mapping model
/// begins with.
///
/// A store of another version is migrated without the mapping model, as if neither option were there. Without this
/// option the store's own model serves: the one that it keeps, or the one among the program's resources.
///
/// An addition to Apple's interface.
public let NSMigrationSourceModelOption = "OpenCoreDataMigrationSourceModel"

/// The mapping model that a program names for the migration of a store.
struct GivenMapping {
    private let mapping: NSMappingModel
    private let source: NSManagedObjectModel?

    /// Nil where the options name none.
    init?(_ options: [AnyHashable: Any]?) {
        guard let mapping = options?[NSMigrationMappingModelOption] as? NSMappingModel else { return nil }
        self.mapping = mapping
        source = options?[NSMigrationSourceModelOption] as? NSManagedObjectModel
    }

    /// The hop from the version of a store to a model; nil where the mapping model begins with another version.
    ///
    /// - Parameter find: finds the store's model where the program does not name it.
    func hop(
        from store: SourceModel, to target: NSManagedObjectModel, find: () throws -> NSManagedObjectModel
    ) throws -> MigrationHop? {
        if let source {
            guard store.fits(source) else { return nil }
            return MigrationHop(source: source.copied(), target: target, means: .mapping(mapping))
        }
        return MigrationHop(source: try find(), target: target, means: .mapping(mapping))
    }
}
