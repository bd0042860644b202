import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// A predicate's constant that stands for a row.
private final class RowConstant: NSObject, ObjectKeyConvertible {
    let objectKey: ObjectKey
    init(_ key: ObjectKey) { objectKey = key }
}

/// A database that computes nothing on texts.
private final class PlainDatabase: SQLDatabase {
    private let database: any SQLDatabase

    init(_ database: any SQLDatabase) { self.database = database }

    var capabilities: SQLCapabilities {
        var capabilities = database.capabilities
        capabilities.missingFunctions = [
            .contains, .beginsWith, .endsWith, .like, .matches, .equalText, .fold, .canonical, .lower, .upper,
        ]
        return capabilities
    }

    func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result { try database.read(body) }
    func write<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result? { try database.write(body) }
    func withoutWriting<Result>(_ body: () throws -> Result) rethrows -> Result { try database.withoutWriting(body) }
    func willSave() { database.willSave() }
    var holdsTransaction: Bool { database.holdsTransaction }
    func close() {}
}

@Suite("Fetching from a SQLite store", .leavesNothingBehind)
struct SQLiteStoreFetchingTests {
    private static let titles: [(isbn: String, title: String, pages: Int, rating: Double)] = [
        ("1", "Apple", 100, 1.5), ("2", "Äpfel", 200, 2.5), ("3", "apricot", 300, 3.5), ("4", "Banana*", 400, 4.5),
        ("5", "Étude", 500, 5), ("6", "line\nbreak", 600, 0),
    ]

    /// A store with six books, one without a title, three authors, two shelves and three tags.
    private struct Shop {
        let fixture: StoreFixture
        let books: [ObjectKey]
        let persons: [ObjectKey]
        let tags: [ObjectKey]
        let shelves: [ObjectKey]

        init() throws {
            fixture = try StoreFixture(at: nil)
            let person = try fixture.insert("Person", [["name": "Paula"]])
            let authors = try fixture.insert(
                "Author", [["name": "Ann", "penName": "A."], ["name": "Zoë"]])
            persons = person + authors
            shelves = try fixture.insert("Shelf", [["room": "hall"], ["room": "attic"]])
            tags = try fixture.insert("Tag", [["label": "red"], ["label": "green"], ["label": "blue"]])
            let (persons, shelves) = (persons, shelves)
            var rows: [[String: Any?]] = titles.enumerated().map { place, book in
                [
                    "isbn": book.isbn, "title": book.title, "pages": book.pages, "rating": book.rating,
                    "author": persons[place % 3], "shelf": place < 4 ? shelves[0] : shelves[1],
                    "published": Date(timeIntervalSinceReferenceDate: Double(place) * 1000),
                    "inPrint": place % 2 == 0, "price": Decimal(place),
                ]
            }
            rows.append(["isbn": "7"])
            books = try fixture.insert("Book", rows)
            let bookTags = fixture.toMany("Book", "tags")
            try fixture.store.commit(
                ChangeSet(joins: [
                    .init(toMany: bookTags, owner: books[0], added: [tags[0], tags[1]]),
                    .init(toMany: bookTags, owner: books[1], added: [tags[1]]),
                    .init(toMany: bookTags, owner: books[2], added: [tags[0], tags[1], tags[2]]),
                ]))
        }

        /// The result of the store: the same as one whose database computes nothing on texts.
        func isbns(_ format: String, _ arguments: Any?...) throws -> String {
            let predicate = try NSPredicate.parse(format: format, arguments: arguments)
            let found = try fixture.strings("Book", "isbn", predicate).joined()
            let judging = SQLStore(fixture.store.parts, database: PlainDatabase(fixture.store.database))
            var judged: [String] = []
            try judging.fetchRows(StoreFetch(layout: fixture.entity("Book"), predicate: predicate)) { rows in
                judged += rows.map { $0.string(fixture.slot("Book", "isbn")) }
            }
            #expect(judged.sorted().joined() == found, "\(format), judged by the program")
            return found
        }
    }

    @Test("comparisons of every kind of attribute find the rows that memory finds")
    func comparisons() throws {
        let shop = try Shop()
        let memory = Self.titles.enumerated().map { place, book -> [String: Any] in
            [
                "isbn": book.isbn, "title": book.title, "pages": book.pages, "rating": book.rating,
                "published": Date(timeIntervalSinceReferenceDate: Double(place) * 1000), "inPrint": place % 2 == 0,
                "price": Decimal(place),
            ]
        }
        let formats = [
            "title == 'Apple'", "title == 'apple'", "title ==[c] 'apple'", "title ==[cd] 'APFEL'",
            "title ==[d] 'Etude'",
            "title != 'Apple'", "title !=[c] 'APPLE'", "title < 'B'", "title >=[c] 'B'", "title BEGINSWITH 'A'",
            "title BEGINSWITH[c] 'a'", "title BEGINSWITH[cd] 'a'", "title ENDSWITH 'e'", "title ENDSWITH[cd] 'DE'",
            "title CONTAINS 'an'", "title CONTAINS[c] 'AN'", "title CONTAINS[cd] 'ap'", "title CONTAINS ''",
            "title LIKE 'A*'", "title LIKE[c] 'a?p*'", "title LIKE '*\\\\*'", "title LIKE[cd] '?tude'",
            "title MATCHES 'A.*e'", "title MATCHES[c] 'a.*'", "title MATCHES 'line.break'",
            "title IN {'Apple', 'Étude'}",
            "title IN[cd] {'APPLE', 'etude'}", "NOT title IN {'Apple'}", "pages > 300", "pages >= 300 AND pages < 500",
            "pages BETWEEN {200, 400}", "pages == 100 OR rating == 5", "pages / 100 == 3", "pages + 1 == 201",
            "pages * 2 > 900", "pages - 100 == 0", "rating > 2.4", "rating == 0", "inPrint == YES", "inPrint == NO",
            "inPrint != YES", "price == 3", "price > 2.5", "pages IN {100, 600, 1000}", "NOT (pages > 200)",
            "TRUEPREDICATE", "FALSEPREDICATE", "title == 'x' OR TRUEPREDICATE", "uppercase:(title) == 'APPLE'",
            "lowercase:(title) BEGINSWITH 'a'", "length:(title) == 5", "abs:(pages - 300) <= 100",
            "title != nil AND pages != nil", "title == nil", "'Apple' == title", "300 < pages", "title BEGINSWITH ''",
            "modulus:by:(pages, 200) == 0", "pages BETWEEN {400, 200}", "TERNARY(pages > 300, 1, 2) == 1",
        ]
        for format in formats {
            let predicate = try NSPredicate.parse(format: format, arguments: [])
            let expected = memory.filter { predicate.evaluate(with: $0) }.compactMap { $0["isbn"] as? String }.joined()
            let found = try shop.isbns("isbn != '7' AND (\(format))")
            #expect(found == expected, "\(format)")
        }
        #expect(try shop.isbns("published >= %@", Date(timeIntervalSinceReferenceDate: 4000)) == "56")
        #expect(
            try shop.isbns(
                "published BETWEEN {%@, %@}", Date(timeIntervalSinceReferenceDate: 1000),
                Date(timeIntervalSinceReferenceDate: 2000)) == "23")
    }

    /// More texts than one statement binds one by one.
    private static let manyTexts = "{" + (0..<500).map { "'x\($0)', " }.joined() + "'apple', 'ann'}"

    @Test(
        "A condition on a text gives no answer where a value is missing, in the database and in memory",
        arguments: [
            "title MATCHES 'A.*'", "NOT title MATCHES 'A.*'", "title MATCHES 'none'", "NOT title MATCHES 'none'",
            "title CONTAINS[cd] author.name", "NOT (author.name BEGINSWITH[c] 'z' OR title LIKE 'B*')",
            "title ==[cd] isbn OR pages > 100", "title >[c] author.name", "title BETWEEN[c] {'a', 'c'}",
            "author.penName !=[c] 'a.'", "ANY tags.label LIKE[c] 'R*'", "NOT ANY tags.label MATCHES 'r.*'",
            "SUBQUERY(tags, $t, $t.label CONTAINS[c] 'E').@count == 2", "lowercase:(author.name) IN {'ann', 'paula'}",
            "TERNARY(title LIKE 'A*', 1, 2) == 1", "NOT (title LIKE 'B*' AND pages > 100)", "uppercase:(title) != nil",
            "lowercase:(author.name) == nil", "NOT lowercase:(author.name) != nil",
            "lowercase:(author.name) == nil OR title CONTAINS[c] shelf.room",
            "SUBQUERY(tags, $t, $t.label CONTAINS[c] title).@count > 0",
            "SUBQUERY(tags, $t, NOT $t.label CONTAINS[c] title).@count > 0",
            "SUBQUERY(tags, $t, $t.label CONTAINS[c] author.name).@count == 0",
            "ANY tags.label CONTAINS[c] 'E' AND lowercase:(author.name) != 'zoë'",
            "lowercase:(title) IN \(manyTexts)", "NOT lowercase:(title) IN \(manyTexts)",
            "NOT lowercase:(author.name) IN \(manyTexts)", "title IN \(manyTexts) OR title LIKE 'A*'",
        ])
    func missingTexts(_ format: String) throws {
        _ = try Shop().isbns(format)
    }

    @Test(
        "A condition on texts takes a number as the database's text of it, in the database and in memory",
        arguments: [
            ("pages CONTAINS '1'", "1"), ("pages ENDSWITH[c] '00'", "123456"), ("rating ENDSWITH '.5'", "1234"),
            ("rating CONTAINS '.0'", "56"), ("pages MATCHES '[12]00'", "12"), ("rating LIKE '?.5'", "1234"),
            ("lowercase:(pages) == '300'", "3"),
        ])
    func numbersAsTexts(_ format: String, isbns: String) throws {
        #expect(try Shop().isbns(format) == isbns)
    }

    @Test("Texts in long lists are compared to their end, although a U+0000 is in them")
    func zeros() throws {
        let fixture = try StoreFixture(at: nil)
        try fixture.insert("Tag", ["a\u{0}b", "a", "a\u{0}c"].map { ["label": $0] })
        let list = (0..<600).map { "x\($0)" } + ["a\u{0}b"]
        #expect(try fixture.strings("Tag", "label", NSPredicate(format: "label IN %@", list)) == ["a\u{0}b"])
        let judging = SQLStore(fixture.store.parts, database: PlainDatabase(fixture.store.database))
        var judged: [String] = []
        let predicate = NSPredicate(format: "label ENDSWITH[c] 'B'")
        try judging.fetchRows(StoreFetch(layout: fixture.entity("Tag"), predicate: predicate)) { rows in
            judged += rows.map { $0.string(fixture.slot("Tag", "label")) }
        }
        #expect(judged == ["a\u{0}b"])
    }

    @Test("No row is found by IS NULL alone")
    func nothing() throws {
        let shop = try Shop()
        #expect(try shop.isbns("title == nil") == "7")
        #expect(try shop.isbns("title != nil") == "123456")
        #expect(try shop.isbns("title == %@", NSNull()) == "7")
        #expect(try shop.isbns("title != 'Apple'") == "23456")
        #expect(try shop.isbns("author == nil") == "7")
        #expect(try shop.isbns("title IN %@", ["Apple", NSNull()] as [Any]) == "17")
        #expect(try shop.isbns("title IN %@", [Any]()) == "")
        #expect(try shop.isbns("pages < 1000000") == "123456")
    }

    @Test("key paths go through to-one relationships")
    func toOnePaths() throws {
        let shop = try Shop()
        #expect(try shop.isbns("author.name == 'Ann'") == "25")
        #expect(try shop.isbns("author.name BEGINSWITH[cd] 'zoe'") == "36")
        #expect(try shop.isbns("author.name == 'Ann' AND shelf.room == 'attic'") == "5")
        #expect(try shop.isbns("author.name == nil") == "7")
        #expect(try shop.isbns("author.penName == 'A.'") == "25")
        #expect(try shop.isbns("author == %@", RowConstant(shop.persons[2])) == "36")
        #expect(try shop.isbns("author IN %@", [RowConstant(shop.persons[0]), RowConstant(shop.persons[2])]) == "1346")
        #expect(try shop.isbns("SELF == %@", RowConstant(shop.books[3])) == "4")
        #expect(try shop.isbns("SELF IN %@", Set([RowConstant(shop.books[3]), RowConstant(shop.books[4])])) == "45")
        #expect(try shop.isbns("author.objectID == %@", RowConstant(shop.persons[1])) == "25")
        let unsaved = RowConstant(ObjectKey(layoutIndex: 1, key: -5))
        #expect(try shop.isbns("author == %@", unsaved) == "")
    }

    @Test("ANY, ALL, NONE, counts and subqueries evaluate to-many relationships")
    func toManyPaths() throws {
        let shop = try Shop()
        #expect(try shop.isbns("ANY tags.label == 'red'") == "13")
        #expect(try shop.isbns("ANY tags.label IN {'blue', 'red'}") == "13")
        #expect(try shop.isbns("ALL tags.label == 'green'") == "24567")
        #expect(try shop.isbns("NONE tags.label == 'red'") == "24567")
        #expect(try shop.isbns("tags.@count > 1") == "13")
        #expect(try shop.isbns("tags.@count == 0") == "4567")
        #expect(try shop.isbns("tags CONTAINS %@", RowConstant(shop.tags[2])) == "3")
        #expect(try shop.isbns("%@ IN tags", RowConstant(shop.tags[1])) == "123")
        #expect(try shop.isbns("ANY tags == %@", RowConstant(shop.tags[1])) == "123")
        #expect(try shop.isbns("SUBQUERY(tags, $t, $t.label == 'red' OR $t.label == 'blue').@count == 2") == "3")
        #expect(try shop.isbns("SUBQUERY(tags, $t, $t.label == 'red').@count > 0 AND pages > 100") == "3")
        #expect(try shop.isbns("shelf.order.@count == 4") == "1234")
        #expect(try shop.isbns("ANY author.books.pages > 500") == "36")
        #expect(try shop.isbns("ANY shelf.order.tags.label == 'blue'") == "1234")
        let persons = try shop.fixture.strings("Person", "name", NSPredicate(format: "books.@sum.pages > 700"))
        #expect(persons == ["Zoë"])
        #expect(
            try shop.fixture.strings("Person", "name", NSPredicate(format: "books.pages.@max < 450")) == ["Paula"])
        #expect(
            try shop.fixture.strings(
                "Person", "name", NSPredicate(format: "SUBQUERY(books, $b, ANY $b.tags.label == 'blue').@count == 1"))
                == ["Zoë"])
        #expect(
            try shop.fixture.strings("Shelf", "room", NSPredicate(format: "ANY order.author.name == 'Paula'")) == [
                "hall"
            ])
    }

    @Test("a fetch of an entity finds sub-entities too, unless its option excludes them")
    func subentities() throws {
        let shop = try Shop()
        #expect(try shop.fixture.strings("Person", "name") == ["Ann", "Paula", "Zoë"])
        #expect(try shop.fixture.strings("Author", "name") == ["Ann", "Zoë"])
        var request = StoreFetch(layout: shop.fixture.entity("Person"))
        request.includesSubentities = false
        request.result = .count
        guard case .count(let count) = try shop.fixture.store.fetch(request) else { return }
        #expect(count == 1)
        let author = try #require(try shop.fixture.rows("Person", NSPredicate(format: "name == 'Ann'")).first)
        #expect(author.layoutIndex == shop.fixture.entity("Author").index)
        #expect(author.string(shop.fixture.slot("Author", "penName")) == "A.")
    }

    @Test("rows come sorted by several keys, through relationships, and in pages")
    func sorting() throws {
        let shop = try Shop()
        func isbns(_ sort: [NSSortDescriptor], limit: Int = 0, offset: Int = 0) throws -> String {
            try shop.fixture.rows("Book", sort: sort, limit: limit, offset: offset)
                .map { $0.string(shop.fixture.slot("Book", "isbn")) }.joined()
        }
        let byAuthor = [
            NSSortDescriptor(key: "author.name", ascending: false), NSSortDescriptor(key: "pages", ascending: true),
        ]
        #expect(try isbns(byAuthor) == "3614257")
        #expect(try isbns([NSSortDescriptor(key: "title", ascending: true)], limit: 3) == "714")
        #expect(
            try isbns([NSSortDescriptor(key: "title", ascending: true, selector: .caseInsensitiveCompare)], limit: 4)
                == "7134")
        #expect(try isbns([NSSortDescriptor(key: "pages", ascending: false)], limit: 2, offset: 1) == "54")
        #expect(try isbns([NSSortDescriptor(key: "pages", ascending: true)], offset: 5) == "56")
        #expect(try isbns([NSSortDescriptor(key: "tags.@count", ascending: false)], limit: 1) == "3")
    }

    @Test("keys and counts are fetched without rows, within limit and offset")
    func keysAndCounts() throws {
        let shop = try Shop()
        var request = StoreFetch(
            layout: shop.fixture.entity("Book"), predicate: NSPredicate(format: "pages >= 200"),
            sortDescriptors: [NSSortDescriptor(key: "pages", ascending: true)])
        request.result = .keys
        request.limit = 2
        request.offset = 1
        guard case .keys(let keys) = try shop.fixture.store.fetch(request) else { return }
        #expect(Array(keys) == Array(shop.books[2..<4]))
        for (limit, offset, expected) in [(0, 0, 5), (2, 0, 2), (0, 4, 1), (3, 4, 1), (0, 9, 0)] {
            request.result = .count
            request.limit = limit
            request.offset = offset
            guard case .count(let count) = try shop.fixture.store.fetch(request) else { return }
            #expect(count == expected)
        }
    }

    @Test("dictionaries hold attributes, aggregates and keys, grouped and filtered")
    func dictionaries() throws {
        let shop = try Shop()
        func expression(_ name: String, _ format: String, _ type: NSAttributeType) -> StoreFetch.Column {
            let description = NSExpressionDescription()
            description.name = name
            description.expression = CoreData.NSExpression(format: format)
            description.expressionResultType = type
            return .expression(description)
        }
        func fetch(
            _ columns: [StoreFetch.Column], groupBy: [StoreFetch.Column] = [], having: NSPredicate? = nil,
            distinct: Bool = false, sort: [NSSortDescriptor] = []
        ) throws -> [[String: Any]] {
            var request = StoreFetch(
                layout: shop.fixture.entity("Book"), predicate: NSPredicate(format: "author != nil"),
                sortDescriptors: sort)
            request.result = .dictionaries(properties: columns, groupBy: groupBy, having: having, distinct: distinct)
            guard case .dictionaries(let result) = try shop.fixture.store.fetch(request) else { return [] }
            return result
        }
        let totals = try fetch([
            expression("sum", "sum:(pages)", .integer64AttributeType),
            expression("mean", "average:(rating)", .doubleAttributeType),
            expression("count", "count:(isbn)", .integer32AttributeType),
            expression("last", "max:(published)", .dateAttributeType),
        ])
        #expect(totals.count == 1)
        #expect(totals[0]["sum"] as? Int == 2100)
        #expect(totals[0]["count"] as? Int == 6)
        #expect(totals[0]["last"] as? Date == Date(timeIntervalSinceReferenceDate: 5000))
        let byAuthor = [NSSortDescriptor(key: "author.name", ascending: true)]
        let groups = try fetch(
            [.keyPath("author.name"), .keyPath("author"), expression("pages", "sum:(pages)", .integer64AttributeType)],
            groupBy: [.keyPath("author.name"), .keyPath("author")],
            having: NSPredicate(format: "sum:(pages) > 600"), sort: byAuthor)
        #expect(groups.map { $0["author.name"] as? String } == ["Ann", "Zoë"])
        #expect(groups.map { $0["author"] as? ObjectKey } == [shop.persons[1], shop.persons[2]])
        #expect(groups.map { $0["pages"] as? Int } == [700, 900])
        let rooms = try fetch(
            [.keyPath("shelf.room")], distinct: true, sort: [NSSortDescriptor(key: "shelf.room", ascending: true)])
        #expect(rooms.map { $0["shelf.room"] as? String } == ["attic", "hall"])
        let all = try fetch([], sort: [NSSortDescriptor(key: "isbn", ascending: true)])
        #expect(all.count == 6)
        #expect(all[0]["title"] as? String == "Apple")
        #expect(all[0]["price"] as? NSDecimalNumber == 0)
        let ids = try fetch([.keyPath("objectID")], sort: [NSSortDescriptor(key: "isbn", ascending: true)])
        #expect(ids.map { $0["objectID"] as? ObjectKey } == shop.books.prefix(6).map { $0 })
    }

    @Test("a part of a predicate that has no translation is named by the error")
    func failures() throws {
        let shop = try Shop()
        func reason(_ predicate: NSPredicate) throws -> String {
            let error = try #require(throws: NSError.self) { try shop.fixture.rows("Book", predicate) }
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.untranslatablePart.map { error.localizedDescription.hasSuffix($0) } != false)
            return error.localizedDescription
        }
        let pattern = CoreData.NSComparisonPredicate(
            leftExpression: CoreData.NSExpression(forKeyPath: "title"),
            rightExpression: CoreData.NSExpression(forConstantValue: "["), modifier: .direct, type: .matches)
        #expect(try reason(NSPredicate(format: "publisher == 'x'")).contains("publisher not found in entity Book"))
        #expect(try reason(NSPredicate(format: "note == 'x'")).contains("note"))
        #expect(try reason(NSPredicate(format: "tags.label == 'x'")).contains("to-many key not allowed here"))
        #expect(try reason(NSPredicate(format: "title == $name")).contains("$name"))
        #expect(try reason(pattern).contains("Can't open pattern ([)"))
        #expect(try reason(NSPredicate { _, _ in true }).contains("unimplemented SQL generation"))
        #expect(try reason(NSPredicate(format: "title == %@", NSObject())).contains("NSObject"))
        #expect(try reason(NSPredicate(format: "median:(pages) == 3")).contains("median:"))
    }

    @Test("long lists of keys, numbers and strings are found in one fetch")
    func longLists() throws {
        let fixture = try StoreFixture(at: nil)
        let keys = try fixture.insert("Tag", (0..<3000).map { ["label": "\($0)"] })
        let wanted = Array(stride(from: 0, to: 3000, by: 2))
        #expect(try fixture.rows("Tag", NSPredicate(format: "label IN %@", wanted.map(String.init))).count == 1500)
        #expect(
            try fixture.rows("Tag", NSPredicate(format: "SELF IN %@", wanted.map { RowConstant(keys[$0]) })).count
                == 1500)
        let root = fixture.entity("Tag").rootIndex
        for count in [1, 2, 20, 21, 99, 100, 101, 500, 501, 1700] {
            fixture.store.rowCache.removeAll()
            let asked = keys.prefix(count).map(\.key) + [ObjectKey.key(storeNumber: 1, primaryKey: 999_999)]
            let rows = try fixture.store.rows(for: asked, rootIndex: root, refreshing: false)
            #expect(Set(rows.map(\.key)) == Set(keys.prefix(count).map(\.key)))
        }
    }

    @Test("a cached row is handed out again while its version is the same")
    func cachedRows() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let fixture = try StoreFixture(at: url)
            let key = try fixture.insert("Tag", [["label": "a"]])[0]
            let row = try #require(try fixture.rows("Tag").first)
            #expect(try fixture.rows("Tag").first === row)
            let other = try StoreFixture(at: url)
            try other.update(try #require(try other.rows("Tag").first), ["label": "b"])
            #expect(
                try fixture.store.rows(for: [key.key], rootIndex: fixture.entity("Tag").rootIndex, refreshing: false)
                    .first === row)
            let fresh = try fixture.store.rows(
                for: [key.key], rootIndex: fixture.entity("Tag").rootIndex, refreshing: true)
            #expect(fresh.first?.string(fixture.slot("Tag", "label")) == "b")
            #expect(try fixture.rows("Tag").first === fresh.first)
        }
    }

    @Test("readers and a writer of several threads do not get in each other's way")
    func threads() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let fixture = try StoreFixture(at: url)
            let store = fixture.store
            let layout = fixture.entity("Tag")
            let slot = fixture.slot("Tag", "label")
            try fixture.insert("Tag", [["label": "0"]])
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        var seen = 0
                        for _ in 0..<200 {
                            var rows: [Snapshot] = []
                            try store.fetchRows(StoreFetch(layout: layout)) { rows += $0 }
                            let count = rows.count
                            // A row that was seen once never disappears.
                            if count < seen { return -1 }
                            seen = count
                            if rows.contains(where: { $0.isNull(slot) }) { return -1 }
                        }
                        return seen
                    }
                }
                group.addTask {
                    for number in 1...100 {
                        let first =
                            try store.reserveKeys([layout.rootIndex: 1])[layout.rootIndex]?.first?.lowerBound ?? 0
                        var builder = SnapshotBuilder(layout: layout, key: first, version: 1, tailBytes: 3)
                        builder.set(slot, string: "\(number)")
                        try store.commit(ChangeSet(inserted: [builder.finish()]))
                    }
                    return 0
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(!counts.contains(-1))
            #expect(try fixture.rows("Tag").count == 101)
            #expect(store.connections.readers.openConnectionCount <= 4)
        }
    }
}
