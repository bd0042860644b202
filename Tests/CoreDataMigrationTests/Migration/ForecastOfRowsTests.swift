import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// A forecast finds the same obstacles in the rows as the migration.
@Suite("Forecasts and the rows of a store", .leavesNothingBehind)
struct ForecastOfRowsTests {
    private static let items = """
        INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'a'), (2, 1, 1, 'b'), (5, 1, 1, 'a');
        UPDATE Z_PRIMARYKEY SET Z_MAX = 5;
        """

    private func forecast(
        _ fixture: MigrationFixture, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]? = nil
    ) throws -> MigrationForecast {
        try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: fixture.url, to: model, options: options)
    }

    /// Migrates the store of a fixture as its opening does, through a version between.
    private static func migrate(_ fixture: MigrationFixture, through second: String, to newer: String) throws {
        try StoreMigration(
            MigrationRequest(
                at: fixture.url, to: ModelText.model(newer),
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ], through: [ModelText.model(second)], bundles: [])
        ).prepare()
    }

    @Test(
        "duplicates that a new uniqueness constraint forbids are named with entity and rows, before and when it fails")
    func duplicates() throws {
        for newer in [
            "entity Item\n  name string\n  unique name", "entity Item\n  title string was name\n  unique title",
            "entity Item\n  name string\n  code string! = none\n  unique code",
        ] {
            try withTemporaryFolder { folder in
                let fixture = try MigrationFixture(folder, "entity Item\n  name string", rows: Self.items)
                let found = try forecast(fixture, ModelText.model(newer))
                #expect(found.obstacles.map(\.entity) == ["Item"], "\(newer): \(found)")
                let error = try fixture.failure(to: newer)
                #expect(error.code == NSMigrationConstraintViolationError)
                #expect(error.userInfo["entity"] as? String == "Item" && error.userInfo["row"] as? Int64 == 1)
                let rows = newer.contains("code") ? "rows 1, 2, 5" : "rows 1, 5"
                #expect(error.localizedDescription.contains(rows), "\(error)")
                // With each value once, or none, no row is an obstacle.
                try fixture.run("DELETE FROM ZITEM WHERE Z_PK <> 2")
                #expect(try forecast(fixture, ModelText.model(newer)).isPossible)
                try fixture.migrateAndVerify(to: newer)
            }
        }
    }

    @Test("rows of a table that the first hops leave unchanged are checked for a later one")
    func laterHops() throws {
        // A number's type that changes twice is gone through, and so is a name.
        let first = "entity A\n  x string\n  size decimal\nentity B\n  n int16\n  name string"
        let second = "entity A\n  x string\n  size decimal\n  y string\nentity B\n  n double\n  title string was name"
        let last = "size decimal\n  y string\nentity B\n  n decimal\n  headline string was title"
        for (newer, property) in [
            ("abstract entity A\n  x string\n  \(last)", nil),
            ("entity A\n  x string\n  \(last.replacing("size decimal", with: "size int16"))", "size"),
        ] {
            try withTemporaryFolder { folder in
                let fixture = try MigrationFixture(
                    folder, first,
                    rows: "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZSIZE) VALUES (7, 1, 1, 70000);"
                        + "INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZN) VALUES (1, 2, 1, 5)")
                func forecast() throws -> MigrationForecast {
                    try NSPersistentStoreCoordinator.migrationForecast(
                        forPersistentStoreAt: fixture.url, to: ModelText.model(newer),
                        through: [ModelText.model(second)])
                }
                func migrate() throws { try Self.migrate(fixture, through: second, to: newer) }
                let found = try forecast()
                #expect(found.obstacles.map(\.entity) == ["A"] && found.obstacles.map(\.property) == [property])
                let error = #expect(throws: NSError.self) { try migrate() }
                #expect(error?.code == NSMigrationError && error?.userInfo["row"] as? Int64 == 7)
                try fixture.run("DELETE FROM ZA")
                #expect(try forecast().hops.count == 2)
                #expect(
                    try forecast().hops.first?.steps.map(\.summary).contains("taken together with the next version")
                        == false)
                try migrate()
                try fixture.verify(newer)
            }
        }
    }

    @Test("A row of a table that an earlier hop rewrites is not forecast: it ends the migration, which changes nothing")
    func unseenRow() throws {
        // A number's type that changes twice is gone through, and so is a name.
        let second = "entity B\n  n double\n  title string was name\n  code string"
        let newer = "entity B\n  n decimal\n  headline string was title\n  code string!"
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, "entity B\n  n int16\n  name string\n  code string",
                rows: "INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZN) VALUES (7, 1, 1, 5); UPDATE Z_PRIMARYKEY SET Z_MAX = 7")
            let found = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: fixture.url, to: ModelText.model(newer), through: [ModelText.model(second)])
            #expect(found.isPossible && found.hops.count == 2, "\(found)")
            let before = try fixture.dump()
            let error = try #require(throws: NSError.self) {
                try Self.migrate(fixture, through: second, to: newer)
            }
            #expect(error.code == NSMigrationError && error.userInfo["row"] as? Int64 == 7, "\(error)")
            #expect(try fixture.dump() == before)
        }
    }

    @Test("No way exists where nothing may be inferred and there is no mapping model")
    func nothingInferred() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, "entity Item\n  name string")
            let model = ModelText.model("entity Item\n  name string\n  more int32")
            let found = try forecast(fixture, model, [NSInferMappingModelAutomaticallyOption: false])
            #expect(!found.isPossible && found.hops.isEmpty)
            #expect(found.obstacles.first?.help.contains("mapping model") == true, "\(found)")
            #expect(try forecast(fixture, model).isPossible)
        }
    }

    private static let versions = [
        "entity Item\n  name string", "entity Item\n  name string\n  more int32",
        "entity Item\n  name string\n  more int32\n  code string!",
    ]

    private func stages(_ handles: Bool) -> [AnyHashable: Any] {
        let models = Self.versions.map { ModelText.model($0) }
        let stages = zip(models, models.dropFirst()).map { older, newer in
            NSCustomMigrationStage(
                migratingFrom: .init(model: older, versionChecksum: older.versionChecksum),
                to: .init(model: newer, versionChecksum: newer.versionChecksum))
        }
        if handles { stages[1].willMigrateHandler = { _, _ in } }
        return [NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(stages)]
    }

    @Test("A row that the second of two stages refuses is an obstacle, unless code of the program's comes before it")
    func secondStage() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.versions[0], rows: Self.items)
            let model = ModelText.model(Self.versions[2])
            let found = try forecast(fixture, model, stages(false))
            #expect(found.obstacles.map(\.property) == ["code"], "\(found)")
            #expect(try forecast(fixture, model, stages(true)).isPossible)
            try fixture.run("DELETE FROM ZITEM")
            #expect(try forecast(fixture, model, stages(false)).isPossible)
        }
    }

    @Test("bytes that are to come into the row from a file that is missing are an error with entity, property and row")
    func missingFile() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, "entity Picture\n  bytes data external",
                rows: """
                    INSERT INTO ZPICTURE (Z_PK, Z_ENT, Z_OPT, ZBYTES) VALUES (1, 1, 1, x'0161'),
                        (3, 1, 1, CAST(x'02' || '0AC46B4C-0E22-4B4B-9D0D-5A1E4F2C8A01' || x'00' AS BLOB));
                    """)
            let error = try fixture.failure(to: "entity Picture\n  bytes data")
            #expect(
                error.userInfo["entity"] as? String == "Picture" && error.userInfo["property"] as? String == "bytes")
            #expect(error.userInfo["row"] as? Int64 == 3)
            #expect(error.localizedDescription.contains("Restore the file"), "\(error)")
        }
    }
}
