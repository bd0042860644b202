import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("A journal that a killed process has left", .leavesNothingBehind)
struct HotJournalTests {
    /// A store as a killed process leaves it in the middle of a transaction with a rollback journal: pages of the main
    /// file are written, the journal has their former contents.
    private func makeStore(_ folder: URL) throws -> URL {
        let fixture = try MigrationFixture(
            folder, "entity Item\n  name string",
            rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'whole'); "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
        let connection = try SQLiteConnection(path: fixture.url.path, access: .readWrite)
        // A cache of few pages spills into the file before the commit.
        try connection.execute("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; PRAGMA cache_spill = 1; BEGIN")
        try connection.execute(
            """
            UPDATE ZITEM SET ZNAME = 'half';
            WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
            INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, 1, 1, 'an item with a rather long name ' || i FROM n
            """)
        let copy = folder.appendingPathComponent("killed.sqlite")
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: fixture.url.path + suffix, toPath: copy.path + suffix)
        }
        connection.rollback()
        return copy
    }

    @Test("the store opens as it was before: for writing, for reading, for its metadata", arguments: [0, 1, 2])
    func opens(_ way: Int) throws {
        try withTemporaryFolder { folder in
            let url = try makeStore(folder)
            let model = ModelText.model("entity Item\n  name string")
            if way == 2 {
                let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType, at: url, options: nil)
                #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
                #expect(!FileManager.default.fileExists(atPath: url.path + "-journal"))
            }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: way == 1 ? [NSReadOnlyPersistentStoreOption: true] : nil)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            let names = try context.performAndWait {
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")).map {
                    $0.value(forKey: "name") as? String
                }
            }
            #expect(names == ["whole"])
            try coordinator.remove(store)
        }
    }

    /// Names a super-journal at the end of a journal, as SQLite does.
    private func name(_ superJournal: String, in journal: URL) throws {
        func number(_ value: Int) -> Data { withUnsafeBytes(of: UInt32(value).bigEndian) { Data($0) } }
        let bytes = Array(superJournal.utf8)
        let magic = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
        // The page of SQLite's locks stands before the name, and behind it its length and its sum.
        let end = number(0x4000_0000 / 4096 + 1) + Data(bytes) + number(bytes.count)
        let file = try FileHandle(forWritingTo: journal)
        try file.seekToEnd()
        try file.write(contentsOf: end + number(bytes.reduce(0) { $0 + Int($1) }) + magic)
        try file.close()
    }

    @Test(
        "the file that its end names stays, wherever it lies, and the store is as it was before",
        arguments: ["secret", "secret-wal", "killed.sqlite-mj0123ABCDE", "link", "pipe"])
    func superJournals(_ name: String) throws {
        try withTemporaryFolder { folder in
            let url = try makeStore(folder)
            let named = folder.appendingPathComponent(name)
            switch name {
            case "link": #expect(symlink("/dev/zero", named.path) == 0)
            case "pipe": #expect(mkfifo(named.path, 0o600) == 0)
            default: try Data("top secret".utf8).write(to: named)
            }
            try self.name(named.path, in: URL(fileURLWithPath: url.path + "-journal"))
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url, options: nil)
            #expect(metadata[NSStoreUUIDKey] != nil)
            #expect(!FileManager.default.fileExists(atPath: url.path + "-journal"))
            let connection = try SQLiteConnection(path: url.path, access: .readOnly)
            #expect(try connection.text("SELECT group_concat(ZNAME) FROM ZITEM") == "whole")
            #expect(FileKind(at: named) != nil)
            if FileKind(at: named) == .file { #expect(try Data(contentsOf: named) == Data("top secret".utf8)) }
        }
    }

    @Test("a journal whose super-journal is gone belongs to a transaction that was committed, and goes without effect")
    func committedSuperJournal() throws {
        try withTemporaryFolder { folder in
            let url = try makeStore(folder)
            try name(url.path + "-mj0123ABCDE", in: URL(fileURLWithPath: url.path + "-journal"))
            SQLiteStoreFiles(url).rollBackJournal(timeout: 10)
            #expect(!FileManager.default.fileExists(atPath: url.path + "-journal"))
        }
    }
}
