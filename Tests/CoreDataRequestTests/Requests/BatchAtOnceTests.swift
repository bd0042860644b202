import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Where only the number of rows is wanted, one statement may write them all. For ids, the rows are read first. The two
/// ways must have the same effect. That the first one is taken shows in the instructions that benchmarks count.
@Suite("Batches that return a number and batches that return ids", .leavesNothingBehind, .onEveryDatabase)
struct BatchAtOnceTests {
    private typealias NSExpression = CoreData.NSExpression

    private static let model = """
        entity Author
          name string
          books many Book.author
        entity Book
          title string
          pages int16
          copies int64
          price double
          weight double!
          code int32
          cover data external
          author one Author.books
          tags many Tag.books
          unique code
        entity Novel : Book
          genre string
        entity Tag
          name string
          books many Book.tags
        entity Line
          title string
          pages int16
          price double
          author one Author
        """

    private static let conditions = [
        nil, "pages > 150", "title CONTAINS[cd] 'É'", "author.name == 'Anna'", "ANY tags.name == 'T'",
        "SUBQUERY(tags, $t, $t.name == 'T' AND $t.books.@count > 1).@count > 0", "author.books.@count == 2",
        "pages == 100 OR title == nil", "FALSEPREDICATE",
    ]

    private static var values: [[AnyHashable: Any]] {
        [
            ["copies": NSExpression(format: "copies - pages")], ["copies": NSExpression(format: "copies * copies")],
            ["price": NSExpression(format: "pages + price")], ["weight": NSExpression(format: "price + 1")],
            ["weight": NSExpression(format: "weight * 1e308 * 1e308")],
            ["pages": NSExpression(format: "pages * 2 + 1")], ["pages": NSExpression(format: "pages * pages")],
            ["title": NSExpression(format: "author.name")],
            ["code": NSExpression(format: "code + 1")], ["code": 3],
            ["cover": Data([1, 2]), "pages": 90], ["cover": NSNull(), "pages": 100], ["title": NSNull(), "price": 1],
            ["pages": NSExpression(format: "price * 3")], ["pages": 7],
        ]
    }

    private func stack() throws -> TextStack {
        let stack = try TextStack(Self.model, kind: .current)
        let context = stack.context()
        try context.performAndWait {
            let tag = context.make("Tag", ["name": "T"])
            var code = 0
            for (number, name) in ["Anna", "Bert"].enumerated() {
                let author = context.make("Author", ["name": name])
                for (kind, title) in [("Book", "été"), ("Novel", "Ete"), ("Book", "x")] {
                    let book = context.make(
                        kind,
                        [
                            "title": title, "pages": 100 * (number + 1), "copies": Int64(3_000_000_000), "weight": 0.5,
                            "code": code, "cover": Data(repeating: 1, count: 120_000),
                        ])
                    code += 10
                    if title != "x" {
                        book.setValue(author, forKey: "author")
                        book.setValue(2.5, forKey: "price")
                        book.setValue(NSSet(object: tag), forKey: "tags")
                    }
                    context.make("Line", ["title": title, "pages": 100 * (number + 1), "author": author])
                }
            }
            try context.save()
        }
        return stack
    }

    /// The outcome of a request: how many rows, or the code of its error, and the rows afterwards.
    private struct Outcome: Equatable {
        var count = 0
        var code: Int?
        var lines: [String] = []
        var files = 0
    }

    private func outcome(_ request: NSPersistentStoreRequest, _ stack: TextStack) throws -> Outcome {
        let context = stack.context()
        var outcome = Outcome()
        context.performAndWait {
            do {
                let result = try context.execute(request)
                let told = (result as? NSBatchUpdateResult)?.result ?? (result as? NSBatchDeleteResult)?.result
                outcome.count = (told as? [NSManagedObjectID])?.count ?? (told as? Int) ?? -1
            } catch let error as NSError {
                outcome.code = error.code
            }
        }
        outcome.lines =
            try stack.lines("Book", "title", "pages", "copies", "price", "weight", "code")
            + stack.lines("Line", "title", "pages", "price")
        outcome.files = try stack.externalFiles()?.count ?? 0
        return outcome
    }

    @Test(
        "Updates come to the same rows, with a number or ids returned", arguments: Sample.slice(conditions, oneIn: 9))
    func updates(condition: String?) throws {
        var changed = 0
        let stacks = (try stack(), try stack())
        for values in Self.values {
            func outcome(_ type: NSBatchUpdateRequestResultType, _ stack: TextStack) throws -> Outcome {
                let request = NSBatchUpdateRequest(entityName: "Book")
                request.propertiesToUpdate = values
                request.predicate = condition.map { NSPredicate(format: $0) }
                request.resultType = type
                return try self.outcome(request, stack)
            }
            let told = try outcome(.updatedObjectsCountResultType, stacks.0)
            #expect(told == (try outcome(.updatedObjectIDsResultType, stacks.1)), "\(values) where \(condition ?? "")")
            changed += told.count
        }
        #expect((changed > 0) == (condition != "FALSEPREDICATE"))
        if condition == nil { #expect(try stacks.0.externalFiles() ?? [] == []) }
    }

    @Test(
        "Deletions come to the same rows, with a number or ids as the result",
        arguments: Sample.slice([nil, "pages > 150", "title CONTAINS[cd] 'É'", "author.name == 'Anna'"], oneIn: 2))
    func deletions(condition: String?) throws {
        for entity in ["Line", "Novel", "Book"] {
            func outcome(_ type: NSBatchDeleteRequestResultType) throws -> Outcome {
                let rows = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
                rows.predicate = condition.map { NSPredicate(format: $0) }
                let request = NSBatchDeleteRequest(fetchRequest: rows)
                request.resultType = type
                return try self.outcome(request, try stack())
            }
            let told = try outcome(.resultTypeCount)
            #expect(told.count > 0)
            #expect(told == (try outcome(.resultTypeObjectIDs)), "\(entity) where \(condition ?? "")")
        }
    }

    @Test("objects that are registered see the rows as a batch has left them when they are read again")
    func registered() throws {
        let stack = try stack()
        let context = stack.context()
        try context.performAndWait {
            let lines = try context.all("Line")
            #expect(lines.compactMap { $0.value(forKey: "pages") as? Int }.reduce(0, +) == 900)
            let request = NSBatchUpdateRequest(entityName: "Line")
            request.propertiesToUpdate = ["pages": NSExpression(format: "pages + 1")]
            try context.execute(request)
            context.refreshAllObjects()
            #expect(lines.compactMap { $0.value(forKey: "pages") as? Int }.reduce(0, +) == 906)
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Line")) == 6)
            let rows = NSFetchRequest<any NSFetchRequestResult>(entityName: "Line")
            rows.predicate = NSPredicate(format: "pages == 101")
            try context.execute(NSBatchDeleteRequest(fetchRequest: rows))
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Line")) == 3)
            #expect(try context.all("Line").count == 3)
        }
    }
}
