import CoreData
import Foundation
import TestSupport
import Testing

@Suite("coredata: requests of strangers")
struct RequestTests {
    private let folder: TemporaryFolder
    private let store: URL

    init() throws {
        folder = try TemporaryFolder()
        store = try SampleStore.make(in: folder.url)
    }

    private func run(_ arguments: String...) throws -> ToolRun { try ToolRun(arguments, in: folder.url) }

    @Test("A table has wide characters, and nothing that would move the cursor")
    func table() throws {
        let run = try run("fetch", "Library.sqlite", "Book", "-c", "title,pages,author,author.name", "-s", "pages")
        #expect(run.status == 0 && run.errors == "")
        #expect(
            run.output == """
                title       pages  author    author.name
                大鴉⏎�[31m     12  Author/2  Poe, "Edgar"
                Moby Dick     635  Author/1  Melville

                """)
    }

    @Test("CSV quotes values where they need it")
    func csv() throws {
        let run = try run(
            "fetch", "Library.sqlite", "Book", "-c", "title,author.name,tags.@count", "-s", "-pages", "-f", "csv")
        #expect(
            run.output
                == "title,author.name,tags.@count\nMoby Dick,Melville,12\n\"大鴉\n\u{1B}[31m\",\"Poe, \"\"Edgar\"\"\",0\n"
        )
    }

    @Test("Lines of JSON have every kind of value")
    func lines() throws {
        let run = try run("fetch", "Library.sqlite", "Book", "-s", "-pages", "-n", "1", "-f", "ndjson")
        let object = try #require(try run.json() as? [String: Any])
        #expect(object["@id"] as? String == "Book/1")
        #expect(object["author"] as? String == "Author/1")
        #expect(object["published"] as? String == "2001-01-02T00:00:00.5Z")
        #expect(object["identifier"] as? String == "01020304-0506-0708-090A-0B0C0D0E0F10")
        #expect(object["rating"] as? Double == 4.5 && object["pages"] as? Int == 635)
        #expect(object["note"] is NSNull && object["shelf"] is NSNull)
        #expect(run.output.contains("\"price\":12.5,"))
        #expect((object["cover"] as? String).flatMap { Data(base64Encoded: $0) }?.count == 100)
    }

    @Test("Related objects are printed as deep as asked for")
    func depth() throws {
        let run = try run(
            "fetch", "Library.sqlite", "Book", "-w", "pages > 100", "--depth", "1", "-c", "author,tags", "-f", "ndjson")
        let object = try #require(try run.json() as? [String: Any])
        let author = try #require(object["author"] as? [String: Any])
        #expect(author["name"] as? String == "Melville" && author["books"] == nil)
        #expect((object["tags"] as? [[String: Any]])?.compactMap { $0["name"] as? String }.first == "tag 1")
        let deeper = try self.run(
            "fetch", "Library.sqlite", "Book", "-w", "pages > 100", "--depth", "2", "-c", "author", "-f", "json")
        #expect(deeper.output.contains("\"books\":[{\"@id\":\"Book/1\""))
    }

    @Test("A part without an order is one by the numbers of rows")
    func parts() throws {
        let run = try run("fetch", "Library.sqlite", "Tag", "-c", "name", "-n", "2", "--offset", "3", "-f", "csv")
        #expect(run.output == "name\ntag 4\ntag 5\n")
    }

    @Test("An entity is counted with subentities, and without them")
    func subentities() throws {
        #expect(try run("count", "Library.sqlite", "Book").output == "2\n")
        #expect(try run("count", "Library.sqlite", "Book", "--no-subentities").output == "1\n")
        #expect(try run("fetch", "Library.sqlite", "book", "-c", "@id", "-f", "csv").output == "@id\nBook/1\nNovel/2\n")
    }

    @Test(
        "A key that is not there: the nearest name, and the place",
        arguments: [
            (["--where", "titel == 'a'"], "Book has no property 'titel'; is 'title' meant?", "  titel == 'a'\n  ^\n"),
            (
                ["--where", "pages > 1 AND author.nmae == 'a'"], "Author has no property 'nmae'; is 'name' meant?",
                "  pages > 1 AND author.nmae == 'a'\n                       ^\n"
            ),
            (["--where", "ANY tags.nam == 'a'"], "Tag has no property 'nam'; is 'name' meant?", "^\n"),
            (
                ["--where", "SUBQUERY(tags, $t, $t.nme == 'a').@count > 0"],
                "Tag has no property 'nme'; is 'name' meant?", "^\n"
            ),
            (["--sort", "-titel"], "Book has no property 'titel'; is 'title' meant?", "It has author, "),
            (["--columns", "author.nme"], "Author has no property 'nme'; is 'name' meant?", "It has active, "),
            (["--columns", "tags.name"], "only 'tags.@count' can follow it", ""),
            (["--columns", "title.size"], "'title' of Book is an attribute: '.size' leads nowhere", ""),
            (["--sort", "author"], "'author' is no value: objects cannot be sorted by it", ""),
            (["--where", "pages >"], "the predicate has a mistake: at character 8 ", "  pages >\n         ^\n"),
            (["--where", "title CONTAINS 5"], "the store cannot answer this: title CONTAINS 5", ""),
            (["--where", "title == $x"], "the predicate has a mistake: '$x' has no value", "  title == $x\n"),
            (["--limit", "0"], "'--limit' needs a number from 1, not '0'", ""),
        ])
    func mistakes(_ options: [String], _ message: String, _ details: String) throws {
        let run = try ToolRun(["fetch", store.path, "Book"] + options)
        #expect(run.status == 2 && run.output == "")
        let first = String(run.errors.prefix { $0 != "\n" })
        #expect(first.hasPrefix("coredata: ") && first.contains(message), "\(run.errors)")
        #expect(details.isEmpty || run.errors.contains(details), "\(run.errors)")
    }

    @Test("A key that is not there, in stores of other kinds", arguments: [NSXMLStoreType, NSBinaryStoreType])
    func otherKinds(_ type: String) throws {
        let url = try SampleStore.make(in: folder.url, type: type, named: "Library.\(type)")
        for options in [["--where", "titel == 'a'"], ["--where", "author.nme == 'a'"]] {
            let run = try ToolRun(["fetch", url.path, "Book"] + options)
            #expect(run.status == 2 && run.errors.contains("has no property"))
        }
        let run = try ToolRun([
            "fetch", url.path, "Book", "-c", "title,author.name,tags.@count", "-s", "-pages", "-n", "1", "-f", "csv",
        ])
        #expect(run.output == "title,author.name,tags.@count\nMoby Dick,Melville,12\n")
        let sql = try ToolRun(["sql", url.path, "Book"])
        #expect(sql.status == 1 && sql.errors.contains("has no SQL"))
        let info = try ToolRun(["info", url.path, "--json"])
        #expect(info.status == 0)
        let lines = try ToolRun(["fetch", url.path, "Book", "-c", "@id,author", "-f", "ndjson"])
        #expect(lines.output.contains("\"author\":\"Author/"))
    }

    @Test("A text compared with a number is answered or refused, and nothing else")
    func mixedTypes() throws {
        for format in ["title < 5", "pages == 'a'", "published > 3", "price BEGINSWITH '1'"] {
            let run = try ToolRun(["count", store.path, "Book", "--where", format])
            #expect([0, 2].contains(run.status), "\(format): \(run.errors)")
            #expect(run.errors.split(separator: "\n").count <= 3, "\(format): \(run.errors)")
        }
    }

    @Test("A file that is no store gives one line, status 3")
    func noStores() throws {
        let text = folder.url.appendingPathComponent("text")
        try Data("hello".utf8).write(to: text)
        let empty = folder.url.appendingPathComponent("empty")
        try Data().write(to: empty)
        let pipe = folder.url.appendingPathComponent("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for (path, words) in [
            (text.path, "this is no Core Data store"), (empty.path, "The file is empty."),
            (pipe.path, "this is no file"),
            ("/dev/null", "this is no file"), (folder.url.path, "this is a folder"), ("nowhere", "no such file"),
        ] {
            for command in ["fetch", "count", "sql"] {
                let run = try ToolRun([command, path, "Book"])
                #expect(run.status == 3 && run.output == "" && run.errors.contains(words), "\(path): \(run.errors)")
            }
        }
    }

    @Test("A closed pipe gives one line, status 6")
    func closedPipe() throws {
        let many = try SampleStore.make(in: folder.url, named: "Many.sqlite") { context in
            for number in 0..<20_000 { context.make("Tag", ["name": "tag with a long name \(number)"]) }
        }
        let script = "'\(ToolRun.program.path)' fetch '\(many.path)' Tag -f ndjson; echo $? >&2"
        let run = try ToolRun(["-c", "{ \(script); } | head -1 >/dev/null"], program: URL(fileURLWithPath: "/bin/sh"))
        #expect(run.errors == "coredata: the output was closed before everything was written\n6\n")
    }

    @Test("A row that cannot be read while printing is an error; the lines before it are whole")
    func unreadable() throws {
        let many = try SampleStore.make(in: folder.url, named: "Many.sqlite") { context in
            for number in 0..<3_000 { context.make("Tag", ["name": "tag \(number)"]) }
        }
        let database = try RawDatabase(many)
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
        let size = try Data(contentsOf: many).count
        // A page of the table is overwritten with nonsense.
        let page = try #require(
            try database.integer("SELECT max(pageno) FROM dbstat WHERE name = 'ZTAG' AND pagetype = 'leaf'"))
        let handle = try FileHandle(forWritingTo: many)
        let pageSize = Int(try #require(try database.integer("PRAGMA page_size")))
        try handle.seek(toOffset: UInt64((Int(page) - 1) * pageSize))
        try handle.write(contentsOf: Data(repeating: 0xFF, count: pageSize))
        try handle.close()
        #expect(try Data(contentsOf: many).count == size)
        let run = try ToolRun(["fetch", many.path, "Tag", "-f", "ndjson", "-c", "name"])
        #expect([3, 5].contains(run.status), "\(run.status) \(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1)
        for line in run.output.split(separator: "\n") {
            #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil)
            #expect(line.hasPrefix("{\"name\":\"tag "))
        }
    }

    @Test("A to-one relationship to a row that is gone: its name, and no values")
    func dangling() throws {
        try RawDatabase(store).execute("DELETE FROM ZAUTHOR WHERE Z_PK = 1")
        for format in ["ndjson", "csv", "table"] {
            let run = try ToolRun([
                "fetch", store.path, "Book", "-c", "title,author,author.name", "-s", "-pages", "-f", format,
            ])
            #expect(run.status == 0 && run.errors == "", "\(run.errors)")
            #expect(run.output.contains("Author/1") && !run.output.contains("Melville"))
        }
        let shown = try ToolRun(["show", store.path, "Book/1"])
        #expect(shown.status == 0 && shown.output.contains("Author/1 (missing)"), "\(shown.errors)")
    }

    @Test("The store's bytes stay the same after reading")
    func unchanged() throws {
        let before = try Data(contentsOf: store)
        for arguments in [
            ["fetch", store.path, "Book"], ["count", store.path, "Book"], ["distinct", store.path, "Book", "title"],
            ["aggregate", store.path, "Book", "--count"], ["show", store.path, "Book/1"], ["sql", store.path, "Book"],
            ["info", store.path],
        ] {
            #expect(try ToolRun(arguments).status == 0, "\(arguments)")
            #expect(try Data(contentsOf: store) == before, "\(arguments)")
        }
    }
}
