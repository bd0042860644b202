import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite(
    "Objects that a block reads or writes are held until its end", .leavesNothingBehind, .onStores(.sqlite, .inMemory))
struct HeldForBlockTests {
    private func library(books: Int) throws -> Library {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            for number in 0..<books { context.make("Book", ["title": "t\(number)", "author": author]) }
            try context.save()
        }
        return library
    }

    @Test("Objects that a fetch gave are registered, and no faults where it was set so, though no reference is kept")
    func fetched() throws {
        let context = try library(books: 100).context()
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.returnsObjectsAsFaults = false
            _ = try context.fetch(request)
            #expect(context.registeredObjects.filter { !$0.isFault }.count == 100)
            context.refreshAllObjects()
            #expect(context.registeredObjects.filter { !$0.isFault } == [])
            context.processPendingChanges()
            #expect(context.registeredObjects.isEmpty)
        }
    }

    @Test("Objects that a save wrote are registered until the block ends")
    func saved() throws {
        let context = try library(books: 0).context()
        try context.performAndWait {
            for number in 0..<10 { context.make("Book", ["title": "\(number)"]) }
            try context.save()
            #expect(context.registeredObjects.count == 10)
        }
        context.performAndWait { #expect(context.registeredObjects.isEmpty) }
    }

    @Test("Objects with large values are not held: a block may work through many of them")
    func large() throws {
        let context = try library(books: 0).context()
        try context.performAndWait {
            context.make("Book", ["title": String(repeating: "x", count: 5 << 20)])
            try context.save()
            #expect(context.registeredObjects.isEmpty)
        }
    }

    @Test("The members of a relationship are the same objects when they are read again")
    func members() throws {
        let context = try library(books: 100).context()
        try context.performAndWait {
            let author = try #require(try context.all("Author").first)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.returnsObjectsAsFaults = false
            func faults() -> Int { author.many("books").filter(\.isFault).count }
            #expect(faults() == 100)
            request.predicate = NSPredicate(format: "self IN %@", author.many("books"))
            _ = try context.fetch(request)
            #expect(faults() == 0)
        }
    }

    @Test("A result of more than four thousand objects is not held, nor are many results without end")
    func limit() throws {
        let context = try library(books: 5000).context()
        try context.performAndWait {
            _ = try context.all("Book")
            #expect(context.registeredObjects.isEmpty)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.fetchLimit = 1000
            for offset in stride(from: 0, to: 5000, by: 1000) {
                request.fetchOffset = offset
                _ = try context.fetch(request)
            }
            #expect((1000...4096).contains(context.registeredObjects.count))
        }
    }

    @Test("Objects on the main queue are held until its turn ends, within a block until that ends")
    func mainQueue() async throws {
        let library = try library(books: 3)
        let context = await MainActor.run { NSManagedObjectContext(.mainQueue) }
        try await MainActor.run {
            context.persistentStoreCoordinator = library.coordinator
            context.performAndWait {
                _ = try? context.all("Book")
                #expect(context.registeredObjects.count == 3)
            }
            #expect(context.registeredObjects.isEmpty)
            _ = try context.all("Book")
            #expect(context.registeredObjects.count == 3)
        }
        await context.perform { #expect(context.registeredObjects.isEmpty) }
    }
}
