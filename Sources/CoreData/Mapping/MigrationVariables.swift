/// The name of the variable of mapping expressions that stands for the migration manager.
public let NSMigrationManagerKey = "manager"
/// The name of the variable that stands for the object that is migrated.
public let NSMigrationSourceObjectKey = "source"
/// The name of the variable that stands for the object that came of it.
public let NSMigrationDestinationObjectKey = "destination"
/// The name of the variable that stands for the entity mapping being carried out.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The name of the variable that stands for the property mapping whose value is asked for.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The name of the variable that stands for the entity mapping's policy.
public let NSMigrationEntityPolicyKey = "entityPolicy"
