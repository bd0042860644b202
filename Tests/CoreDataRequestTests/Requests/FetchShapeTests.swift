import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Fetches of one shape", .leavesNothingBehind)
struct FetchShapeTests {
    private func filled(_ kind: StoreKind) throws -> Library {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            for number in 1...6 {
                context.make(
                    number == 6 ? "Novel" : "Book",
                    [
                        "title": "T\(number)", "isbn": "\(number)", "pages": number * 10,
                        "published": Date(timeIntervalSinceReferenceDate: Double(number)), "author": author,
                    ])
            }
            try context.save()
        }
        return library
    }

    private func titles(
        _ context: NSManagedObjectContext, _ predicate: NSPredicate, ascending: Bool? = true, limit: Int = 0,
        entity: String = "Book"
    ) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        request.fetchLimit = limit
        if let ascending { request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: ascending)] }
        return try context.fetch(request).map { $0.value(forKey: "title") as? String ?? "" }
    }

    @Test("A fetch with other constants gives its own results", arguments: StoreKind.sampled())
    func otherConstants(kind: StoreKind) throws {
        let context = try filled(kind).context()
        try context.performAndWait {
            try #require(titles(context, NSPredicate(format: "pages > %d", 0)).count == 6)
            for number in [1, 3, 6, 9] {
                let expected = number == 9 ? [] : ["T\(number)"]
                #expect(try titles(context, NSPredicate(format: "isbn == %@", "\(number)")) == expected)
                #expect(try titles(context, NSPredicate(format: "pages == %d", number * 10)) == expected)
                let published = Date(timeIntervalSinceReferenceDate: Double(number))
                #expect(try titles(context, NSPredicate(format: "published == %@", published as NSDate)) == expected)
                #expect(
                    try titles(context, NSPredicate(format: "pages >= %d AND isbn != %@", number * 10, "6"))
                        == (1..<6).filter { $0 >= number }.map { "T\($0)" })
            }
        }
    }

    @Test("Order, limit and entity are part of the shape", arguments: StoreKind.sampled())
    func partsOfTheShape(kind: StoreKind) throws {
        let context = try filled(kind).context()
        try context.performAndWait {
            let predicate = NSPredicate(format: "pages > %d", 20)
            try #require(titles(context, predicate).count == 4)
            for _ in 0..<2 {
                #expect(try titles(context, predicate) == ["T3", "T4", "T5", "T6"])
                #expect(try titles(context, predicate, ascending: false) == ["T6", "T5", "T4", "T3"])
                #expect(try titles(context, predicate, limit: 2) == ["T3", "T4"])
                #expect(try titles(context, predicate, ascending: false, limit: 1) == ["T6"])
                #expect(try titles(context, predicate, entity: "Novel") == ["T6"])
            }
        }
    }

    @Test("A request without a shape is translated each time: options, missing values, objects, texts of any length")
    func withoutShape() throws {
        let context = try filled(.sqlite).context()
        try context.performAndWait {
            let author = try #require(try context.all("Author").first)
            let long = String(repeating: "x", count: 1_000)
            for _ in 0..<2 {
                #expect(try titles(context, NSPredicate(format: "title ==[c] %@", "t2")) == ["T2"])
                #expect(try titles(context, NSPredicate(format: "note == %@", NSNull())).count == 6)
                #expect(try titles(context, NSPredicate(format: "author == %@", author)).count == 6)
                #expect(try titles(context, NSPredicate(format: "title == %@", long)) == [])
                #expect(try titles(context, NSPredicate(format: "author.name == %@", "A")).count == 6)
            }
        }
        let layout = try #require(LibraryModel.make().layout.layout(named: "Book"))
        func shape(_ format: String, _ arguments: Any...) -> FetchShape? {
            var fetch = StoreFetch(layout: layout)
            fetch.predicate = NSPredicate(format: format, argumentArray: arguments)
            return FetchShape.of(fetch)?.shape
        }
        #expect(shape("title == %@", "a") == shape("title == %@", "b"))
        #expect(shape("title == %@", "a") != shape("isbn == %@", "a"))
        #expect(shape("title == %@", "a") != shape("title != %@", "a"))
        #expect(shape("title == %@", "a") != shape("title == %@ AND pages > 1", "a"))
        #expect(shape("title == %@", "a") != nil)
        for format in ["title ==[c] 'a'", "ANY tags.name == 'a'", "author.name == 'a'", "pages == 1 OR pages == 2"] {
            #expect(shape(format) == nil)
        }
        #expect(shape("title == %@", String(repeating: "x", count: 1_000)) == nil)
    }

    @Test("A program that makes up ever new fetches has the oldest forgotten, and gets the right rows")
    func manyShapes() throws {
        let context = try filled(.sqlite).context()
        try context.performAndWait {
            try #require(titles(context, NSPredicate(format: "pages > %d", 0)).count == 6)
            for limit in 1...100 {
                #expect(try titles(context, NSPredicate(format: "pages > %d", 30), limit: limit).count == min(limit, 3))
            }
            #expect(try titles(context, NSPredicate(format: "pages > %d", 50), limit: 1) == ["T6"])
        }
    }

    @Test("Stores that read by one connection do not mistake each other's statements")
    func oneConnection() throws {
        let library = try filled(.inMemory)
        let store = try #require(library.store as? SQLStore)
        let other = SQLStore(store.parts, database: store.database)
        let layout = try #require(store.layout.layout(named: "Book"))
        guard case .attribute(let title)? = layout.access["title"] else { return }
        func titles(_ store: SQLStore, _ format: String) throws -> [String] {
            var fetch = StoreFetch(layout: layout)
            fetch.predicate = NSPredicate(format: format)
            var found: [String] = []
            try store.fetchRows(fetch) { rows in found += rows.map { $0.string(title) } }
            return found
        }
        for _ in 0..<2 {
            #expect(try titles(store, "isbn == '1'") == ["T1"])
            #expect(try titles(other, "pages == 20") == ["T2"])
        }
    }

    @Test("Words of a format that may be keys or keywords are read as before")
    func keysOfFormats() throws {
        for format in [
            "title == \"a\"", "self.title == \"a\"", "SELF == \"a\"", "sum(pages) > 3", "subquery == 1", "a.b.c == 1",
            "pages BETWEEN {1, 2}", "SUBQUERY(tags, $t, $t.name == \"a\").@count > 0", "TRUEPREDICATE", "x == nil",
        ] {
            let printed = NSPredicate(format: format).printed
            // Once more, with the words that are kept.
            #expect(NSPredicate(format: format).printed == printed)
            #expect(NSPredicate(format: printed).printed == printed)
        }
        #expect(NSPredicate(format: "title == \"a\"").printed == "title == \"a\"")
        #expect(throws: PredicateParseError.self) { try NSPredicate.parse(format: "AND == 1") }
    }
}
