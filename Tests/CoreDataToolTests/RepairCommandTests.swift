import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("coredata repair")
struct RepairCommandTests {
    /// The output of 'repair' for a damaged store.
    struct Repaired {
        let lines: [String]
        let run: ToolRun
        let url: URL
        /// The output of 'verify' for the copy.
        let verified: ToolRun
    }

    /// Repairs a damaged store; the store itself must not change.
    private func repaired(
        type: String = NSSQLiteStoreType, _ damage: (URL) throws -> Void, _ look: (Repaired) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let url = try DamagedStore.make(in: folder, type: type)
            try damage(url)
            let copies = folder.appendingPathComponent("copies")
            try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
            let before = try FolderContents(folder)
            let target = copies.appendingPathComponent("Copy")
            let run = try ToolRun(["repair", url.path, target.path])
            let changes = try ToolRun.changes(in: folder, since: before)
            #expect(changes.allSatisfy { $0.contains("copies") }, "\(changes)")
            let left = try FileManager.default.contentsOfDirectory(atPath: copies.path)
            #expect(left.allSatisfy { $0 == "Copy" || $0.hasPrefix("Copy-") || $0 == ".Copy_SUPPORT" }, "\(left)")
            let verified = try ToolRun(["verify", target.path])
            #expect(verified.status == run.status, "\(verified.output)\(verified.errors)\(run.errors)")
            let lines = run.output.split(separator: "\n").map(String.init)
            try look(Repaired(lines: lines, run: run, url: target, verified: verified))
        }
    }

    private func mended(_ lines: [String]) -> [String] {
        lines.filter { $0.hasPrefix("mended  ") }.map { String($0.dropFirst(8)) }.sorted()
    }

    private func left(_ lines: [String]) -> [String] {
        lines.filter { $0.hasPrefix("left    ") }.map { String($0.dropFirst(8)) }.sorted()
    }

    @Test("A whole store is copied", arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func whole(_ type: String) throws {
        try repaired(type: type, { _ in }) { repaired in
            #expect(repaired.run.status == 0 && repaired.run.errors.isEmpty, "\(repaired.run.errors)")
            #expect(repaired.lines == ["made \(repaired.url.path): nothing was wrong"])
        }
    }

    @Test("Links to missing rows go, from rows and from join tables")
    func dangling() throws {
        try repaired({ url in
            let join = try RawDatabase(url).tables.filter { $0.hasSuffix("TAGS") }.sorted()[0]
            let columns = try RawDatabase(url).column("SELECT name FROM pragma_table_info('\(join)') LIMIT 2")
            guard case .text(let books) = columns[0], case .text(let tags) = columns[1] else { return }
            try DamagedStore.damage(
                url,
                """
                UPDATE ZTHING SET ZAUTHOR = 99 WHERE Z_PK = 1;
                UPDATE ZAUTHOR SET ZCARD = 77 WHERE Z_PK = 2;
                INSERT INTO \(join) (\(books), \(tags)) VALUES (1, 55);
                INSERT INTO \(join) (\(books), \(tags)) VALUES (66, 1)
                """)
        }) { repaired in
            #expect(repaired.run.status == 0, "\(repaired.run.output)\(repaired.run.errors)")
            #expect(
                Set(mended(repaired.lines)).isSuperset(of: [
                    "Author/2.card: leads to Card/77, which is not there: set to nil",
                    "Book/1.author: leads to Author/99, which is not there: set to nil",
                    "Book/1.tags: leads to Tag/55, which is not there: link removed",
                    "Tag/1.books: leads to Book/66, which is not there: link removed",
                ]), "\(repaired.lines)")
            #expect(left(repaired.lines) == [])
            // The card leads to its author: the link is whole again.
            let card = try ToolRun(["fetch", repaired.url.path, "Author", "-c", "card", "--where", "name == 'Bob'"])
            #expect(card.output == "card\nCard/2\n", "\(card.output)")
            let tags = try ToolRun(["fetch", repaired.url.path, "Tag", "-c", "name,books", "-f", "ndjson"])
            #expect(
                tags.output == """
                    {"name":"one","books":["Book/2","Book/1"]}
                    {"name":"two","books":["Book/1"]}

                    """)
        }
    }

    @Test("One-sided links become whole where the other side is free, and go where it is not")
    func oneSided() throws {
        try repaired({ url in
            try DamagedStore.damage(
                url, "UPDATE ZCARD SET ZOWNER = NULL WHERE Z_PK = 1; UPDATE ZCARD SET ZOWNER = 1 WHERE Z_PK = 2")
        }) { repaired in
            // Author/1 → Card/1, which is free; Card/2 → Author/1, which is taken then; Author/2 → Card/2.
            #expect(repaired.run.status == 0 && left(repaired.lines) == [], "\(repaired.run.output)")
            let made = mended(repaired.lines)
            #expect(
                made.contains("Author/1.card: leads to Card/1, which does not lead back: made two-sided"), "\(made)")
            #expect(made.contains { $0.hasPrefix("Card/2.owner: leads to Author/1") }, "\(made)")
            let links = try ToolRun(["fetch", repaired.url.path, "Card", "-c", "@id,owner", "-f", "ndjson"])
            #expect(links.output.contains("{\"@id\":\"Card/1\",\"owner\":\"Author/1\"}"), "\(links.output)")
        }
        try repaired({ try DamagedStore.damage($0, "UPDATE ZCARD SET ZOWNER = 2 WHERE Z_PK = 1") }) { repaired in
            #expect(
                mended(repaired.lines) == [
                    "Author/1.card: leads to Card/1, which does not lead back: made two-sided",
                    "Card/1.owner: leads to Author/2, which does not lead back: link removed: Author/2 leads to Card/2",
                ], "\(repaired.lines)")
            #expect(repaired.run.status == 0)
        }
    }

    @Test("Counters, texts, numbers, derived values and missing files are repaired")
    func values() throws {
        try repaired({ url in
            try DamagedStore.removeFile(of: "ZCOVER", "ZTHING", 2, url)
            try DamagedStore.damage(
                url,
                """
                UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Thing';
                UPDATE ZTHING SET ZTITLE = CAST(x'61FF62' AS TEXT), ZPAGES = 70000 WHERE Z_PK = 1;
                UPDATE ZTHING SET ZSEEN = 'yesterday' WHERE Z_PK = 3;
                UPDATE ZAUTHOR SET ZCOUNT = 9, ZSUM = NULL, ZPLAIN = 'x', ZSMALL = 'y', ZLARGE = 'z' WHERE Z_PK = 2
                """)
        }) { repaired in
            #expect(repaired.run.status == 0, "\(repaired.run.output)\(repaired.run.errors)")
            #expect(
                Set(mended(repaired.lines)).isSuperset(of: [
                    "Thing: the counter is 1, and there is Thing/3: raised",
                    "Book/1.title: these bytes are not UTF-8: 61ff62: \u{FFFD} stands in their place",
                    "Book/1.pages: '70000' is no value of the type Integer 16: set to nil",
                    "Book/3.seen: 'yesterday' is no value of the type Date: set to nil",
                    "Book/2.cover: the file that holds the value is missing: set to nil",
                    // The file of a book of this author was missing: its rows were written, and with them these.
                    "Author/2.count: is '9', and would be '1': as it should be now",
                    "Author/2.sum: is nil, and would be '20': as it should be now",
                    "Author/2.plain: is 'x', and would be 'bob': computed anew",
                    "Author/2.small: is 'y', and would be 'bob': computed anew",
                    "Author/2.large: is 'z', and would be 'BOB': computed anew",
                ]), "\(repaired.run.output)")
            #expect(left(repaired.lines) == [])
            let database = try RawDatabase(repaired.url)
            #expect(try database.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Thing'") == 3)
            #expect(try database.integer("SELECT ZSUM FROM ZAUTHOR WHERE Z_PK = 1") == 30)
        }
    }

    @Test("Faults that a person has to decide are left, and named")
    func decisions() throws {
        try repaired({ url in
            try DamagedStore.removeFile(of: "ZPHOTO", "ZAUTHOR", 1, url)
            for index in try RawDatabase(url).column("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE UNIQUE%'") {
                if case .text(let name) = index { try DamagedStore.damage(url, "DROP INDEX \(name)") }
            }
            try DamagedStore.damage(
                url,
                """
                UPDATE ZTHING SET ZCODE = 5 WHERE Z_PK < 3;
                UPDATE ZTHING SET Z_ENT = 99 WHERE Z_PK = 3
                """)
        }) { repaired in
            #expect(repaired.run.status == 1 && repaired.run.errors.isEmpty, "\(repaired.run.errors)")
            let left = left(repaired.lines)
            #expect(left.contains("Author/1.photo: the file that holds the value is missing"), "\(left)")
            #expect(left.contains("Book: 2 objects have code 5"), "\(left)")
            #expect(left.contains("Thing/3: the row's entity is 99, which has no rows here"), "\(left)")
            #expect(repaired.lines.contains("left: values that should be unique"))
            let rows = try RawDatabase(repaired.url).integer("SELECT COUNT(*) FROM ZTHING")
            #expect(rows == 3)
            // The verification of the copy finds what was named, and nothing else.
            let found = repaired.verified.output.split(separator: "\n").map(String.init).prefix(left.count).sorted()
            #expect(found == left)
        }
    }

    @Test("A mandatory property is named where its link goes, and a text that would repeat a unique one stays")
    func consequences() throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model(
                """
                entity Owner
                  name string
                  pets many Pet.owner
                  unique name
                entity Pet
                  owner one! Owner.pets
                """)
            let url = folder.appendingPathComponent("Store.sqlite")
            try withStore(url, model) { context in
                let owners = ["a", "b"].map { context.make("Owner", ["name": $0]) }
                try context.obtainPermanentIDs(for: owners)
                context.make("Pet", ["owner": owners[0]])
                try context.save()
            }
            try DamagedStore.damage(
                url,
                """
                UPDATE ZPET SET ZOWNER = 9;
                UPDATE ZOWNER SET ZNAME = CAST(x'61FF' AS TEXT) WHERE Z_PK = 1;
                UPDATE ZOWNER SET ZNAME = 'a\u{FFFD}' WHERE Z_PK = 2
                """)
            let run = try ToolRun(["repair", url.path, folder.appendingPathComponent("Copy.sqlite").path])
            let lines = run.output.split(separator: "\n").map(String.init)
            #expect(run.status == 1 && run.errors.isEmpty, "\(run.errors)")
            #expect(mended(lines) == ["Pet/1.owner: leads to Owner/9, which is not there: set to nil"])
            #expect(
                left(lines) == [
                    "Owner/1.name: these bytes are not UTF-8: 61ff",
                    "Pet/1.owner: owner is a required value. (entity Pet)",
                ], "\(run.output)")
        }
    }

    @Test("JSON has for each finding whether it was repaired, and how")
    func json() throws {
        try withTemporaryFolder { folder in
            let url = try DamagedStore.make(in: folder)
            try DamagedStore.damage(
                url, "UPDATE ZTHING SET ZAUTHOR = 99 WHERE Z_PK = 1; UPDATE ZTHING SET ZCODE = NULL WHERE Z_PK = 2")
            let run = try ToolRun(["repair", url.path, folder.appendingPathComponent("Copy").path, "--json"])
            let lines = try run.output.split(separator: "\n").map {
                try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            #expect(run.status == 1)
            let dangling = lines.first { $0["kind"] as? String == "dangling" }
            #expect(dangling?["mended"] as? Bool == true && dangling?["action"] as? String == "set to nil")
            let invalid = lines.first { $0["kind"] as? String == "invalid" }
            #expect(invalid?["mended"] as? Bool == false && invalid?["object"] as? String == "Book/2")
        }
    }

    @Test("One-sided links, numbers and derived values are repaired in XML and binary stores")
    func xml() throws {
        try repaired(
            type: NSXMLStoreType,
            { url in
                var text = try String(contentsOf: url, encoding: .utf8)
                // An author lacks a book that leads to it; a number is too large; a sum is wrong.
                let list = try #require(text.firstMatch(of: /name="books" type="0\/0" [^>]*idrefs="(z\d+) (z\d+)"/))
                text.replaceSubrange(list.output.1.startIndex..<list.output.2.endIndex, with: list.output.1)
                text = text.replacing(">20</attribute>", with: ">70000</attribute>")
                try text.write(to: url, atomically: true, encoding: .utf8)
            }
        ) { repaired in
            #expect(repaired.run.status == 0 && repaired.run.errors.isEmpty, "\(repaired.run.errors)")
            #expect(left(repaired.lines) == [])
            let made = mended(repaired.lines)
            #expect(made.contains { $0.hasSuffix("which does not lead back: made two-sided") }, "\(made)")
            #expect(made.contains { $0.hasSuffix("'70000' is no value of the type Integer 16: set to nil") }, "\(made)")
            #expect(made.contains { $0.contains(".sum: is '") }, "\(made)")
        }
    }

    @Test("An existing file stays, a database is refused, and a store that keeps history keeps it")
    func edges() throws {
        try withTemporaryFolder { folder in
            let url = try DamagedStore.make(in: folder)
            let target = folder.appendingPathComponent("There")
            try Data("mine".utf8).write(to: target)
            let run = try ToolRun(["repair", url.path, target.path])
            #expect(run.status == 5 && run.errors.contains("there is something already; it stays as it is"))
            #expect(try Data(contentsOf: target) == Data("mine".utf8))
            #expect(try ToolRun(["repair", url.path, folder.path + "/none/Copy"]).status == 3)
            let tracked = folder.appendingPathComponent("Tracked.sqlite")
            try withStore(
                tracked, DamagedStore.model(), type: NSSQLiteStoreType,
                options: [NSPersistentHistoryTrackingKey: true]
            ) { context in
                context.make("Card", [:])
                try context.save()
            }
            try DamagedStore.damage(tracked, "UPDATE ZCARD SET ZOWNER = 9")
            let copy = folder.appendingPathComponent("Copy.sqlite")
            let repaired = try ToolRun(["repair", tracked.path, copy.path])
            #expect(repaired.status == 0 && repaired.errors.isEmpty, "\(repaired.errors)")
            let history = try ToolRun(["history", copy.path])
            #expect(history.output.contains("#1 ") && history.output.contains("author coredata repair"))
        }
    }

    /// Damages the first object of each entity: its texts, and where its to-one relationships lead. Lowers counters.
    private func damageAll(_ url: URL) throws {
        guard let model = try? NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url) else { return }
        let database = try RawDatabase(url)
        try database.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 0")
        for entity in model.entities where entity.superentity == nil {
            let table = "Z" + (entity.name ?? "").uppercased()
            guard database.tables.contains(table) else { continue }
            let texts = entity.attributesByName.filter {
                $0.value.attributeType == .stringAttributeType && !($0.value is NSDerivedAttributeDescription)
            }
            let links = entity.relationshipsByName.filter { !$0.value.isToMany && $0.value.isOptional }
            let values = texts.keys.map { ($0, "CAST(x'61FF' AS TEXT)") } + links.keys.map { ($0, "999999") }
            for (name, value) in values {
                // Not every property has a column of this name, and triggers of Apple's need functions of theirs.
                try? database.execute(
                    "UPDATE \(table) SET Z\(name.uppercased()) = \(value) "
                        + "WHERE Z_PK = (SELECT MIN(Z_PK) FROM \(table))")
            }
        }
    }

    @Test(
        "The faults that are left in damaged real stores are the named ones",
        .enabled(if: Corpus.isPresent, "\(Corpus.absence)"), arguments: [false, true])
    func corpus(_ isDamaged: Bool) throws {
        try withTemporaryFolder { folder in
            var (repaired, mended) = (0, 0)
            for (number, path) in Corpus.stores.enumerated() where number % 4 == 0 {
                let own = folder.appendingPathComponent("\(number)")
                try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
                let store = try Corpus.copyStore(path, to: own)
                if isDamaged { try damageAll(store) }
                let target = own.appendingPathComponent("Repaired")
                let run = try ToolRun(["repair", store.path, target.path])
                if run.status == 3, run.errors.contains("keeps no copy of its model") { continue }
                #expect(run.status == 0 || run.status == 1, "\(path): \(run.errors)")
                let lines = run.output.split(separator: "\n").map(String.init)
                let verified = try ToolRun(["verify", target.path, "--json"])
                let found = try verified.output.split(separator: "\n").map {
                    try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
                }
                #expect(found.count == left(lines).count && verified.status == run.status, "\(path): \(run.output)")
                let kinds = Set(found.compactMap { $0["kind"] as? String })
                #expect(kinds.isDisjoint(with: ["counter", "encoding", "dangling", "oneSided"]), "\(path): \(kinds)")
                repaired += 1
                mended += self.mended(lines).count
            }
            #expect(repaired > 5)
            #expect(!isDamaged || mended > 50, "\(mended)")
        }
    }
}
