#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

// A forecast finds the same obstacles in the rows as the migration, also where only this server refuses them.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLForecastTests {
    private let database: TestDatabase

    init() throws { database = try TestDatabase() }

    private static let options = [
        NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]

    private func forecast(_ newer: String) throws -> MigrationForecast {
        try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: database.url, to: ModelText.model(newer), options: Self.options)
    }

    private func migrate(_ newer: String) throws {
        let model = ModelText.model(newer)
        try withStore(database.url, model, type: NSPostgreSQLStoreType, options: Self.options) { _ in }
    }

    @Test(
        "A value that is too large for a new index is named before the migration and when it fails",
        arguments: Sample.slice(
            [
                "entity Tag\n  name string index\n  more string\n  size int32",
                "entity Tag\n  name string\n  more string\n  unique name",
                "entity Tag\n  title string was name index\n  more string",
                "entity Tag\n  name string\n  more string\n  code string! = none\n  unique name,code",
            ], oneIn: 2, "large values"))
    func tooLarge(newer: String) throws {
        try withStore(
            database.url, ModelText.model("entity Tag\n  name string\n  more string"), type: NSPostgreSQLStoreType
        ) { context in
            context.make("Tag", ["name": "short"])
            // The server compresses it to less than an index takes.
            context.make("Tag", ["name": String(repeating: "a", count: 100_000)])
            try context.save()
        }
        #expect(try forecast(newer).isPossible)
        let noise = "(SELECT string_agg(md5(n::text), '') FROM generate_series(1, 300) n)"
        try #require(database.psql("UPDATE tag SET name = \(noise) WHERE name = 'short'") == "UPDATE 1")
        let row = try #require(database.psql("SELECT id FROM tag WHERE length(name) < 100000"))
        let found = try forecast(newer)
        #expect(found.obstacles.map(\.entity) == ["Tag"], "\(found)")
        let reason = found.obstacles.first?.reason ?? ""
        #expect(reason.contains("row \(row), has a value that is too large"), "\(found)")
        let error = try #require(throws: NSError.self) { try migrate(newer) }
        #expect(error.code == NSMigrationError)
        #expect(error.localizedDescription.contains("has a value that is too large for the index"), "\(error)")
        #expect(database.psql("SELECT count(*) FROM tag") == "2")
        try #require(database.psql("UPDATE tag SET name = 'short' WHERE id = \(row)") == "UPDATE 1")
        #expect(try forecast(newer).isPossible)
        try migrate(newer)
    }

    @Test("A forecast gives up a search through many rows, and continues with the next question")
    func givenUp() throws {
        let older = "entity Item\n  name string\n  code string"
        try withStore(database.url, ModelText.model(older), type: NSPostgreSQLStoreType) { _ in }
        try #require(
            database.psql(
                """
                SET session_replication_role = replica;
                INSERT INTO item (id, name, code) SELECT n, 'name ' || n, 'code' FROM generate_series(1, 700000) n;
                ANALYZE item;
                """) != nil)
        // No row lacks a value, which only a read of all of them shows.
        let found = try forecast("entity Item\n  name string!\n  code string!\n  size int32\n  unique name")
        #expect(found.isPossible && found.isMigrationRequired, "\(found)")
    }
}
#endif
