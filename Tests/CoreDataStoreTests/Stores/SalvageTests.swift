import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Small stores, each damaged in one way that is defined to the byte.
@Suite("Salvage of damaged stores")
struct SalvageTests {
    static let pageSize = 4096

    /// A store with enough rows for trees of two levels, as one file.
    private static func make(_ url: URL, authors: Int = 150) throws {
        try withStore(url, model()) { context in
            let tags = (0..<5).map { context.make("Tag", ["name": "tag \($0)"]) }
            for number in 0..<authors {
                let author = context.make(
                    "Author", ["name": "author \(number)", "joined": Date(timeIntervalSinceReferenceDate: 7)])
                _ = context.make("Profile", ["text": String(repeating: "x", count: 40), "author": author])
                let book = context.make(
                    number % 3 == 0 ? "Novel" : "Book",
                    [
                        "title": "book \(number)", "pages": number, "note": String(repeating: "n", count: 150),
                        "author": author, "price": NSDecimalNumber(value: 3), "tags": NSSet(object: tags[number % 5]),
                    ])
                if number == 3 { book.setValue(Data(repeating: 9, count: 20_000), forKey: "cover") }
                if number % 50 == 0 { _ = context.make("Shelf", ["name": "s", "items": NSOrderedSet(object: book)]) }
            }
            try context.save()
            for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
                context.persistentStoreCoordinator?.setMetadata(["Program": "ours"], for: store)
            }
            try context.save()
        }
    }

    private static func model() -> NSManagedObjectModel { LibraryModel.make() }

    /// A damaged store, what was salvaged of it, and both files.
    struct Salvaged {
        let report: StoreSalvageReport
        let url: URL
        let original: URL

        func count(_ entity: String) -> Int { report.entities.first { $0.name == entity }?.rowCount ?? 0 }
        func texts(_ kind: StoreSalvageReport.Finding.Kind) -> [String] {
            report.findings.filter { $0.kind == kind }.map(\.text)
        }
    }

    /// Makes a store, damages its only file, salvages it, and passes both to a body.
    func salvage(
        authors: Int = 150, statements: String? = nil, model: NSManagedObjectModel? = nil,
        _ damage: (inout [UInt8], RawDatabase) throws -> Void = { _, _ in }, _ look: (Salvaged) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try Self.make(url, authors: authors)
            if let statements { try RawDatabase(url).execute(statements) }
            try RawDatabase(url).execute("PRAGMA wal_checkpoint(TRUNCATE)")
            for suffix in ["-wal", "-shm"] { unlink(url.path + suffix) }
            let original = folder.appendingPathComponent("Original.sqlite")
            try FileManager.default.copyItem(at: url, to: original)
            var bytes = Array(try Data(contentsOf: url))
            try damage(&bytes, RawDatabase(original))
            for suffix in ["-wal", "-shm"] { unlink(original.path + suffix) }
            try Data(bytes).write(to: url)
            let before = try FolderContents(folder)
            let new = folder.appendingPathComponent("New.sqlite")
            let report = try NSPersistentStoreCoordinator.salvage(storeAt: url, into: new, model: model)
            let changes = try FolderContents(folder).differences(from: before)
            #expect(changes.allSatisfy { $0.contains("New") }, "\(changes)")
            #expect(try RawDatabase(new).integrityCheck() == ["ok"])
            try look(Salvaged(report: report, url: new, original: original))
        }
    }

    static func root(of table: String, _ database: RawDatabase) throws -> Int {
        Int(try #require(try database.integer("SELECT rootpage FROM sqlite_master WHERE name = '\(table)'")))
    }

    private static func irregularities(_ url: URL) throws -> [StoreIrregularity] {
        try withStore(url, model()) { context in
            let coordinator = try #require(context.persistentStoreCoordinator)
            return try coordinator.inspect(coordinator.persistentStores[0], for: .irregularities).irregularities ?? []
        }
    }

    // MARK: Whole stores

    @Test("Everything comes out of a whole store: rows, links, metadata, identifier, numbers that follow")
    func whole() throws {
        try salvage { salvaged in
            #expect(salvaged.report.isWhole, "\(salvaged.report.findings)")
            #expect(salvaged.count("Author") == 150 && salvaged.count("Book") == 100 && salvaged.count("Novel") == 50)
            #expect(salvaged.report.pairCount == 150 && salvaged.report.unreadPages.isEmpty)
            let (old, new) = (try RawDatabase(salvaged.original), try RawDatabase(salvaged.url))
            for table in old.tables.subtracting(["Z_METADATA", "Z_MODELCACHE"]) {
                let columns = try old.columns(of: table).sorted().joined(separator: ", ")
                let order = " ORDER BY 1, 2, 3"
                let select = "SELECT \(columns) FROM \(table)" + (try old.columns(of: table).count > 2 ? order : "")
                #expect(try Set(old.rows(select)) == Set(new.rows(select)), "\(table)")
            }
            let metadata = try [salvaged.original, salvaged.url].map {
                try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: $0)
            }
            #expect(metadata[1]["Program"] as? String == "ours")
            #expect(metadata[0][NSStoreUUIDKey] as? String == metadata[1][NSStoreUUIDKey] as? String)
            let irregularities = try Self.irregularities(salvaged.url)
            #expect(irregularities.isEmpty)
            try withStore(salvaged.url, Self.model()) { context in
                context.make("Author", ["name": "new"])
                try context.save()
                #expect(
                    try context.all("Author", "name == 'new'").first?.objectID.uriRepresentation().lastPathComponent
                        == "p151")
            }
        }
    }

    /// What programs for SQLite files make of a table when they write it anew: the key becomes an ordinary column.
    static let rebuilt = [
        "CREATE TABLE new AS SELECT * FROM ZAUTHOR",
        "CREATE TABLE new AS SELECT CAST(Z_PK AS TEXT) AS Z_PK, Z_ENT, Z_OPT, ZACTIVE, ZPROFILE, ZJOINED, ZNAME FROM ZAUTHOR",
        """
        CREATE TABLE new (Z_PK INT PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZACTIVE INTEGER, ZPROFILE INTEGER,
            ZJOINED TIMESTAMP, ZNAME VARCHAR);
        INSERT INTO new SELECT Z_PK, Z_ENT, Z_OPT, ZACTIVE, ZPROFILE, ZJOINED, ZNAME FROM ZAUTHOR
        """,
        """
        CREATE TABLE new (ZNAME VARCHAR, Z_PK TEXT PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZACTIVE INTEGER,
            ZPROFILE INTEGER, ZJOINED TIMESTAMP) WITHOUT ROWID;
        INSERT INTO new SELECT ZNAME, Z_PK, Z_ENT, Z_OPT, ZACTIVE, ZPROFILE, ZJOINED FROM ZAUTHOR
        """,
        """
        CREATE TABLE new (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZACTIVE INTEGER, ZPROFILE INTEGER,
            ZJOINED TIMESTAMP, ZNAME VARCHAR) WITHOUT ROWID;
        INSERT INTO new SELECT Z_PK, Z_ENT, Z_OPT, ZACTIVE, ZPROFILE, ZJOINED, ZNAME FROM ZAUTHOR
        """,
        "CREATE TABLE new AS SELECT * FROM ZAUTHOR UNION ALL SELECT * FROM ZAUTHOR WHERE Z_PK < 4",
    ]

    @Test("All rows come out of a table that another program has written anew", arguments: rebuilt)
    func rebuiltTable(statement: String) throws {
        let statements = "\(statement); DROP TABLE ZAUTHOR; ALTER TABLE new RENAME TO ZAUTHOR"
        try salvage(statements: statements, model: Self.model()) { (salvaged: Salvaged) throws in
            #expect(salvaged.count("Author") == 150 && salvaged.count("Book") == 100, "\(salvaged.report.findings)")
            let links =
                "SELECT count(*) FROM ZBOOK b JOIN ZAUTHOR a ON b.ZAUTHOR = a.Z_PK WHERE a.ZNAME LIKE 'author %'"
            let count = try RawDatabase(salvaged.url).integer(links)
            #expect(count == 150)
        }
    }

    @Test("Rows in the -wal alone come out, and neither it nor an index of it is left changed")
    func log() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try Self.make(url, authors: 3)
            let copy = folder.appendingPathComponent("Copy.sqlite")
            try withStore(url, Self.model()) { context in
                context.make("Author", ["name": "late"])
                try context.save()
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
                }
            }
            let before = try FolderContents(folder)
            let report = try NSPersistentStoreCoordinator.salvage(
                storeAt: copy, into: folder.appendingPathComponent("New.sqlite"))
            #expect(report.isWhole && report.entities.first { $0.name == "Author" }?.rowCount == 4)
            #expect(try FolderContents(folder).differences(from: before).allSatisfy { $0.contains("New") })
            // A damaged frame ends the log.
            var bytes = try Data(contentsOf: URL(fileURLWithPath: copy.path + "-wal"))
            bytes[32 + 24 + 200] ^= 0x55
            try bytes.write(to: URL(fileURLWithPath: copy.path + "-wal"))
            let less = try NSPersistentStoreCoordinator.salvage(
                storeAt: copy, into: folder.appendingPathComponent("Less.sqlite"))
            #expect(less.entities.first { $0.name == "Author" }?.rowCount == 3)
            #expect(less.findings.contains { $0.kind == .log && $0.text.contains("is damaged") })
        }
    }

    @Test("Another store's -wal is not read, and the report says so")
    func foreignLog() throws {
        try withTemporaryFolder { folder in
            let (url, other) = (folder.appendingPathComponent("Store"), folder.appendingPathComponent("Other"))
            try Self.make(url, authors: 5)
            try withStore(other, Self.model()) { context in
                context.make("Author", ["name": "stranger"])
                try context.save()
                try FileManager.default.copyItem(atPath: other.path + "-wal", toPath: url.path + "-wal")
            }
            let report = try NSPersistentStoreCoordinator.salvage(
                storeAt: url, into: folder.appendingPathComponent("New"))
            #expect(report.entities.first { $0.name == "Author" }?.rowCount == 5)
            #expect(report.findings.map(\.kind) == [.log], "\(report.findings)")
        }
    }

    // MARK: Pages

    @Test("Pages below a branch that is gone are found again, each in its table")
    func emptyBranch() throws {
        try salvage { bytes, database in
            for table in ["ZBOOK", "ZPROFILE"] {
                let root = try Self.root(of: table, database)
                for place in (root - 1) * Self.pageSize..<root * Self.pageSize { bytes[place] = 0 }
            }
        } _: { salvaged in
            #expect(salvaged.count("Book") == 100 && salvaged.count("Novel") == 50 && salvaged.count("Profile") == 150)
            #expect(salvaged.report.foundPageCount > 3 && salvaged.report.unreadPages.count == 2)
            let irregularities = try Self.irregularities(salvaged.url)
            #expect(irregularities.isEmpty)
        }
    }

    @Test("Everything comes out by a model without the first page: tables are recognised by their rows")
    func noFirstPage() throws {
        try salvage(model: Self.model()) { bytes, _ in
            for place in 0..<Self.pageSize { bytes[place] = 0xAA }
        } _: { salvaged in
            #expect(salvaged.count("Book") == 100 && salvaged.count("Author") == 150 && salvaged.count("Tag") == 5)
            #expect(salvaged.report.pairCount == 150)
            #expect(Set(salvaged.report.findings.map(\.kind)) == [.file], "\(salvaged.report.findings)")
        }
    }

    @Test("The store's own model is found without the first page, too")
    func noFirstPageNorModel() throws {
        try salvage { bytes, _ in
            for place in 0..<Self.pageSize { bytes[place] = 0 }
        } _: { salvaged in
            #expect(salvaged.count("Book") == 100 && salvaged.count("Profile") == 150)
        }
    }

    @Test("A damaged header loses nothing", arguments: [0..<16, 16..<24, 24..<60, 0..<100])
    func header(_ range: Range<Int>) throws {
        try salvage { bytes, _ in
            for place in range { bytes[place] = 0xFF }
        } _: { salvaged in
            #expect(salvaged.report.rowCount == 150 * 3 + 5 + 3, "\(salvaged.report.findings)")
            #expect(salvaged.texts(.file).contains { $0.contains("header") } || range.lowerBound == 24)
        }
    }

    @Test("The rows left in a file that was cut short come out, and the report says how much is missing")
    func cut() throws {
        try salvage(model: Self.model()) { bytes, _ in
            bytes.removeLast(bytes.count / 2)
        } _: { salvaged in
            #expect(salvaged.report.rowCount > 20 && salvaged.report.rowCount < 450)
            #expect(salvaged.texts(.page).contains { $0.contains("pages of the file are not there") })
            let irregularities = try Self.irregularities(salvaged.url)
            #expect(irregularities.isEmpty)
        }
    }

    @Test("Rows that were deleted do not come back: from pages that were given back, from holes, from behind pointers")
    func deleted() throws {
        let statements =
            "PRAGMA secure_delete = OFF; DELETE FROM ZBOOK WHERE Z_PK > 20 OR Z_PK % 2 = 0; DELETE FROM ZTAG"
        for (number, damage) in [(0, "none"), (1, "list"), (2, "branch"), (3, "count")] {
            try salvage(statements: statements) { bytes, database in
                switch number {
                case 1: for place in 32..<40 { bytes[place] = 0 }
                case 2:
                    let root = try Self.root(of: "ZPROFILE", database)
                    for place in (root - 1) * Self.pageSize..<root * Self.pageSize { bytes[place] = 0 }
                case 3:
                    // As if the page had some rows more than it has.
                    let root = try Self.root(of: "ZBOOK", database)
                    bytes[(root - 1) * Self.pageSize + 4] += 5
                default: break
                }
            } _: { salvaged in
                let keys = try RawDatabase(salvaged.url).column("SELECT Z_PK FROM ZBOOK").compactMap(\.int)
                #expect(Set(keys) == Set([1, 3, 5, 7, 9, 11, 13, 15, 17, 19]), "\(damage)")
                #expect(salvaged.count("Tag") == 0 && salvaged.count("Profile") == 150, "\(damage)")
                let irregularities = try Self.irregularities(salvaged.url)
                #expect(irregularities.isEmpty)
            }
        }
    }

    @Test("Lengths and chains without end take neither memory nor time")
    func endless() throws {
        try salvage(authors: 6) { bytes, database in
            let leaf = try #require(
                try database.integer(
                    "SELECT pageno FROM dbstat WHERE name = 'ZBOOK' AND pagetype = 'leaf' ORDER BY ncell DESC LIMIT 1"))
            let start = (Int(leaf) - 1) * Self.pageSize
            #expect(bytes[start] == 13)
            let cell = Int(bytes[start + 8]) << 8 | Int(bytes[start + 9])
            // A row of two thousand million bytes.
            for (place, byte) in [0x87, 0xFF, 0xFF, 0xFF, 0x7F].enumerated() {
                bytes[start + cell + place] = UInt8(byte)
            }
            // A page whose next page is the page itself, for a row that continues there.
            let long = try #require(
                try database.integer("SELECT pageno FROM dbstat WHERE name = 'ZBOOK' AND pagetype = 'overflow' LIMIT 1")
            )
            let page = (Int(long) - 1) * Self.pageSize
            for (place, byte) in [0, 0, UInt8(long >> 8), UInt8(long & 0xFF)].enumerated() {
                bytes[page + place] = byte
            }
        } _: { salvaged in
            #expect(salvaged.count("Author") == 6)
            #expect(salvaged.report.findings.contains { $0.propertyName == "cover" || $0.kind == .row })
        }
    }

    // MARK: Rows

    @Test("Values that do not fit are nil, links to nothing are, and the report names each of them")
    func values() throws {
        try salvage(
            statements: """
                UPDATE ZBOOK SET ZPAGES = 'many' WHERE Z_PK = 1;
                UPDATE ZBOOK SET ZAUTHOR = 9999 WHERE Z_PK = 2;
                UPDATE ZAUTHOR SET ZNAME = NULL WHERE Z_PK = 3;
                UPDATE ZTAG SET ZNAME = CAST(x'41FF42' AS TEXT) WHERE Z_PK = 4;
                UPDATE ZBOOK SET Z_ENT = 77 WHERE Z_PK = 5;
                UPDATE ZTAG SET Z_ENT = NULL WHERE Z_PK = 5;
                DELETE FROM ZTAG WHERE Z_PK = 1
                """
        ) { salvaged in
            let found = salvaged.report.findings
            func has(_ kind: StoreSalvageReport.Finding.Kind, _ entity: String, _ number: Int64, _ property: String?)
                -> Bool
            {
                found.contains {
                    $0.kind == kind && $0.entityName == entity && $0.number == number && $0.propertyName == property
                }
            }
            let books = try RawDatabase(salvaged.original).rows(
                "SELECT Z_ENT FROM ZBOOK WHERE Z_PK IN (1, 2) ORDER BY Z_PK")
            let numbers = try RawDatabase(salvaged.original).rows("SELECT Z_NAME FROM Z_PRIMARYKEY ORDER BY Z_ENT")
            func entity(_ place: Int) -> String {
                guard let number = books[place][0].int, case .text(let name) = numbers[Int(number) - 1][0] else {
                    return ""
                }
                return name
            }
            #expect(has(.value, entity(0), 1, "pages") && has(.link, entity(1), 2, "author"))
            #expect(has(.missingValue, "Author", 3, "name") && has(.value, "Tag", 4, "name"))
            #expect(has(.row, "Book", 5, nil) && has(.value, "Tag", 5, nil))
            #expect(found.count { $0.kind == .link && $0.propertyName != "author" } == salvaged.report.lostPairCount)
            #expect(salvaged.report.lostPairCount > 25)
            #expect(
                try RawDatabase(salvaged.url).column("SELECT ZNAME FROM ZTAG WHERE Z_PK = 4") == [.text("A\u{FFFD}B")])
            let irregularities = try Self.irregularities(salvaged.url)
            #expect(irregularities.isEmpty)
        }
    }

    /// Runs a body with the place of a store of a model, and with the place of the one that is salvaged from it.
    private func withPlaces(
        _ text: String, _ fill: (NSManagedObjectContext) throws -> Void,
        _ body: (_ url: URL, _ new: URL, _ model: NSManagedObjectModel) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let model = ModelText.model(text)
            try withStore(url, model) { context in
                try fill(context)
                try context.save()
            }
            try body(url, folder.appendingPathComponent("New.sqlite"), model)
        }
    }

    @Test("External values come along; one whose file is missing is nil, and named")
    func externalValues() throws {
        func fill(_ context: NSManagedObjectContext) {
            for number in 0..<3 {
                context.make("Photo", ["name": "\(number)", "image": Data(repeating: UInt8(number), count: 200_000)])
            }
        }
        try withPlaces("entity Photo\n  name string\n  image data external", fill) { url, new, model in
            let external = url.deletingLastPathComponent().appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
            let names = try FileManager.default.contentsOfDirectory(atPath: external.path).sorted()
            try FileManager.default.removeItem(at: external.appendingPathComponent(names[0]))
            let report = try NSPersistentStoreCoordinator.salvage(storeAt: url, into: new)
            #expect(report.findings.map(\.propertyName) == ["image"], "\(report.findings)")
            try withStore(new, model) { context in
                let sizes = try context.all("Photo").map { ($0.value(forKey: "image") as? Data)?.count ?? 0 }
                #expect(sizes.sorted() == [0, 200_000, 200_000])
            }
        }
    }

    @Test("Values that should be unique and are not come out with both rows")
    func uniqueness() throws {
        func fill(_ context: NSManagedObjectContext) {
            for number in 0..<3 { context.make("Code", ["text": "\(number)"]) }
        }
        try withPlaces("entity Code\n  text string\n  unique text", fill) { url, new, model in
            let database = try RawDatabase(url)
            for case .text(let name) in try database.column("SELECT name FROM sqlite_master WHERE sql LIKE '%UNIQUE%'")
            {
                try database.execute("DROP INDEX \(name)")
            }
            try database.execute("UPDATE ZCODE SET ZTEXT = 'x'; PRAGMA wal_checkpoint(TRUNCATE)")
            let report = try NSPersistentStoreCoordinator.salvage(storeAt: url, into: new)
            #expect(report.rowCount == 3 && report.findings.map(\.kind) == [.uniqueness], "\(report.findings)")
            let count = try withStore(new, model) { try $0.all("Code").count }
            #expect(count == 3)
        }
    }

    // MARK: Refusals

    @Test("Nothing is written where something lies, or where there is no store, and nothing is left of it")
    func refusals() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try Self.make(url, authors: 3)
            let new = folder.appendingPathComponent("New.sqlite")
            func code(_ source: URL, _ model: NSManagedObjectModel? = nil, into target: URL? = nil) throws -> Int {
                let before = try FolderContents(folder)
                var code = 0
                do {
                    _ = try NSPersistentStoreCoordinator.salvage(storeAt: source, into: target ?? new, model: model)
                } catch let error as NSError {
                    #expect(error.domain == NSCocoaErrorDomain)
                    code = error.code
                }
                #expect(try FolderContents(folder).differences(from: before).isEmpty)
                return code
            }
            #expect(try code(url, into: url) == CocoaError.fileWriteFileExists.rawValue)
            #expect(try code(folder.appendingPathComponent("None")) == CocoaError.fileReadNoSuchFile.rawValue)
            #expect(try code(folder) == CocoaError.fileReadCorruptFile.rawValue)
            let text = folder.appendingPathComponent("Text")
            try Data(String(repeating: "no store ", count: 500).utf8).write(to: text)
            #expect(try code(text) == NSMigrationMissingSourceModelError)
            let foreign = folder.appendingPathComponent("Foreign")
            try Data().write(to: foreign)
            try RawDatabase(foreign).execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('a')")
            #expect(try code(foreign) == CocoaError.fileReadCorruptFile.rawValue)
            #expect(
                try code(url, ModelText.model("entity Other\n  name string"))
                    == NSPersistentStoreIncompatibleVersionHashError)
        }
    }
}
