#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@Suite(
    "coredata over a store in a PostgreSQL database",
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct DatabaseTests {
    private let library: Library
    private let address: String

    init() throws {
        library = try Library(.postgreSQL, options: [NSPersistentHistoryTrackingKey: true])
        address = try #require(library.store.url).absoluteString
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "Melville"])
            for (title, pages) in [("Moby Dick", 635), ("Omoo", 300), ("Typee", 300)] {
                context.make("Book", ["title": title, "pages": pages, "author": author])
            }
            try context.save()
        }
    }

    private func run(_ command: String, _ arguments: String...) throws -> ToolRun {
        try ToolRun([command, address] + arguments)
    }

    @Test("Objects, counts, values and functions of groups")
    func reading() throws {
        let books = try run("fetch", "Book", "-c", "title,pages,author.name", "-s", "title", "-f", "csv")
        #expect(
            books.output
                == "title,pages,author.name\nMoby Dick,635,Melville\nOmoo,300,Melville\nTypee,300,Melville\n",
            "\(books.errors)")
        #expect(try run("count", "Book", "-w", "pages < 400").output == "2\n")
        #expect(
            try run("distinct", "Book", "pages", "--counts", "-f", "csv").output == "pages,count\n300,2\n635,1\n")
        let groups = try run("aggregate", "Book", "--sum", "pages", "-g", "author.name", "-f", "csv")
        #expect(groups.output == "author.name,sum_pages\nMelville,1235\n", "\(groups.errors)")
    }

    @Test("The commands print the server's plan, one object, and the facts of the store")
    func looking() throws {
        let sql = try run("sql", "Book", "-w", "pages > 300")
        #expect(
            sql.status == 0 && sql.output.contains("$1") && sql.output.contains("Values\n  1  300\n"),
            "\(sql.errors)")
        let line = try run("fetch", "Book", "-w", "title == 'Omoo'", "-c", "@id,author", "-f", "ndjson")
        let object = try #require(try line.json() as? [String: Any])
        let shown = try run("show", try #require(object["@id"] as? String))
        #expect(shown.status == 0 && shown.output.contains("  Melville\n"), "\(shown.errors)")
        let info = try #require(try run("info", "--json").json() as? [String: Any])
        #expect((info["history"] as? [String: Any])?["transactions"] as? Int == 1)
        let entities = info["entities"] as? [[String: Any]] ?? []
        #expect((entities.first { $0["name"] as? String == "Book" }?["bytes"] as? Int ?? 0) >= 8_192)
        #expect(try run("fetch", "Buch").status == 2)
    }

    @Test("A database is verified with its derived values, and not repaired")
    func verified() throws {
        let derived = try Library(.postgreSQL, model: DamagedStore.model())
        let context = derived.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "Émile", "photo": Data([1])])
            context.make("Book", ["title": "t", "pages": 7, "code": 1, "author": author])
            try context.save()
        }
        let run = try ToolRun(["verify", try #require(derived.store.url).absoluteString])
        #expect(run.status == 0 && run.output == "nothing is wrong (2 objects)\n", "\(run.output)\(run.errors)")
        let target = derived.folder.url.appendingPathComponent("Copy")
        let repair = try self.run("repair", target.path)
        #expect(repair.status == 2 && repair.errors.contains("a database is not repaired"), "\(repair.errors)")
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }
}
#endif
