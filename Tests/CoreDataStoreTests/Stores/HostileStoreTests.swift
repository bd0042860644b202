import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Stores that were made to do harm to the programs that open them.
@Suite("A hostile store does nothing", .leavesNothingBehind)
struct HostileStoreTests {
    private static let model = """
        entity Item
          name string
          number int32
          picture data external
        """

    /// A store with three items, to whose file statements of its maker's were added.
    private struct Store {
        let folder: TemporaryFolder
        var url: URL { folder.url.appendingPathComponent("Hostile.sqlite") }

        init(_ statements: String...) throws {
            folder = try TemporaryFolder()
            let context = try open()
            try context.performAndWait {
                for number in 0..<3 {
                    context.make("Item", ["name": "item \(number)", "number": number])
                }
                try context.save()
            }
            try close(context)
            let file = try RawDatabase(url)
            for statement in statements { try file.execute(statement) }
        }

        func open(_ options: [AnyHashable: Any] = [:]) throws -> NSManagedObjectContext {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(HostileStoreTests.model))
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.performAndWait { context.persistentStoreCoordinator = coordinator }
            return context
        }

        func close(_ context: NSManagedObjectContext) throws {
            let coordinator = try #require(context.persistentStoreCoordinator)
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }

        /// The names of all items, as another context reads them.
        func names() throws -> [String] {
            let context = try open([NSReadOnlyPersistentStoreOption: true])
            defer { try? close(context) }
            return try context.performAndWait {
                try context.all("Item").compactMap { $0.value(forKey: "name") as? String }.sorted()
            }
        }

        /// The error of a save of a changed name; nil where it succeeds.
        func save(_ options: [AnyHashable: Any] = [:]) throws -> NSError? {
            let context = try open(options)
            defer { try? close(context) }
            return try context.performAndWait {
                try #require(try context.all("Item", "number == 0").first).setValue("changed", forKey: "name")
                do {
                    try context.save()
                    return nil
                } catch { return error as NSError }
            }
        }
    }

    private static let allNames = ["item 0", "item 1", "item 2"]

    // MARK: Programs within the file

    /// A trigger after each update, and a word of SQLite's error for it.
    private static let triggers: [(statement: String, word: String)] = [
        ("SELECT load_extension('/tmp/harm.so')", "load_extension"),
        ("SELECT fts3_tokenizer('simple', x'4141414141414141')", "fts3_tokenizer"),
        ("SELECT OCD_MATCHES(NEW.ZNAME, '(a+)+', 0)", "OCD_MATCHES"),
        ("SELECT OCD_LOWER(NEW.ZNAME)", "OCD_LOWER"),
        ("SELECT OCD_UNTAG(NEW.ZPICTURE, 1)", "OCD_UNTAG"),
        ("SELECT count(*) FROM dbstat", "dbstat"),
        ("UPDATE ZITEM SET ZNUMBER = ZNUMBER + 1", "too many levels"),
    ]

    @Test(
        "A trigger reaches harmless functions only, and the save that it belongs to fails", arguments: triggers,
        [false, true])
    func trigger(_ trigger: (statement: String, word: String), _ hasTextIndex: Bool) throws {
        // Where a file has a text index, its triggers may write into it.
        let store = try Store(hasTextIndex ? "CREATE VIRTUAL TABLE words USING fts5(text)" : "SELECT 1")
        // Where SQLite itself does not have the function, the trigger can be made all the same.
        try RawDatabase(store.url).execute("CREATE TRIGGER harm AFTER UPDATE ON ZITEM BEGIN \(trigger.statement); END")
        let error = try #require(try store.save([NSSQLitePragmasOption: ["recursive_triggers": "1"]]))
        #expect(error.domain == NSCocoaErrorDomain)
        #expect("\(error)".contains(trigger.word), "\(error)")
        #expect(try store.names() == Self.allNames)
    }

    @Test("A trigger that another program has made for its own ends works as before: one that keeps a text index")
    func harmlessTriggers() throws {
        for module in ["fts4", "fts5"] {
            let store = try Store(
                "CREATE VIRTUAL TABLE words USING \(module)(text)",
                "CREATE TRIGGER index_words AFTER UPDATE OF ZNAME ON ZITEM BEGIN "
                    + "INSERT INTO words(text) VALUES (upper(NEW.ZNAME)); END")
            let error = try store.save()
            #expect(error == nil)
            let found = try RawDatabase(store.url).column("SELECT text FROM words WHERE words MATCH 'changed'")
            #expect(found == [.text("CHANGED")], "\(module)")
        }
    }

    /// The objects in the place of the table, and the part of the error about them.
    private static let places: [(statement: String, word: String)] = [
        (
            "CREATE VIEW ZITEM AS SELECT 1 AS Z_PK, 1 AS Z_ENT, 1 AS Z_OPT, hex(randomblob(1000000000)) AS ZNAME",
            "ZITEM"
        ),
        ("CREATE VIRTUAL TABLE ZITEM USING fts4(Z_PK, Z_ENT, Z_OPT, ZNAME, ZNUMBER, ZPICTURE)", "ZITEM"),
        (
            "CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER, "
                + "ZPICTURE BLOB, ZNAME VARCHAR AS (hex(zeroblob(1000000000))))", "ZNAME"
        ),
    ]

    @Test(
        "A view, a virtual table or a computed column is no part of a store's tables", arguments: places, [true, false])
    func computedRows(_ place: (statement: String, word: String), _ isReadOnly: Bool) throws {
        let store = try Store("DROP TABLE ZITEM", place.statement)
        let error = try #require(throws: NSError.self) {
            _ = try store.open([NSReadOnlyPersistentStoreOption: isReadOnly])
        }
        #expect(error.code == NSPersistentStoreIncompatibleSchemaError, "\(error)")
        #expect(error.localizedDescription.contains(place.word), "\(error)")
    }

    @Test("A view that another program has made stays, and is not read")
    func views() throws {
        let store = try Store("CREATE VIEW mine AS SELECT * FROM ZITEM")
        #expect(try store.save() == nil)
        #expect(try RawDatabase(store.url).integer("SELECT count(*) FROM mine") == 3)
    }

    // MARK: Time

    private static let bombs: [(format: String, value: String)] = [
        ("name MATCHES %@", "(a+)+"), ("name LIKE %@", "*" + String(repeating: "a", count: 20_000) + "b"),
    ]

    @Test("A request ends at the time that the program allows it, and the store works on", arguments: bombs)
    func timeLimit(_ format: String, _ value: String) throws {
        let store = try Store("UPDATE ZITEM SET ZNAME = '\(String(repeating: "a", count: 60_000))!' WHERE ZNUMBER = 1")
        let context = try store.open([NSPersistentStoreRequestTimeLimitOption: 0.05])
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = NSPredicate(format: format, value)
            let error = try #require(throws: NSError.self) { _ = try context.fetch(request) }
            #expect(error.domain == NSCocoaErrorDomain && error.code == NSPersistentStoreTimeoutError, "\(error)")
            #expect(error.localizedDescription.contains("0.05 s"), "\(error)")
            #expect(throws: NSError.self) { _ = try context.count(for: request) }
            let update = NSBatchUpdateRequest(entityName: "Item")
            update.predicate = request.predicate
            update.propertiesToUpdate = ["number": 7]
            #expect(throws: NSError.self) { _ = try context.execute(update) }
            // A query that ends in time is answered.
            request.predicate = NSPredicate(format: "name MATCHES 'item .*' AND name LIKE '*2'")
            #expect(try context.fetch(request).count == 1)
            #expect(try context.all("Item", "number == 7").isEmpty)
        }
        try store.close(context)
    }

    @Test("A save ends at that time, too, and has changed nothing")
    func timeLimitOfSaves() throws {
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        let store = try Store(
            "CREATE TRIGGER harm AFTER UPDATE ON ZITEM BEGIN "
                + "UPDATE ZITEM SET ZNUMBER = (\(endless)) WHERE Z_PK = NEW.Z_PK; END")
        let error = try #require(try store.save([NSPersistentStoreRequestTimeLimitOption: 0.05]))
        #expect(error.code == NSPersistentStoreTimeoutError, "\(error)")
        #expect(try store.names() == Self.allNames)
    }

    // MARK: Files

    /// Has the first item name an external file.
    private func name(_ file: String, in store: Store) throws {
        try RawDatabase(store.url).execute(
            "UPDATE ZITEM SET ZPICTURE = CAST(x'02' || '\(file)' || x'00' AS BLOB) WHERE ZNUMBER = 0")
    }

    private func picture(of store: Store) throws -> Result<Data?, any Error> {
        let context = try store.open()
        defer { try? store.close(context) }
        return context.performAndWait {
            Result {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.predicate = NSPredicate(format: "number == 0")
                request.returnsObjectsAsFaults = false
                return try context.readingFaults { try context.fetch(request).first?.value(forKey: "picture") as? Data }
            }
        }
    }

    @Test("The name of an external file leads to no other folder")
    func namesElsewhere() throws {
        let store = try Store()
        let secret = store.folder.url.appendingPathComponent("secret")
        try Data("secret".utf8).write(to: secret)
        for name in [
            "../../secret/////////////////////////", "/" + secret.path, "..", String(repeating: "../", count: 20),
        ] {
            try self.name(name, in: store)
            let value = try? picture(of: store).get()
            #expect(value != Data("secret".utf8), "\(name)")
        }
        #expect(FileManager.default.fileExists(atPath: secret.path))
    }

    @Test("A link and a pipe in the place of an external file are not followed, and not waited for")
    func links() throws {
        let store = try Store()
        let folder = store.folder.url.appendingPathComponent(".Hostile_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let secret = store.folder.url.appendingPathComponent("secret")
        try Data("secret".utf8).write(to: secret)
        let file = UUID().uuidString
        try name(file, in: store)
        let place = folder.appendingPathComponent(file)
        func expectRefused(_ word: String) throws {
            switch try picture(of: store) {
            case .success(let value): Issue.record("\(String(describing: value))")
            case .failure(let error): #expect("\(error)".contains(word), "\(error)")
            }
        }
        try FileManager.default.createSymbolicLink(at: place, withDestinationURL: secret)
        try expectRefused("is a link")
        unlink(place.path)
        #expect(mkfifo(place.path, 0o600) == 0)
        try expectRefused("no file")
        unlink(place.path)
        try Data("whole".utf8).write(to: place)
        #expect(try picture(of: store).get() == Data("whole".utf8))
    }

    @Test("An external file larger than any value is an error before it is read, and is not salvaged")
    func hugeFiles() throws {
        let store = try Store()
        let folder = store.folder.url.appendingPathComponent(".Hostile_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = UUID().uuidString
        try name(file, in: store)
        let place = folder.appendingPathComponent(file)
        try Data().write(to: place)
        // A hole: it takes no space.
        #expect(truncate(place.path, 1 << 40) == 0)
        let error = try #require(throws: NSError.self) { _ = try picture(of: store).get() }
        #expect("\(error)".contains("\(1 << 40) bytes, and a value has at most 1000000000"), "\(error)")
        let new = store.folder.url.appendingPathComponent("Salvaged.sqlite")
        let report = try NSPersistentStoreCoordinator.salvage(storeAt: store.url, into: new)
        #expect(report.findings.contains { $0.text.contains("at most 1000000000") }, "\(report.findings)")
        let salvaged = try FolderContents(store.folder.url.appendingPathComponent(".Salvaged_SUPPORT")).files
        #expect(salvaged.isEmpty)
    }

    @Test(
        "A file with another name is not written in the place of one beside the store, and the error has a remedy",
        arguments: ["-wal", "-shm", "-journal"])
    func hardLinks(_ suffix: String) throws {
        let store = try Store()
        let secret = store.folder.url.appendingPathComponent("secret")
        let bytes = Data(repeating: 65, count: 10_000)
        try bytes.write(to: secret)
        let place = store.url.path + suffix
        unlink(place)
        #expect(link(secret.path, place) == 0)
        for isReadOnly in [false, true] {
            let error = try #require(throws: NSError.self) {
                _ = try store.open([NSReadOnlyPersistentStoreOption: isReadOnly])
            }
            #expect("\(error)".contains("“\(place)” is a hard link"), "\(error)")
        }
        let destroying = try #require(throws: NSError.self) {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.model))
            try coordinator.destroyPersistentStore(at: store.url, type: .sqlite)
        }
        #expect("\(destroying)".contains("hard link"), "\(destroying)")
        #expect(try Data(contentsOf: secret) == bytes)
        // The error's advice.
        #expect(rename(place, place + ".old") == 0)
        #expect(try store.names() == Self.allNames)
    }

    @Test("A store whose own log has a second name, as in a backup by hard links, opens with a copy of that file")
    func backupByHardLinks() throws {
        let store = try Store()
        let backup = store.folder.url.appendingPathComponent("Backup.sqlite")
        let context = try store.open()
        try context.performAndWait {
            context.make("Item", ["name": "item 3", "number": 3])
            try context.save()
            for suffix in ["", "-wal", "-shm"] { #expect(link(store.url.path + suffix, backup.path + suffix) == 0) }
        }
        // The open store can still be used.
        let count = try context.performAndWait { try context.all("Item").count }
        #expect(count == 4)
        let log = backup.path + "-wal"
        #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: backup, options: nil)
        }
        unlink(backup.path + "-shm")
        try FileManager.default.copyItem(atPath: log, toPath: log + ".new")
        #expect(rename(log + ".new", log) == 0)
        try store.close(context)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: backup, options: nil)
        #expect(metadata[NSStoreUUIDKey] != nil)
    }

    @Test(
        "No file behind a link in the place of a folder of external data is read, written or removed",
        arguments: ["_EXTERNAL_DATA", ".Hostile_SUPPORT"])
    func linkedFolders(_ link: String) throws {
        let store = try Store()
        let value = Data(repeating: 7, count: 200_000)
        let writer = try store.open()
        try writer.performAndWait {
            try #require(try writer.all("Item", "number == 0").first).setValue(value, forKey: "picture")
            try writer.save()
        }
        try store.close(writer)
        let support = store.folder.url.appendingPathComponent(".Hostile_SUPPORT")
        let place = link == "_EXTERNAL_DATA" ? support.appendingPathComponent(link) : support
        let outside = store.folder.url.appendingPathComponent("outside")
        try FileManager.default.moveItem(at: place, to: outside)
        try FileManager.default.createSymbolicLink(at: place, withDestinationURL: outside)
        let before = try FolderContents(outside)
        func expectRefused(_ body: () throws -> Void) {
            let error = #expect(throws: NSError.self) { try body() }
            #expect(error.map { "\($0)".contains(link) && "\($0)".contains("a symbolic link") } ?? false)
        }
        expectRefused { _ = try picture(of: store).get() }
        let context = try store.open()
        context.performAndWait {
            context.make("Item", ["picture": value])
            expectRefused { try context.save() }
            context.rollback()
            let items = NSFetchRequest<NSFetchRequestResult>(entityName: "Item")
            expectRefused { _ = try context.execute(NSBatchDeleteRequest(fetchRequest: items)) }
        }
        try store.close(context)
        func url(_ name: String) -> URL { store.folder.url.appendingPathComponent(name) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.model))
        expectRefused {
            try coordinator.replacePersistentStore(
                at: url("Copy.sqlite"), withPersistentStoreFrom: store.url, ofType: NSSQLiteStoreType)
        }
        expectRefused { try coordinator.destroyPersistentStore(at: store.url, type: .sqlite) }
        let report = try NSPersistentStoreCoordinator.salvage(storeAt: store.url, into: url("Salvaged.sqlite"))
        #expect(report.findings.contains { $0.kind == .value && $0.text.contains(link) }, "\(report.findings)")
        #expect(!FileManager.default.fileExists(atPath: url(".Salvaged_SUPPORT").path))
        #expect(try FolderContents(outside).differences(from: before).isEmpty)
        #expect(try RawDatabase(store.url).integer("SELECT count(*) FROM ZITEM") == 3)
    }

    private static let mask: Int = {
        let mask = umask(0)
        umask(mask)
        return Int(mask)
    }()

    @Test(
        "A store's files have the permissions that its folder gives, by any way of their creation",
        arguments: [0o700, 0o750, 0o755])
    func permissions(_ mode: Int) throws {
        let outer = try TemporaryFolder()
        let folder = outer.url.appendingPathComponent("inner")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
        func url(_ name: String) -> URL { folder.appendingPathComponent(name) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.model))
        for (name, type) in [("A.sqlite", NSSQLiteStoreType), ("B.xml", NSXMLStoreType), ("C.bin", NSBinaryStoreType)] {
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url(name))
        }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        try context.performAndWait {
            context.persistentStoreCoordinator = coordinator
            for store in coordinator.persistentStores {
                let item = context.make("Item", ["picture": Data(repeating: 1, count: 200_000)])
                context.assign(item, to: store)
            }
            try context.save()
            context.reset()
        }
        for (name, type) in [("D.sqlite", NSSQLiteStoreType), ("E.xml", NSXMLStoreType)] {
            let store = try #require(coordinator.persistentStore(for: url(name == "E.xml" ? "A.sqlite" : "B.xml")))
            _ = try coordinator.migratePersistentStore(store, to: url(name), options: nil, withType: type)
        }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try coordinator.replacePersistentStore(
            at: url("F.sqlite"), withPersistentStoreFrom: url("A.sqlite"), ofType: NSSQLiteStoreType)
        _ = try NSPersistentStoreCoordinator.salvage(storeAt: url("A.sqlite"), into: url("G.sqlite"))
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: url(name).path, isDirectory: &isFolder) && !isFolder.boolValue
        }
        // Seven stores, and the values of four of them.
        #expect(files.count >= 11, "\(files)")
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: url(file).path)
            let own = try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
            let expected = 0o644 & (mode | 0o200) & ~Self.mask
            #expect(own == expected, "\(file) \(String(own, radix: 8))")
        }
    }
}
