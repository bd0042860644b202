/// Option of adding a store: a `Progress` that follows the migration, should one be needed.
///
/// An addition to Apple's options. The store sets `totalUnitCount` once it knows the work and moves
/// `completedUnitCount` forward several times a second, on the thread that adds the store. Cancelling the progress,
/// from any thread, undoes the migration: the store stays as it was and adding it fails with
/// `NSMigrationCancelledError`.
public let NSMigrationProgressOption = "OpenCoreDataMigrationProgress"
