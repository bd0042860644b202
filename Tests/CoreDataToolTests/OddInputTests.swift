import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("The tool meets unexpected input")
struct OddInputTests {
    private static let model = """
        entity Author
          name string
          books many Book.author
          unique name
        abstract entity Thing
        entity Book : Thing
          title string
          published date
          price decimal
          author one Author.books
        """

    /// A store of two authors with a book each; a model lies beside it.
    private func fill(_ url: URL, type: String = NSSQLiteStoreType) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.model))
        let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for name in ["A", "B"] {
                let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
                author.setValue(name, forKey: "name")
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(Date(timeIntervalSinceReferenceDate: 1), forKey: "published")
                book.setValue(NSDecimalNumber(string: "1.5"), forKey: "price")
                book.setValue(author, forKey: "author")
            }
            try context.save()
        }
        try coordinator.remove(store)
        try ModelText.model(Self.model).archive().write(
            to: url.deletingLastPathComponent().appendingPathComponent("Model.mom"))
    }

    @Test("A whole store of any kind is whole", arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func whole(_ type: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store")
            try fill(url, type: type)
            let run = try ToolRun(["verify", url.path])
            #expect(run.output == "nothing is wrong (4 objects)\n" && run.status == 0, "\(run.output)\(run.errors)")
        }
    }

    @Test(
        "A value that cannot be read ends an export with an error, and leaves no file",
        arguments: ["export", "convert"])
    func unreadable(_ command: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try fill(url)
            try RawDatabase(url).execute("UPDATE ZTHING SET ZPUBLISHED = 'some day' WHERE Z_PK = 1")
            let target = folder.appendingPathComponent("target.xml")
            let run = try ToolRun([command, url.path] + (command == "export" ? ["-o", target.path] : [target.path]))
            #expect([3, 5].contains(run.status), "\(run.status) \(run.errors)")
            #expect(run.errors.contains("Book.published") && !run.errors.contains("Fatal error"), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: target.path))
        }
    }

    @Test(
        "An export that was changed by hand is refused at its place",
        arguments: [
            ("\"author\":\"Author/1\"", "\"author\":\"Book/1\"", "leads to 'Book/1', which is no Author"),
            ("{\"@id\":\"Book/1\"", "{\"@id\":\"Thing/1\"", "'Thing' is abstract"),
            ("\"price\":\"1.5\"", "\"price\":\"1.5.2\"", "this is no decimal number"),
            ("\"price\":\"1.5\"", "\"price\":\"-\"", "this is no decimal number"),
        ])
    func changedExport(_ old: String, _ new: String, _ message: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try fill(url)
            let lines = try ToolRun(["export", url.path]).output
            try #require(lines.contains(old), "\(lines)")
            let target = folder.appendingPathComponent("copy.sqlite")
            let run = try ToolRun(["import", target.path], input: lines.replacingOccurrences(of: old, with: new))
            #expect(run.status == 3 && run.errors.contains(message), "\(run.status) \(run.errors)")
            #expect(run.errors.contains("line "))
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(left.filter { $0.contains("copy") } == [])
        }
    }

    @Test("The status is that of a failure when no process reads the output")
    func closedErrors() throws {
        for redirection in ["2>&-", "2>/dev/full"] {
            let shell = URL(fileURLWithPath: "/bin/sh")
            let run = try ToolRun(["-c", "'\(ToolRun.program.path)' nope \(redirection)"], program: shell)
            #expect(run.status == 2 && run.output.isEmpty)
        }
    }

    @Test("Related objects that led here are named, and the depth has an end")
    func depth() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try fill(url)
            let run = try ToolRun([
                "fetch", url.path, "Author", "-c", "books", "--depth", "9", "-n", "1", "-f", "ndjson",
            ])
            #expect(
                run.output.hasSuffix("\"author\":{\"@id\":\"Author/1\",\"name\":\"A\",\"books\":[\"Book/1\"]}}]}\n")
                    || run.output.contains("[\"Book/1\"]") || run.output.contains("[\"Book/2\"]"), "\(run.output)")
            #expect(try ToolRun(["fetch", url.path, "Author", "--depth", "11", "--json"]).status == 2)
        }
    }

    @Test("A store that another process holds is reported soon", arguments: ["info", "fetch", "verify", "export"])
    func held(_ command: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try fill(url)
            let database = try RawDatabase(url)
            try database.execute("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
            let run = try ToolRun([command, url.path] + (command == "fetch" ? ["Book"] : []))
            #expect(run.status == 4 && run.errors.contains("locked by process"), "\(run.status) \(run.errors)")
            #expect(!run.errors.contains("NSPersistentStoreTimeoutOption"))
            try database.execute("COMMIT")
        }
    }

    @Test(
        "A predicate that means nothing is a mistake of the caller's, for any store",
        arguments: [
            "$x == 5", "title.foo == 5", "title MATCHES '('", "author.books.@max.nope == 5", "entity.foo == 5",
            "SUBQUERY(author.books, $b, $y == 1).@count > 0", "FUNCTION(title, 'nope:') == 5", "sum(title) == 5",
        ], [NSSQLiteStoreType, NSXMLStoreType])
    func meaningless(_ format: String, _ type: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store")
            try fill(url, type: type)
            let run = try ToolRun(["fetch", url.path, "Book", "--where", format])
            // Objects in memory have a sum of what is no number: none.
            if format.hasPrefix("sum"), type == NSXMLStoreType, run.status == 0 { return }
            #expect(run.status == 2 && run.output.isEmpty, "\(run.status) \(run.errors)")
            #expect(!run.errors.contains("Fatal error"))
        }
    }

    @Test(
        "A valid predicate is not refused",
        arguments: [
            "SUBQUERY(author.books, $b, $b.title == nil).@count > 0", "author.books.@count == 1", "SELF.title == nil",
            "author.books.@max.price > 1", "price + 1 > 2", "published < now()", "title MATCHES '.*' OR title == nil",
            "ANY author.books.price == 1.5", "objectID != nil",
        ], [NSSQLiteStoreType, NSXMLStoreType])
    func meaningful(_ format: String, _ type: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store")
            try fill(url, type: type)
            let run = try ToolRun(["count", url.path, "Book", "--where", format])
            #expect(run.status == 0 && run.output == "2\n", "\(format): \(run.output)\(run.errors)")
        }
    }
}
