import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// The oddities of stores that were made years ago.
@Suite("Old stores", .leavesNothingBehind)
struct OldStoreTests {
    @Test("a decimal that is not a number is the text NaN in the file, and comes back")
    func notANumber() throws {
        let folder = try TemporaryFolder()
        let url: URL
        do {
            let library = try Library(in: folder)
            url = library.storeURL
            let context = library.context()
            try context.performAndWait {
                context.make("Book", ["title": "a", "price": NSDecimalNumber.notANumber])
                try context.save()
            }
        }
        #expect(try RawDatabase(url).column("SELECT ZPRICE FROM ZBOOK") == [.text("NaN")])
        let context = try Library(in: folder).context()
        try context.performAndWait {
            let price = try context.all("Book").first?.value(forKey: "price") as? NSDecimalNumber
            #expect(price?.decimalValue.isNaN == true)
        }
    }

    @Test("A stale entity number does not hide a row in the table of a single entity")
    func staleNumbers() throws {
        let folder = try TemporaryFolder()
        let url: URL
        do {
            let library = try Library(in: folder)
            url = library.storeURL
            let context = library.context()
            try context.performAndWait {
                let tag = context.make("Tag", ["name": "t"])
                context.make("Book", ["title": "a", "tags": NSSet(object: tag)])
                try context.save()
            }
        }
        try RawDatabase(url).execute("UPDATE ZTAG SET Z_ENT = 99")
        let context = try Library(in: folder).context()
        try context.performAndWait {
            #expect(try context.all("Tag").map { $0.value(forKey: "name") as? String } == ["t"])
            let identifiers = NSFetchRequest<NSManagedObjectID>(entityName: "Tag")
            identifiers.resultType = .managedObjectIDResultType
            #expect(try context.fetch(identifiers).map(\.entity.name) == ["Tag"])
            let book = try #require(try context.all("Book").first)
            let tags = try #require(book.value(forKey: "tags") as? Set<NSManagedObject>)
            #expect(tags.map(\.entity.name) == ["Tag"])
            tags.first?.setValue("changed", forKey: "name")
            try context.save()
        }
    }
}
