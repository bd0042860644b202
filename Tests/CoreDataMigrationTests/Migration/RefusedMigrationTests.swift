import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// A silent loss is refused before the store is changed, and the forecast has the refusal.
@Suite("Migrations that are refused", .leavesNothingBehind)
struct RefusedMigrationTests {
    private func forecast(
        _ fixture: MigrationFixture, _ model: NSManagedObjectModel, configuration: String? = nil
    ) throws -> MigrationForecast {
        try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: fixture.url, to: model, configuration: configuration)
    }

    @Test("a mandatory to-one relationship that leads to an object of a removed entity names the row")
    func removedDestination() throws {
        let older = """
            entity Animal
              name string
              owners many Owner.pet
            entity Cat : Animal
            entity Owner
              pet one! Animal.owners
            """
        let newer = older.replacingOccurrences(of: "\nentity Cat : Animal", with: "")
        for isCat in [true, false] {
            try withTemporaryFolder { folder in
                let fixture = try MigrationFixture(
                    folder, older,
                    rows: """
                        INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Bo'), (2, 2, 1, 'Tom');
                        INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT, ZPET) VALUES (4, 3, 1, 1), (5, 3, 1, \(isCat ? 2 : 1));
                        UPDATE Z_PRIMARYKEY SET Z_MAX = 5;
                        """)
                let found = try NSPersistentStoreCoordinator.migrationForecast(
                    forPersistentStoreAt: fixture.url, to: ModelText.model(newer), through: [ModelText.model(older)])
                #expect(found.isPossible == !isCat)
                guard isCat else { return try fixture.migrateAndVerify(to: newer) }
                #expect(found.obstacles.map(\.property) == ["pet"])
                let error = try fixture.failure(to: newer)
                #expect(error.code == NSMigrationError)
                #expect(
                    error.userInfo["entity"] as? String == "Owner" && error.userInfo["property"] as? String == "pet")
                #expect(error.userInfo["row"] as? Int64 == 5)
            }
        }
    }

    @Test("objects of an entity that another configuration has now are not lost: the error and the forecast count them")
    func movedEntity() throws {
        let model = ModelText.model("entity Item\n  name string\nentity Note\n  text string")
        model.setEntities([try #require(model.entitiesByName["Item"])], forConfigurationName: "One")
        model.setEntities([try #require(model.entitiesByName["Note"])], forConfigurationName: "Two")
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, "entity Item\n  name string\nentity Note\n  text string",
                rows: """
                    INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'a');
                    INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT) VALUES (1, 2, 1, 'b'), (2, 2, 1, 'c'), (3, 2, 1, 'd');
                    UPDATE Z_PRIMARYKEY SET Z_MAX = 3;
                    """)
            let before = try fixture.dump()
            let newer = try #require(model.copy() as? NSManagedObjectModel)
            newer.entitiesByName["Item"]?.properties.append(
                contentsOf: ModelText.model("entity Item\n  size int32").entities[0].copiedProperties())
            let found = try forecast(fixture, newer, configuration: "One")
            #expect(found.obstacles.map(\.entity) == ["Note"])
            #expect(found.description.contains("3 objects"), "\(found)")
            let error = try #require(throws: NSError.self) {
                try LightweightMigrator(MigrationRequest(at: fixture.url, to: newer, configuration: "One")).apply()
            }
            #expect(error.code == NSMigrationError && error.userInfo["entity"] as? String == "Note")
            #expect(try fixture.dump() == before)
            try fixture.run("DELETE FROM ZNOTE")
            #expect(try LightweightMigrator(MigrationRequest(at: fixture.url, to: newer, configuration: "One")).apply())
            #expect(try fixture.query("SELECT ZNAME FROM ZITEM") == ["a"])
        }
    }

    @Test("a view on a column that goes is named with entity and property; other views stay as they are")
    func views() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, "entity Item\n  name string\n  size int32",
                rows: """
                    INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZSIZE) VALUES (1, 1, 1, 'a', 5);
                    UPDATE Z_PRIMARYKEY SET Z_MAX = 1;
                    CREATE VIEW NAMES AS SELECT ZNAME FROM ZITEM;
                    CREATE VIEW FEWER AS SELECT * FROM NAMES;
                    CREATE TRIGGER NAMING INSTEAD OF DELETE ON FEWER BEGIN UPDATE ZITEM SET Z_OPT = 2; END;
                    """)
            let without = "entity Item\n  size int32"
            let found = try forecast(fixture, ModelText.model(without))
            #expect(found.obstacles.map { [$0.entity, $0.property] } == [["Item", "name"]], "\(found)")
            #expect(found.description.contains("view “NAMES”"))
            #expect(try fixture.failure(to: without).userInfo["property"] as? String == "name")
            // The views remain after tables were altered and copied.
            #expect(try fixture.migrate(to: "entity Item\n  name string"))
            #expect(try RawDatabase(fixture.url).column("SELECT * FROM FEWER") == [.text("a")])
            #expect(try fixture.migrate(to: "entity Item\n  name string\n  size int32 = 7"))
            #expect(try fixture.migrate(to: "entity Item\n  name string\n  size double = 7"))
            #expect(try RawDatabase(fixture.url).column("SELECT * FROM FEWER") == [.text("a")])
            #expect(try fixture.query("SELECT tbl_name FROM sqlite_master WHERE type = 'trigger'") == ["FEWER"])
            // A new name of a column that nothing else happens to is put into the view by SQLite.
            #expect(try fixture.migrate(to: "entity Item\n  title string was name\n  size double = 7"))
            #expect(try RawDatabase(fixture.url).column("SELECT * FROM FEWER") == [.text("a")])
            try fixture.run("DROP VIEW FEWER; DROP VIEW NAMES")
            try fixture.migrateAndVerify(to: without)
        }
    }

    @Test(
        "a view on a column that gets another name is named where the table is copied or loses a column",
        arguments: ["entity Item\n  title string was name", "entity Item\n  title string was name\n  size double"])
    func renamedInView(_ newer: String) throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, "entity Item\n  name string\n  size int32",
                rows: "CREATE VIEW NAMES AS SELECT ZNAME FROM ZITEM")
            let error = try fixture.failure(to: newer)
            #expect(error.localizedDescription.contains("view “NAMES”"), "\(error)")
            #expect(error.userInfo["property"] as? String == "name")
        }
    }

    @Test("a trigger of another program on a column that is removed is named")
    func triggers() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, "entity Item\n  name string\n  size int32",
                rows: "CREATE TRIGGER MINE AFTER UPDATE OF ZNAME ON ZITEM BEGIN DELETE FROM Z_METADATA WHERE 0; END")
            let error = try fixture.failure(to: "entity Item\n  size int32")
            #expect(error.localizedDescription.contains("trigger “MINE”"), "\(error)")
        }
    }

    @Test("A row that was invalid before stays so in place; a migration into a copy names the row and a remedy")
    func invalidBefore() throws {
        let (older, newer) = ("entity Item\n  name string!", "entity Item\n  name string!\n  more int32")
        for isCopied in [true, false] {
            try withTemporaryFolder { folder in
                let fixture = try MigrationFixture(
                    folder, older,
                    rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT) VALUES (7, 1, 1); UPDATE Z_PRIMARYKEY SET Z_MAX = 7")
                let before = try fixture.dump()
                let models = [older, newer].map { ModelText.model($0) }
                let stage = NSCustomMigrationStage(
                    migratingFrom: .init(model: models[0], versionChecksum: models[0].versionChecksum),
                    to: .init(model: models[1], versionChecksum: models[1].versionChecksum))
                if isCopied { stage.willMigrateHandler = { _, _ in } }
                func migrate() throws {
                    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(newer))
                    let store = try coordinator.addPersistentStore(
                        ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.url,
                        options: [
                            NSMigratePersistentStoresAutomaticallyOption: true,
                            NSInferMappingModelAutomaticallyOption: true,
                            NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage]),
                        ])
                    try coordinator.remove(store)
                }
                guard isCopied else {
                    try migrate()
                    return try fixture.verify(newer)
                }
                let error = try #require(throws: NSError.self) { try migrate() }
                #expect(error.code == NSMigrationError, "\(error)")
                #expect(
                    error.userInfo["entity"] as? String == "Item" && error.userInfo["row"] as? Int64 == 7, "\(error)")
                #expect(error.localizedRecoverySuggestion?.contains("older version") == true)
                #expect(try fixture.dump() == before)
            }
        }
    }

    @Test("a store behind a symbolic link is opened, and migrated where it lies")
    func symbolicLink() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 4)
            let other = folder.appendingPathComponent("elsewhere", isDirectory: true)
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            let file = other.appendingPathComponent("Real.sqlite")
            try FileManager.default.moveItem(at: fixture.source, to: file)
            try FileManager.default.createSymbolicLink(at: fixture.source, withDestinationURL: file)
            try withStore(fixture.source, fixture.olderModel) { context in
                let books = try context.all("Book")
                #expect(books.count == 4)
            }
            try fixture.migrateInPlace(fixture.mapping())
            #expect(try fixture.books(at: fixture.source) == MappedMigrationFixture.expectedBooks(4))
            #expect(try fixture.files() == ["Old.sqlite", "elsewhere"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["Real.sqlite"])
            let path = try FileManager.default.destinationOfSymbolicLink(atPath: fixture.source.path)
            #expect(path.hasSuffix("Real.sqlite"))
        }
    }
}

extension NSEntityDescription {
    /// Its properties for use in another entity.
    fileprivate func copiedProperties() -> [NSPropertyDescription] {
        properties.compactMap { $0.copy() as? NSPropertyDescription }
    }
}
