#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLMappingTests {
    private static let type = NSPostgreSQLStoreType
    private static var migrating: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    /// The content of a store in a file and of one in a database after the same migration.
    private func both(
        _ folder: URL, from older: String, to newer: NSManagedObjectModel, _ options: [AnyHashable: Any]
    ) throws -> (file: [String], database: [String]) {
        let lines = try [StoreKind.sqlite, .postgreSQL].map { kind in
            let url = try #require(kind.url(in: folder))
            try DepotModels.fill(url, older, items: 120, type: kind.type)
            let all = Self.migrating.merging(options) { $1 }
            try withStore(url, newer, type: kind.type, options: all) { _ in }
            return try StoreText.lines(url, newer, type: kind.type)
        }
        return (lines[0], lines[1])
    }

    @Test("A mapping model with a policy migrates a database like a file", arguments: [true, false])
    func mapped(hasPolicy: Bool) throws {
        try withTemporaryFolder { folder in
            let mapping = DepotModels.mapping(policy: hasPolicy ? DepotPolicy.self : nil)
            let (file, database) = try both(
                folder, from: DepotModels.versions[1], to: DepotModels.model(2),
                [NSMigrationMappingModelOption: mapping])
            #expect(file.count == 137)
            #expect(database == file)
        }
    }

    @Test("Stages with handlers migrate a database like a file")
    func staged() throws {
        try withTemporaryFolder { folder in
            let (file, database) = try both(
                folder, from: DepotModels.stages[0], to: ModelText.model(DepotModels.stages[3]),
                [NSPersistentStoreStagedMigrationManagerOptionKey: DepotModels.manager()])
            #expect(file.contains { $0.contains("number 30") })
            #expect(database == file)
        }
    }

    @Test("Stages without handlers are one transaction where the store lies")
    func plainStages() throws {
        try withTemporaryFolder { folder in
            let (file, database) = try both(
                folder, from: DepotModels.stages[0], to: ModelText.model(DepotModels.stages[3]),
                [NSPersistentStoreStagedMigrationManagerOptionKey: DepotModels.plainManager()])
            #expect(database == file)
        }
    }

    @Test("Places in ordered relationships of both sides survive a migration where the store lies")
    func places() throws {
        try withDatabase { url, _ in
            let older =
                "entity Book\n  shelves ordered Shelf.books\nentity Shelf\n  room string\n  books ordered Book.shelves"
            func rooms(_ context: NSManagedObjectContext) throws -> [String] {
                let book = try context.all("Book").first
                let shelves = book?.value(forKey: "shelves") as? NSOrderedSet
                return shelves?.array.compactMap { ($0 as? NSManagedObject)?.text("room") } ?? []
            }
            try withStore(url, ModelText.model(older), type: Self.type) { context in
                let shelves = ["c", "a", "b"].map { context.make("Shelf", ["room": $0]) }
                context.make("Book", ["shelves": NSOrderedSet(array: Array(shelves.reversed()))])
                try context.save()
            }
            let newer = ModelText.model("entity Album\n  name string\n" + older)
            let after = try withStore(url, newer, type: Self.type, options: Self.migrating) { try rooms($0) }
            #expect(after == ["b", "a", "c"])
        }
    }

    @Test("A deferred migration leaves nothing to be done: the work deferred in files takes no time in a database")
    func deferred() throws {
        try withDatabase { url, folder in
            let newer = ModelText.model(
                DepotModels.versions[0].replacingOccurrences(of: "  size string\n", with: ""))
            try DepotModels.fill(url, DepotModels.versions[0], items: 20, type: Self.type)
            var options = Self.migrating
            options[NSPersistentStoreDeferredLightweightMigrationOptionKey] = true
            options[NSMigrationAllowedLossesOption] = ["Item.size"]
            try withStore(url, newer, type: Self.type, options: options) { context in
                let coordinator = try #require(context.persistentStoreCoordinator)
                #expect(try context.all("Item").count == 20)
                try coordinator.finishDeferredLightweightMigration()
            }
            let columns = try PostgreSQLServer.shared.get().psql(
                folder.lastPathComponent,
                "SELECT count(*) FROM information_schema.columns WHERE table_name = 'item' AND column_name = 'size'"
            )
            #expect(columns == "0")
        }
    }

    @Test("A policy or a handler that fails leaves the store as it was, and its error is thrown")
    func failing() throws {
        try withDatabase { url, _ in
            try DepotModels.fill(url, DepotModels.stages[0], items: 20, type: Self.type)
            let before = try StoreText.lines(url, ModelText.model(DepotModels.stages[0]), type: Self.type)
            let manager = DepotModels.manager()
            let last = try #require(manager.stages.last as? NSCustomMigrationStage)
            last.didMigrateHandler = { _, _ in throw CocoaError(.featureUnsupported) }
            let error = #expect(throws: NSError.self) {
                try withStore(
                    url, ModelText.model(DepotModels.stages[3]), type: Self.type,
                    options: Self.migrating.merging([NSPersistentStoreStagedMigrationManagerOptionKey: manager]) {
                        $1
                    }
                ) { _ in }
            }
            #expect(error?.localizedDescription.contains("notes") == true, "\(error as Any)")
            #expect(try StoreText.lines(url, ModelText.model(DepotModels.stages[0]), type: Self.type) == before)
        }
    }

    @Test("An error says that the newer store cannot hold a value in the database, and the older one is whole")
    func unfit() throws {
        try withDatabase { url, _ in
            try DepotModels.fill(url, DepotModels.stages[0], items: 20, type: Self.type)
            let manager = DepotModels.manager()
            let last = try #require(manager.stages.last as? NSCustomMigrationStage)
            last.didMigrateHandler = { manager, _ in
                guard let context = manager.container?.newBackgroundContext() else { return }
                try context.performAndWait {
                    for item in try context.all("Item").prefix(2) { item.setValue("a\0b", forKey: "note") }
                    try context.save()
                }
            }
            let error = #expect(throws: NSError.self) {
                try withStore(
                    url, ModelText.model(DepotModels.stages[3]), type: Self.type,
                    options: Self.migrating.merging([NSPersistentStoreStagedMigrationManagerOptionKey: manager]) {
                        $1
                    }
                ) { _ in }
            }
            #expect(error?.userInfo[NSMigrationUnfitValueCountErrorKey] as? Int == 2, "\(error as Any)")
            try withStore(url, ModelText.model(DepotModels.stages[0]), type: Self.type) { context in
                let count = try context.all("Item").count
                #expect(count == 20)
            }
        }
    }

    @Test("A forecast says the steps, the rows, the locks and how long they are held")
    func forecast() throws {
        try withDatabase { url, _ in
            try DepotModels.fill(url, DepotModels.versions[1], items: 200, type: Self.type)
            func forecast(_ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = [:]) throws
                -> MigrationForecast
            {
                try NSPersistentStoreCoordinator.migrationForecast(
                    forPersistentStoreAt: url, to: model, options: options)
            }
            #expect(try !forecast(DepotModels.model(1)).isMigrationRequired)
            // A renaming and a new column take no time at any size.
            let text = DepotModels.versions[1]
            let quick = try forecast(
                ModelText.model(
                    text.replacingOccurrences(
                        of: "  title string was name index", with: "  heading string was title\n  more string")))
            #expect(quick.isMigrationRequired && quick.isPossible)
            #expect(quick.isInstant, "\(quick)")
            #expect(quick.locks.count == 1)
            // A column that goes does not, either, and a table is written for another type.
            let slow = try forecast(
                ModelText.model(
                    text.replacingOccurrences(of: "  size string", with: "  size string\n  must string! = x")))
            #expect(!slow.isInstant)
            #expect(
                slow.hops.flatMap(\.steps).contains { $0.kind == .rewrite && $0.table == "item" && $0.rows == 200 },
                "\(slow)")
            let lock = try #require(slow.locks.first)
            #expect(lock.isExclusive && lock.tables.contains("item") && lock.seconds == slow.estimatedSeconds)
            #expect(slow.description.contains("against readers and writers"))
            // Through files: readers continue until the tables are exchanged.
            let mapped = try forecast(
                DepotModels.model(2), [NSMigrationMappingModelOption: DepotModels.mapping()])
            #expect(mapped.locks.map(\.isExclusive) == [false, true], "\(mapped)")
            #expect(mapped.hops.flatMap(\.steps).contains { $0.kind == .custom && $0.rows == 200 })
            #expect(mapped.hasDiskSpace && mapped.diskSpaceAvailable != nil)
            // The obstacle.
            let impossible = try forecast(
                ModelText.model(
                    text.replacingOccurrences(of: "  size string", with: "  size string\n  must string!")))
            #expect(!impossible.isPossible && impossible.locks.isEmpty)
            #expect(impossible.obstacles.first?.property == "must")
            #expect(try StoreText.lines(url, DepotModels.model(1), type: Self.type).count == 217)
        }
    }

    @Test("A migration by a mapping model leaves no grants and triggers of other programs")
    func grantsAndTriggers() throws {
        try withDatabase { url, folder in
            let server = try PostgreSQLServer.shared.get()
            func psql(_ statement: String) -> String? { server.psql(folder.lastPathComponent, statement) }
            try DepotModels.fill(url, DepotModels.versions[1], items: 20, type: Self.type)
            try #require(
                psql(
                    """
                    GRANT SELECT ON item TO PUBLIC;
                    CREATE FUNCTION theirs() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                    CREATE TRIGGER theirs AFTER INSERT ON item FOR EACH ROW EXECUTE FUNCTION theirs();
                    """) != nil)
            let facts = """
                SELECT (SELECT count(*) FROM pg_class, aclexplode(relacl) WHERE oid = 'item'::regclass \
                AND grantee = 0), (SELECT count(*) FROM pg_trigger WHERE tgname = 'theirs')
                """
            #expect(psql(facts) == "1|1")
            let options = Self.migrating.merging([NSMigrationMappingModelOption: DepotModels.mapping()]) { $1 }
            try withStore(url, DepotModels.model(2), type: Self.type, options: options) { context in
                let count = try context.all("Item").count
                #expect(count == 20)
            }
            #expect(psql(facts) == "0|0")
        }
    }

    @Test(
        "A view or foreign key of another program prevents a migration by a mapping model",
        arguments: [
            ("CREATE VIEW report AS SELECT title FROM item", "DROP VIEW report"),
            ("CREATE TABLE report (item bigint REFERENCES item (id))", "DROP TABLE report"),
        ])
    func dependents(making: String, dropping: String) throws {
        try withDatabase { url, folder in
            let server = try PostgreSQLServer.shared.get()
            try DepotModels.fill(url, DepotModels.versions[1], items: 20, type: Self.type)
            try #require(server.psql(folder.lastPathComponent, making) != nil)
            let options = Self.migrating.merging([NSMigrationMappingModelOption: DepotModels.mapping()]) { $1 }
            func migratedItems() throws -> Int {
                try withStore(url, DepotModels.model(2), type: Self.type, options: options) {
                    try $0.all("Item").count
                }
            }
            let error = #expect(throws: NSError.self) { try migratedItems() }
            #expect(error?.code == NSMigrationError, "\(error as Any)")
            try withStore(url, DepotModels.model(1), type: Self.type) { context in
                let count = try context.all("Item").count
                #expect(count == 20)
            }
            #expect(server.psql(folder.lastPathComponent, dropping) != nil)
            #expect(try migratedItems() == 20)
        }
    }
}
#endif
