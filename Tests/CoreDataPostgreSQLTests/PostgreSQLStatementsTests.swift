#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

/// The statements of migrations in databases, run on a copy and compared with the migration of another copy.
@Suite(
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"), .serialized)
struct PostgreSQLStatementsTests {
    private static let kinds = Sample.slice(KindsOfChange.all, oneIn: 11, "kinds")

    private func with(
        _ kind: KindsOfChange.Kind, options: [AnyHashable: Any]? = nil,
        _ body: (TestDatabase, NSManagedObjectModel) throws -> Void
    ) throws {
        let database = try TestDatabase()
        try withStore(database.url, ModelText.model(kind.older), type: NSPostgreSQLStoreType, options: options) {
            try KindsOfChange.fill($0)
        }
        try body(database, ModelText.model(kind.newer))
    }

    private func kind(_ name: String) throws -> KindsOfChange.Kind {
        try #require(KindsOfChange.all.first { $0.name == name })
    }

    @Test("They make the store that the migration makes", arguments: kinds)
    func verified(_ kind: KindsOfChange.Kind) throws {
        try with(kind) { database, model in
            let state =
                "SELECT (SELECT sum(hashtextextended(b.*::text, 0)) FROM book b), (SELECT count(*) FROM pg_class)"
            let before = database.psql(state)
            let verification = try NSPersistentStoreCoordinator.verifyMigrationStatements(
                forPersistentStoreAt: database.url, to: model, through: [ModelText.model(kind.older)])
            #expect(
                verification.isVerified,
                "\(verification.differences.joined(separator: "\n"))\n\(verification.forecast.script)")
            #expect(verification.notCompared.isEmpty)
            #expect(database.psql(state) == before)
            #expect(database.psql("SELECT count(*) FROM pg_database WHERE datname LIKE 'coredata_trial_%'") == "0")
        }
    }

    /// Kinds of change that a store can take while programs of the older version use it.
    private static let beside = [
        "an optional attribute", "a mandatory number with a default", "an attribute renamed", "a larger number",
        "a uniqueness constraint", "a new entity", "a new many-to-many relationship", "to-one becomes to-many",
    ]

    @Test(
        "Those of a migration beside other programs make its store, or the forecast says why it is refused",
        arguments: Sample.isWhole
            ? KindsOfChange.all
            : Sample.slice(KindsOfChange.all.filter { beside.contains($0.name) }, oneIn: 4, "beside"))
    func online(_ kind: KindsOfChange.Kind) throws {
        try with(kind) { database, model in
            let verification = try NSPersistentStoreCoordinator.verifyMigrationStatements(
                forPersistentStoreAt: database.url, to: model, through: [ModelText.model(kind.older)],
                options: [NSPostgreSQLOnlineMigrationOption: true, NSPersistentStoreTimeoutOption: 5])
            let forecast = verification.forecast
            guard forecast.isPossible else {
                #expect(!Self.beside.contains(kind.name), "\(forecast)")
                return
            }
            #expect(
                verification.isVerified, "\(verification.differences.joined(separator: "\n"))\n\(forecast.script)")
            #expect(forecast.statements.contains { $0.phase == .serve })
            #expect(forecast.statements.contains { $0.phase == .contract && $0.kind == .definition })
            #expect(verification.notCompared.isEmpty, "\(verification.notCompared)")
        }
    }

    @Test("psql takes the file as it is, and the framework opens the store as the newer version")
    func psql() throws {
        let kind = try kind("many changes at once")
        try with(kind, options: [NSPersistentHistoryTrackingKey: true]) { database, model in
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: database.url, to: model,
                options: [
                    NSMigrationForecastStatementsOption: true,
                    NSMigrationKnownVersionsOption: [ModelText.model(kind.older)],
                ])
            #expect(forecast.script.contains("IN ACCESS EXCLUSIVE MODE"))
            #expect(forecast.script.contains("against readers and writers for about "), "\(forecast.script)")
            #expect(database.psql(forecast.script) != nil)
            try withStore(
                database.url, model, type: NSPostgreSQLStoreType, options: [NSPersistentHistoryTrackingKey: true]
            ) { context in
                let books = try context.all("Book")
                #expect(books.count == 5 && books.allSatisfy { $0.value(forKey: "copies") as? Int == 3 })
                context.make("Book", ["name": "after"])
                try context.save()
            }
        }
    }
}
#endif
