import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's names of the model")
struct ModelNamesTests {
    @Test("NSManagedObjectModel has its members")
    func managedObjectModel() {
        _ = NSManagedObjectModel.self
        let _: () -> NSManagedObjectModel = NSManagedObjectModel.init
        let _: (URL) -> NSManagedObjectModel? = NSManagedObjectModel.init(contentsOf:)
        let _: ([Bundle]?) -> NSManagedObjectModel? = NSManagedObjectModel.mergedModel(from:)
        let _: ([Bundle]?, [String: Any]) -> NSManagedObjectModel? = NSManagedObjectModel.mergedModel(
            from:forStoreMetadata:)
        let _: ([NSManagedObjectModel]?) -> NSManagedObjectModel? = NSManagedObjectModel.init(byMerging:)
        let _: ([NSManagedObjectModel], [String: Any]) -> NSManagedObjectModel? = NSManagedObjectModel.init(
            byMerging:forStoreMetadata:)
        let _: KeyPath<NSManagedObjectModel, [String: NSEntityDescription]> = \.entitiesByName
        let _: ReferenceWritableKeyPath<NSManagedObjectModel, [NSEntityDescription]> = \.entities
        let _: KeyPath<NSManagedObjectModel, [String]> = \.configurations
        let _: (NSManagedObjectModel) -> (String?) -> [NSEntityDescription]? = NSManagedObjectModel.entities(
            forConfigurationName:)
        let _: (NSManagedObjectModel) -> ([NSEntityDescription], String) -> Void = NSManagedObjectModel.setEntities(
            _:forConfigurationName:)
        let _: (NSManagedObjectModel) -> (NSFetchRequest<NSFetchRequestResult>?, String) -> Void = NSManagedObjectModel
            .setFetchRequestTemplate(_:forName:)
        let _: (NSManagedObjectModel) -> (String) -> NSFetchRequest<NSFetchRequestResult>? = NSManagedObjectModel
            .fetchRequestTemplate(forName:)
        let _: (NSManagedObjectModel) -> (String, [String: Any]) -> NSFetchRequest<NSFetchRequestResult>? =
            NSManagedObjectModel.fetchRequestFromTemplate(withName:substitutionVariables:)
        let _: KeyPath<NSManagedObjectModel, [String: NSFetchRequest<NSFetchRequestResult>]> =
            \.fetchRequestTemplatesByName
        let _: ReferenceWritableKeyPath<NSManagedObjectModel, [String: String]?> = \.localizationDictionary
        let _: ReferenceWritableKeyPath<NSManagedObjectModel, Set<AnyHashable>> = \.versionIdentifiers
        let _: (NSManagedObjectModel) -> (String?, [String: Any]) -> Bool = NSManagedObjectModel.isConfiguration(
            withName:compatibleWithStoreMetadata:)
        let _: KeyPath<NSManagedObjectModel, [String: Data]> = \.entityVersionHashesByName
        let _: KeyPath<NSManagedObjectModel, String> = \.versionChecksum
        let _: (URL) throws -> [String: String] = NSManagedObjectModel.checksumsForVersionedModel(at:)
        let _: () -> NSManagedObjectModel = NSManagedObjectModel.init
    }

    @Test("NSEntityDescription has its members")
    func entityDescription() {
        _ = NSEntityDescription.self
        let _: () -> NSEntityDescription = NSEntityDescription.init
        let _: (String, NSManagedObjectContext) -> NSEntityDescription? = NSEntityDescription.entity(forEntityName:in:)
        let _: (String, NSManagedObjectContext) -> NSManagedObject = NSEntityDescription.insertNewObject(
            forEntityName:into:)
        let _: KeyPath<NSEntityDescription, NSManagedObjectModel> = \.managedObjectModel
        let _: ReferenceWritableKeyPath<NSEntityDescription, String?> = \.managedObjectClassName
        let _: ReferenceWritableKeyPath<NSEntityDescription, String?> = \.name
        let _: ReferenceWritableKeyPath<NSEntityDescription, Bool> = \.isAbstract
        let _: KeyPath<NSEntityDescription, [String: NSEntityDescription]> = \.subentitiesByName
        let _: ReferenceWritableKeyPath<NSEntityDescription, [NSEntityDescription]> = \.subentities
        let _: KeyPath<NSEntityDescription, NSEntityDescription?> = \.superentity
        let _: KeyPath<NSEntityDescription, [String: NSPropertyDescription]> = \.propertiesByName
        let _: ReferenceWritableKeyPath<NSEntityDescription, [NSPropertyDescription]> = \.properties
        let _: ReferenceWritableKeyPath<NSEntityDescription, [AnyHashable: Any]?> = \.userInfo
        let _: KeyPath<NSEntityDescription, [String: NSAttributeDescription]> = \.attributesByName
        let _: KeyPath<NSEntityDescription, [String: NSRelationshipDescription]> = \.relationshipsByName
        let _: (NSEntityDescription) -> (NSEntityDescription) -> [NSRelationshipDescription] = NSEntityDescription
            .relationships(forDestination:)
        let _: (NSEntityDescription) -> (NSEntityDescription) -> Bool = NSEntityDescription.isKindOf(entity:)
        let _: KeyPath<NSEntityDescription, Data> = \.versionHash
        let _: ReferenceWritableKeyPath<NSEntityDescription, String?> = \.versionHashModifier
        let _: ReferenceWritableKeyPath<NSEntityDescription, String?> = \.renamingIdentifier
        let _: ReferenceWritableKeyPath<NSEntityDescription, [NSFetchIndexDescription]> = \.indexes
        let _: ReferenceWritableKeyPath<NSEntityDescription, [[Any]]> = \.uniquenessConstraints
        let _: ReferenceWritableKeyPath<NSEntityDescription, [[Any]]> = \.compoundIndexes
        let _: ReferenceWritableKeyPath<NSEntityDescription, NSExpression> = \.coreSpotlightDisplayNameExpression
        let _: () -> NSEntityDescription = NSEntityDescription.init
    }

    @Test("NSPropertyDescription has its members")
    func propertyDescription() {
        _ = NSPropertyDescription.self
        let _: KeyPath<NSPropertyDescription, NSEntityDescription> = \.entity
        let _: ReferenceWritableKeyPath<NSPropertyDescription, String> = \.name
        let _: ReferenceWritableKeyPath<NSPropertyDescription, Bool> = \.isOptional
        let _: ReferenceWritableKeyPath<NSPropertyDescription, Bool> = \.isTransient
        let _: KeyPath<NSPropertyDescription, [NSPredicate]> = \.validationPredicates
        let _: KeyPath<NSPropertyDescription, [Any]> = \.validationWarnings
        let _: (NSPropertyDescription) -> ([NSPredicate]?, [String]?) -> Void = NSPropertyDescription
            .setValidationPredicates(_:withValidationWarnings:)
        let _: ReferenceWritableKeyPath<NSPropertyDescription, [AnyHashable: Any]?> = \.userInfo
        let _: ReferenceWritableKeyPath<NSPropertyDescription, Bool> = \.isIndexed
        let _: KeyPath<NSPropertyDescription, Data> = \.versionHash
        let _: ReferenceWritableKeyPath<NSPropertyDescription, String?> = \.versionHashModifier
        let _: ReferenceWritableKeyPath<NSPropertyDescription, Bool> = \.isIndexedBySpotlight
        let _: ReferenceWritableKeyPath<NSPropertyDescription, Bool> = \.isStoredInExternalRecord
        let _: ReferenceWritableKeyPath<NSPropertyDescription, String?> = \.renamingIdentifier
    }

    @Test("NSAttributeDescription has its members")
    func attributeDescription() {
        _ = NSAttributeDescription.self
        let _: () -> NSAttributeDescription = NSAttributeDescription.init
        let _: ReferenceWritableKeyPath<NSAttributeDescription, NSAttributeType> = \.attributeType
        let _: ReferenceWritableKeyPath<NSAttributeDescription, NSAttributeDescription.AttributeType> = \.type
        let _: ReferenceWritableKeyPath<NSAttributeDescription, String?> = \.attributeValueClassName
        let _: ReferenceWritableKeyPath<NSAttributeDescription, Any?> = \.defaultValue
        let _: KeyPath<NSAttributeDescription, Data> = \.versionHash
        let _: ReferenceWritableKeyPath<NSAttributeDescription, String?> = \.valueTransformerName
        let _: ReferenceWritableKeyPath<NSAttributeDescription, Bool> = \.allowsExternalBinaryDataStorage
        let _: ReferenceWritableKeyPath<NSAttributeDescription, Bool> = \.preservesValueInHistoryOnDeletion
        let _: ReferenceWritableKeyPath<NSAttributeDescription, Bool> = \.allowsCloudEncryption
        _ = NSAttributeType.self
        #expect(NSAttributeType.undefinedAttributeType.rawValue == 0)
        #expect(NSAttributeType.integer16AttributeType.rawValue == 100)
        #expect(NSAttributeType.integer32AttributeType.rawValue == 200)
        #expect(NSAttributeType.integer64AttributeType.rawValue == 300)
        #expect(NSAttributeType.decimalAttributeType.rawValue == 400)
        #expect(NSAttributeType.doubleAttributeType.rawValue == 500)
        #expect(NSAttributeType.floatAttributeType.rawValue == 600)
        #expect(NSAttributeType.stringAttributeType.rawValue == 700)
        #expect(NSAttributeType.booleanAttributeType.rawValue == 800)
        #expect(NSAttributeType.dateAttributeType.rawValue == 900)
        #expect(NSAttributeType.binaryDataAttributeType.rawValue == 1000)
        #expect(NSAttributeType.UUIDAttributeType.rawValue == 1100)
        #expect(NSAttributeType.URIAttributeType.rawValue == 1200)
        #expect(NSAttributeType.transformableAttributeType.rawValue == 1800)
        #expect(NSAttributeType.objectIDAttributeType.rawValue == 2000)
        #expect(NSAttributeType.compositeAttributeType.rawValue == 2100)
        _ = NSAttributeDescription.AttributeType.self
        let _: NSAttributeDescription.AttributeType = .binaryData
        let _: NSAttributeDescription.AttributeType = .boolean
        let _: NSAttributeDescription.AttributeType = .composite
        let _: NSAttributeDescription.AttributeType = .date
        let _: NSAttributeDescription.AttributeType = .decimal
        let _: NSAttributeDescription.AttributeType = .double
        let _: NSAttributeDescription.AttributeType = .float
        let _: NSAttributeDescription.AttributeType = .integer16
        let _: NSAttributeDescription.AttributeType = .integer32
        let _: NSAttributeDescription.AttributeType = .integer64
        let _: NSAttributeDescription.AttributeType = .objectID
        let _: NSAttributeDescription.AttributeType = .string
        let _: NSAttributeDescription.AttributeType = .transformable
        let _: NSAttributeDescription.AttributeType = .undefined
        let _: NSAttributeDescription.AttributeType = .uri
        let _: NSAttributeDescription.AttributeType = .uuid
        let _: () -> NSAttributeDescription = NSAttributeDescription.init
    }

    @Test("NSDerivedAttributeDescription has its members")
    func derivedAttributeDescription() {
        _ = NSDerivedAttributeDescription.self
        let _: ReferenceWritableKeyPath<NSDerivedAttributeDescription, NSExpression?> = \.derivationExpression
    }

    @Test("NSCompositeAttributeDescription has its members")
    func compositeAttributeDescription() {
        _ = NSCompositeAttributeDescription.self
        let _: ReferenceWritableKeyPath<NSCompositeAttributeDescription, [NSAttributeDescription]> = \.elements
    }

    @Test("NSRelationshipDescription has its members")
    func relationshipDescription() {
        _ = NSRelationshipDescription.self
        let _: () -> NSRelationshipDescription = NSRelationshipDescription.init
        let _: ReferenceWritableKeyPath<NSRelationshipDescription, NSEntityDescription?> = \.destinationEntity
        let _: ReferenceWritableKeyPath<NSRelationshipDescription, NSRelationshipDescription?> = \.inverseRelationship
        let _: ReferenceWritableKeyPath<NSRelationshipDescription, Int> = \.maxCount
        let _: ReferenceWritableKeyPath<NSRelationshipDescription, Int> = \.minCount
        let _: ReferenceWritableKeyPath<NSRelationshipDescription, NSDeleteRule> = \.deleteRule
        let _: KeyPath<NSRelationshipDescription, Bool> = \.isToMany
        let _: ReferenceWritableKeyPath<NSRelationshipDescription, Bool> = \.isOrdered
        let _: KeyPath<NSRelationshipDescription, Data> = \.versionHash
        _ = NSDeleteRule.self
        #expect(NSDeleteRule.noActionDeleteRule.rawValue == 0)
        #expect(NSDeleteRule.nullifyDeleteRule.rawValue == 1)
        #expect(NSDeleteRule.cascadeDeleteRule.rawValue == 2)
        #expect(NSDeleteRule.denyDeleteRule.rawValue == 3)
        let _: () -> NSRelationshipDescription = NSRelationshipDescription.init
    }

    @Test("NSFetchedPropertyDescription has its members")
    func fetchedPropertyDescription() {
        _ = NSFetchedPropertyDescription.self
        let _: ReferenceWritableKeyPath<NSFetchedPropertyDescription, NSFetchRequest<NSFetchRequestResult>?> =
            \.fetchRequest
    }

    @Test("NSExpressionDescription has its members")
    func expressionDescription() {
        _ = NSExpressionDescription.self
        let _: () -> NSExpressionDescription = NSExpressionDescription.init
        let _: ReferenceWritableKeyPath<NSExpressionDescription, NSExpression?> = \.expression
        let _: ReferenceWritableKeyPath<NSExpressionDescription, NSAttributeType> = \.expressionResultType
        let _: ReferenceWritableKeyPath<NSExpressionDescription, NSAttributeDescription.AttributeType> = \.resultType
        let _: () -> NSExpressionDescription = NSExpressionDescription.init
    }

    @Test("NSFetchIndexDescription has its members")
    func fetchIndexDescription() {
        _ = NSFetchIndexDescription.self
        let _: (String, [NSFetchIndexElementDescription]?) -> NSFetchIndexDescription = NSFetchIndexDescription.init(
            name:elements:)
        let _: ReferenceWritableKeyPath<NSFetchIndexDescription, String> = \.name
        let _: ReferenceWritableKeyPath<NSFetchIndexDescription, [NSFetchIndexElementDescription]> = \.elements
        let _: KeyPath<NSFetchIndexDescription, NSEntityDescription?> = \.entity
        let _: ReferenceWritableKeyPath<NSFetchIndexDescription, NSPredicate?> = \.partialIndexPredicate
    }

    @Test("NSFetchIndexElementDescription has its members")
    func fetchIndexElementDescription() {
        _ = NSFetchIndexElementDescription.self
        let _: (NSPropertyDescription, NSFetchIndexElementType) -> NSFetchIndexElementDescription =
            NSFetchIndexElementDescription.init(property:collationType:)
        let _: KeyPath<NSFetchIndexElementDescription, NSPropertyDescription?> = \.property
        let _: KeyPath<NSFetchIndexElementDescription, String?> = \.propertyName
        let _: ReferenceWritableKeyPath<NSFetchIndexElementDescription, NSFetchIndexElementType> = \.collationType
        let _: ReferenceWritableKeyPath<NSFetchIndexElementDescription, Bool> = \.isAscending
        let _: KeyPath<NSFetchIndexElementDescription, NSFetchIndexDescription?> = \.indexDescription
    }
}
