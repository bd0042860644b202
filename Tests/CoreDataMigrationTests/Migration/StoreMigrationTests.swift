import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Proof: our migrated stores, read here.
@Suite("Opening a store of another version", .leavesNothingBehind)
struct StoreMigrationTests {
    static let older = "entity Item\n  name string\n  size int32"
    static let newer = "entity Item\n  name string\n  size double"
    static var both: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    /// Rows with a text of about 40 bytes.
    static func fill(_ count: Int) -> String {
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZSIZE) SELECT i, 1, 1, 'the name of the item with number ' || i, i % 1000 FROM n;
        UPDATE Z_PRIMARYKEY SET Z_MAX = \(count);
        """
    }

    private func add(_ text: String, at url: URL, _ options: [AnyHashable: Any]?) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(text))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        try coordinator.remove(store)
    }

    private func error(_ text: String, at url: URL, _ options: [AnyHashable: Any]?) -> NSError? {
        do {
            try add(text, at: url, options)
            return nil
        } catch {
            return error as NSError
        }
    }

    @Test("An opening without options is error 134100 and names the entities; the file does not change")
    func noOptions() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: Self.fill(3))
            let before = try fixture.dump()
            let failure = try #require(error(Self.newer, at: fixture.url, nil))
            #expect(failure.domain == NSCocoaErrorDomain)
            #expect(failure.code == NSPersistentStoreIncompatibleVersionHashError)
            #expect(
                failure.userInfo["reason"] as? String
                    == "The model used to open the store is incompatible with the one used to create the store")
            #expect(failure.userInfo["metadata"] is [String: Any])
            #expect(failure.localizedDescription.contains("Item"))
            #expect(try fixture.dump() == before)
        }
    }

    @Test("migrating without inferring needs a mapping model: 134140")
    func withoutInference() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older)
            let failure = try #require(
                error(Self.newer, at: fixture.url, [NSMigratePersistentStoresAutomaticallyOption: true]))
            #expect(failure.code == NSMigrationMissingMappingModelError)
        }
    }

    @Test("A store is migrated and opened with both options")
    func bothOptions() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: Self.fill(10))
            try add(Self.newer, at: fixture.url, Self.both)
            #expect(try fixture.query("SELECT COUNT(*), SUM(ZSIZE), typeof(ZSIZE) FROM ZITEM") == ["10|55.0|real"])
            try add(Self.newer, at: fixture.url, nil)
        }
    }

    @Test("a store without an archived model and without its model at hand is an error: 134130")
    func missingSource() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older)
            try fixture.run("DELETE FROM Z_MODELCACHE")
            let failure = try #require(error(Self.newer, at: fixture.url, Self.both))
            #expect(failure.code == NSMigrationMissingSourceModelError)
            #expect(failure.userInfo["reason"] as? String == "Can't find model for source store")
            #expect(
                try LightweightMigrator(MigrationRequest(at: fixture.url, to: ModelText.model(Self.newer))).apply(
                    from: ModelText.model(Self.older)))
            try fixture.verify(Self.newer)
        }
    }

    @Test("a store that another process is writing is an error after the time limit: 134090")
    func locked() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: Self.fill(3))
            let other = try SQLiteConnection(path: fixture.url.path, access: .readWrite)
            try other.execute("BEGIN IMMEDIATE; UPDATE ZITEM SET ZSIZE = 1")
            var options = Self.both
            options[NSPersistentStoreTimeoutOption] = 0.05
            let failure = try #require(error(Self.newer, at: fixture.url, options))
            #expect(failure.code == NSPersistentStoreTimeoutError)
            try other.execute("COMMIT")
            try add(Self.newer, at: fixture.url, options)
        }
    }

    @Test("rows in the -wal of a killed process are migrated too")
    func foreignLog() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older)
            // The rows are in the -wal only.
            let writer = try fixture.log(Self.fill(500))
            let copy = try withExtendedLifetime(writer) { try fixture.copyAsKilled() }
            #expect(try LightweightMigrator(MigrationRequest(at: copy, to: ModelText.model(Self.newer))).apply())
            let reader = try SQLiteConnection(path: copy.path, access: .readOnly)
            #expect(try reader.integer("SELECT COUNT(*) FROM ZITEM WHERE typeof(ZSIZE) = 'real'") == 500)
        }
    }

    @Test("objects saved with one version are fetched with the next, through public API alone")
    func throughContexts() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("items.sqlite")
            func context(_ text: String) throws -> NSManagedObjectContext {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(text))
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: Self.both)
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                context.persistentStoreCoordinator = coordinator
                return context
            }
            let first = try context(
                "entity Item\n  name string\n  box one Box.items\nentity Box\n  items many Item.box")
            try first.performAndWait {
                let box = NSEntityDescription.insertNewObject(forEntityName: "Box", into: first)
                for name in ["a", "b"] {
                    let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: first)
                    item.setValue(name, forKey: "name")
                    item.setValue(box, forKey: "box")
                }
                try first.save()
                for store in first.persistentStoreCoordinator?.persistentStores ?? [] {
                    try first.persistentStoreCoordinator?.remove(store)
                }
            }
            let second = try context(
                """
                entity Alpha
                  name string
                entity Thing was Item
                  title string! = none was name
                  size double = 2.5
                  crate one Crate.things was box
                entity Crate was Box
                  things ordered Thing.crate was items
                """)
            try second.performAndWait {
                let crates = try second.fetch(NSFetchRequest<NSManagedObject>(entityName: "Crate"))
                let things = try #require(crates.first?.value(forKey: "things") as? NSOrderedSet)
                let values = things.array.compactMap { $0 as? NSManagedObject }.map {
                    "\($0.value(forKey: "title") ?? "-") \($0.value(forKey: "size") ?? "-")"
                }
                #expect(values.sorted() == ["a 2.5", "b 2.5"])
                #expect(try second.count(for: NSFetchRequest<NSManagedObject>(entityName: "Alpha")) == 0)
            }
        }
    }

    @Test("a store of one configuration is migrated without the entities of the other ones")
    func configuration() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("local.sqlite")
            func add(_ text: String) throws {
                let model = ModelText.model(text)
                let local = model.entities.filter { $0.name != "Cloud" }
                model.setEntities(local, forConfigurationName: "Local")
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                let store = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: "Local", at: url, options: Self.both)
                try coordinator.remove(store)
            }
            try add("entity Cloud\n  name string\nentity Item\n  name string")
            let connection = try SQLiteConnection(path: url.path, access: .readWrite)
            try connection.execute("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'x')")
            try add(
                "entity Cloud\n  name string\n  other string\nentity Box\n  name string\nentity Item\n  name string\n  size int16 = 4"
            )
            #expect(try connection.text("SELECT Z_ENT || ZNAME || ZSIZE FROM ZITEM") == "2x4")
            #expect(try connection.text("SELECT group_concat(Z_NAME) FROM Z_PRIMARYKEY") == "Box,Item")
            let metadata = try SQLiteStoreMetadata.metadata(at: url)
            #expect((metadata[NSStoreModelVersionHashesKey] as? [String: Data])?.keys.sorted() == ["Box", "Item"])
        }
    }

    @Test("a full disk leaves the old store and gives the error for it")
    func fullDisk() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: Self.fill(2000))
            let before = try fixture.dump()
            let pages = try #require(Int(try fixture.query("PRAGMA page_count")[0]))
            var options = Self.both
            options[NSSQLitePragmasOption] = ["max_page_count": "\(pages + 5)"]
            let failure = try #require(error(Self.newer, at: fixture.url, options))
            #expect(failure.code == CocoaError.Code.fileWriteOutOfSpace.rawValue)
            #expect(try fixture.dump() == before)
            try add(Self.older, at: fixture.url, nil)
            try add(Self.newer, at: fixture.url, Self.both)
        }
    }

    @Test("progress goes up in steps to its end")
    func progress() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: Self.fill(200_000))
            let recorder = ProgressRecorder()
            var options = Self.both
            options[NSMigrationProgressOption] = recorder.progress
            let values = try recorder.recording { try add(Self.newer, at: fixture.url, options) }
            #expect(recorder.progress.totalUnitCount > 200_000)
            #expect(recorder.progress.completedUnitCount == recorder.progress.totalUnitCount)
            #expect(recorder.progress.isFinished)
            #expect(values == values.sorted())
            #expect(values.count > 1)
        }
    }

    @Test("a cancelled migration leaves the old store: 134120")
    func cancellation() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: Self.fill(200_000))
            let before = try fixture.query("SELECT COUNT(*), SUM(ZSIZE), MAX(typeof(ZSIZE)) FROM ZITEM")
            let progress = CancellingProgress(totalUnitCount: 1)
            var options = Self.both
            options[NSMigrationProgressOption] = progress
            let failure = try #require(error(Self.newer, at: fixture.url, options))
            #expect(failure.code == NSMigrationCancelledError)
            #expect(progress.completedUnitCount < progress.totalUnitCount)
            #expect(progress.completedUnitCount > 0)
            #expect(try fixture.query("SELECT COUNT(*), SUM(ZSIZE), MAX(typeof(ZSIZE)) FROM ZITEM") == before)
            try add(Self.older, at: fixture.url, nil)
        }
    }
}

/// Cancels itself once a tenth of the work is done.
private final class CancellingProgress: Progress, @unchecked Sendable {  // used by one thread
    override var completedUnitCount: Int64 {
        get { super.completedUnitCount }
        set {
            super.completedUnitCount = newValue
            if newValue > totalUnitCount / 10, newValue > 1000 { cancel() }
        }
    }
}

/// Remembers every value a progress took.
private final class ProgressRecorder {
    private final class Recording: Progress, @unchecked Sendable {  // used by one thread
        var values: [Int64] = []
        override var completedUnitCount: Int64 {
            get { super.completedUnitCount }
            set {
                super.completedUnitCount = newValue
                values.append(newValue)
            }
        }
    }

    private let recording = Recording(totalUnitCount: 1)
    var progress: Progress { recording }

    func recording(_ body: () throws -> Void) rethrows -> [Int64] {
        try body()
        return recording.values
    }
}
