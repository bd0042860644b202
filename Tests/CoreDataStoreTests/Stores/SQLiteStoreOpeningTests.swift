import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Opening and creating SQLite stores", .leavesNothingBehind)
struct SQLiteStoreOpeningTests {
    /// Every file of a folder with its bytes, which must not change when opening fails.
    private func contents(of folder: URL) throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            result[name] = (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data()
        }
        return result
    }

    private func failure(opening url: URL, options: [AnyHashable: Any]? = nil) throws -> NSError {
        try #require(throws: NSError.self) { _ = try StoreFixture(at: url, options: options) }
    }

    @Test("a file that is not a database is refused as one of the wrong format, and stays as it is")
    func notADatabase() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("letter.sqlite")
            try Data("Dear reader, this is a letter and no database. It is long enough to have a header.".utf8).write(
                to: url)
            let before = try contents(of: folder)
            let error = try failure(opening: url)
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == NSFileReadCorruptFileError)
            #expect(error.localizedDescription.contains("isn’t in the correct format"))
            #expect(error.localizedDescription.contains("letter.sqlite"))
            #expect(error.userInfo[NSFilePathErrorKey] as? String == url.path)
            #expect(error.userInfo[NSSQLiteErrorDomain] as? Int == 26)
            #expect(try contents(of: folder) == before)
        }
    }

    @Test("a store that was cut short is refused, and stays as it is")
    func truncated() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            try StoreFixture(at: url, options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]).store.close()
            let whole = try Data(contentsOf: url)
            try whole.prefix(whole.count / 2).write(to: url)
            let before = try contents(of: folder)
            let error = try failure(opening: url)
            #expect(error.code == NSFileReadCorruptFileError)
            #expect(try contents(of: folder) == before)
        }
    }

    @Test("a database of another program is refused, and stays as it is")
    func foreignDatabase() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("other.sqlite")
            do {
                let connection = try SQLiteConnection(path: url.path, access: .create)
                try connection.execute("CREATE TABLE notes (text)")
            }
            let before = try contents(of: folder)
            let error = try failure(opening: url)
            #expect(error.code == NSFileReadCorruptFileError)
            #expect(error.localizedDescription.contains("not a Core Data store"))
            #expect(try contents(of: folder) == before)
        }
    }

    @Test("a store in a folder that does not exist cannot be made, and the folder is not made either")
    func missingFolder() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("none/library.sqlite")
            let error = try failure(opening: url)
            #expect(error.code == NSFileNoSuchFileError)
            #expect(try contents(of: folder).isEmpty)
        }
    }

    @Test("a folder in the place of a store is refused")
    func folderInPlace() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite", isDirectory: true)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            let error = try failure(opening: url)
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.localizedDescription.contains("folder"))
        }
    }

    @Test("a disk that is full while a store is made leaves no file behind")
    func fullDiskAtCreation() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let error = try failure(opening: url, options: [NSSQLitePragmasOption: ["max_page_count": "8"]])
            #expect(error.code == NSFileWriteOutOfSpaceError)
            #expect(try contents(of: folder).isEmpty)
        }
    }

    @Test("The leftovers of a killed creation are taken for a new store")
    func emptyDatabaseIsFilled() throws {
        try withTemporaryFolder { folder in
            for name in ["empty.sqlite", "begun.sqlite"] {
                let url = folder.appendingPathComponent(name)
                if name == "empty.sqlite" {
                    try Data().write(to: url)
                } else {
                    let connection = try SQLiteConnection(path: url.path, access: .create)
                    try connection.execute("PRAGMA auto_vacuum = 2; PRAGMA journal_mode = WAL")
                }
                let fixture = try StoreFixture(at: url)
                try fixture.insert("Tag", [["label": "a"]])
                #expect(try fixture.strings("Tag", "label") == ["a"])
            }
        }
    }

    @Test("a new store has the header, keys and metadata that Core Data writes")
    func newStore() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let fixture = try StoreFixture(at: url)
            let connection = try SQLiteConnection(path: url.path, access: .readOnly)
            #expect(try connection.integer("PRAGMA page_size") == 4096)
            #expect(try connection.integer("PRAGMA auto_vacuum") == 2)
            #expect(try connection.text("PRAGMA journal_mode") == "wal")
            #expect(try connection.integer("PRAGMA user_version") == 0)
            let keys = try connection.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
            var lines: [String] = []
            while try keys.step() {
                lines.append("\(keys.int64(0)) \(keys.string(1)) \(keys.int64(2)) \(keys.int64(3))")
            }
            #expect(lines == ["1 Book 0 0", "2 Person 0 0", "3 Author 2 0", "4 Shelf 0 0", "5 Tag 0 0"])
            let metadata = try SQLiteStoreMetadata.metadata(at: url)
            #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
            #expect(metadata[NSStoreUUIDKey] as? String == fixture.store.identifier)
            #expect(
                metadata[NSStoreModelVersionHashesKey] as? [String: Data]
                    == fixture.layout.model.entityVersionHashesByName)
            #expect(metadata["NSStoreModelVersionHashesVersion"] as? Int == 3)
            #expect(metadata[NSStoreModelVersionIdentifiersKey] as? [String] == ["library"])
            #expect(metadata["_NSAutoVacuumLevel"] as? String == "2")
            #expect(metadata["NSPersistenceFrameworkVersion"] as? Int == 1344)
            let archived = try #require(try SQLiteStoreSummary(at: url)?.model())
            #expect(archived.entityVersionHashesByName == fixture.layout.model.entityVersionHashesByName)
        }
    }

    @Test("tables, columns and indexes of a new store are called as Core Data calls them")
    func newTables() throws {
        let fixture = try StoreFixture(at: nil)
        let statements = try NewStore(fixture.store.schema, fixture.store.layout).definitions.map(\.text)
        // The key of a relationship without an inverse is the last one.
        let integers = "ZINPRINT INTEGER, ZPAGES INTEGER, ZAUTHOR INTEGER, Z2_AUTHOR INTEGER, ZSHELF INTEGER, "
        let others =
            "ZPUBLISHED TIMESTAMP, ZRATING FLOAT, ZPRICE DECIMAL, ZISBN VARCHAR, ZTITLE VARCHAR, ZLINK VARCHAR, "
        let book =
            "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \(integers)"
            + "Z4RECENT INTEGER, Z_FOK_SHELF INTEGER, \(others)ZIDENTIFIER BLOB, ZCOVER BLOB, ZDIGEST BLOB )"
        #expect(statements.first == book)
        let expectations = [
            "CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR )",
            "CREATE TABLE Z_1TAGS ( Z_1BOOKS INTEGER, Z_5TAGS INTEGER, PRIMARY KEY (Z_1BOOKS, Z_5TAGS) )",
            "CREATE TABLE Z_1RELATED ( Z_1RELATED INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1RELATED, REFLEXIVE) )",
            "CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)",
            "CREATE INDEX ZBOOK_Z4RECENT_INDEX ON ZBOOK (Z4RECENT)",
            "CREATE INDEX ZPERSON_Z_ENT_INDEX ON ZPERSON (Z_ENT)",
            "CREATE INDEX Z_1TAGS_Z_5TAGS_INDEX ON Z_1TAGS (Z_5TAGS, Z_1BOOKS)",
            "CREATE INDEX Z_Book_byTitle ON ZBOOK (ZTITLE COLLATE BINARY ASC)",
            "CREATE UNIQUE INDEX Z_Book_UNIQUE_isbn ON ZBOOK (ZISBN COLLATE BINARY ASC)",
        ]
        for expected in expectations { #expect(statements.contains(expected), "\(expected)") }
    }

    @Test("a partial index has its condition in the file, as far as SQLite alone can compute it")
    func partialIndex() throws {
        let make = StoreFixtureModel.self
        let book = make.entity(
            "Book", [make.attribute("title", .stringAttributeType), make.attribute("pages", .integer64AttributeType)])
        book.indexes = ["pages > 100 AND title != 'It''s'", "title CONTAINS[c] 'x'"].enumerated().map { place, format in
            let element = NSFetchIndexElementDescription(
                property: book.attributesByName["title"] ?? NSAttributeDescription(), collationType: .binary)
            element.isAscending = false
            let index = NSFetchIndexDescription(name: "index\(place)", elements: [element])
            index.partialIndexPredicate = NSPredicate(format: format.replacingOccurrences(of: "''", with: "\\'"))
            return index
        }
        let model = NSManagedObjectModel()
        model.entities = [book]
        let fixture = try StoreFixture(model: model, at: nil)
        let text = try fixture.store.writingHere { connection in
            try connection.text("SELECT group_concat(sql, ';') FROM sqlite_master WHERE type = 'index'")
        }
        #expect(
            text == "CREATE INDEX Z_Book_index0 ON ZBOOK (ZTITLE COLLATE BINARY DESC) "
                + "WHERE ((ZPAGES > 100) AND (ZTITLE <> 'It''s'));"
                + "CREATE INDEX Z_Book_index1 ON ZBOOK (ZTITLE COLLATE BINARY DESC)")
    }

    @Test("the program's pragmas take the place of the defaults, and one that cannot be a pragma is refused")
    func pragmas() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let fixture = try StoreFixture(
                at: url,
                options: [NSSQLitePragmasOption: ["journal_mode": "DELETE", "page_size": 8192, "synchronous": "FULL"]])
            try fixture.insert("Tag", [["label": "a"]])
            #expect(try fixture.rows("Tag").count == 1)
            #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
            let settings = try fixture.store.writingHere { connection in
                [try connection.integer("PRAGMA synchronous"), try connection.integer("PRAGMA page_size")]
            }
            #expect(settings == [2, 8192])
            let error = try failure(
                opening: folder.appendingPathComponent("b.sqlite"),
                options: [NSSQLitePragmasOption: ["x; DROP TABLE": "1"]])
            #expect(error.code == NSPersistentStoreOpenError)
            #expect(try contents(of: folder).keys.contains("b.sqlite") == false)
        }
    }

    @Test("a read-only store reads, refuses to save, and leaves no trace")
    func readOnly() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let writer = try StoreFixture(at: url)
            try writer.insert("Tag", [["label": "a"]])
            writer.store.close()
            let before = try contents(of: folder)
            let fixture = try StoreFixture(at: url, options: [NSReadOnlyPersistentStoreOption: true])
            #expect(fixture.store.isReadOnly)
            #expect(try fixture.strings("Tag", "label") == ["a"])
            let error = try #require(throws: NSError.self) { try fixture.insert("Tag", [["label": "b"]]) }
            #expect(error.code == NSFileWriteNoPermissionError)
            fixture.store.close()
            #expect(try contents(of: folder) == before)
        }
    }

    @Test("a read-only store leaves no trace beside a -wal whose writer was killed, and none while another reads on")
    func readOnlyWithLog() throws {
        try withTemporaryFolder { folder in
            let writer = try StoreFixture(at: folder.appendingPathComponent("library.sqlite"))
            try writer.insert("Tag", [["label": "a"]])
            let copies = folder.appendingPathComponent("copies", isDirectory: true)
            try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: false)
            let copy = copies.appendingPathComponent("library.sqlite")
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: folder.appendingPathComponent("library.sqlite").path + suffix, toPath: copy.path + suffix)
            }
            let before = try contents(of: copies)
            #expect(before.count == 2)
            let first = try StoreFixture(at: copy, options: [NSReadOnlyPersistentStoreOption: true])
            #expect(try first.strings("Tag", "label") == ["a"])
            let second = try StoreFixture(at: copy)
            #expect(try second.strings("Tag", "label") == ["a"])
            first.store.close()
            try second.insert("Tag", [["label": "b"]])
            #expect(try second.strings("Tag", "label").sorted() == ["a", "b"])
            second.store.close()

            for (name, bytes) in before { try bytes.write(to: copies.appendingPathComponent(name)) }
            let alone = try StoreFixture(at: copy, options: [NSReadOnlyPersistentStoreOption: true])
            #expect(try alone.strings("Tag", "label") == ["a"])
            alone.store.close()
            #expect(try contents(of: copies) == before)
        }
    }

    @Test("reading metadata changes nothing on disk, with a -wal whose writer was killed and without one")
    func metadataLeavesNoTrace() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let fixture = try StoreFixture(at: url)
            try fixture.insert("Tag", [["label": "a"]])
            // A copy of main file and -wal is what a kill leaves; the -shm is lost with a restart of the machine.
            let copies = folder.appendingPathComponent("copies", isDirectory: true)
            try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: false)
            let copy = copies.appendingPathComponent("library.sqlite")
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
            }
            let before = try contents(of: copies)
            #expect(before.count == 2)
            let metadata = try SQLiteStoreMetadata.metadata(at: copy)
            #expect(metadata[NSStoreUUIDKey] as? String == fixture.store.identifier)
            #expect(try contents(of: copies) == before)
            let recovered = try StoreFixture(at: copy)
            #expect(try recovered.strings("Tag", "label") == ["a"])
            recovered.store.close()
            let closed = try contents(of: copies)
            #expect(closed.keys.sorted() == ["library.sqlite"])
            _ = try SQLiteStoreMetadata.metadata(at: copy)
            #expect(try contents(of: copies) == closed)
        }
    }

    @Test("a program's metadata are kept beside the store's own, which it cannot change")
    func setMetadata() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            let fixture = try StoreFixture(at: url)
            let identifier = try #require(fixture.store.identifier)
            fixture.store.metadata["color"] = "blue"
            fixture.store.metadata[NSStoreTypeKey] = "Nonsense"
            try fixture.insert("Tag", [["label": "a"]])
            fixture.store.close()
            var metadata = try SQLiteStoreMetadata.metadata(at: url)
            #expect(metadata["color"] as? String == "blue")
            #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
            try SQLiteStoreMetadata.setMetadata(["color": "red"], at: url)
            metadata = try SQLiteStoreMetadata.metadata(at: url)
            #expect(metadata["color"] as? String == "red")
            #expect(metadata[NSStoreUUIDKey] as? String == identifier)
            _ = try StoreFixture(at: url)
        }
    }

    @Test("writing metadata waits for a program that holds the store as long as the option says")
    func setMetadataInTime() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            try StoreFixture(at: url).store.close()
            let other = try SQLiteConnection(path: url.path, access: .readWrite)
            try other.execute("BEGIN IMMEDIATE")
            func set() throws {
                try NSPersistentStoreCoordinator.setMetadata(
                    ["color": "red"], forPersistentStoreOfType: NSSQLiteStoreType, at: url,
                    options: [NSPersistentStoreTimeoutOption: 0.05])
            }
            let error = try #require(throws: NSError.self) { try set() }
            #expect(error.code == NSPersistentStoreTimeoutError)
            other.rollback()
            try set()
            #expect(try SQLiteStoreMetadata.metadata(at: url)["color"] as? String == "red")
        }
    }

    @Test("a model with another layout is refused, naming the entities that differ, and the store stays as it is")
    func incompatibleModel() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            try StoreFixture(at: url).store.close()
            let before = try contents(of: folder)
            let model = StoreFixtureModel.make(extraBookAttribute: "subtitle")
            model.freeze()
            let error = try #require(throws: NSError.self) {
                _ = try SQLiteStore(layout: model.layout, storeNumber: 1, at: url)
            }
            #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
            #expect(
                error.userInfo["reason"] as? String
                    == "The model used to open the store is incompatible with the one used to create the store")
            #expect(error.userInfo["entities"] as? [String] == ["Book"])
            #expect((error.userInfo["metadata"] as? [String: Any])?[NSStoreUUIDKey] != nil)
            #expect(error.localizedDescription.contains("Book"))
            withExtendedLifetime(model) {}
            #expect(try contents(of: folder) == before)
        }
    }

    @Test("a store that another process keeps locked is given up after the time limit")
    func timeout() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("library.sqlite")
            _ = try StoreFixture(at: url)
            let fixture = try StoreFixture(at: url, options: [NSPersistentStoreTimeoutOption: 0.05])
            let other = try SQLiteConnection(path: url.path, access: .readWrite)
            try other.execute("BEGIN IMMEDIATE")
            let error = try #require(throws: NSError.self) { try fixture.insert("Tag", [["label": "a"]]) }
            #expect(error.code == NSPersistentStoreTimeoutError)
            #expect(try fixture.rows("Tag").isEmpty)
            other.rollback()
            try fixture.insert("Tag", [["label": "a"]])
        }
    }

    @Test("/dev/null and no address at all are private stores in memory")
    func memory() throws {
        for url in [nil, URL(fileURLWithPath: "/dev/null")] {
            let fixture = try StoreFixture(at: url)
            try fixture.insert("Tag", [["label": "a"]])
            #expect(try fixture.strings("Tag", "label") == ["a"])
            #expect(try StoreFixture(at: url).rows("Tag").isEmpty)
        }
    }
}
