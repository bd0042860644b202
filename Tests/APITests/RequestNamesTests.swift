import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's names of requests and predicates")
struct RequestNamesTests {
    @Test("NSFetchRequest has its members")
    func fetchRequest() {
        _ = NSFetchRequest<NSManagedObject>.self
        let _: () -> NSFetchRequest<NSManagedObject> = NSFetchRequest<NSManagedObject>.init
        let _: (String) -> NSFetchRequest<NSManagedObject> = NSFetchRequest<NSManagedObject>.init(entityName:)
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, NSEntityDescription?> = \.entity
        let _: KeyPath<NSFetchRequest<NSManagedObject>, String?> = \.entityName
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, NSPredicate?> = \.predicate
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, [NSSortDescriptor]?> = \.sortDescriptors
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, Int> = \.fetchLimit
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, Int> = \.fetchOffset
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, Int> = \.fetchBatchSize
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, [NSPersistentStore]?> = \.affectedStores
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, NSFetchRequestResultType> = \.resultType
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, Bool> = \.includesSubentities
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, Bool> = \.includesPropertyValues
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, Bool> = \.includesPendingChanges
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, Bool> = \.returnsObjectsAsFaults
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, Bool> = \.returnsDistinctResults
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, [String]?> =
            \.relationshipKeyPathsForPrefetching
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, [Any]?> = \.propertiesToFetch
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, [Any]?> = \.propertiesToGroupBy
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, NSPredicate?> = \.havingPredicate
        let _: ReferenceWritableKeyPath<NSFetchRequest<NSManagedObject>, Bool> = \.shouldRefreshRefetchedObjects
        let _: (NSFetchRequest<NSManagedObject>) -> () throws -> [NSManagedObject] = NSFetchRequest<NSManagedObject>
            .execute
        _ = NSFetchRequestResultType.self
        #expect(NSFetchRequestResultType.managedObjectResultType.rawValue == 0)
        #expect(NSFetchRequestResultType.managedObjectIDResultType.rawValue == 1)
        #expect(NSFetchRequestResultType.dictionaryResultType.rawValue == 2)
        #expect(NSFetchRequestResultType.countResultType.rawValue == 4)
        let _: [any NSFetchRequestResult.Type] = [
            NSManagedObject.self, NSManagedObjectID.self, NSDictionary.self, NSNumber.self,
        ]
        _ = NSFetchRequest<NSManagedObject>()
    }

    @Test("NSPersistentStoreRequest has its members")
    func persistentStoreRequest() {
        _ = NSPersistentStoreRequest.self
        let _: ReferenceWritableKeyPath<NSPersistentStoreRequest, [NSPersistentStore]?> = \.affectedStores
        let _: KeyPath<NSPersistentStoreRequest, NSPersistentStoreRequestType> = \.requestType
    }

    @Test("NSPredicate has its members")
    func predicate() {
        let _: (Bool) -> NSPredicate = NSPredicate.init(value:)
        _ = NSPredicate(block: { _, _ in true })
        _ = NSPredicate(format: "a == %@ AND b == %d", "x", 1)
        _ = NSPredicate(format: "a == %@", argumentArray: ["x"])
        let _: KeyPath<NSComparisonPredicate, String> = \.predicateFormat
        let _: (NSPredicate) -> (Any?) -> Bool = NSPredicate.evaluate(with:)
        let _: (NSPredicate) -> (Any?, [String: Any]?) -> Bool = NSPredicate.evaluate(with:substitutionVariables:)
        let _: NSPredicate = NSPredicate(format: "a == $b").withSubstitutionVariables(["b": 1])
        #expect(NSPredicate(format: "a == 1").isEqual(NSPredicate(format: "a == 1")))
        #expect(NSPredicate(format: "a == 1").copy() is NSPredicate)
        let _: ([NSPredicate]) -> NSCompoundPredicate = NSCompoundPredicate.init(andPredicateWithSubpredicates:)
        let _: ([NSPredicate]) -> NSCompoundPredicate = NSCompoundPredicate.init(orPredicateWithSubpredicates:)
        let _: (NSPredicate) -> NSCompoundPredicate = NSCompoundPredicate.init(notPredicateWithSubpredicate:)
        let _: (NSCompoundPredicate.LogicalType, [NSPredicate]) -> NSCompoundPredicate = NSCompoundPredicate.init(
            type:subpredicates:)
        let _: KeyPath<NSCompoundPredicate, NSCompoundPredicate.LogicalType> = \.compoundPredicateType
        let _: KeyPath<NSCompoundPredicate, [Any]> = \.subpredicates
        let _: KeyPath<NSComparisonPredicate, NSExpression> = \.leftExpression
        let _: KeyPath<NSComparisonPredicate, NSExpression> = \.rightExpression
        let _: KeyPath<NSComparisonPredicate, NSComparisonPredicate.Operator> = \.predicateOperatorType
        let _: KeyPath<NSComparisonPredicate, NSComparisonPredicate.Modifier> = \.comparisonPredicateModifier
        let _: KeyPath<NSComparisonPredicate, NSComparisonPredicate.Options> = \.options
        let _:
            (
                NSExpression, NSExpression, NSComparisonPredicate.Modifier, NSComparisonPredicate.Operator,
                NSComparisonPredicate.Options
            ) -> NSComparisonPredicate = NSComparisonPredicate.init(
                leftExpression:rightExpression:modifier:type:options:)
        let _: (String) -> NSExpression = NSExpression.init(forKeyPath:)
        let _: (Any?) -> NSExpression = NSExpression.init(forConstantValue:)
        let _: (String) -> NSExpression = NSExpression.init(forVariable:)
        let _: ([NSExpression]) -> NSExpression = NSExpression.init(forAggregate:)
        let _: (String, [Any]) -> NSExpression = NSExpression.init(forFunction:arguments:)
        let _: (NSExpression, String, NSPredicate) -> NSExpression = NSExpression.init(
            forSubquery:usingIteratorVariable:predicate:)
        let _: (NSExpression, NSExpression) -> NSExpression = NSExpression.init(forUnionSet:with:)
        let _: (NSExpression, NSExpression) -> NSExpression = NSExpression.init(forIntersectSet:with:)
        let _: (NSExpression, NSExpression) -> NSExpression = NSExpression.init(forMinusSet:with:)
        let _: (NSPredicate, NSExpression, NSExpression) -> NSExpression = NSExpression.init(
            forConditional:trueExpression:falseExpression:)
        _ = NSExpression(forBlock: { _, _, _ in 1 }, arguments: nil)
        _ = NSExpression(format: "a + %d", 1)
        _ = NSExpression(format: "a + %d", argumentArray: [1])
        let _: () -> NSExpression = NSExpression.expressionForEvaluatedObject
        let _: KeyPath<NSExpression, NSExpression.ExpressionType> = \.expressionType
        let _: KeyPath<NSExpression, String> = \.keyPath
        let _: KeyPath<NSExpression, Any?> = \.constantValue
        let _: KeyPath<NSExpression, String> = \.function
        let _: KeyPath<NSExpression, [NSExpression]?> = \.arguments
        let _: KeyPath<NSExpression, NSExpression> = \.operand
        let _: KeyPath<NSExpression, Any> = \.collection
        let _: KeyPath<NSExpression, String> = \.variable
        _ = SortDescriptor(\NSManagedObject.hasChanges, order: .reverse)
        _ = NSSortDescriptor(key: "a", ascending: true)
        _ = NSSortDescriptor(key: "a", ascending: true, comparator: { _, _ in .orderedSame })
        _ = NSSortDescriptor(keyPath: \NSString.length, ascending: true)
        _ = NSSortDescriptor(key: "a", ascending: true, selector: SortSelector.caseInsensitiveCompare)
    }
}
