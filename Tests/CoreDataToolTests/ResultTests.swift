import CoreData
import Foundation
import TestSupport
import Testing

@Suite("coredata distinct, aggregate, show, sql, info")
struct ResultTests {
    private let folder: TemporaryFolder
    private let store: URL

    init() throws {
        folder = try TemporaryFolder()
        store = try SampleStore.make(in: folder.url) { context in
            let author = try context.all("Author", "name == 'Melville'")[0]
            for (title, pages) in [("Typee", 300), ("Omoo", 300), ("Mardi", 700)] {
                context.make("Book", ["title": title, "pages": pages, "author": author])
            }
        }
    }

    private func run(_ arguments: String...) throws -> ToolRun { try ToolRun(arguments, in: folder.url) }

    // MARK: distinct, aggregate

    @Test(
        "The values of a key are listed in their order, with their frequencies",
        arguments: [NSSQLiteStoreType, NSXMLStoreType])
    func distinct(_ type: String) throws {
        let url =
            type == NSSQLiteStoreType
            ? store
            : try SampleStore.make(in: folder.url, type: type, named: "Library.xml") { context in
                let author = try context.all("Author", "name == 'Melville'")[0]
                for pages in [300, 300, 700] { context.make("Book", ["pages": pages, "author": author]) }
            }
        let values = try run("distinct", url.path, "Book", "pages", "-f", "csv")
        #expect(values.output == "pages\n12\n300\n635\n700\n", "\(values.errors)")
        let counts = try run("distinct", url.path, "Book", "author.name", "--counts")
        #expect(
            counts.output == """
                author.name   count
                Melville          4
                Poe, "Edgar"      1

                """, "\(counts.errors)")
        let objects = try run("distinct", url.path, "Book", "author", "--counts", "-f", "ndjson", "-n", "1")
        #expect(objects.output.contains("\"count\":4"), "\(objects.output)\(objects.errors)")
        let narrowed = try run("distinct", url.path, "Book", "pages", "-w", "pages > 300", "-n", "1", "-f", "csv")
        #expect(narrowed.output == "pages\n635\n")
    }

    @Test("Aggregates are computed of all objects, and of groups", arguments: [NSSQLiteStoreType, NSXMLStoreType])
    func aggregate(_ type: String) throws {
        let url =
            type == NSSQLiteStoreType
            ? store
            : try SampleStore.make(in: folder.url, type: type, named: "Library.xml") { context in
                let author = try context.all("Author", "name == 'Melville'")[0]
                for pages in [300, 300, 700] { context.make("Book", ["pages": pages, "author": author]) }
            }
        let all = try run(
            "aggregate", url.path, "Book", "--count", "--sum", "pages", "--avg", "pages", "--min", "pages", "--max",
            "pages", "-f", "csv")
        #expect(all.output == "count,sum_pages,avg_pages,min_pages,max_pages\n5,1947,389.4,12,700\n", "\(all.errors)")
        let groups = try run(
            "aggregate", url.path, "Book", "--count", "--max", "pages", "-g", "author.name", "-s", "-max_pages",
            "--json")
        let rows = try #require(try groups.json() as? [[String: Any]])
        #expect(rows.map { $0["author.name"] as? String } == ["Melville", "Poe, \"Edgar\""])
        #expect(rows.map { $0["count"] as? Int } == [4, 1] && rows.map { $0["max_pages"] as? Int } == [700, 12])
        let having = try run(
            "aggregate", url.path, "Book", "--count", "-g", "pages", "--having", "count > 1", "-f", "csv")
        #expect(having.output == "pages,count\n300,2\n", "\(having.errors)")
        let dates = try run("aggregate", url.path, "Book", "--min", "published", "-f", "csv")
        #expect(dates.output == "min_published\n2001-01-02T00:00:00.5Z\n", "\(dates.errors)")
    }

    @Test(
        "A mistake in an aggregate is named",
        arguments: [
            (["--sum", "title"], "'title' is no number: it has no sum"),
            (["--sum", "pgaes"], "Book has no property 'pgaes'; is 'pages' meant?"),
            (["--min", "cover"], "'cover' has no values that can be compared or added"),
            ([], "there is nothing to compute"),
            (["--count", "--having", "count > 1"], "'--having' needs '--group-by'"),
            (["--count", "-g", "tags"], "'tags' is no value"),
            (["--count", "-g", "pages", "--having", "cuont > 1"], "Book has no property 'cuont'; is 'count' meant?"),
            (["--count", "-s", "cuont"], "there is no result 'cuont' to sort by; is 'count' meant?"),
        ])
    func mistakes(_ options: [String], _ message: String) throws {
        let run = try ToolRun(["aggregate", store.path, "Book"] + options)
        #expect(run.status == 2 && run.output == "" && run.errors.contains(message), "\(run.errors)")
    }

    // MARK: show

    @Test("One object is shown with its values and relationships")
    func show() throws {
        let run = try run("show", "Library.sqlite", "Book/1")
        #expect(run.status == 0, "\(run.errors)")
        for line in [
            "Book/1\n", "  title       Moby Dick\n", "  pages       635\n", "  note        -\n",
            "  cover       100 bytes\n",
            "00010203 04050607 08090a0b 0c0d0e0f 10111213 14151617 18191a1b 1c1d1e1f\n",
            "  keywords    [\"sea\",\"whale\"]\n", "  author      Author/1  Melville\n", "  tags        12 objects\n",
            "              Tag/10  tag 10\n", "              … and 2 more (--all)\n", "  shelf       -\n",
        ] {
            #expect(run.output.contains(line), "\(line) in \(run.output)")
        }
        #expect(try self.run("show", "Library.sqlite", "Book/1", "--all").output.contains("Tag/12  tag 12\n"))
        #expect(try self.run("show", "Library.sqlite", "Book/1", "--hex").output.contains("60616263\n"))
    }

    @Test("One object is shown as JSON, and by its URI")
    func showJSON() throws {
        let first = try #require(try run("show", "Library.sqlite", "Novel/2", "--json").json() as? [String: Any])
        let uri = try #require(first["uri"] as? String)
        let object = try #require(try run("show", "Library.sqlite", uri, "--json").json() as? [String: Any])
        #expect(object["@id"] as? String == "Novel/2")
        let relationships = try #require(object["relationships"] as? [String: Any])
        #expect((relationships["author"] as? [String: Any])?["name"] as? String == "Poe, \"Edgar\"")
        #expect((relationships["tags"] as? [String: Any])?["count"] as? Int == 0)
        #expect((object["attributes"] as? [String: Any])?["pages"] as? Int == 12)
        // By its superentity, too.
        let novel = try run("show", "Library.sqlite", "Book/2")
        #expect(novel.status == 0 && novel.output.hasPrefix("Novel/2\n"), "\(novel.output) \(novel.errors)")
    }

    @Test("Saved bytes are those of the store; nothing is overwritten without a message")
    func save() throws {
        let file = folder.url.appendingPathComponent("cover.bin")
        let bytes = Data((0..<100).map { UInt8($0) })
        #expect(try run("show", "Library.sqlite", "Book/1", "--save", "cover", "cover.bin").status == 0)
        #expect(try Data(contentsOf: file) == bytes)
        try Data("mine".utf8).write(to: file)
        let refused = try run("show", "Library.sqlite", "Book/1", "cover.bin", "--save", "cover")
        #expect(refused.status == 5 && refused.errors.contains("cover.bin is there already"))
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
        #expect(try run("show", "Library.sqlite", "Book/1", "--save", "cover", "cover.bin", "--force").status == 0)
        #expect(try Data(contentsOf: file) == bytes)
        #expect(try run("show", "Library.sqlite", "Book/1", "--save", "title", "-").output == "Moby Dick")
        #expect(try run("show", "Library.sqlite", "Novel/2", "--save", "cover", "-").status == 1)
        #expect(try run("show", "Library.sqlite", "Book/1", "--save", "cover").status == 2)
        #expect(try run("show", "Library.sqlite", "Book/1", "--save", "pages", "-").status == 2)
        #expect(
            try run("show", "Library.sqlite", "Book/1", "--save", "cvoer", "-").errors.contains("is 'cover' meant?"))
    }

    @Test(
        "A text that names no object is an error with its status",
        arguments: [
            ("Book/99", Int32(1), "has no object Book/99"), ("Book", 2, "ENTITY/NUMBER or a URI is expected"),
            ("Buch/1", 2, "has no entity 'Buch'"), ("Book/x", 2, "names no object"), ("Book/", 2, "names no object"),
            ("x-coredata://nobody/Book/p1", 2, "names no object"),
        ])
    func noObject(_ name: String, _ status: Int32, _ message: String) throws {
        let run = try run("show", "Library.sqlite", name)
        #expect(run.status == status && run.output == "" && run.errors.contains(message), "\(run.status) \(run.errors)")
    }

    @Test("Bytes of a transformable value that are nothing known, or damaged, are shown as they are")
    func transformables() throws {
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["a": [1, true, "b"]] as [String: Any], format: .binary, options: 0)
        let xml = Data("<?xml version=\"1.0\"?><plist version=\"1.0\"><array><string>x</string></array></plist>".utf8)
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: ["k": 1] as NSDictionary, requiringSecureCoding: true)
        var samples: [(Data, String?)] = [
            (list, "{\"a\":[1,true,\"b\"]}"), (xml, "[\"x\"]"), (archive, "{\"k\":1}"), (Data([1, 2, 3]), nil),
            (Data(), nil),
            (Data("bplist00".utf8), nil), (Data("<?xml".utf8), nil), (Data(archive.prefix(archive.count / 2)), nil),
        ]
        samples += (0..<40).map { seed -> (Data, String?) in
            var bytes = seed % 2 == 0 ? archive : list
            for place in 0..<4 {
                bytes[(seed * 31 + place * 17) % bytes.count] ^= UInt8(truncatingIfNeeded: seed &* 73 + 1)
            }
            return (bytes, nil)
        }
        // Lists within lists, as deep as the bytes allow.
        samples.append(
            (Data("<?xml version=\"1.0\"?><plist>".utf8) + Data(String(repeating: "<array>", count: 9_000).utf8), nil))
        for (bytes, decoded) in samples {
            let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            try RawDatabase(store).execute("UPDATE ZBOOK SET ZKEYWORDS = x'\(hex)' WHERE Z_PK = 1")
            let run = try run("show", "Library.sqlite", "Book/1")
            #expect(run.status == 0, "\(hex.prefix(60)): \(run.errors)")
            let line = run.output.split(separator: "\n").first { $0.hasPrefix("  keywords ") } ?? ""
            if let decoded { #expect(line.hasSuffix("  \(decoded)")) }
        }
    }

    // MARK: sql

    @Test("The sql command prints the SQL, the values and the plan")
    func sql() throws {
        let run = try run(
            "sql", "Library.sqlite", "Book", "-w", "title == 'Omoo' AND pages > 3", "-s", "pages", "-n", "4")
        #expect(run.status == 0 && run.output.hasPrefix("SELECT "), "\(run.errors)")
        #expect(run.output.contains("\n\nValues\n  1  'Omoo'\n  2  3\n  3  4\n\nPlan\n  "))
        let json = try #require(
            try self.run("sql", "Library.sqlite", "Book", "-w", "title == 'Omoo'", "--count", "--json").json()
                as? [String: Any])
        #expect((json["sql"] as? String)?.hasPrefix("SELECT COUNT(*) FROM ") == true)
        #expect(json["values"] as? [String] == ["Omoo"])
        #expect((json["plan"] as? [[String: Any]])?.isEmpty == false)
    }

    // MARK: info

    @Test("The info command prints the kind, the model, the history and the state of a store")
    func info() throws {
        let run = try run("info", "Library.sqlite")
        #expect(run.status == 0, "\(run.errors)")
        for words in [
            "kind        SQLite\n", "model       in the store\n", "history     off\n", "state       whole\n",
        ] {
            #expect(run.output.contains(words), "\(words) in \(run.output)")
        }
        let json = try #require(try self.run("info", "Library.sqlite", "--json").json() as? [String: Any])
        let entities = try #require(json["entities"] as? [[String: Any]])
        let book = try #require(entities.first { $0["name"] as? String == "Book" })
        #expect(book["count"] as? Int == 4 && (book["bytes"] as? Int ?? 0) >= 4_096)
        #expect((entities.first { $0["name"] as? String == "Novel" })?["bytes"] is NSNull)
        #expect((json["damage"] as? [Any])?.isEmpty == true && json["history"] is NSNull)
    }

    @Test("History, a -wal that another process holds open, and external files")
    func surroundings() throws {
        let own = folder.url.appendingPathComponent("own")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        let url = try SampleStore.make(in: own, options: [NSPersistentHistoryTrackingKey: true])
        let support = own.appendingPathComponent(".Library_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
        try Data(count: 2_048).write(to: support.appendingPathComponent("ONE"))
        let other = try RawDatabase(url)
        try other.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE ZAUTHOR SET ZNAME = 'x'")
        let json = try #require(try run("info", url.path, "--json").json() as? [String: Any])
        #expect((json["history"] as? [String: Any])?["transactions"] as? Int == 1)
        #expect((json["external"] as? [String: Any])?["bytes"] as? Int == 2_048)
        let log = try #require(json["log"] as? [String: Any])
        #expect((log["pendingPages"] as? Int ?? 0) > 0 && (log["bytes"] as? Int ?? 0) > 4_096)
        let text = try run("info", url.path).output
        #expect(text.contains("not checkpointed\n") && text.contains("on, 1 transaction, 20"))
        #expect(text.contains("1 file, 2.0 KB, in "))
        try other.execute("PRAGMA wal_checkpoint(FULL)")
        let copied = try #require(try run("info", url.path, "--json").json() as? [String: Any])
        #expect((copied["log"] as? [String: Any])?["pendingPages"] as? Int == 0)
    }

    @Test("Damage is reported, with status 1")
    func damage() throws {
        let database = try RawDatabase(store)
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try database.execute(
            "PRAGMA writable_schema = 1; UPDATE sqlite_master SET rootpage = "
                + "(SELECT rootpage FROM sqlite_master WHERE name = 'ZTAG') WHERE name = 'ZSHELF'")
        let run = try run("info", "Library.sqlite")
        #expect(
            run.status == 1 && run.output.contains("state       damaged\n"), "\(run.status) \(run.output) \(run.errors)"
        )
    }
}
