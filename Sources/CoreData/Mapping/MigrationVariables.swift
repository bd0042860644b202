/// The variable of mapping expressions for the migration manager.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanagerkey)
public let NSMigrationManagerKey = "manager"
/// The variable of mapping expressions for the source object.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationsourceobjectkey)
public let NSMigrationSourceObjectKey = "source"
/// The variable of mapping expressions for the destination object.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationdestinationobjectkey)
public let NSMigrationDestinationObjectKey = "destination"
/// The variable of mapping expressions for the entity mapping that is being carried out.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationentitymappingkey)
public let NSMigrationEntityMappingKey = "entityMapping"
/// The variable of mapping expressions for the property mapping whose value is computed.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationpropertymappingkey)
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The variable of mapping expressions for the policy of the entity mapping.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationentitypolicykey)
public let NSMigrationEntityPolicyKey = "entityPolicy"
