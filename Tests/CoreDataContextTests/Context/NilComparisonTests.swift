import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// A predicate is evaluated object by object, or becomes SQL: a missing value must not make a difference.
@Suite("Predicates and missing values", .leavesNothingBehind)
struct NilComparisonTests {
    static let formats = [
        "pages != 1", "NOT (pages == 1)", "NOT (pages > 1)", "NOT (pages <= 1)", "NOT (pages BETWEEN {1, 2})",
        "NOT (pages IN {1, 3})", "NOT (pages IN {1, 2, 3, 4, 5, 6})", "author.name != 'x'", "NOT (author.name == 'x')",
        "title != 'a'", "title !=[c] 'A'", "NOT (title ==[c] 'A')", "NOT (title BEGINSWITH 'a')",
        "NOT (title BEGINSWITH[cd] 'A')", "NOT (title ENDSWITH 'a')", "NOT (title CONTAINS[c] 'A')",
        "NOT (title LIKE 'a*')", "NOT (title MATCHES 'a.*')", "title == note", "title != note", "title ==[c] note",
        "title !=[c] note", "NOT (title == note)", "NOT (pages == 1 AND title == 'a')",
        "NOT (pages == 1 OR title == 'a')", "pages != 1 AND NOT (title != 'a')", "NOT (NOT (pages == 1))",
        "author != nil", "NOT (author == nil)", "pages == nil OR pages != 1", "author.name != title",
        "SUBQUERY(tags, $t, $t.name != 'x').@count > 0", "SUBQUERY(tags, $t, NOT ($t.name == 'x')).@count == 0",
        "NONE tags.name == 'x'", "NOT (ANY tags.name == 'x')", "ALL tags.name != 'x'", "NOT (ALL tags.name == 'x')",
        "tags.@count != 1", "NOT (tags.@count == 1)", "author.books.@count != 2",
        "author.books.@count == 0", "author.books.@count != 0", "author.books[SIZE] == 0", "author.books[SIZE] != 2",
        "author.books.@sum.pages == 0",
        "SUBQUERY(author.books, $b, $b.pages > 1).@count == 0",
        "NOT (SUBQUERY(author.books, $b, $b.pages > 1).@count == 0)",
    ]

    private func fill(_ context: NSManagedObjectContext) {
        let authors = ["x", "a", nil].map { name in
            // A name is required to save, but an empty one is none to the predicates here.
            context.make("Author", ["name": name ?? ""])
        }
        let tags = ["x", "y", nil].map { context.make("Tag", $0.map { ["name": $0] } ?? [:]) }
        var number = 0
        for pages in [nil, 1, 2] as [Int?] {
            for title in [nil, "a", "A"] as [String?] {
                for author in [nil, authors[0], authors[1]] {
                    number += 1
                    let book = context.make("Book", ["isbn": "\(number)"])
                    book.setValue(pages, forKey: "pages")
                    book.setValue(title, forKey: "title")
                    book.setValue([nil, "a", "b"][number % 3], forKey: "note")
                    book.setValue(author, forKey: "author")
                    book.setValue(
                        Set(tags.enumerated().filter { number & (1 << $0.offset) != 0 }.map(\.element)), forKey: "tags")
                }
            }
        }
    }

    @Test(
        "A store that decides object by object finds the same before the save and after it",
        .onStores(.inMemory, .binary, .atomic, .incremental))
    func decidedByObject() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            fill(context)
            func found() throws -> [[String]] {
                try Self.formats.map { format in
                    try context.all("Book", format).compactMap { $0.value(forKey: "isbn") as? String }.sorted()
                }
            }
            let unsaved = try found()
            try context.save()
            for (format, (before, after)) in zip(Self.formats, zip(unsaved, try found())) {
                #expect(before == after, Comment(rawValue: format))
                let one = try context.all("Book").filter { NSPredicate(format: format).evaluate(with: $0) }
                #expect(one.count == after.count, Comment(rawValue: format))
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = NSPredicate(format: format)
                #expect(try context.count(for: request) == after.count, Comment(rawValue: format))
            }
        }
    }

    private static let relationshipFormats = [
        "tags == nil", "tags != nil", "NOT (tags == nil)", "nil == tags", "author.books == nil", "author.books != nil",
        "tags.@count == 0", "SUBQUERY(tags, $t, $t.books == nil).@count == 0",
    ]

    @Test(
        "An empty relationship is not nil where objects are asked one by one, before the save and after it",
        .onStores(.inMemory, .xml, .binary, .atomic))
    func emptyRelationships() throws {
        let library = try Library()
        let context = library.context()
        func isbns(_ context: NSManagedObjectContext, _ format: String) throws -> [String] {
            try context.all("Book", format).compactMap { $0.value(forKey: "isbn") as? String }.sorted()
        }
        let unsaved = try context.performAndWait {
            fill(context)
            let found = try Self.relationshipFormats.map { try isbns(context, $0) }
            #expect(found[0].isEmpty && found[1].count == 27)
            try context.save()
            return found
        }
        for library in [library, try library.beside()] {
            let reader = library.context()
            try reader.performAndWait {
                for (format, before) in zip(Self.relationshipFormats, unsaved) {
                    let after = try isbns(reader, format)
                    #expect(after == before, Comment(rawValue: format))
                }
            }
        }
    }

    @Test("An empty relationship is nil in a SQLite store, and not among unsaved objects")
    func emptyInSQL() throws {
        let context = try Library().context()
        try context.performAndWait {
            let tag = context.make("Tag", ["name": "t"])
            context.make("Book", ["title": "with", "tags": NSSet(array: [tag])])
            context.make("Book", ["title": "without"])
            func titles(_ format: String) throws -> [String] {
                try context.all("Book", format).compactMap { $0.value(forKey: "title") as? String }.sorted()
            }
            #expect(try titles("tags == nil").isEmpty)
            #expect(try titles("tags.@count == 0") == ["without"])
            try context.save()
            #expect(try titles("tags == nil") == ["without"])
            #expect(try titles("tags != nil") == ["with"])
            #expect(try titles("tags.@count == 0") == ["without"])
        }
    }

    @Test("A member without a value fails ALL … != in a SQLite store, and not among unsaved objects")
    func allWithoutValue() throws {
        let context = try Library().context()
        try context.performAndWait {
            context.make("Book", ["tags": NSSet(array: [context.make("Tag")])])
            #expect(try context.all("Book", "ALL tags.name != 'x'").count == 1)
            try context.save()
            #expect(try context.all("Book", "ALL tags.name != 'x'").isEmpty)
            #expect(try context.all("Book", "ALL tags.name == nil").count == 1)
        }
    }

    @Test("A key after @count is ignored: members without a value count", .onStores(.sqlite, .inMemory, .xml))
    func counted() throws {
        let context = try Library().context()
        try context.performAndWait {
            context.make("Author", ["name": "A", "books": NSSet(array: [context.make("Book"), context.make("Book")])])
            #expect(try context.all("Author", "books.@count.pages == 2").count == 1)
            try context.save()
            #expect(try context.all("Author", "books.@count.pages == 2").count == 1)
            #expect(try context.all("Author", "books.@count == 2").count == 1)
        }
    }

    @Test(
        "Stores in SQLite count Unicode scalars and keep the width of characters, objects do not",
        .onStores(.sqlite, .inMemory))
    func texts() throws {
        let context = try Library().context()
        try context.performAndWait {
            context.make("Book", ["title": "\u{1F600}"])
            context.make("Book", ["title": "\u{FF21}"])
            #expect(try context.all("Book", "length:(title) == 2").count == 1)
            #expect(try context.all("Book", "canonical:(title) == 'a'").count == 1)
            try context.save()
            #expect(try context.all("Book", "length:(title) == 2").isEmpty)
            #expect(try context.all("Book", "canonical:(title) == 'a'").isEmpty)
        }
    }

    @Test(
        "A missing value is neither equal nor unequal to another in a SQLite store, as in Apple's",
        arguments: ["pages != 1", "NOT (pages == 1)", "NOT (pages > 1)", "title !=[c] 'a'", "author.name != 'x'"])
    func decidedBySQL(format: String) throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            context.make("Book")
            #expect(try context.all("Book", format).count == 1)
            try context.save()
            #expect(try context.all("Book", format).isEmpty)
        }
    }
}
