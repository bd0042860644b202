/// The option for a `Progress` that follows the migration of a store, if one is needed.
///
/// OpenCoreData only. The store sets `totalUnitCount` once the work is planned, and raises `completedUnitCount` several
/// times a second, on the thread that adds the store. Any thread may cancel the progress. The migration is undone then:
/// the store stays as it was, and adding it fails with `NSMigrationCancelledError` (134120).
public let NSMigrationProgressOption = "OpenCoreDataMigrationProgress"
