import CoreData
import TestSupport
import Testing

@Suite("The errors of opening a hurt file")
struct HurtFileTests {
    /// A store that is as one file, and what lies beside it.
    private func withHurtStore(
        _ hurt: (URL) throws -> Void, _ look: (_ code: Int, _ text: String) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try withStore(url, LibraryModel.make()) { context in
                for number in 0..<80 {
                    context.make("Author", ["name": "author \(number)"])
                    context.make("Book", ["title": String(repeating: "title ", count: 40)])
                }
                try context.save()
            }
            try hurt(url)
            for options in [[NSReadOnlyPersistentStoreOption: true], [:]] {
                do {
                    try withStore(url, LibraryModel.make(), options: options) { context in
                        for entity in ["Author", "Book"] { _ = try context.all(entity) }
                    }
                    Issue.record("the store was opened and read")
                } catch let error as NSError {
                    #expect(error.domain == NSCocoaErrorDomain)
                    try look(error.code, error.localizedFailureReason ?? "")
                }
            }
        }
    }

    private func change(_ url: URL, _ body: (inout Data) -> Void) throws {
        var bytes = try Data(contentsOf: url)
        body(&bytes)
        try bytes.write(to: url)
    }

    private let corrupt = CocoaError.fileReadCorruptFile.rawValue
    private let help = "'coredata salvage' brings what can be read of it into a new store."

    @Test("A file that was cut short says how much of it is there")
    func cut() throws {
        try withHurtStore { url in
            try change(url) { $0.removeLast($0.count - 5 * 4096) }
        } _: { code, text in
            #expect(code == corrupt && text.contains("was cut short: 5 of its ") && text.contains(help), "\(text)")
        }
    }

    @Test("A damaged header, and damaged pages, say so")
    func pages() throws {
        try withHurtStore { url in
            try change(url) { $0.replaceSubrange(0..<16, with: Data(count: 16)) }
        } _: { code, text in
            #expect(
                code == corrupt && text.contains("The header of the database is damaged") && text.contains(help),
                "\(text)")
        }
        try withHurtStore { url in
            let root = try #require(
                try RawDatabase(url).integer("SELECT rootpage FROM sqlite_master WHERE name = 'ZBOOK'"))
            try change(url) {
                $0.replaceSubrange(Int(root - 1) * 4096..<Int(root) * 4096, with: Data(repeating: 0x77, count: 4096))
            }
        } _: { code, text in
            #expect(
                code == corrupt && text.contains("Pages of the database are damaged") && text.contains(help), "\(text)")
        }
    }

    @Test("A file that is no database, and a database of another program, are named as such, and nothing is promised")
    func foreign() throws {
        try withHurtStore { url in
            try Data(String(repeating: "no store ", count: 900).utf8).write(to: url)
        } _: { code, text in
            #expect(code == corrupt && text.contains("It is no database.") && !text.contains(help), "\(text)")
        }
        try withHurtStore { url in
            try FileManager.default.removeItem(at: url)
            try Data().write(to: url)
            try RawDatabase(url).execute("CREATE TABLE notes (text)")
        } _: { code, text in
            #expect(code == corrupt && text.contains("a database, but not a Core Data store"), "\(text)")
        }
    }

    @Test("A store without its tables, without metadata, or with metadata that say nothing")
    func parts() throws {
        try withHurtStore { url in
            try RawDatabase(url).execute("DROP TABLE ZBOOK")
        } _: { code, text in
            #expect(code == NSPersistentStoreIncompatibleSchemaError && text.contains("the table ZBOOK"), "\(text)")
            #expect(text.contains(help))
        }
        for statement in ["DROP TABLE Z_METADATA", "UPDATE Z_METADATA SET Z_PLIST = x'00'", "DELETE FROM Z_METADATA"] {
            try withHurtStore { url in
                try RawDatabase(url).execute(statement)
            } _: { code, text in
                #expect(code == corrupt && text.contains("its metadata are missing or cannot be read"), "\(text)")
                #expect(text.contains(help))
            }
        }
        try withHurtStore { url in
            try RawDatabase(url).execute("UPDATE Z_METADATA SET Z_PLIST = NULL")
        } _: { code, text in
            #expect(
                code == NSPersistentStoreIncompatibleVersionHashError && text.contains("has lost its metadata"),
                "\(text)")
            #expect(text.contains(help) && text.contains("NSIgnorePersistentStoreVersioningOption"))
        }
    }

    @Test("The error names another store's -wal, and a new store's missing one")
    func logs() throws {
        try withHurtStore { url in
            let other = url.deletingLastPathComponent().appendingPathComponent("Other.sqlite")
            try withStore(other, LibraryModel.make()) { context in
                context.make("Author", ["name": "stranger"])
                try context.save()
                try FileManager.default.copyItem(atPath: other.path + "-wal", toPath: url.path + "-wal")
            }
        } _: { code, text in
            #expect(
                code == corrupt && text.contains("belongs to another store. Put the store’s own -wal there"), "\(text)")
            #expect(text.contains(help))
        }
        try withTemporaryFolder { folder in
            let (url, copy) = (folder.appendingPathComponent("Store"), folder.appendingPathComponent("Copy"))
            try withStore(url, LibraryModel.make()) { _ in
                try FileManager.default.copyItem(at: url, to: copy)
            }
            for look in [
                { _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: copy) },
                { _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: copy) },
                { try withStore(copy, LibraryModel.make(), options: [NSReadOnlyPersistentStoreOption: true]) { _ in } },
            ] as [() throws -> Void] {
                let error = try #require(throws: NSError.self) { try look() }
                let text = error.localizedFailureReason ?? ""
                #expect(error.code == corrupt && text.contains("without its -wal"), "\(text)")
            }
        }
    }

    @Test("A store whose checkpoint was cut in the middle of its metadata is read by way of its -wal")
    func cutCheckpoint() throws {
        try withTemporaryFolder { folder in
            let (url, copy) = (folder.appendingPathComponent("Store"), folder.appendingPathComponent("Copy"))
            // Once it is closed, all of it is in the main file.
            try withStore(url, LibraryModel.make()) { _ in }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
            let identifier = try #require(store.identifier)
            var metadata = try #require(store.metadata)
            metadata["mine"] = "since"
            coordinator.setMetadata(metadata, for: store)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                context.make("Author", ["name": "somebody"])
                try context.save()
            }
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
            }
            // The header of the row is new, and the sector with its text is an old one.
            var bytes = try Data(contentsOf: copy)
            let place = try #require(bytes.range(of: Data(identifier.utf8)))
            bytes.replaceSubrange(place, with: Data(("xx" + identifier.dropLast(2)).utf8))
            try bytes.write(to: copy)
            let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: copy)
            #expect(read[NSStoreUUIDKey] as? String == identifier && read["mine"] as? String == "since")
            let count = try withStore(copy, LibraryModel.make()) { try $0.all("Author").count }
            #expect(count == 1)
            try coordinator.remove(store)
        }
    }

    @Test("An inspection reports the frames that SQLite leaves out of a damaged -wal")
    func damagedLog() throws {
        try withTemporaryFolder { folder in
            let (url, copy) = (folder.appendingPathComponent("Store"), folder.appendingPathComponent("Copy"))
            let model = LibraryModel.make()
            try withStore(url, model) { context in
                context.make("Author", ["name": "first"])
                try context.save()
            }
            try withStore(url, model) { context in
                for number in 0..<3 {
                    context.make("Author", ["name": "late \(number)"])
                    try context.save()
                }
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
                }
            }
            func damage() throws -> [String] {
                try withStore(copy, model, options: [NSReadOnlyPersistentStoreOption: true]) { context in
                    let coordinator = try #require(context.persistentStoreCoordinator)
                    return try coordinator.inspect(coordinator.persistentStores[0], for: .damage).damage ?? ["none"]
                }
            }
            #expect(try damage() == [])
            let log = URL(fileURLWithPath: copy.path + "-wal")
            unlink(copy.path + "-shm")
            try change(log) { $0[$0.startIndex + 32 + 24 + 300] ^= 1 }
            #expect(try damage() == ["Copy-wal is damaged: saves after its frame 0 are missing"])
            unlink(copy.path + "-shm")
            try change(log) { $0[$0.startIndex] ^= 1 }
            #expect(try damage() == ["Copy-wal is no log, and was not read: saves that were only there are missing"])
        }
    }

    @Test("A history that is larger than the data is called so, with its size")
    func history() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store")
            let options = [NSPersistentHistoryTrackingKey: true]
            try withStore(url, LibraryModel.make(), options: options) { context in
                context.make("Author", ["name": "a"])
                try context.save()
            }
            func look() throws -> StoreInspection {
                try withStore(url, LibraryModel.make(), options: options) { context in
                    let coordinator = try #require(context.persistentStoreCoordinator)
                    return try coordinator.inspect(coordinator.persistentStores[0], for: [.history, .sizes])
                }
            }
            let small = try look()
            #expect(small.historySize ?? 0 > 0 && !small.hasLargeHistory)
            try RawDatabase(url).execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
                INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
                SELECT i, 16001, 1, 1, 1, 1 FROM n
                """)
            let large = try look()
            #expect(large.historySize ?? 0 > 1 << 20 && large.hasLargeHistory)
        }
    }
}
