import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("coredata verify")
struct VerifyCommandTests {
    private static let model = """
        entity Author
          name string
          books many Book.author
          card one Card.owner
        entity Card
          owner one Author.card
        entity Book
          title string!
          code int32
          author one Author.books
          cover data external
          unique code
        """

    /// A store of two authors with a card each, and three books.
    private func fill(_ url: URL, type: String = NSSQLiteStoreType) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.model))
        let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
                let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                for (key, value) in values { object.setValue(value, forKey: key) }
                return object
            }
            let authors = ["A", "B"].map { make("Author", ["name": $0]) }
            try context.obtainPermanentIDs(for: authors)
            for author in authors { author.setValue(make("Card", [:]), forKey: "card") }
            for (number, title) in ["one", "two", "three"].enumerated() {
                _ = make(
                    "Book",
                    [
                        "title": title, "code": number, "author": authors[number % 2],
                        "cover": Data(repeating: UInt8(number), count: 200_000),
                    ])
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    private func verified(_ url: URL) throws -> (lines: [String], status: Int32, errors: String) {
        let run = try ToolRun(["verify", url.path])
        return (run.output.split(separator: "\n").map(String.init), run.status, run.errors)
    }

    @Test(
        "A store that is whole has nothing to say", arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func whole(_ type: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store")
            try fill(url, type: type)
            let before = try FolderContents(folder)
            if type != NSSQLiteStoreType {
                // Such a store keeps no model: the command searches for one beside the store.
                let run = try ToolRun(["verify", url.path])
                #expect(run.status == 3 && run.errors.contains("Name the model: --model PATH"))
                return
            }
            let found = try verified(url)
            #expect(found.status == 0 && found.lines == ["nothing is wrong (7 objects)"], "\(found)")
            #expect(try ToolRun.changes(in: folder, since: before) == [])
        }
    }

    @Test("Faults made by other programs are found, with their places and remedies")
    func broken() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try fill(url)
            func number(_ table: String, _ condition: String) throws -> Int64 {
                try RawDatabase(url).integer("SELECT Z_PK FROM \(table) WHERE \(condition)") ?? 0
            }
            let (one, two) = (try number("ZBOOK", "ZTITLE = 'one'"), try number("ZBOOK", "ZTITLE = 'two'"))
            let (a, b) = (try number("ZAUTHOR", "ZNAME = 'A'"), try number("ZAUTHOR", "ZNAME = 'B'"))
            let card = try number("ZCARD", "ZOWNER = \(a)")
            try RawDatabase(url).execute("UPDATE ZBOOK SET ZAUTHOR = 99 WHERE Z_PK = \(one)")
            try RawDatabase(url).execute("UPDATE ZBOOK SET ZTITLE = NULL WHERE Z_PK = \(two)")
            for index in try RawDatabase(url).column(
                "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE UNIQUE INDEX%'")
            {
                if case .text(let name) = index { try RawDatabase(url).execute("DROP INDEX \(name)") }
            }
            try RawDatabase(url).execute("UPDATE ZBOOK SET ZCODE = 7")
            try RawDatabase(url).execute("UPDATE ZCARD SET ZOWNER = \(b) WHERE Z_PK = \(card)")
            let found = try verified(url)
            #expect(found.status == 1 && found.errors.isEmpty)
            #expect(found.lines.contains("Book/\(one).author: leads to Author/99, which is not there"))
            #expect(found.lines.contains("Author/\(a).card: leads to Card/\(card), which does not lead back"))
            #expect(found.lines.contains("Card/\(card).owner: leads to Author/\(b), which does not lead back"))
            #expect(found.lines.contains { $0.hasPrefix("Book/\(two).title: ") })
            #expect(found.lines.contains("Book: 3 objects have code 7"))
            #expect(found.lines.contains("2 links that one side alone has"))
            #expect(found.lines.contains { $0.hasPrefix("  what would repair it: ") })
            let json = try ToolRun(["verify", url.path, "--json"])
            let kinds = try json.output.split(separator: "\n").map {
                (try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["kind"] as? String
            }
            #expect(Set(kinds) == ["dangling", "oneSided", "invalid", "duplicate"])
        }
    }

    @Test(
        "Mandatory values that are transient are the program's, and nothing is said of them",
        arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func transient(_ type: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store")
            let text = "entity Note\n  text string!\n  initial string! transient"
            try ModelText.model(text).archive().write(to: folder.appendingPathComponent("Model.mom"))
            try withStore(url, ModelText.model(text), type: type) { context in
                context.make("Note", ["text": "one", "initial": "o"])
                try context.save()
            }
            let found = try verified(url)
            #expect(found.status == 0 && found.lines == ["nothing is wrong (1 object)"], "\(found)")
        }
    }

    @Test("A copy of the model that is damaged is no missing one, and is found where a model is named")
    func damagedModel() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try fill(url)
            try RawDatabase(url).execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'")
            for command in ["verify", "info", "export"] {
                let run = try ToolRun([command, url.path])
                #expect(run.status == 3, "\(run.output)")
                #expect(
                    run.errors.contains("the store has a damaged copy of its model, and no model beside it fits")
                        && run.errors.contains("Name the model: --model PATH"), "\(run.errors)")
            }
            try ModelText.model(Self.model).archive().write(to: folder.appendingPathComponent("Model.mom"))
            for arguments in [[], ["--model", folder.appendingPathComponent("Model.mom").path]] {
                let run = try ToolRun(["verify", url.path] + arguments)
                #expect(run.status == 1, "\(run.errors)")
                #expect(
                    run.output.hasPrefix("The model in the store “Store.sqlite” is damaged: "), "\(run.output)")
            }
            try RawDatabase(url).execute("DELETE FROM Z_MODELCACHE")
            let run = try ToolRun(["verify", url.path])
            #expect(run.status == 0 && run.output == "nothing is wrong (7 objects)\n", "\(run.output)\(run.errors)")
        }
    }

    @Test("A missing external file, and a header that does not fit the file, are found")
    func files() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try fill(url)
            let external = folder.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: external.path).first)
            try FileManager.default.removeItem(at: external.appendingPathComponent(name))
            var bytes = try Data(contentsOf: url)
            bytes[39] = 5  // the number of free pages, of which there are none
            try bytes.write(to: url)
            let found = try verified(url)
            #expect(found.status == 1)
            #expect(found.lines.contains { $0.lowercased().contains("freelist") }, "\(found.lines)")
            #expect(found.lines.contains { $0.hasSuffix(".cover: the file that holds the value is missing") })
        }
    }

    @Test("Faults that no save writes are found in the tables, each kind with its remedy")
    func tables() throws {
        try withTemporaryFolder { folder in
            let url = try DamagedStore.make(in: folder)
            let thing = try #require(
                try RawDatabase(url).integer("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Thing'"))
            try DamagedStore.damage(
                url,
                """
                UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Thing';
                UPDATE ZTHING SET Z_ENT = \(thing) WHERE Z_PK = 3;
                UPDATE ZTAG SET Z_ENT = 99 WHERE Z_PK = 2;
                UPDATE ZTHING SET ZTITLE = CAST(x'FF' AS TEXT), ZPAGES = -40000 WHERE Z_PK = 1;
                UPDATE ZAUTHOR SET ZCOUNT = 5, ZPLAIN = '?' WHERE Z_PK = 2
                """)
            let before = try FolderContents(folder)
            let found = try verified(url)
            #expect(found.status == 1 && found.errors.isEmpty)
            #expect(
                Set(found.lines).isSuperset(of: [
                    "Thing: the counter is 1, and there is Thing/3",
                    "Thing/3: the row's entity is \(thing), which has no rows here",
                    "Tag/2: the row's entity is 99, which has no rows here",
                    "Book/1.title: these bytes are not UTF-8: ff",
                    "Book/1.pages: '-40000' is no value of the type Integer 16",
                    "Author/1.books: cannot be read: The row 3 of the table “ZTHING” is of the entity “Thing”, and the "
                        + "relationship “books” of “Author” leads to “Book”.",
                    "Author/2.count: is '5', and would be '1'", "Author/2.plain: is '?', and would be 'bob'",
                ]), "\(found.lines)")
            let json = try ToolRun(["verify", url.path, "--json"])
            let kinds = try json.output.split(separator: "\n").map {
                (try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["kind"] as? String
            }
            #expect(
                Set(kinds) == ["counter", "unknownEntity", "encoding", "range", "dangling", "derived"], "\(kinds)")
            #expect(found.lines.filter { $0.hasPrefix("  what would repair it: ") }.count == 6)
            #expect(try ToolRun.changes(in: folder, since: before) == [])
        }
    }

    @Test("Real stores can be inspected, and stay as they were", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
    func corpus() throws {
        try withTemporaryFolder { folder in
            var looked = 0
            for (number, path) in Sample.slice(Corpus.stores, oneIn: 8, "verify").enumerated() {
                let own = folder.appendingPathComponent("\(number)")
                try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
                let store = try Corpus.copyStore(path, to: own)
                let before = try FolderContents(own)
                let run = try ToolRun(["verify", store.path])
                if run.status == 3, run.errors.contains("keeps no copy of its model") { continue }
                #expect(run.status == 0 || run.status == 1, "\(path): \(run.errors)")
                #expect(try ToolRun.changes(in: own, since: before) == [], "\(path)")
                looked += 1
            }
            #expect(looked > (Sample.isWhole ? 20 : 5))
        }
    }
}
