/// The option for a ``NSStagedMigrationManager``, whose stages bring an older store to the coordinator's model.
///
/// ``NSMigratePersistentStoresAutomaticallyOption`` must be true as well.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorestagedmigrationmanageroptionkey)
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"
