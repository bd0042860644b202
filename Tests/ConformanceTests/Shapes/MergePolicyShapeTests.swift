import CoreData
import XCTest

private class CountingPolicy: NSMergePolicy {
    var count = 0

    init() { super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType) }
    override init(merge ty: NSMergePolicyType) { super.init(merge: ty) }
    override var mergeType: NSMergePolicyType { super.mergeType }
    override func resolve(mergeConflicts list: [Any]) throws {
        count += list.count
        try super.resolve(mergeConflicts: list)
    }
    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        count += list.count
        try super.resolve(optimisticLockingConflicts: list)
    }
    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        count += list.count
        try super.resolve(constraintConflicts: list)
    }
    override class var error: NSMergePolicy { CountingPolicy() }
}

private class NotedConflict: NSConstraintConflict {
    override var constraint: [String] { ["email"] }
    override var constraintValues: [String: Any] { super.constraintValues }
    override var databaseObject: NSManagedObject? { super.databaseObject }
    override var databaseSnapshot: [String: Any]? { super.databaseSnapshot }
    override var conflictingObjects: [NSManagedObject] { super.conflictingObjects }
    override var conflictingSnapshots: [[AnyHashable: Any]] { super.conflictingSnapshots }
}

private protocol Resolving {
    func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws
    static var rollback: NSMergePolicy { get }
}

extension NSMergePolicy: Resolving {}

final class MergePolicyShapeTests: XCTestCase {
    func testASubclassResolves() throws {
        let container = Journal.inMemoryContainer()
        let policy = CountingPolicy()
        let context = container.viewContext
        let trip = context.insertTrip("Coast")
        try context.save()
        let other = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        other.persistentStoreCoordinator = container.persistentStoreCoordinator
        let twin = try XCTUnwrap(other.existingObject(with: trip.objectID) as? Trip)
        twin.title = "Shore"
        trip.title = "Beach"
        try context.save()
        other.mergePolicy = policy
        try other.save()
        XCTAssertGreaterThan(policy.count, 0)
        XCTAssertEqual(twin.title, "Shore")
    }

    func testValuesAndMetatypes() {
        let type: NSMergePolicy.Type = CountingPolicy.self
        XCTAssertTrue(type.error is CountingPolicy)
        XCTAssertEqual(type.rollback.mergeType, .rollbackMergePolicyType)
        let resolving: any Resolving.Type = NSMergePolicy.self
        XCTAssertEqual(resolving.rollback.mergeType, .rollbackMergePolicyType)
        let make: (NSMergePolicyType) -> NSMergePolicy = NSMergePolicy.init(merge:)
        XCTAssertNoThrow(try make(.overwriteMergePolicyType).resolve(mergeConflicts: []))
        XCTAssertEqual(NotedConflict().constraint, ["email"])
        let context = Journal.inMemoryContainer().viewContext
        context.mergePolicy = NSErrorMergePolicy
        XCTAssertTrue(context.mergePolicy as AnyObject is NSMergePolicy)
    }
}
