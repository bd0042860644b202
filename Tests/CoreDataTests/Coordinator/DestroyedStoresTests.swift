import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("A store that was destroyed leaves three empty files", .leavesNothingBehind)
struct DestroyedStoresTests {
    private static let model = "entity Note\n  text string\n  picture data external"

    private func coordinator(_ text: String = model) -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(text))
    }

    /// Opens the store, adds notes with external values, and returns the texts of all notes.
    @discardableResult
    private func texts(in url: URL, adding texts: [String] = []) throws -> [String] {
        let coordinator = coordinator()
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        return try context.performAndWait {
            context.persistentStoreCoordinator = coordinator
            for text in texts { context.make("Note", ["text": text, "picture": Data(count: 150_000)]) }
            if !texts.isEmpty { try context.save() }
            return try context.all("Note").map { note in
                #expect((note.value(forKey: "picture") as? Data)?.count == 150_000)
                return note.value(forKey: "text") as? String ?? "nil"
            }.sorted()
        }
    }

    private func destroy(_ url: URL) throws {
        try coordinator().destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
    }

    private func sizes(in folder: URL) throws -> [String: Int] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                let path = folder.appendingPathComponent(name).path
                return (
                    name, (try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? -1
                )
            })
    }

    private static let emptied = ["n.sqlite": 0, "n.sqlite-wal": 0, "n.sqlite-shm": 0]

    @Test("Main file, -wal and -shm can be removed next, as programs do; the external values are gone")
    func removeItem() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try texts(in: url, adding: ["a"])
            chmod(url.path, 0o600)
            try destroy(url)
            #expect(try sizes(in: folder) == Self.emptied)
            for suffix in ["", "-wal", "-shm"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: url.path + suffix)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
                try FileManager.default.removeItem(atPath: url.path + suffix)
            }
            // A second time the files are there to be removed, too.
            try destroy(url)
            #expect(try sizes(in: folder) == Self.emptied)
        }
    }

    @Test("An open store of the same coordinator, one with a full -wal, and one that is no database are destroyed, too")
    func otherStates() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            let coordinator = coordinator()
            try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
            #expect(coordinator.persistentStores.isEmpty)
            #expect(try sizes(in: folder) == Self.emptied)
            try Data(repeating: 65, count: 9000).write(to: url)
            try Data(repeating: 66, count: 9000).write(to: URL(fileURLWithPath: url.path + "-wal"))
            try destroy(url)
            #expect(try sizes(in: folder) == Self.emptied)
            try destroy(url)
            #expect(try sizes(in: folder) == Self.emptied)
        }
    }

    @Test("A store that another coordinator has open is destroyed by force only, and that one leaves the empty files")
    func force() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try texts(in: url, adding: ["a"])
            let other = coordinator()
            let store = try other.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            let error = #expect(throws: NSError.self) { try destroy(url) }
            #expect(error?.code == NSPersistentStoreTimeoutError)
            try coordinator().destroyPersistentStore(
                at: url, ofType: NSSQLiteStoreType, options: [NSPersistentStoreForceDestroyOption: true])
            #expect(try sizes(in: folder) == Self.emptied)
            try other.remove(store)
            #expect(try sizes(in: folder) == Self.emptied)
        }
    }

    @Test("The empty files are a new store for any program, and none of them counts as left behind")
    func asNewStore() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            let other = folder.appendingPathComponent("other.sqlite")
            try texts(in: url, adding: ["a"])
            try texts(in: other, adding: ["b"])
            try destroy(url)
            let newer = ModelText.model(Self.model + "\n  more string")
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(forPersistentStoreAt: url, to: newer)
            #expect(!forecast.isMigrationRequired)
            let error = #expect(throws: NSError.self) {
                try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
            }
            #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
            // Nothing comes to stand in the place of a store.
            #expect(throws: NSError.self) {
                try coordinator().replacePersistentStore(
                    at: other, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
            }
            #expect(try texts(in: other) == ["b"])
            #expect(try sizes(in: folder).filter { $0.key.hasPrefix("n.sqlite") } == Self.emptied)
            #expect(try texts(in: url).isEmpty)
            #expect(try texts(in: url, adding: ["c"]) == ["c"])
            try destroy(url)
            try coordinator().replacePersistentStore(
                at: url, withPersistentStoreFrom: other, ofType: NSSQLiteStoreType)
            #expect(try texts(in: url) == ["b"])
            try destroy(url)
            let older = ModelText.model(Self.model)
            let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
            try NSMigrationManager(sourceModel: older, destinationModel: newer).migrateStore(
                from: other, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: url,
                destinationType: NSSQLiteStoreType)
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url)
            #expect(newer.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        }
    }

    @Test("The files beside a missing main file are emptied like a store")
    func withoutMain() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try Data([1]).write(to: URL(fileURLWithPath: url.path + "-wal"))
            try destroy(url)
            #expect(try sizes(in: folder) == Self.emptied)
        }
    }

    @Test("A store whose folder of external data is another store's, too, takes only its own values along")
    func sharedFolder() throws {
        try withTemporaryFolder { folder in
            let (url, other) = (folder.appendingPathComponent("n.sqlite"), folder.appendingPathComponent("n.db"))
            try texts(in: url, adding: ["a"])
            try texts(in: other, adding: ["b", "c"])
            try destroy(url)
            let values = folder.appendingPathComponent(".n_SUPPORT/_EXTERNAL_DATA")
            #expect(try FileManager.default.contentsOfDirectory(atPath: values.path).count == 2)
            #expect(try texts(in: other) == ["b", "c"])
        }
    }

    @Test("An error has the time of the wait only where the call waited")
    func waitedTime() throws {
        let place = try TemporaryFolder()
        let files = SQLiteStoreFiles(place.url.appendingPathComponent("n.sqlite"))
        let folder = try #require(try MigrationFolder.lock(files.main, creating: true, timeout: 0))
        for (timeout, isTold) in [(0, false), (0.01, true)] {
            let error = #expect(throws: NSError.self) {
                _ = try MigrationFolder.lock(files.main, creating: true, timeout: timeout)
            }
            #expect(error?.code == NSPersistentStoreTimeoutError)
            #expect(error?.localizedFailureReason?.contains("is being migrated by") == true)
            #expect(error?.localizedFailureReason?.contains("did not end within") == isTold)
        }
        try folder.remove()
    }

    @Test("The file of an XML or binary store is removed", arguments: [NSXMLStoreType, NSBinaryStoreType])
    func wholeFiles(_ type: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.store")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model("entity Note"))
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
            for _ in 1...2 { try coordinator.destroyPersistentStore(at: url, ofType: type) }
            #expect(try sizes(in: folder).isEmpty)
        }
    }

    @Test(
        "A killed process leaves the store whole, or destroyed",
        arguments: ["logAbsorbed", "logEmptied", "mainEmptied", "valuesRemoved"])
    func kill(_ moment: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            // A process that did not close the store: its last saves are in the -wal.
            let writer = coordinator()
            let copied = folder.appendingPathComponent("copied")
            try FileManager.default.createDirectory(at: copied, withIntermediateDirectories: true)
            try texts(in: url, adding: ["a"])
            let store = try writer.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            try context.performAndWait {
                context.persistentStoreCoordinator = writer
                context.make("Note", ["text": "b", "picture": Data(count: 150_000)])
                try context.save()
            }
            for name in ["n.sqlite", "n.sqlite-wal", ".n_SUPPORT"] {
                try FileManager.default.copyItem(
                    at: folder.appendingPathComponent(name), to: copied.appendingPathComponent(name))
            }
            try writer.remove(store)
            let left = copied.appendingPathComponent("n.sqlite")
            let child = try ChildProgram(
                "migration-crash-child", [left.path, "destroy"],
                environment: ["OPENCOREDATA_TRIAL_KILL": "\(moment):1"])
            #expect(child.wait().wasKilled)
            if ["logAbsorbed", "logEmptied"].contains(moment) {
                #expect(try texts(in: left) == ["a", "b"])
            } else {
                #expect(try sizes(in: copied)["n.sqlite"] == 0)
                #expect(try texts(in: left, adding: ["c"]) == ["c"])
                let values = copied.appendingPathComponent(".n_SUPPORT/_EXTERNAL_DATA")
                #expect(try FileManager.default.contentsOfDirectory(atPath: values.path).count == 1)
            }
            try destroy(left)
            #expect(try sizes(in: copied) == Self.emptied)
        }
    }

    @Test("A file that is put in the store's place while its lock is waited for is the one that is locked")
    func exchangedMeanwhile() throws {
        try withTemporaryFolder { folder in
            let (url, other) = (folder.appendingPathComponent("n.sqlite"), folder.appendingPathComponent("o.sqlite"))
            try texts(in: url, adding: ["a"])
            try texts(in: other, adding: ["b"])
            var rounds = 0
            try SQLiteStoreFiles(url).withoutUsers(
                timeout: 0, force: false, absorbing: true,
                opened: {
                    rounds += 1
                    if rounds == 1 { #expect(rename(other.path, url.path) == 0) }
                },
                {
                    let user = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 0)
                    let error = #expect(throws: SQLiteError.self) { try user.execute("BEGIN IMMEDIATE") }
                    #expect(error?.isBusy == true)
                })
            #expect(rounds == 2)
            let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 0)
            #expect(try connection.text("SELECT ZTEXT FROM ZNOTE") == "b")
        }
    }

    @Test("Several processes that wait for the same store get it one after the other once its user is gone")
    func severalWait() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try texts(in: url, adding: ["a"])
            var user: SQLiteConnection? = try SQLiteConnection(path: url.path, access: .readOnly)
            try user?.execute("BEGIN; SELECT * FROM ZNOTE")
            let attempts = DispatchSemaphore(value: 0)
            let waiting = DispatchGroup()
            for _ in 0..<8 {
                Thread.detachNewThread(in: waiting) {
                    #expect(throws: Never.self) {
                        try SQLiteStoreFiles(url).withoutUsers(
                            timeout: 60, force: false, absorbing: true, opened: { attempts.signal() }, {})
                    }
                }
            }
            // They have met the user, and each other.
            for _ in 0..<32 { attempts.wait() }
            user = nil
            waiting.wait()
        }
    }

    @Test("Several processes that migrate the same store get it one after the other once its user is gone")
    func severalMigrate() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try texts(in: url, adding: ["a"])
            var user: SQLiteConnection? = try SQLiteConnection(path: url.path, access: .readOnly)
            try user?.execute("BEGIN; SELECT * FROM ZNOTE")
            let waiting = DispatchGroup()
            for _ in 0..<8 {
                Thread.detachNewThread(in: waiting) {
                    #expect(throws: Never.self) {
                        try SoleUse(of: SQLiteStoreFiles(url), timeout: 60).giveBack()
                    }
                }
            }
            user = nil
            waiting.wait()
            #expect(try texts(in: url) == ["a"])
        }
    }

    @Test("A store that other processes exchange for ever is an error at the time limit")
    func exchangedForEver() throws {
        try withTemporaryFolder { folder in
            let (url, other) = (folder.appendingPathComponent("n.sqlite"), folder.appendingPathComponent("o.sqlite"))
            try texts(in: url, adding: ["a"])
            let bytes = try Data(contentsOf: url)
            var rounds = 0
            let error = #expect(throws: NSError.self) {
                try SQLiteStoreFiles(url).withoutUsers(
                    timeout: 0, force: false,
                    opened: {
                        rounds += 1
                        try bytes.write(to: other)
                        #expect(rename(other.path, url.path) == 0)
                    }, { Issue.record("The store was not locked") })
            }
            #expect(error?.localizedDescription.contains("n.sqlite") == true)
            #expect(rounds == Attempts.always)
        }
    }

    @Test(
        "No process continues without the lock because of a disk that fails or a file that cannot be opened now",
        arguments: [
            (SQLITE_READONLY, true), (SQLITE_NOTADB, true), (SQLITE_CORRUPT, true), (SQLITE_IOERR, false),
            (SQLITE_IOERR | 2 << 8, false), (SQLITE_CANTOPEN, false), (SQLiteError.codeOfMovedFile, false),
        ])
    func unlockable(code: Int32, needsNoLock: Bool) {
        let error = SQLiteError(code: code, message: "", path: "/n.sqlite")
        #expect(error.cannotBeLocked)
        #expect(error.needsNoLock == needsNoLock)
    }

    @Test(
        "A connection that was opened before the store was destroyed leaves the next store's -wal and -shm alone",
        arguments: [false, true])
    func openedBefore(wasEmpty: Bool) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try texts(in: url, adding: ["a"])
            if wasEmpty { try destroy(url) }
            var early: SQLiteConnection? = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 0)
            try destroy(url)
            let next = coordinator()
            let store = try next.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            try context.performAndWait {
                context.persistentStoreCoordinator = next
                context.make("Note", ["text": "b", "picture": Data(count: 150_000)])
                try context.save()
            }
            let files = SQLiteStoreFiles(url)
            let log = try Data(contentsOf: files.wal)
            #expect(!log.isEmpty)
            let error = #expect(throws: SQLiteError.self) { try early?.integer("SELECT COUNT(*) FROM sqlite_master") }
            #expect(error?.isOfMovedFile == true)
            #expect(throws: SQLiteError.self) { try early?.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
            early = nil
            #expect(try Data(contentsOf: files.wal) == log)
            #expect(FileManager.default.fileExists(atPath: files.shm.path))
            #expect(try texts(in: url) == ["b"])
            try next.remove(store)
            #expect(try texts(in: url) == ["b"])
        }
    }

    @Test("The remains of a killed migration beside a missing main file are removed", arguments: [false, true])
    func migrationWithoutMain(byForce: Bool) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try texts(in: url, adding: ["a"])
            let files = SQLiteStoreFiles(url)
            _ = try MigrationFolder.lock(files.main, creating: true, timeout: 0)
            try Data([1]).write(to: files.wal)
            try FileManager.default.removeItem(at: url)
            try files.empty(force: byForce)
            #expect(!MigrationFolder.exists(for: files.main))
            #expect(try Data(contentsOf: files.wal).isEmpty)
        }
    }

    @Test("A folder that a migration makes while the store is locked stays, and so does the store")
    func migrationMeanwhile() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try texts(in: url, adding: ["a"])
            let files = SQLiteStoreFiles(url)
            var place: MigrationFolder?
            let error = #expect(throws: NSError.self) {
                try files.empty(opened: { place = try MigrationFolder.lock(files.main, creating: true, timeout: 0) })
            }
            #expect(error?.code == NSPersistentStoreTimeoutError)
            #expect(MigrationFolder.exists(for: files.main))
            try place?.remove()
            place = nil
            #expect(try texts(in: url) == ["a"])
        }
    }

    @Test(
        "A store that other processes destroy and replace can be opened at any time, and is whole"
    )
    func openedMeanwhile() throws {
        try withTemporaryFolder { folder in
            let (url, other) = (folder.appendingPathComponent("n.sqlite"), folder.appendingPathComponent("o.sqlite"))
            for place in [url, other] {
                try withStore(place, ParcelModel.make()) { context in
                    context.make("Parcel", ["name": "first", "content": Data(count: 150_000)])
                    try context.save()
                }
            }
            let acts = ["open", "open", "destroy", "destroy", "replace"]
            let children = try acts.map {
                try ChildProgram("writer-child", [url.path, "exchange", $0, "25", other.path])
            }
            for child in children {
                let end = child.wait()
                #expect(end.status == 0 && end.output.isEmpty, "\(end.output)")
            }
        }
    }

    @Test("A store in a migration, or made by one, is not destroyed, nor are the files in that migration's folder")
    func beingMigrated() throws {
        let folder = try TemporaryFolder()
        let model = LibraryModel.make()
        for isMade in [true, false] {
            let url = folder.url.appendingPathComponent("\(isMade).sqlite")
            if isMade { try withStore(url, model) { _ in } }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            do {
                let place = try #require(
                    try MigrationFolder.lock(SQLiteStoreFiles(url).main, creating: true, timeout: 0))
                let work = place.url.appendingPathComponent("work")
                try Data([1]).write(to: work)
                let error = #expect(throws: NSError.self) {
                    try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
                }
                #expect(error?.code == NSPersistentStoreTimeoutError)
                #expect(FileManager.default.fileExists(atPath: work.path))
                #expect(FileManager.default.fileExists(atPath: url.path) == isMade)
            }
            // Once no process works there the folder is waste. A process that another test starts holds the lock, too,
            // until it runs its program.
            try coordinator.destroyPersistentStore(
                at: url, ofType: NSSQLiteStoreType, options: [NSPersistentStoreTimeoutOption: 60])
            if isMade { #expect(!MigrationFolder.exists(for: SQLiteStoreFiles(url).main)) }
        }
    }
}
