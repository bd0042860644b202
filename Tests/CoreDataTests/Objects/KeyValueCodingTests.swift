import CoreData
import Testing
import TestSupport

@Suite("Key-value coding")
struct KeyValueCodingTests {
    @Test("An object answers for its own id, in the store and among unsaved changes alike")
    func objectIDByKey() throws {
        let library = try Library()
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
}
