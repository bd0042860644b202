/// Option of adding a store: the `NSStagedMigrationManager` whose stages bring an older store to the coordinator's
/// model.
///
/// `NSMigratePersistentStoresAutomaticallyOption` must be true as well.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"
