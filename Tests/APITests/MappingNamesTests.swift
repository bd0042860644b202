import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's names of mapping models")
struct MappingNamesTests {
    @Test("NSMappingModel has its members")
    func mappingModel() {
        let _: ([Bundle]?, NSManagedObjectModel?, NSManagedObjectModel?) -> NSMappingModel? = NSMappingModel.init(
            from:forSourceModel:destinationModel:)
        let _: (URL?) -> NSMappingModel? = NSMappingModel.init(contentsOf:)
        let _: (NSManagedObjectModel, NSManagedObjectModel) throws -> NSMappingModel = NSMappingModel
            .inferredMappingModel(forSourceModel:destinationModel:)
        let _: ReferenceWritableKeyPath<NSMappingModel, [NSEntityMapping]?> = \.entityMappings
        let _: KeyPath<NSMappingModel, [String: NSEntityMapping]> = \.entityMappingsByName
        #expect(NSMappingModel().entityMappingsByName.isEmpty)
    }

    @Test("NSEntityMapping has its members")
    func entityMapping() {
        let _: ReferenceWritableKeyPath<NSEntityMapping, String?> = \.name
        let _: ReferenceWritableKeyPath<NSEntityMapping, NSEntityMappingType> = \.mappingType
        let _: ReferenceWritableKeyPath<NSEntityMapping, String?> = \.sourceEntityName
        let _: ReferenceWritableKeyPath<NSEntityMapping, Data?> = \.sourceEntityVersionHash
        let _: ReferenceWritableKeyPath<NSEntityMapping, String?> = \.destinationEntityName
        let _: ReferenceWritableKeyPath<NSEntityMapping, Data?> = \.destinationEntityVersionHash
        let _: ReferenceWritableKeyPath<NSEntityMapping, [NSPropertyMapping]?> = \.attributeMappings
        let _: ReferenceWritableKeyPath<NSEntityMapping, [NSPropertyMapping]?> = \.relationshipMappings
        let _: ReferenceWritableKeyPath<NSEntityMapping, NSExpression?> = \.sourceExpression
        let _: ReferenceWritableKeyPath<NSEntityMapping, [AnyHashable: Any]?> = \.userInfo
        let _: ReferenceWritableKeyPath<NSEntityMapping, String?> = \.entityMigrationPolicyClassName
        #expect(NSEntityMapping().mappingType == .undefinedEntityMappingType)
    }

    @Test("NSEntityMappingType has its cases")
    func mappingTypes() {
        #expect(NSEntityMappingType.undefinedEntityMappingType.rawValue == 0)
        #expect(NSEntityMappingType.customEntityMappingType.rawValue == 1)
        #expect(NSEntityMappingType.addEntityMappingType.rawValue == 2)
        #expect(NSEntityMappingType.removeEntityMappingType.rawValue == 3)
        #expect(NSEntityMappingType.copyEntityMappingType.rawValue == 4)
        #expect(NSEntityMappingType.transformEntityMappingType.rawValue == 5)
    }

    @Test("NSPropertyMapping has its members")
    func propertyMapping() {
        let _: ReferenceWritableKeyPath<NSPropertyMapping, String?> = \.name
        let _: ReferenceWritableKeyPath<NSPropertyMapping, NSExpression?> = \.valueExpression
        let _: ReferenceWritableKeyPath<NSPropertyMapping, [AnyHashable: Any]?> = \.userInfo
        #expect(NSPropertyMapping().valueExpression == nil)
    }

    @Test("the variables of mapping expressions have their names")
    func variables() {
        #expect(NSMigrationManagerKey == "manager")
        #expect(NSMigrationSourceObjectKey == "source")
        #expect(NSMigrationDestinationObjectKey == "destination")
        #expect(NSMigrationEntityMappingKey == "entityMapping")
        #expect(NSMigrationPropertyMappingKey == "propertyMapping")
        #expect(NSMigrationEntityPolicyKey == "entityPolicy")
    }

    @Test("NSFetchRequestExpression has its members")
    func fetchRequestExpression() {
        let _: (NSExpression, NSExpression, Bool) -> NSExpression = NSFetchRequestExpression.expression(
            forFetch:context:countOnly:)
        let _: KeyPath<NSFetchRequestExpression, NSExpression> = \.requestExpression
        let _: KeyPath<NSFetchRequestExpression, NSExpression> = \.contextExpression
        let _: KeyPath<NSFetchRequestExpression, Bool> = \.isCountOnlyRequest
        #expect(NSFetchRequestExpressionType.rawValue == 50)
    }

    @Test("NSEntityMigrationPolicy has its members")
    func policy() {
        typealias Manager = NSMigrationManager
        let _: (NSEntityMigrationPolicy) -> (NSEntityMapping, Manager) throws -> Void = NSEntityMigrationPolicy
            .begin(_:with:)
        let _: (NSEntityMigrationPolicy) -> (NSManagedObject, NSEntityMapping, Manager) throws -> Void =
            NSEntityMigrationPolicy.createDestinationInstances(forSource:in:manager:)
        let _: (NSEntityMigrationPolicy) -> (NSEntityMapping, Manager) throws -> Void = NSEntityMigrationPolicy
            .endInstanceCreation(forMapping:manager:)
        let _: (NSEntityMigrationPolicy) -> (NSManagedObject, NSEntityMapping, Manager) throws -> Void =
            NSEntityMigrationPolicy.createRelationships(forDestination:in:manager:)
        let _: (NSEntityMigrationPolicy) -> (NSEntityMapping, Manager) throws -> Void = NSEntityMigrationPolicy
            .endRelationshipCreation(forMapping:manager:)
        let _: (NSEntityMigrationPolicy) -> (NSEntityMapping, Manager) throws -> Void = NSEntityMigrationPolicy
            .performCustomValidation(forMapping:manager:)
        let _: (NSEntityMigrationPolicy) -> (NSEntityMapping, Manager) throws -> Void = NSEntityMigrationPolicy
            .end(_:manager:)
        #expect(type(of: NSEntityMigrationPolicy()) == NSEntityMigrationPolicy.self)
        // An addition of our own.
        #expect(!NSEntityMigrationPolicy.canResume)
    }

    @Test("NSMigrationManager has its members")
    func manager() {
        typealias Manager = NSMigrationManager
        let _: (NSManagedObjectModel, NSManagedObjectModel) -> Manager = Manager.init(sourceModel:destinationModel:)
        let _:
            (Manager) -> (URL, String, [AnyHashable: Any]?, NSMappingModel?, URL, String, [AnyHashable: Any]?) throws ->
                Void = Manager.migrateStore(
                    from:sourceType:options:with:toDestinationURL:destinationType:destinationOptions:)
        let _:
            (Manager) -> (
                URL, NSPersistentStore.StoreType, [AnyHashable: Any]?, NSMappingModel, URL,
                NSPersistentStore.StoreType, [AnyHashable: Any]?
            ) throws -> Void = Manager.migrateStore(from:type:options:mapping:to:type:options:)
        let _: (Manager) -> () -> Void = Manager.reset
        let _: KeyPath<Manager, NSMappingModel> = \.mappingModel
        let _: KeyPath<Manager, NSManagedObjectModel> = \.sourceModel
        let _: KeyPath<Manager, NSManagedObjectModel> = \.destinationModel
        let _: KeyPath<Manager, NSManagedObjectContext> = \.sourceContext
        let _: KeyPath<Manager, NSManagedObjectContext> = \.destinationContext
        let _: (Manager) -> (NSEntityMapping) -> NSEntityDescription? = Manager.sourceEntity(for:)
        let _: (Manager) -> (NSEntityMapping) -> NSEntityDescription? = Manager.destinationEntity(for:)
        let _: (Manager) -> (NSManagedObject, NSManagedObject, NSEntityMapping) -> Void = Manager
            .associate(sourceInstance:withDestinationInstance:for:)
        let _: (Manager) -> (String, [NSManagedObject]?) -> [NSManagedObject] = Manager
            .destinationInstances(forEntityMappingName:sourceInstances:)
        let _: (Manager) -> (String, [NSManagedObject]?) -> [NSManagedObject] = Manager
            .sourceInstances(forEntityMappingName:destinationInstances:)
        let _: KeyPath<Manager, NSEntityMapping> = \.currentEntityMapping
        let _: KeyPath<Manager, Float> = \.migrationProgress
        let _: ReferenceWritableKeyPath<Manager, [AnyHashable: Any]?> = \.userInfo
        let _: ReferenceWritableKeyPath<Manager, Bool> = \.usesStoreSpecificMigrationManager
        let _: (Manager) -> (any Error) -> Void = Manager.cancelMigrationWithError(_:)
        #expect(NSPersistentStore.migrationManagerClass() is NSMigrationManager.Type)
    }
}
