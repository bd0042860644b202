import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Names that Foundation on Linux lacks")
struct FoundationNamesTests {
    @Test("The pieces have the types they have in Apple's Foundation")
    func foundation() {
        let _: (Int, Int) -> IndexPath = IndexPath.init(row:section:)
        let _: (Int, Int) -> IndexPath = IndexPath.init(item:section:)
        let _: WritableKeyPath<IndexPath, Int> = \.row
        let _: WritableKeyPath<IndexPath, Int> = \.item
        let _: WritableKeyPath<IndexPath, Int> = \.section
        let _: (NSArray) -> (String) -> Any? = NSArray.value(forKey:)
        let _: (NSArray) -> (NSPredicate) -> [Any] = NSArray.filtered(using:)
        let _: (NSArray) -> ([NSSortDescriptor]) -> [Any] = NSArray.sortedArray(using:)
        let _: (NSSet) -> (String) -> Any? = NSSet.value(forKey:)
        let _: (NSSet) -> (NSPredicate) -> Set<AnyHashable> = NSSet.filtered(using:)
        let _: (NSSet) -> ([NSSortDescriptor]) -> [Any] = NSSet.sortedArray(using:)
        let _:
            (NotificationCenter) -> (Notification.Name, (AnyObject & Sendable)?) -> NotificationCenter.Notifications =
                NotificationCenter.notifications(named:object:)
        let _: (ValueTransformer?, NSValueTransformerName) -> Void = ValueTransformer.setValueTransformer(_:forName:)
        let _: (NSValueTransformerName) -> ValueTransformer? = ValueTransformer.init(forName:)
        let _: () -> [NSValueTransformerName] = ValueTransformer.valueTransformerNames
        let _: () -> AnyClass = ValueTransformer.transformedValueClass
        let _: () -> Bool = ValueTransformer.allowsReverseTransformation
        let _: (ValueTransformer) -> (Any?) -> Any? = ValueTransformer.transformedValue
        let _: (ValueTransformer) -> (Any?) -> Any? = ValueTransformer.reverseTransformedValue
        let _: [AnyClass] = NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses
        let _: (NSManagedObject) -> (String, NSKeyValueSetMutationKind, Set<AnyHashable>) -> Void =
            NSManagedObject.willChangeValue(forKey:withSetMutation:using:)
        let _: (NSManagedObject) -> (String, NSKeyValueSetMutationKind, Set<AnyHashable>) -> Void =
            NSManagedObject.didChangeValue(forKey:withSetMutation:using:)
        let _: () -> String = NSObject.description
        let _: (NSFastEnumerationIterator) -> () -> Any? = NSFastEnumerationIterator.next
        #expect(NSValueTransformerName.negateBooleanTransformerName.rawValue == "NSNegateBoolean")
        #expect(NSValueTransformerName.isNilTransformerName.rawValue == "NSIsNil")
        #expect(NSValueTransformerName.isNotNilTransformerName.rawValue == "NSIsNotNil")
        #expect(NSValueTransformerName.keyedUnarchiveFromDataTransformerName.rawValue == "NSKeyedUnarchiveFromData")
        #expect(NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue == "NSSecureUnarchiveFromData")
        _ = { (center: NotificationCenter) in center.addObserver(forName: nil, object: nil, queue: nil) { _ in } }
    }
}
