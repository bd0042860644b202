#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLRoundTripTests {
    /// A store with 30 authors of 20 books each; nothing of it is in memory.
    private func filled() throws -> Library {
        let library = try Library(.postgreSQL)
        let context = library.context()
        try context.performAndWait {
            for number in 0..<30 {
                let author = context.make("Author", ["name": "Author \(number)", "active": true])
                for place in 0..<20 {
                    context.make("Novel", ["title": "Novel \(number) \(place)", "pages": place, "author": author])
                }
            }
            try context.save()
        }
        return try library.beside()
    }

    /// The number of round trips of the only reader.
    private func trips(_ library: Library) throws -> Int {
        let store = try #require(library.store as? SQLStore)
        return try store.database.readOnce { try #require($0 as? PostgreSQLConnection).roundTrips }
    }

    /// The number of round trips of a body, in a context of its own, when its statements are prepared.
    private func trips(
        _ library: Library, _ body: (NSManagedObjectContext) throws -> Void
    ) throws -> Int {
        var counts: [Int] = []
        for _ in 0..<2 {
            let context = library.context()
            let before = try trips(library)
            try context.performAndWait {
                try body(context)
                context.reset()
            }
            counts.append(try trips(library) - before)
        }
        return counts[1]
    }

    @Test("A fetch is one round trip, and each relationship that it prefetches another, with any target")
    func prefetching() throws {
        let library = try filled()
        func fetched(_ entity: String, _ keyPaths: [String]) throws -> Int {
            try trips(library) { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.relationshipKeyPathsForPrefetching = keyPaths
                let objects = try context.fetch(request)
                #expect(objects.count == (entity == "Author" ? 30 : 600))
                for keyPath in keyPaths {
                    if entity == "Author" {
                        let members = objects.compactMap { ($0.value(forKey: keyPath) as? NSSet)?.count }
                        #expect(members == Array(repeating: 20, count: 30))
                    } else {
                        let names = objects.compactMap { $0.value(forKeyPath: "\(keyPath).name") as? String }
                        #expect(Set(names).count == 30)
                    }
                }
            }
        }
        #expect(try fetched("Author", []) == 1)
        #expect(try fetched("Author", ["books"]) == 2)
        #expect(try fetched("Book", ["author"]) == 2)
    }

    @Test("A fault, a count and the ids of all are one round trip each, without a transaction")
    func faults() throws {
        let library = try filled()
        let counting = try trips(library) { context in
            let found = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
            #expect(found == 600)
        }
        #expect(counting == 1)
        let idsAndFault = try trips(library) { context in
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
            request.resultType = .managedObjectIDResultType
            let ids = try context.fetch(request)
            #expect(ids.count == 30)
            let author = try context.existingObject(with: ids[7])
            #expect((author.value(forKey: "name") as? String)?.hasPrefix("Author ") == true)
        }
        #expect(idsAndFault == 2)
    }

    @Test("The rules of many deleted objects read their targets together", arguments: ["Author", "Book"])
    func deleting(entity: String) throws {
        let library = try filled()
        let count = try trips(library) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.includesPropertyValues = false
            for object in try context.fetch(request) { context.delete(object) }
            context.processPendingChanges()
            #expect(context.deletedObjects.count >= (entity == "Author" ? 30 : 600))
        }
        #expect(count <= 6)
    }

    @Test("The rules of one deleted object read all that it leads to together")
    func oneDeletion() throws {
        let library = try filled()
        let trips = try trips(library) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.fetchLimit = 1
            for author in try context.fetch(request) { context.delete(author) }
            context.processPendingChanges()
            #expect(context.updatedObjects.count + context.deletedObjects.count >= 20)
        }
        // The author, the keys of its books, and their rows; the targets of these.
        #expect(trips <= 5)
    }

    @Test("A save of many deleted objects reads nothing owner by owner")
    func savingDeletions() throws {
        let library = try filled()
        let context = library.context()
        try context.performAndWait {
            let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
            for book in books.prefix(300) { context.delete(book) }
            context.processPendingChanges()
            let before = try trips(library)
            try context.save()
            // The only reader sends no query.
            #expect(try trips(library) == before)
        }
    }

    @Test("A predicate that the program decides is answered in one state, with a transaction around it")
    func decided() throws {
        let library = try filled()
        let count = try trips(library) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title MATCHES 'Novel 7 .*'")
            let found = try context.count(for: request)
            #expect(found == 20)
        }
        // The beginning is sent with the query for the titles, and the fetch does not wait for the end of the
        // transaction.
        #expect(count == 2)
    }
}
#endif
