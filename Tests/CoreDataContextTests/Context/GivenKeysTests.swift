import CoreData
import Foundation
import TestSupport
import Testing

/// New objects that get the numbers of objects in another store.
@Suite("Permanent ids with given numbers")
struct GivenKeysTests {
    private static func number(_ object: NSManagedObject) -> Int64? {
        Int64(object.objectID.uriRepresentation().lastPathComponent.dropFirst())
    }

    private static func new(_ name: String, _ context: NSManagedObjectContext) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    }

    @Test("They are saved under these, gaps and subentities included, and later objects come behind them")
    func numbers() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try withStore(url, LibraryModel.make()) { context in
                let (book, novel, tag) = (
                    Self.new("Book", context), Self.new("Novel", context), Self.new("Tag", context)
                )
                book.setValue([tag] as Set, forKey: "tags")
                try context.obtainPermanentIDs(for: [book, novel, tag], numbers: [70_000_000_000, 3, 9])
                #expect([book, novel, tag].map(Self.number) == [70_000_000_000, 3, 9])
                #expect(!book.objectID.isTemporaryID)
                try context.save()
            }
            try withStore(url, LibraryModel.make()) { context in
                let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
                #expect(Set(books.map(Self.number)) == [70_000_000_000, 3])
                let tags = books.flatMap { ($0.value(forKey: "tags") as? Set<NSManagedObject>) ?? [] }
                #expect(tags.map(Self.number) == [9])
                let later = [Self.new("Novel", context), Self.new("Tag", context)]
                try context.obtainPermanentIDs(for: later)
                #expect(later.map(Self.number) == [70_000_000_001, 10])
            }
        }
    }

    @Test("Numbers that were given before, twice or by no store are refused, and the objects stay as they are")
    func refusals() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try withStore(url, LibraryModel.make()) { context in
                let tags = (0..<2).map { _ in Self.new("Tag", context) }
                try context.obtainPermanentIDs(for: [tags[0]], numbers: [5])
                for numbers: [Int64] in [[4], [5], [0], [-1], [.max], [6, 7]] {
                    #expect(throws: (any Error).self) {
                        try context.obtainPermanentIDs(for: [tags[1]], numbers: numbers)
                    }
                }
                #expect(throws: (any Error).self) { try context.obtainPermanentIDs(for: tags, numbers: [8, 9]) }
                let more = Self.new("Tag", context)
                #expect(throws: (any Error).self) {
                    try context.obtainPermanentIDs(for: [tags[1], more], numbers: [8, 8])
                }
                #expect(tags[1].objectID.isTemporaryID)
                let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                child.parent = context
                child.performAndWait {
                    let tag = Self.new("Tag", child)
                    #expect(throws: (any Error).self) { try child.obtainPermanentIDs(for: [tag], numbers: [99]) }
                    child.rollback()
                }
                try context.save()
            }
            let other = folder.appendingPathComponent("Store.xml")
            try withStore(other, LibraryModel.make(), type: NSXMLStoreType) { context in
                let tag = Self.new("Tag", context)
                #expect(throws: (any Error).self) { try context.obtainPermanentIDs(for: [tag], numbers: [5]) }
            }
        }
    }
}
