import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Fetches for a value, while many objects are unsaved.
@Suite("Unsaved objects are found by their values", .leavesNothingBehind, .onEveryKindOfStore)
struct UnsavedIndexTests {
    private func request(_ format: String, _ arguments: Any...) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return request
    }

    private func isbns(_ context: NSManagedObjectContext, _ format: String, _ arguments: Any...) throws -> Set<String> {
        let request = request("TRUEPREDICATE")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        let found = try context.fetch(request).compactMap { $0.value(forKey: "isbn") as? String }
        #expect(Set(found).count == found.count)
        return Set(found)
    }

    @Test("Find-or-create makes each object once, and reads few of the existing ones")
    func findOrCreate() throws {
        let context = try Library().context()
        try context.performAndWait {
            for number in (0..<300).map({ $0 % 150 }) {
                let found = try context.fetch(request("isbn == %@", "n\(number)"))
                #expect(found.count == (context.insertedObjects.count > number ? 1 : 0))
                if found.isEmpty { context.make("Book", ["isbn": "n\(number)", "pages": number]) }
            }
            #expect(context.insertedObjects.count == 150)
            let layout = try #require(context.modelLayout?.layout(named: "Book"))
            var fetch = StoreFetch(layout: layout)
            fetch.predicate = NSPredicate(format: "isbn == %@", "n7")
            #expect(context.unsavedCandidates(for: fetch)?.count == 1)
            fetch.predicate = NSPredicate(format: "isbn == %@ AND pages > %d", "n7", 3)
            #expect(context.unsavedCandidates(for: fetch)?.count == 1)
            fetch.predicate = NSPredicate(format: "isbn ==[c] %@", "N7")
            #expect(context.unsavedCandidates(for: fetch) == nil, "Other texts are equal, too")
            #expect(try context.count(for: request("isbn ==[c] %@", "N7")) == 1)
            context.checkInvariants()
        }
    }

    @Test("A fault in the index is noticed", .onStores(.sqlite))
    func contradictions() throws {
        func spoiled(_ spoil: (NSManagedObjectContext, [NSManagedObject]) throws -> Void) throws -> String? {
            let context = try Library().context()
            return try context.performAndWait {
                context.thresholds.unsavedCountToIndex = 0
                let saved = (0..<3).map { context.make("Book", ["isbn": "s\($0)", "pages": $0]) }
                try context.save()
                saved[0].setValue(7, forKey: "pages")
                let books = (0..<3).map { context.make("Book", ["isbn": "a\($0)", "pages": $0]) }
                #expect(try context.fetch(request("pages == %d", 2)).count == 2)
                let index = try #require(context.tracked.unsavedIndex)
                #expect(index.contradiction(in: context) == nil)
                try spoil(context, books + saved)
                return index.contradiction(in: context)
            }
        }
        let unheard = try spoiled { _, books in books[1].flags.remove(.indexed) }
        #expect(unheard?.contains("will not tell the index") == true)
        let changed = try spoiled { _, books in
            books[1].flags.remove(.indexed)
            books[1].setValue(9, forKey: "pages")
            books[1].flags.insert(.indexed)
        }
        #expect(changed?.contains("a value that it has no longer") == true)
        #expect(try spoiled { context, _ in context.tracked.inserted.swapAt(0, 1) }?.contains("another place") == true)
        #expect(
            try spoiled { context, _ in context.tracked.inserted.removeLast() }?.contains("than were inserted") == true)
        #expect(
            try spoiled { context, _ in context.tracked.updated.removeLast() }?.contains("than were changed") == true)
        let another = try spoiled { context, books in
            context.tracked.updated[0] = books[4]
            books[4].flags.insert(.updated)
        }
        #expect(another?.contains("has not read an object") == true)
        // A change by the accessors is recorded.
        #expect(try spoiled { _, books in books[1].setValue(9, forKey: "pages") } == nil)
    }

    @Test("Values that change, come back, go and are saved")
    func changes() throws {
        let context = try Library().context()
        try context.performAndWait {
            let books = (0..<100).map { context.make("Book", ["isbn": "a\($0)", "pages": $0]) }
            #expect(try context.fetch(request("pages == %d", 5)) == [books[5]])
            books[5].setValue(6, forKey: "pages")
            #expect(try context.fetch(request("pages == %d", 5)).isEmpty)
            #expect(try context.fetch(request("pages == %d", 6)) == [books[5], books[6]], "in the order of insertion")
            books[5].setPrimitiveValue(5, forKey: "pages")
            #expect(try context.fetch(request("pages == %d", 5)) == [books[5]])
            #expect(try context.fetch(request("pages == %f", 5.0)) == [books[5]], "a number of another type")
            books[7].setValue(nil, forKey: "isbn")
            #expect(try context.fetch(request("isbn == %@", "a7")).isEmpty)
            #expect(try context.fetch(request("isbn == nil")) == [books[7]])
            books[7].setValue("a7", forKey: "isbn")
            #expect(try isbns(context, "isbn IN %@", ["a7", "a9", "x"]) == ["a7", "a9"])
            context.delete(books[9])
            #expect(try isbns(context, "isbn IN %@", ["a7", "a9", "x"]) == ["a7"])
            #expect(try context.count(for: request("isbn IN %@", ["a7", "a9", "x"])) == 1)
            try context.save()
            #expect(try context.fetch(request("pages == %d", 8)) == [books[8]])

            for book in books where book !== books[9] { book.setValue(200, forKey: "pages") }
            #expect(try context.fetch(request("pages == %d", 8)).isEmpty)
            #expect(try context.count(for: request("pages == %d", 8)) == 0)
            #expect(try context.count(for: request("pages == %d", 200)) == 99)
            books[8].setValue(8, forKey: "pages")
            #expect(try context.fetch(request("pages == %d", 8)) == [books[8]])
            context.refresh(books[10], mergeChanges: false)
            #expect(try context.fetch(request("pages == %d", 10)) == [books[10]])
            context.checkInvariants()
            context.rollback()
            #expect(try context.fetch(request("pages == %d", 20)) == [books[20]])
            context.checkInvariants()
        }
    }

    @Test("Counts are those of the objects, with limits, offsets and deletions")
    func counts() throws {
        let context = try Library().context()
        try context.performAndWait {
            for number in 0..<60 { context.make("Book", ["isbn": "s\(number)", "pages": number % 3]) }
            try context.save()
            let saved = try context.fetch(request("TRUEPREDICATE"))
            for (number, book) in saved.prefix(50).enumerated() {
                if number % 5 == 0 { context.delete(book) } else { book.setValue(number % 4, forKey: "pages") }
            }
            for number in 0..<40 { context.make("Book", ["isbn": "u\(number)", "pages": number % 3]) }
            for limit in [0, 7] {
                for offset in [0, 3, 500] {
                    for format in [
                        "pages == 1", "pages == 3", "pages > 1", "pages == 1 OR pages == 2", "TRUEPREDICATE",
                    ] {
                        let request = request(format)
                        (request.fetchLimit, request.fetchOffset) = (limit, offset)
                        let objects = try context.fetch(request)
                        #expect(try context.count(for: request) == objects.count, "\(format) \(limit) \(offset)")
                        #expect(Set(objects).count == objects.count)
                    }
                }
            }
            context.checkInvariants()
        }
    }

    @Test("Objects of a class that answers keys by itself are evaluated on the client", .onStores(.sqlite))
    func ownAnswers() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait { () throws in
            for number in 0..<50 { context.make("Book", ["isbn": "b\(number)", "pages": number]) }
            let entity = context.make("Book", [:]).entity
            let own = AnsweringBook(entity: entity, insertInto: context)
            #expect(try context.fetch(request("isbn == %@", "mine")) == [own])
            #expect(try isbns(context, "isbn == %@", "b3") == ["b3"])
        }
    }

    @Test("A context over another one finds its own and the other's")
    func nested() throws {
        let library = try Library()
        let root = library.context()
        let child = library.child(of: root)
        root.performAndWait {
            for number in 0..<50 { root.make("Book", ["isbn": "r\(number)", "pages": number]) }
        }
        try child.performAndWait {
            for number in 0..<50 { child.make("Book", ["isbn": "c\(number)", "pages": number]) }
            #expect(try isbns(child, "pages == %d", 4) == ["r4", "c4"])
            #expect(try child.count(for: request("pages == %d", 4)) == 2)
            let parents = try #require(child.fetch(request("isbn == %@", "r4")).first)
            parents.setValue(44, forKey: "pages")
            #expect(try child.count(for: request("pages == %d", 4)) == 1)
            #expect(try child.count(for: request("pages == %d", 44)) == 3)
            try child.save()
        }
        try root.performAndWait { () throws in
            #expect(try isbns(root, "pages == %d", 44) == ["r44", "c44", "r4"])
            root.checkInvariants()
        }
    }
}

private final class AnsweringBook: NSManagedObject {
    override func value(forKey key: String) -> Any? { key == "isbn" ? "mine" : super.value(forKey: key) }
}
