import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("References to deleted objects", .leavesNothingBehind)
struct DanglingReferenceTests {
    private static let kinds: [StoreKind] = [.sqlite, .inMemory, .atomic, .incremental]

    /// The error of a save that must fail.
    private func failure(_ context: NSManagedObjectContext) throws -> NSError {
        try #require(#expect(throws: NSError.self) { try context.save() })
    }

    @Test("A save with a reference to a deleted object fails with 1550, which names both", arguments: kinds)
    func deletedTarget(kind: StoreKind) throws {
        let library = try Library(kind, model: PairModel.make())
        let context = library.context()
        try context.performAndWait {
            let owner = context.make("Owner", ["name": "o"])
            let item = context.make("Item", ["name": "i"])
            try context.save()
            context.delete(owner)
            context.processPendingChanges()
            item.setValue(owner, forKey: "owner")
            let error = try failure(context)
            // The item leads to the owner; the owner, which is deleted, is not validated.
            #expect(error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectValidationError)
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === item)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "owner")
            #expect(error.userInfo[NSValidationValueErrorKey] as? NSManagedObject === owner)
            #expect(error.localizedDescription.contains("Dangling reference to an invalid object"))
            item.setValue(nil, forKey: "owner")
            try context.save()
        }
        #expect(try library.saved("Owner", "name").isEmpty)
        #expect(try library.saved("Item", "name") == ["i"])
    }

    @Test("A deleted object cannot be made a member of a to-many relationship", arguments: kinds, ["items", "lefts"])
    func deletedMember(kind: StoreKind, key: String) throws {
        let library = try Library(kind, model: PairModel.make())
        let context = library.context()
        try context.performAndWait {
            let owner = context.make("Owner")
            let item = context.make("Item")
            try context.save()
            context.delete(item)
            context.processPendingChanges()
            let members: Any = key == "lefts" ? NSOrderedSet(object: item) : Set([item])
            owner.setValue(members, forKey: key)
            let error = try failure(context)
            #expect(error.code == NSManagedObjectValidationError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == key)
            context.rollback()
            #expect(!item.isDeleted && owner.many("items").isEmpty && owner.ordered("lefts").isEmpty)
        }
    }

    @Test("A new object that is deleted before it was saved is no target either", arguments: kinds)
    func vanishedTarget(kind: StoreKind) throws {
        let library = try Library(kind, model: PairModel.make())
        let context = library.context()
        try context.performAndWait {
            let owner = context.make("Owner")
            context.delete(owner)
            context.processPendingChanges()
            let item = context.make("Item")
            item.setValue(owner, forKey: "owner")
            #expect(try failure(context).code == NSManagedObjectValidationError)
            context.delete(item)
            try context.save()
        }
    }

    @Test("An object whose row turned out to be gone is no target", arguments: kinds)
    func inaccessibleTarget(kind: StoreKind) throws {
        let library = try Library(kind, model: PairModel.make())
        let context = library.context()
        let other = library.context()
        let id = try context.performAndWait {
            let owner = context.make("Owner")
            try context.save()
            context.reset()
            return owner.objectID
        }
        try context.performAndWait {
            let owner = context.object(with: id)
            try other.performAndWait {
                other.delete(other.object(with: id))
                try other.save()
            }
            #expect(owner.value(forKey: "name") == nil && owner.isDeleted)
            context.checkInvariants()
            let item = context.make("Item")
            item.setValue(owner, forKey: "owner")
            #expect(try failure(context).code == NSManagedObjectValidationError)
            context.rollback()
            #expect(try context.all("Item").isEmpty)
        }
    }

    @Test("Unsaved references without another side are cleared if their objects were deleted", arguments: kinds)
    func mergedDeletion(kind: StoreKind) throws {
        let model = PairModel.make()
        let oneWay = NSRelationshipDescription()
        oneWay.name = "favourite"
        oneWay.destinationEntity = model.entitiesByName["Owner"]
        oneWay.maxCount = 1
        oneWay.deleteRule = .nullifyDeleteRule
        model.entitiesByName["Item"]?.properties.append(oneWay)
        let library = try Library(kind, model: model)
        let context = library.context()
        let other = library.context()
        try context.performAndWait {
            let owner = context.make("Owner")
            try context.save()
            let item = context.make("Item", ["name": "i", "favourite": owner])
            let id = owner.objectID
            let saved = try notification(.NSManagedObjectContextDidSave, of: other) {
                try other.performAndWait {
                    other.delete(other.object(with: id))
                    try other.save()
                }
            }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(item.one("favourite") == nil)
            try context.save()
        }
        #expect(try library.saved("Item", "name") == ["i"])
    }

    /// The notification of a context that something posts.
    private func notification(
        _ name: Notification.Name, of context: NSManagedObjectContext, _ body: () throws -> Void
    ) throws -> Notification {
        let box = Box()
        let observer = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
            box.notification = $0
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try body()
        return try #require(box.notification)
    }

    /// Touched within the save that posts, on one thread at a time.
    private final class Box: @unchecked Sendable {
        var notification: Notification?
    }
}
