import CoreData
import Testing
import TestSupport

@testable import CoreDataTestSupport

@Suite("Key-value coding", .leavesNothingBehind)
struct KeyValueCodingTests {
    @Test(
        "An object answers for its own id, in the store and among unsaved changes alike", arguments: StoreKind.sampled()
    )
    func objectIDByKey(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book", ["title": "T"])
            context.make("Book", ["title": "other"])
            try context.save()
            #expect(book.value(forKey: "objectID") as? NSManagedObjectID == book.objectID)
            #expect(book.value(forKey: "isDeleted") as? Bool == false)
            #expect(try context.all("Book", "objectID == %@", book.objectID) == [book])
            context.make("Book", ["title": "unsaved"])
            #expect(try context.all("Book", "objectID == %@", book.objectID) == [book])
            #expect(try context.all("Book", "SELF == %@", book.objectID) == [book])
            #expect(try context.all("Book", "NOT (objectID == %@)", book.objectID).count == 2)
        }
    }

    @Test(
        "A number in a transformable attribute is asked for as any number type, before and after it is saved",
        .onEveryKindOfStore)
    func numbersInTransformables() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book", ["keywords": 20.0])
            #expect(book.value(forKey: "keywords") as? Int == 20)
            #expect(book.value(forKey: "keywords") as? Double == 20)
            try context.save()
            context.refresh(book, mergeChanges: false)
            #expect(book.value(forKey: "keywords") as? Int == 20)
            book.setValue(["a": 1] as [String: Any], forKey: "keywords")
            #expect(book.value(forKey: "keywords") as? [String: Int] == ["a": 1])
        }
    }
}
