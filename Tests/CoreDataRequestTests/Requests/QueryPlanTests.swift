import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Plans of SQLite for fetches", .leavesNothingBehind)
struct QueryPlanTests {
    private static let model = """
        entity Author
         name string index
         books many Book.author
        entity Book
         title string index
         pages int32 index
         sold date index
         note string
         author one Author.books
         tags many Tag.books
        entity Tag
         name string index
         books many Book.tags
        """

    private static func fill(_ context: NSManagedObjectContext) throws {
        let authors = (0..<10).map { context.make("Author", ["name": "author \($0)"]) }
        let tags = (0..<10).map { context.make("Tag", ["name": "tag \($0)"]) }
        for number in 0..<200 {
            let book = context.make(
                "Book", ["title": "title \(number)", "pages": number, "author": authors[number % 10]])
            book.setValue(Date(timeIntervalSinceReferenceDate: Double(number)), forKey: "sold")
            book.setValue(Set([tags[number % 10]]), forKey: "tags")
        }
        try context.save()
    }

    private static func request(_ format: String?, _ arguments: [Any] = []) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        if let format { request.predicate = NSPredicate(format: format, argumentArray: arguments) }
        return request
    }

    private static func readsWholeTable(_ plan: [FetchExplanation.Step]) -> Bool {
        plan.contains { $0.readsWholeTable }
    }

    @Test("Comparisons that an index serves read no whole table")
    func indexed() throws {
        let stack = try TextStack(Self.model)
        let context = stack.context()
        try context.performAndWait {
            try Self.fill(context)
            let author = try #require(context.all("Author").first)
            let date = Date(timeIntervalSinceReferenceDate: 7)
            let ids = try context.all("Book").map(\.objectID)
            let many = (0..<10_000).map { ids[$0 % ids.count] }
            let texts = (0..<10_000).map { "title \($0)" }
            let cases: [(String, [Any])] = [
                ("title == 'title 3'", []), ("title BEGINSWITH 'title 3'", []), ("pages > 3 AND pages < 9", []),
                ("pages BETWEEN {3, 9}", []), ("sold >= %@ AND sold < %@", [date, date + 3]), ("SELF IN %@", [many]),
                ("title IN %@", [texts]), ("author == %@", [author]), ("author IN %@", [[author]]),
                ("author.name == 'author 3'", []),
                ("author.name == 'author 3' AND pages > 7", []), ("title == 'title 3' OR pages == 7", []),
            ]
            for (format, arguments) in cases {
                let plan = try #require(context.explain(Self.request(format, arguments)).first).plan
                #expect(!Self.readsWholeTable(plan), "\(format): \(plan.map(\.text))")
            }
        }
    }

    @Test("An order that an index has needs no sorting, in both directions")
    func sorted() throws {
        let stack = try TextStack(Self.model)
        let context = stack.context()
        try context.performAndWait {
            try Self.fill(context)
            for (key, ascending) in [("title", true), ("pages", false), ("sold", true)] {
                let request = Self.request(nil)
                request.sortDescriptors = [NSSortDescriptor(key: key, ascending: ascending)]
                request.fetchLimit = 10
                let plan = try #require(context.explain(request).first).plan
                #expect(!plan.contains { $0.text.contains("TEMP B-TREE") }, "\(key): \(plan.map(\.text))")
            }
        }
    }

    /// A store whose table of books has so many rows.
    private static func stack(rows: Int) throws -> (TextStack, NSManagedObjectContext) {
        let stack = try TextStack(model)
        let context = stack.context()
        try context.performAndWait {
            var number = 0
            let insert = NSBatchInsertRequest(entityName: "Book") { (values: NSMutableDictionary) in
                if number == rows { return true }
                values["note"] = "note \(number)"
                values["pages"] = number
                number += 1
                return false
            }
            try context.execute(insert)
        }
        return (stack, context)
    }

    @Test("A fetch that reads a large table names the index that would help, once in a debug build")
    func suggested() throws {
        let (stack, context) = try Self.stack(rows: 10_500)
        try context.performAndWait {
            let slow = Self.request("note == 'note 3' AND pages != 7")
            let index = try #require(context.explain(slow).first?.suggestedIndex)
            #expect(index.entityName == "Book" && index.propertyName == "note" && index.rowCount == 10_500)
            let fast = try #require(context.explain(Self.request("pages == 3")).first)
            #expect(fast.suggestedIndex == nil)
            let unserved = try #require(context.explain(Self.request("note CONTAINS '3'")).first)
            #expect(unserved.suggestedIndex == nil && Self.readsWholeTable(unserved.plan))
            for number in 0..<3 {
                #expect(try context.fetch(Self.request("note == %@", ["note \(number)"])).count == 1)
                #expect(try context.count(for: Self.request("note == %@", ["note \(number)"])) == 1)
                #expect(try context.fetch(Self.request("pages == %@", [number])).count == 1)
            }
        }
        #if DEBUG
        let store = try #require(stack.coordinator.persistentStores.first as? SQLStore)
        #expect(
            store.tableScans.warnings == [
                "CoreData: warning: a fetch of Book reads a whole table: an index on note of Book would spare "
                    + "reading 10500 rows."
            ])
        #endif
    }

    @Test("A fetch that reads a table of few rows names no index")
    func small() throws {
        let (stack, context) = try Self.stack(rows: 100)
        defer { withExtendedLifetime(stack) {} }
        try context.performAndWait {
            let explanation = try #require(context.explain(Self.request("note == 'note 3'")).first)
            #expect(explanation.suggestedIndex == nil && Self.readsWholeTable(explanation.plan))
        }
    }
}
