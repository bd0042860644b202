import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Putting a migrated copy in the place of its original", .leavesNothingBehind)
struct StoreExchangeTests {
    private static let older = "entity Item\n  name string\n  size int32"
    private static let newer = "entity Item\n  name string\n  size double\n  note string"
    private static let rows = 40

    struct Case: CustomTestStringConvertible, Sendable {
        var moment: StoreExchange.Moment
        var exchangesNames: Bool
        var hasOldData: Bool
        var hasNewData: Bool
        var testDescription: String {
            "\(moment)\(exchangesNames ? "" : ", by renaming")\(hasOldData ? ", old data" : "")\(hasNewData ? ", new data" : "")"
        }
        static let all = StoreExchange.Moment.allCases.flatMap { moment in
            [true, false].flatMap { names in
                [(false, false), (true, false), (false, true), (true, true)].map {
                    Case(moment: moment, exchangesNames: names, hasOldData: $0.0, hasNewData: $0.1)
                }
            }
        }
    }

    private struct Stop: Error {}

    /// A store of the older model, and beside it the folder with its copy in the newer one.
    private func prepare(_ folder: URL, oldData: Bool = false, newData: Bool = false) throws -> MigrationFixture {
        let fixture = try MigrationFixture(folder, Self.older, rows: StoreMigrationTests.fill(Self.rows))
        let place = try #require(try MigrationFolder.lock(files(fixture).main, creating: true, timeout: 5))
        try FileManager.default.copyItem(at: fixture.url, to: place.copy.main)
        try LightweightMigrator(MigrationRequest(at: place.copy.main, to: ModelText.model(Self.newer))).apply()
        try withExtendedLifetime(SoleUse(of: place.copy, timeout: 0)) {}
        for (isThere, files, text) in [(oldData, files(fixture), "old"), (newData, place.copy, "new")] where isThere {
            try FileManager.default.createDirectory(at: files.externalDataFolder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: files.externalDataFolder.appendingPathComponent("value"))
        }
        return fixture
    }

    private func files(_ fixture: MigrationFixture) -> SQLiteStoreFiles { SQLiteStoreFiles(fixture.url) }

    private func exchange(
        _ fixture: MigrationFixture, stoppingAfter moment: StoreExchange.Moment? = nil, exchangesNames: Bool = true,
        meanwhile: @escaping (StoreExchange.Moment) throws -> Void = { _ in }
    ) throws {
        let place = try #require(try MigrationFolder.lock(files(fixture).main, creating: false, timeout: 5))
        var exchange = StoreExchange(folder: place)
        exchange.exchangesNames = exchangesNames
        exchange.reached = {
            try meanwhile($0)
            if $0 == moment { throw Stop() }
        }
        try exchange.run(with: SoleUse(of: files(fixture), timeout: 0))
    }

    /// The work of a second process, and where it is stopped too.
    private func goOn(
        _ fixture: MigrationFixture, stoppingAfter moment: StoreExchange.Moment, exchangesNames: Bool = true
    ) throws {
        let place = try #require(try MigrationFolder.lock(files(fixture).main, creating: false, timeout: 5))
        let journal = try #require(try ExchangeJournal.read(in: place.url))
        #expect(journal.older != journal.newer)
        var exchange = StoreExchange(folder: place)
        exchange.exchangesNames = exchangesNames
        exchange.reached = { if $0 == moment { throw Stop() } }
        try exchange.finish(journal)
    }

    private func data(_ fixture: MigrationFixture) -> String? {
        (try? Data(contentsOf: files(fixture).externalDataFolder.appendingPathComponent("value"))).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private func names(_ folder: URL) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    }

    @Test(
        "The opening after a stop at any step has the newer version, its data and every row, and nothing is left over",
        arguments: Sample.slice(Case.all, oneIn: 3, "opening"))
    func stopped(_ test: Case) throws {
        try withTemporaryFolder { folder in
            let fixture = try prepare(folder, oldData: test.hasOldData, newData: test.hasNewData)
            #expect(throws: Stop.self) {
                try exchange(fixture, stoppingAfter: test.moment, exchangesNames: test.exchangesNames)
            }
            try StoreExchange.recover(files(fixture), timeout: 5)
            let left = try names(folder)
            guard test.moment != .synchronized else {
                // No journal marks the copy, or a part of it, as whole: the original is the store.
                #expect(try fixture.query("SELECT COUNT(*), typeof(ZSIZE) FROM ZITEM") == ["\(Self.rows)|integer"])
                #expect(data(fixture) == (test.hasOldData ? "old" : nil))
                #expect(!MigrationFolder.exists(for: files(fixture).main))
                return
            }
            #expect(try fixture.query("SELECT COUNT(*), typeof(ZSIZE) FROM ZITEM") == ["\(Self.rows)|real"])
            #expect(data(fixture) == (test.hasNewData ? "new" : nil))
            try fixture.verify(Self.newer)
            #expect(left == Set(["store.sqlite"] + (test.hasNewData ? [".store_SUPPORT"] : [])))
            if test.hasNewData {
                #expect(try names(files(fixture).supportFolder) == ["_EXTERNAL_DATA"])
            }
        }
    }

    @Test(
        "external data of another store with the same folder are all there, whenever the exchange is stopped",
        arguments: Sample.slice(Case.all.filter { $0.hasOldData }, oneIn: 3, "another"))
    func shared(_ test: Case) throws {
        try withTemporaryFolder { folder in
            let fixture = try prepare(folder, oldData: true, newData: test.hasNewData)
            try Data().write(to: folder.appendingPathComponent("store.db"))
            let own = "0AC46B4C-0E22-4B4B-9D0D-5A1E4F2C8A01"
            let data = files(fixture).externalDataFolder
            try Data("own".utf8).write(to: data.appendingPathComponent(own))
            try fixture.run("CREATE TABLE ZOWN (Z_PK INTEGER, ZBYTES BLOB)")
            try fixture.run("INSERT INTO ZOWN VALUES (1, CAST(x'02' || '\(own)' || x'00' AS BLOB))")
            let note = files(fixture).supportFolder.appendingPathComponent("_PENDING-x")
            try Data().write(to: note)
            try? Data("other".utf8).write(to: data.appendingPathComponent("other"))
            #expect(throws: Stop.self) {
                try exchange(fixture, stoppingAfter: test.moment, exchangesNames: test.exchangesNames)
            }
            // The other store's program continues at the same time.
            try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
            try Data("late".utf8).write(to: data.appendingPathComponent("late"))
            try StoreExchange.recover(files(fixture), timeout: 5)
            func text(_ name: String) -> String? {
                (try? Data(contentsOf: data.appendingPathComponent(name))).map { String(decoding: $0, as: UTF8.self) }
            }
            #expect(text("other") == "other" && text("late") == "late")
            #expect(FileManager.default.fileExists(atPath: note.path))
            guard test.moment != .synchronized else { return }
            #expect(text(own) == nil)
            #expect(text("value") == (test.hasNewData ? "new" : "old"))
            #expect(try names(folder) == ["store.sqlite", "store.db", ".store_SUPPORT"])
        }
    }

    @Test(
        "a store with the same folder that comes only during the exchange, or after a kill within it, keeps its data",
        arguments: Sample.slice(Case.all, oneIn: 3, "between"))
    func newcomer(_ test: Case) throws {
        for isKilled in [false, true] {
            try withTemporaryFolder { folder in
                let fixture = try prepare(folder, oldData: test.hasOldData, newData: test.hasNewData)
                let other = folder.appendingPathComponent("store.db")
                let model = ModelText.model("entity Other\n  bytes data external")
                func add() throws {
                    try withStore(other, model) { context in
                        _ = context.make("Other", ["bytes": Data(repeating: 7, count: 200_000)])
                        try context.save()
                    }
                }
                if isKilled {
                    #expect(throws: Stop.self) {
                        try exchange(fixture, stoppingAfter: test.moment, exchangesNames: test.exchangesNames)
                    }
                    try add()
                    try StoreExchange.recover(files(fixture), timeout: 5)
                } else {
                    try exchange(fixture, exchangesNames: test.exchangesNames) { if $0 == test.moment { try add() } }
                    #expect(data(fixture) == (test.hasNewData ? "new" : nil))
                }
                try withStore(other, model) { context in
                    let others = try context.all("Other")
                    #expect(others.map { ($0.value(forKey: "bytes") as? Data)?.count } == [200_000])
                }
            }
        }
    }

    @Test("A recovery keeps a folder that another store has made under a free name after a kill between two renames")
    func newcomerBetweenRenames() throws {
        try withTemporaryFolder { folder in
            let fixture = try prepare(folder, oldData: true, newData: true)
            #expect(throws: Stop.self) { try exchange(fixture, stoppingAfter: .mainsExchanged, exchangesNames: false) }
            let (store, data) = (files(fixture), files(fixture).externalDataFolder)
            let aside = MigrationFolder.url(for: store.main).appendingPathComponent("older-.store_SUPPORT")
            try FileManager.default.moveItem(at: store.supportFolder, to: aside)
            try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
            try Data("late".utf8).write(to: data.appendingPathComponent("late"))
            #expect(throws: Stop.self) { try goOn(fixture, stoppingAfter: .supportExchanged, exchangesNames: false) }
            try StoreExchange.recover(store, timeout: 5)
            #expect(try names(data) == ["value", "late"])
            #expect(self.data(fixture) == "new")
        }
    }

    @Test(
        "a backup that is put back after a kill within the exchange is the store, with its external data",
        arguments: Sample.slice(Case.all, oneIn: 3, "backup"), [false, true])
    func backup(_ test: Case, hasOwnDate: Bool) throws {
        try withTemporaryFolder { folder in
            let fixture = try prepare(folder, oldData: test.hasOldData, newData: test.hasNewData)
            let (store, kept) = (files(fixture), SQLiteStoreFiles(folder.appendingPathComponent("kept.sqlite")))
            let manager = FileManager.default
            try manager.copyItem(at: store.main, to: kept.main)
            if test.hasOldData { try manager.copyItem(at: store.supportFolder, to: kept.supportFolder) }
            // As many changes, as many bytes, and the same versions as the file that is migrated.
            try SQLiteConnection(path: kept.main.path, access: .readWrite).execute("UPDATE ZITEM SET ZNAME = 'kept'")
            try fixture.run("UPDATE ZITEM SET ZNAME = 'lost'")
            if !hasOwnDate {
                let date = try manager.attributesOfItem(atPath: store.main.path)[.modificationDate]
                try manager.setAttributes([.modificationDate: date as Any], ofItemAtPath: kept.main.path)
            }
            #expect(throws: Stop.self) {
                try exchange(fixture, stoppingAfter: test.moment, exchangesNames: test.exchangesNames)
            }
            for file in store.existing { try manager.removeItem(at: file) }
            try manager.moveItem(at: kept.main, to: store.main)
            if test.hasOldData { try manager.moveItem(at: kept.supportFolder, to: store.supportFolder) }
            try StoreExchange.recover(store, timeout: 5)
            #expect(try names(folder).subtracting([".store_SUPPORT"]) == ["store.sqlite"])
            #expect(try fixture.query("SELECT DISTINCT ZNAME, typeof(ZSIZE) FROM ZITEM") == ["kept|integer"])
            #expect(data(fixture) == (test.hasOldData ? "old" : nil))
        }
    }

    @Test("a backup of the main file alone, put back after a kill within the exchange, has the older external data")
    func backupOfMainFile() throws {
        // Behind the removal of the older version there is nothing to take it from.
        for test in Case.all where test.hasOldData && test.moment != .olderRemoved {
            try withTemporaryFolder { folder in
                let fixture = try prepare(folder, oldData: true, newData: test.hasNewData)
                let own = files(fixture).externalDataFolder.appendingPathComponent("own")
                try Data("own".utf8).write(to: own)
                let kept = folder.appendingPathComponent("kept.sqlite")
                try FileManager.default.copyItem(at: fixture.url, to: kept)
                #expect(throws: Stop.self) {
                    try exchange(fixture, stoppingAfter: test.moment, exchangesNames: test.exchangesNames)
                }
                try? FileManager.default.removeItem(at: fixture.url)
                try FileManager.default.moveItem(at: kept, to: fixture.url)
                try StoreExchange.recover(files(fixture), timeout: 5)
                #expect(try fixture.query("SELECT DISTINCT typeof(ZSIZE) FROM ZITEM") == ["integer"])
                #expect((try? Data(contentsOf: own)) == Data("own".utf8), "\(test)")
            }
        }
    }

    @Test("the folder of a copy is closed to all other users, and files and folders keep their rights")
    func rights() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 4)
            let files = SQLiteStoreFiles(fixture.source)
            func mode(_ url: URL) throws -> Int? {
                try (FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber)?.intValue
            }
            var place: MigrationFolder? = try MigrationFolder.lock(files.main, creating: true, timeout: 5)
            #expect(try mode(MigrationFolder.url(for: files.main)) == 0o700)
            #expect(try mode(#require(place).make("step").deletingLastPathComponent()) == 0o700)
            try place?.remove()
            place = nil
            let data = files.externalDataFolder
            try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
            chmod(fixture.source.path, 0o640)
            chmod(files.supportFolder.path, 0o750)
            let way = NSLightweightMigrationStage([fixture.olderModel.versionChecksum])
            let last = NSCustomMigrationStage(
                migratingFrom: .init(model: fixture.olderModel, versionChecksum: fixture.olderModel.versionChecksum),
                to: .init(
                    model: ModelText.model(Self.more), versionChecksum: ModelText.model(Self.more).versionChecksum))
            last.willMigrateHandler = { _, _ in }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.more))
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.source,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                    NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([way, last]),
                ])
            try coordinator.remove(store)
            #expect(try mode(fixture.source) == 0o640 && mode(files.supportFolder) == 0o750)
        }
    }

    private static let more = MappedMigrationFixture.older + "\nentity More\n  name string"

    @Test(
        "Opening the store as one of another kind, and failing to replace it by one, leave its exchange to the store",
        arguments: Sample.slice(
            Case.all.filter { $0.hasNewData && $0.moment != .synchronized }, oneIn: 3, "kind"))
    func otherKinds(_ test: Case) throws {
        try withTemporaryFolder { folder in
            let fixture = try prepare(folder, oldData: test.hasOldData, newData: true)
            #expect(throws: Stop.self) {
                try exchange(fixture, stoppingAfter: test.moment, exchangesNames: test.exchangesNames)
            }
            let other = folder.appendingPathComponent("other")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.newer))
            #expect(throws: NSError.self) {
                try coordinator.addPersistentStore(
                    ofType: NSBinaryStoreType, configurationName: nil, at: fixture.url, options: nil)
            }
            let small = try coordinator.addPersistentStore(
                ofType: NSXMLStoreType, configurationName: nil, at: other.appendingPathComponent("Small.xml"),
                options: nil)
            let cancelled = Progress(totalUnitCount: 1)
            cancelled.cancel()
            #expect(throws: NSError.self) {
                try coordinator.migratePersistentStore(
                    small, to: fixture.url, options: [NSMigrationProgressOption: cancelled],
                    withType: NSBinaryStoreType)
            }
            try StoreExchange.recover(files(fixture), timeout: 5)
            #expect(try fixture.query("SELECT COUNT(*), typeof(ZSIZE) FROM ZITEM") == ["\(Self.rows)|real"])
            #expect(data(fixture) == "new")
        }
    }

    @Test("recovering twice, and stopping while recovering, comes to the same end")
    func stoppedTwice() throws {
        for second in StoreExchange.Moment.allCases.dropFirst(2) {
            try withTemporaryFolder { folder in
                let fixture = try prepare(folder, oldData: true, newData: true)
                #expect(throws: Stop.self) { try exchange(fixture, stoppingAfter: .journalWritten) }
                #expect(throws: Stop.self) { try goOn(fixture, stoppingAfter: second) }
                try StoreExchange.recover(files(fixture), timeout: 5)
                try StoreExchange.recover(files(fixture), timeout: 5)
                #expect(try names(folder) == ["store.sqlite", ".store_SUPPORT"])
                #expect(data(fixture) == "new")
                try fixture.verify(Self.newer)
            }
        }
    }

    private func write(_ fixture: MigrationFixture, isInLog: Bool) throws {
        let writer = try SQLiteConnection(path: fixture.url.path, access: .readWrite)
        if isInLog { _ = try writer.text("PRAGMA journal_mode = WAL") }
        writer.disableCheckpointOnClose()
        try writer.execute("UPDATE ZITEM SET ZNAME = 'later' WHERE Z_PK = 1")
    }

    @Test("an original that was written to after the journal stays, and the copy is given up")
    func writtenMeanwhile() throws {
        for isInLog in [false, true] {
            try withTemporaryFolder { folder in
                let fixture = try prepare(folder)
                #expect(throws: Stop.self) { try exchange(fixture, stoppingAfter: .journalWritten) }
                // A program without support for the journal, which is killed, or not.
                try write(fixture, isInLog: isInLog)
                try StoreExchange.recover(files(fixture), timeout: 5)
                #expect(try fixture.query("SELECT ZNAME FROM ZITEM WHERE Z_PK = 1") == ["later"])
                #expect(!MigrationFolder.exists(for: files(fixture).main))
                try fixture.migrateAndVerify(to: Self.newer)
            }
        }
    }

    @Test("an empty folder, which a kill at the very end or the very beginning leaves, goes at the next opening")
    func emptyFolder() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older)
            _ = try MigrationFolder.lock(files(fixture).main, creating: true, timeout: 5)
            #expect(MigrationFolder.exists(for: files(fixture).main))
            try fixture.verify(Self.older)
            #expect(MigrationFolder.exists(for: files(fixture).main))
            try StoreExchange.recover(files(fixture), timeout: 5)
            #expect(!MigrationFolder.exists(for: files(fixture).main))
        }
    }

    @Test("destroying a store takes its unfinished migration along")
    func destroyed() throws {
        try withTemporaryFolder { folder in
            let fixture = try prepare(folder, oldData: true, newData: true)
            #expect(throws: Stop.self) { try exchange(fixture, stoppingAfter: .journalWritten) }
            try files(fixture).destroy()
            #expect(try names(folder).isEmpty)
        }
    }

    @Test("a store that another process has open is a time-out, and stays as it is; alone it is one file, then as ever")
    func soleUse() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: StoreMigrationTests.fill(3))
            var reader: SQLiteConnection? = try SQLiteConnection(path: fixture.url.path, access: .readOnly)
            #expect(try reader?.integer("SELECT COUNT(*) FROM ZITEM") == 3)
            let error = #expect(throws: NSError.self) { _ = try SoleUse(of: files(fixture), timeout: 0.02) }
            #expect(error?.code == NSPersistentStoreTimeoutError)
            reader = nil
            var use: SoleUse? = try SoleUse(of: files(fixture), timeout: 0)
            #expect(try names(folder) == ["store.sqlite"])
            let other = try SQLiteConnection(path: fixture.url.path, access: .readOnly, busyTimeout: 0)
            #expect(throws: SQLiteError.self) { try other.integer("SELECT COUNT(*) FROM ZITEM") }
            use?.giveBack()
            use = nil
            #expect(try fixture.query("PRAGMA journal_mode") != ["delete"])
        }
    }

    @Test("A holder of the lock on a store reads it, beside any leftovers of another program; all other openers wait")
    func ownLock() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: StoreMigrationTests.fill(3))
            let use = try SoleUse(of: files(fixture), timeout: 0)
            // The leftovers of a program that has opened the store and waits for the lock.
            try Data(count: 32_768).write(to: files(fixture).shm)
            let metadata = try SQLiteStoreMetadata.metadata(at: fixture.url, timeout: 0)
            #expect(metadata[NSStoreModelVersionHashesKey] != nil)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.older))
            _ = try coordinator.add(
                ofType: NSSQLiteStoreType, nil, at: fixture.url,
                [NSReadOnlyPersistentStoreOption: true, NSPersistentStoreTimeoutOption: 0],
                for: .migrationSource(isLocked: true), insteadOf: nil)
            let (url, done) = (fixture.url, DispatchSemaphore(value: 0))
            let code = Locked(0)
            Thread.detachNewThread {
                do {
                    _ = try SQLiteStoreMetadata.metadata(at: url, timeout: 0)
                } catch {
                    code.withLock { $0 = (error as NSError).code }
                }
                done.signal()
            }
            done.wait()
            #expect(code.withLock { $0 } == NSPersistentStoreTimeoutError)
            use.giveBack()
        }
    }

    @Test("two processes that migrate a store follow one another")
    func locked() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older)
            var first = try MigrationFolder.lock(files(fixture).main, creating: true, timeout: 5)
            let error = #expect(throws: NSError.self) {
                _ = try MigrationFolder.lock(files(fixture).main, creating: true, timeout: 0.02)
            }
            #expect(error?.code == NSPersistentStoreTimeoutError)
            try first?.remove()
            first = nil
            #expect(try MigrationFolder.lock(files(fixture).main, creating: false, timeout: 5) == nil)
        }
    }

    @Test("an opening that waited for an exchange opens the newer file, not the one it was waiting at")
    func moved() throws {
        try withTemporaryFolder { folder in
            let fixture = try prepare(folder)
            let waiting = try SQLiteConnection(path: fixture.url.path, access: .readOnly, busyTimeout: 0)
            #expect(!waiting.hasMoved)
            try exchange(fixture)
            #expect(waiting.hasMoved)
        }
    }
}
