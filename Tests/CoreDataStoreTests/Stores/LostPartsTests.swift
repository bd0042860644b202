import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("A store that has lost a part names the part, and a remedy", .leavesNothingBehind)
struct LostPartsTests {
    private static let model = """
        entity Item
          name string
        """

    private static var options: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

    private func open<Result>(
        _ url: URL, _ options: [AnyHashable: Any] = Self.options, _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        try withStore(url, ModelText.model(Self.model), options: options, body)
    }

    /// A store with three items and their history, to whose file something is done.
    private func damaged<Result>(by statements: String..., body: (URL) throws -> Result) throws -> Result {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Lost.sqlite")
            try open(url) { context in
                for number in 0..<3 { context.make("Item", ["name": "item \(number)"]) }
                try context.save()
            }
            let file = try RawDatabase(url)
            for statement in statements { try file.execute(statement) }
            return try body(url)
        }
    }

    private func readHistory(_ context: NSManagedObjectContext) throws {
        _ = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
    }

    @Test("A lost table of the highest keys is named, with the remedy")
    func keys() throws {
        try damaged(by: "DROP TABLE Z_PRIMARYKEY") { url in
            let error = try #require(throws: NSError.self) { try open(url) { _ in } }
            #expect(error.localizedDescription.contains("Z_PRIMARYKEY"), "\(error)")
            #expect(error.localizedDescription.contains("coredata salvage"), "\(error)")
        }
    }

    @Test("A highest key that is no number is found anew", arguments: ["'zz'", "x'ff'", "NULL"])
    func highestKey(_ value: String) throws {
        try damaged(by: "UPDATE Z_PRIMARYKEY SET Z_MAX = \(value)") { url in
            try open(url) { context in
                context.make("Item", ["name": "new"])
                try context.save()
                #expect(try context.all("Item").count == 4)
            }
        }
    }

    @Test("A column of the changes: each save says so")
    func changesColumn() throws {
        try damaged(by: "DROP TABLE ACHANGE", "CREATE TABLE ACHANGE (x)") { url in
            let error = try #require(throws: NSError.self) {
                try open(url) { context in
                    context.make("Item", ["name": "new"])
                    try context.save()
                }
            }
            #expect(error.localizedDescription.contains("coredata salvage"), "\(error)")
        }
    }

    private static let changes: [(statement: String, word: String)] = [
        ("UPDATE ACHANGE SET ZCHANGETYPE = 77 WHERE Z_PK = 2", "the row 2 of ACHANGE has the unknown type 77"),
        ("UPDATE ACHANGE SET ZENTITY = -5 WHERE Z_PK = 2", "the row 2 of ACHANGE has the entity number -5"),
    ]

    @Test("A change in history that no program can have written", arguments: changes)
    func change(_ change: (statement: String, word: String)) throws {
        try damaged(by: change.statement) { url in
            try open(url) { context in
                let error = try #require(throws: NSError.self) { try readHistory(context) }
                #expect(error.localizedDescription.contains(change.word), "\(error)")
                #expect(error.localizedDescription.contains("Delete the history"), "\(error)")
            }
        }
    }

    @Test("A lost table of history is named, and the objects can be read", arguments: ["ATRANSACTION", "ACHANGE"])
    func historyTable(_ table: String) throws {
        try damaged(by: "DROP TABLE \(table)") { url in
            try open(url, [NSReadOnlyPersistentStoreOption: true]) { context in
                let error = try #require(throws: NSError.self) { try readHistory(context) }
                #expect(error.localizedDescription.contains("its table \(table) is missing"), "\(error)")
                #expect(try context.all("Item").count == 3)
            }
        }
    }

    @Test("The error of a long format string shows the text around the mistake")
    func longFormat() throws {
        let format = "name == '" + String(repeating: "a", count: 100_000) + "' OR name ==== 'b'"
        let error = try #require(throws: PredicateParseError.self) { _ = try NSPredicate.parse(format: format) }
        #expect(error.description.count < 400 && error.description.contains("…"), "\(error.description.count)")
        #expect(error.description.contains("name ====") && error.format == format)
    }
}
