import CoreData
import Foundation
import TestSupport
import Testing

@Suite("The tool reports mistakes and losses that would be silent")
struct NothingSilentTests {
    // MARK: Constants of another type

    @Test(
        "A date is compared with a date that a person writes, in every kind of store",
        arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func dates(type: String) throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder, type: type)
            // The only book with a date has that of 2001-01-02T00:00:00.5Z.
            for (format, count) in [
                ("published == '2001-01-02T00:00:00.5Z'", 1), ("published < '2001-01-02'", 0),
                ("published < '2001-01-03'", 1), ("published BETWEEN {'2001-01-01', '2001-01-03'}", 1),
                ("published IN {'2001-01-02T00:00:00.5Z'}", 1), ("'2001-01-01' < published", 1),
                ("NOT (published > '2001-01-01') AND published != nil", 0),
                ("published > CAST(0, 'NSDate')", 1), ("author.joined == '2001-01-01'", 1),
                ("identifier == '01020304-0506-0708-090A-0B0C0D0E0F10'", 1),
            ] {
                let run = try ToolRun(["count", store.path, "Book", "-w", format])
                #expect(run.output == "\(count)\n", "\(format): \(run.output)\(run.errors)")
            }
        }
    }

    @Test("A constant that is no value of the attribute is a mistake, and is marked")
    func constants() throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder)
            for (format, text, column) in [
                ("published > 'soon'", "'published' is a date, and \"soon\" is none", 13),
                ("title > 5", "'title' is a text, and 5 is a number: write \"5\"", 8),
                ("pages == 'many'", "'pages' is a number, and \"many\" is none", 10),
                ("identifier == 'x1'", "'identifier' is a UUID, and \"x1\" is none", 15),
            ] {
                let run = try ToolRun(["count", store.path, "Book", "-w", format])
                #expect(run.status == 2, "\(format): \(run.output)")
                #expect(run.errors.contains(text), "\(run.errors)")
                let mark = "\n  \(format)\n  \(String(repeating: " ", count: column))^"
                #expect(run.errors.contains(mark), "\(run.errors)")
            }
            #expect(try ToolRun(["count", store.path, "Book", "-w", "pages == '635'"]).output == "1\n")
        }
    }

    // MARK: Values

    @Test("A value whose file is missing is not left out without a word", arguments: ["export", "xml", "sqlite"])
    func missingFile(way: String) throws {
        try withTemporaryFolder { folder in
            let store = folder.appendingPathComponent("Store.sqlite")
            let model = ModelText.model("entity Book\n  title string!\n  cover data external")
            try withStore(store, model) { context in
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue("Moby Dick", forKey: "title")
                book.setValue(Data(repeating: 7, count: 300_000), forKey: "cover")
                try context.save()
            }
            let external = folder.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
            let file = try #require(try FileManager.default.contentsOfDirectory(atPath: external.path).first)
            try FileManager.default.removeItem(at: external.appendingPathComponent(file))
            let to = folder.appendingPathComponent("To.\(way)").path
            let run = try ToolRun(way == "export" ? ["export", store.path, "-o", to] : ["convert", store.path, to])
            #expect(run.status == 3, "\(run.output)")
            #expect(run.errors.contains("Book/1.cover: the file that holds the value is missing"), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: to))
        }
    }

    @Test("Decimals that SQLite cannot keep are listed, and nothing is made", arguments: ["import", "convert"])
    func decimals(way: String) throws {
        try withTemporaryFolder { folder in
            let digits = "123456789012345678901234567890.12345678"
            let store = try SampleStore.make(in: folder, type: NSBinaryStoreType, named: "Library.binary") {
                $0.make("Book", ["title": "a", "price": NSDecimalNumber(string: digits)])
                $0.make("Book", ["title": "b", "price": NSDecimalNumber(string: "0.1")])
            }
            let to = folder.appendingPathComponent("To.sqlite").path
            let lines = folder.appendingPathComponent("lines").path
            #expect(try ToolRun(["export", store.path, "-o", lines]).status == 0)
            let run = try ToolRun(way == "import" ? ["import", to, lines] : ["convert", store.path, to])
            #expect(run.status == 5, "\(run.output)")
            #expect(run.errors.contains("SQLite cannot hold 1 value; nothing was written"), "\(run.errors)")
            #expect(run.errors.contains("has more digits than are kept"), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: to))
        }
    }

    @Test("A number that is too large for its type is a mistake")
    func numbers() throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder)
            let lines = try ToolRun(["export", store.path]).output.replacing("\"rating\":4.5", with: "\"rating\":1e300")
            let file = folder.appendingPathComponent("lines")
            try Data(lines.utf8).write(to: file)
            let run = try ToolRun(["import", folder.appendingPathComponent("To.sqlite").path, file.path])
            #expect(run.status == 3 && run.errors.contains("1e300 is too large for its type"), "\(run.errors)")
        }
    }

    // MARK: Stores without a model

    @Test("The metadata of a store with an unknown model are printed")
    func noModel() throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder, type: NSXMLStoreType, named: "Library.xml")
            try FileManager.default.removeItem(at: folder.appendingPathComponent("Library.mom"))
            let run = try ToolRun(["info", store.path])
            #expect(run.status == 3 && run.errors.contains("--model PATH"))
            for text in ["kind        XML", "identifier", "model       not found", "Author", "Tag"] {
                #expect(run.output.contains(text), "\(run.output)")
            }
            let json = try ToolRun(["info", store.path, "--json"])
            let values = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            #expect(values?["kind"] as? String == "XML" && values?["model"] is NSNull)
            #expect((values?["entities"] as? [[String: Any]])?.count == 6)
        }
    }

    @Test("The model of a store is written to a file, which reads a converted store without a model")
    func modelOfStore() throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder) { context in
                for book in try context.all("Novel") { book.setValue("The Raven", forKey: "title") }
            }
            let xml = folder.appendingPathComponent("Other.xml").path
            let made = try ToolRun(["convert", store.path, xml])
            #expect(made.status == 0 && made.output.contains("it keeps no model"), "\(made.output)\(made.errors)")
            #expect(try ToolRun(["count", xml, "Tag"]).status == 3)
            let mom = folder.appendingPathComponent("Models.mom").path
            let run = try ToolRun(["model", "compile", store.path, "-o", mom])
            #expect(run.status == 0, "\(run.errors)")
            #expect(try ToolRun(["count", xml, "Tag", "-m", mom]).output == "12\n")
        }
    }
}
