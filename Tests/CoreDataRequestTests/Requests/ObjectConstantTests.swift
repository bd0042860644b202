import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Objects and ids as constants of predicates. Each table counts its keys from 1, so objects of different entities have
/// the same key.
@Suite("Objects as constants")
struct ObjectConstantTests {
    /// A library with one book and one novel of one author, and a tag and a shelf.
    private struct Shelved {
        let library: Library
        let context: NSManagedObjectContext
        let author, book, novel, tag, shelf: NSManagedObject

        init(_ kind: StoreKind) throws {
            library = try Library(kind)
            context = library.context()
            (author, book, novel, tag, shelf) = try context.performAndWait { [context] in
                let author = context.make("Author", ["name": "author"])
                let book = context.make("Book", ["title": "book", "author": author])
                try context.save()
                let novel = context.make("Novel", ["title": "novel", "author": author])
                let (tag, shelf) = (context.make("Tag", ["name": "tag"]), context.make("Shelf", ["name": "shelf"]))
                book.setValue(NSSet(object: tag), forKey: "tags")
                try context.save()
                return (author, book, novel, tag, shelf)
            }
        }

        /// The titles of the books that match, sorted.
        func titles(_ format: String, _ argument: Any = NSNull()) throws -> [String] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: format, argument)
            return try context.fetch(request).compactMap { $0.value(forKey: "title") as? String }.sorted()
        }
    }

    @Test("An object of another root entity equals no row, whatever its key is", arguments: StoreKind.sampled())
    func otherEntity(kind: StoreKind) throws {
        let shelved = try Shelved(kind)
        try shelved.context.performAndWait { () throws in
            for other in [shelved.author, shelved.tag, shelved.shelf] {
                for constant in [other, other.objectID] as [Any] {
                    #expect(try shelved.titles("SELF == %@", constant) == [])
                    #expect(try shelved.titles("objectID == %@", constant) == [])
                    #expect(try shelved.titles("SELF IN %@", [constant]) == [])
                    #expect(try shelved.titles("SELF != %@", constant) == ["book", "novel"])
                    #expect(try shelved.titles("NOT SELF IN %@", [constant]) == ["book", "novel"])
                }
            }
            #expect(try shelved.titles("author == %@", shelved.tag) == [])
            #expect(try shelved.titles("author IN %@", [shelved.shelf, shelved.tag.objectID]) == [])
            #expect(try shelved.titles("ANY tags == %@", shelved.author) == [])
            #expect(try shelved.titles("tags CONTAINS %@", shelved.author) == [])
            #expect(try shelved.titles("SUBQUERY(tags, $t, $t == %@).@count > 0", shelved.author) == [])
        }
    }

    @Test(
        "An object of the same root entity is found by itself, by its id and in lists", arguments: StoreKind.sampled())
    func sameRoot(kind: StoreKind) throws {
        let shelved = try Shelved(kind)
        try shelved.context.performAndWait { () throws in
            #expect(try shelved.titles("SELF == %@", shelved.novel) == ["novel"])
            #expect(try shelved.titles("SELF IN %@", [shelved.book.objectID, shelved.novel]) == ["book", "novel"])
            #expect(try shelved.titles("author == %@", shelved.author.objectID) == ["book", "novel"])
            #expect(try shelved.titles("ANY tags == %@", shelved.tag) == ["book"])
            let mixed: [Any] = [shelved.author, shelved.novel.objectID, NSNull(), shelved.tag]
            #expect(try shelved.titles("SELF IN %@", mixed) == ["novel"])
        }
    }

    @Test("Relationships that lead to different entities are never the same object", arguments: StoreKind.sampled())
    func relationships(kind: StoreKind) throws {
        let shelved = try Shelved(kind)
        try shelved.context.performAndWait {
            shelved.book.setValue(shelved.shelf, forKey: "shelf")
            try shelved.context.save()
            #expect(try shelved.titles("author == shelf") == [])
            #expect(try shelved.titles("SELF == author") == [])
            #expect(try shelved.titles("shelf != nil AND author != shelf") == ["book"])
        }
    }

    @Test("Among 10,000 ids the rows of other entities are not counted", arguments: StoreKind.sampled())
    func many(kind: StoreKind) throws {
        let shelved = try Shelved(kind)
        try shelved.context.performAndWait {
            for number in 0..<40 { shelved.context.make("Tag", ["name": "\(number)"]) }
            try shelved.context.save()
            let tags = try shelved.context.all("Tag").map(\.objectID)
            let ids = (0..<10_000).map { tags[$0 % tags.count] }
            #expect(try shelved.titles("SELF IN %@", ids) == [])
            #expect(try shelved.titles("SELF IN %@", ids + [shelved.book.objectID]) == ["book"])
        }
    }

    @Test("An object of another coordinator, or one that is not saved, equals no row", arguments: StoreKind.sampled())
    func strangers(kind: StoreKind) throws {
        let (shelved, other) = (try Shelved(kind), try Shelved(kind))
        let stranger = Held(other.book)
        try shelved.context.performAndWait { () throws in
            #expect(try shelved.titles("SELF == %@", stranger.value.objectID) == [])
            #expect(try shelved.titles("SELF IN %@", [stranger.value.objectID]) == [])
            let new = shelved.context.make("Tag", ["name": "new"])
            #expect(try shelved.titles("ANY tags == %@", new) == [])
            #expect(try shelved.titles("SELF == %@", new) == [])
        }
    }

    @Test("An object equals no number and no text, whatever its key is", arguments: StoreKind.sampled())
    func otherFamilies(kind: StoreKind) throws {
        let shelved = try Shelved(kind)
        try shelved.context.performAndWait { () throws in
            // Each book has one copy, and the first rows have the key 1.
            for constant in [shelved.book, shelved.book.objectID, shelved.book.entity] as [Any] {
                for format in ["copies == %@", "copies >= %@", "copies IN {%@}", "title CONTAINS %@"] {
                    #expect(try shelved.titles(format, constant) == [], "\(format)")
                }
                #expect(try shelved.titles("copies != %@", constant) == ["book", "novel"])
                #expect(try shelved.titles("NOT copies IN %@", [constant]) == ["book", "novel"])
            }
            for format in [
                "SELF == 1", "SELF == '1'", "author == 1", "author == '1'", "author IN {1, 2}", "ANY tags == 1",
                "author < 5", "author BETWEEN {0, 5}", "copies == author", "copies == SELF", "copies IN {SELF, author}",
                "entity == SELF", "entity == copies", "entity == 2", "author CONTAINS '1'", "author BEGINSWITH '1'",
                "SUBQUERY(tags, $t, $t == 1).@count > 0", "tags CONTAINS 1",
                "1 IN tags",
            ] { #expect(try shelved.titles(format) == [], "\(format)") }
            #expect(try shelved.titles("SELF != 1 AND author != '1' AND copies != author") == ["book", "novel"])
        }
    }

    @Test("An object that is none of the rows has no place in their order", arguments: StoreKind.sampled())
    func orderOfStrangers(kind: StoreKind) throws {
        let shelved = try Shelved(kind)
        try shelved.context.performAndWait { () throws in
            let new = shelved.context.make("Tag", ["name": "new"])
            for constant in [shelved.author, shelved.tag.objectID, new] as [Any] {
                for format in ["SELF > %@", "SELF >= %@", "SELF < %@", "SELF BETWEEN {%@, %@}"] {
                    let predicate = NSPredicate(format: format, argumentArray: [constant, shelved.novel])
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                    request.predicate = predicate
                    #expect(try shelved.context.fetch(request) == [], "\(predicate)")
                }
            }
        }
    }

    @Test("One of two objects is compared as an object; of two tables it is none", arguments: StoreKind.sampled())
    func choices(kind: StoreKind) throws {
        let shelved = try Shelved(kind)
        try shelved.context.performAndWait { () throws in
            func found(_ format: String, _ arguments: Any...) throws -> Set<NSManagedObject> {
                Set(try shelved.context.all("Book", format, arguments[0], arguments[1]))
            }
            let (book, novel) = (shelved.book, shelved.novel)
            #expect(try found("SELF == TERNARY(title == 'book', %@, %@)", book, novel.objectID) == [book, novel])
            #expect(try found("SELF == TERNARY(title == 'book', %@, %@)", novel, novel) == [novel])
            #expect(try found("author == TERNARY(title == 'book', %@, %@)", shelved.tag, shelved.tag) == [])
            #expect(try found("TERNARY(title == 'book', author, %@) == %@", NSNull(), shelved.author) == [book])
            let mixed = Result { try found("SELF == TERNARY(title == 'x', %@, %@)", novel, shelved.author) }
            switch mixed {
            case .success(let objects): #expect(objects == [])
            case .failure(let error): #expect((error as NSError).code == NSCoreDataError && kind.isDatabase)
            }
        }
    }

    @Test("The values of a dictionary are a list", arguments: StoreKind.sampled())
    func dictionaries(kind: StoreKind) throws {
        let shelved = try Shelved(kind)
        try shelved.context.performAndWait { () throws in
            let objects = NSDictionary(dictionary: ["a": shelved.tag, "b": shelved.novel])
            #expect(try shelved.titles("SELF IN %@", objects) == ["novel"])
            #expect(try shelved.titles("title IN %@", NSDictionary(dictionary: [1: "book", 2: "x"])) == ["book"])
            #expect(try shelved.titles("title IN %@", ["a": "book", "b": "x"]) == ["book"])
        }
    }

    @Test("A batch request with an object of another entity changes nothing", .onEveryDatabase)
    func batches() throws {
        let shelved = try Shelved(.current)
        try shelved.context.performAndWait {
            for constant in [shelved.author, shelved.tag.objectID] as [Any] {
                let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
                request.predicate = NSPredicate(format: "SELF IN %@", [constant])
                let deletion = NSBatchDeleteRequest(fetchRequest: request)
                deletion.resultType = .resultTypeCount
                let deleted = try shelved.context.execute(deletion) as? NSBatchDeleteResult
                #expect(deleted?.result as? Int == 0)
                let update = NSBatchUpdateRequest(entityName: "Book")
                update.predicate = NSPredicate(
                    format: "SELF == %@ OR author == %@", argumentArray: [constant, shelved.tag])
                update.propertiesToUpdate = ["title": "changed"]
                update.resultType = .updatedObjectsCountResultType
                let updated = try shelved.context.execute(update) as? NSBatchUpdateResult
                #expect(updated?.result as? Int == 0)
            }
            for format in ["SELF == 1", "author IN {1}", "copies == %@", "SELF >= %@"] {
                let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
                request.predicate = NSPredicate(format: format, argumentArray: [shelved.author])
                let deletion = NSBatchDeleteRequest(fetchRequest: request)
                deletion.resultType = .resultTypeCount
                let deleted = try shelved.context.execute(deletion) as? NSBatchDeleteResult
                #expect(deleted?.result as? Int == 0, "\(format)")
            }
            #expect(try shelved.titles("TRUEPREDICATE") == ["book", "novel"])
        }
    }
}
