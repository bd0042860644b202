import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("The statements of a forecast", .leavesNothingBehind)
struct ForecastStatementsTests {
    private func with(_ kind: KindsOfChange.Kind, _ body: (URL, NSManagedObjectModel) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("store.sqlite")
            try withStore(url, ModelText.model(kind.older)) { try KindsOfChange.fill($0) }
            try body(url, ModelText.model(kind.newer))
        }
    }

    private func kind(_ name: String) throws -> KindsOfChange.Kind {
        try #require(KindsOfChange.all.first { $0.name == name })
    }

    private func forecast(_ url: URL, _ model: NSManagedObjectModel) throws -> MigrationForecast {
        try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: url, to: model,
            options: [
                NSMigrationForecastStatementsOption: true,
                NSMigrationKnownVersionsOption: [ModelText.model(KindsOfChange.all[0].older)],
            ])
    }

    @Test("They make the store that the migration makes", arguments: KindsOfChange.all)
    func verified(_ kind: KindsOfChange.Kind) throws {
        try with(kind) { url, model in
            let before = try Data(contentsOf: url)
            let verification = try NSPersistentStoreCoordinator.verifyMigrationStatements(
                forPersistentStoreAt: url, to: model, through: [ModelText.model(kind.older)])
            #expect(verification.isVerified, "\(verification.differences)\n\(verification.forecast.script)")
            #expect(verification.notCompared.isEmpty)
            #expect(try Data(contentsOf: url) == before)
        }
    }

    @Test("A statement that gives other rows is a difference, and one that fails is an error")
    func different() throws {
        try with(kind("a mandatory number with a default")) { url, model in
            var forecast = try forecast(url, model)
            let engine = try #require(StoreEngines.migratingEngine(for: NSSQLiteStoreType))
            let place = try #require(
                forecast.statements.firstIndex { $0.text.hasPrefix("UPDATE ZBOOK SET ZCOPIES = 3") })
            func differences() throws -> [String] {
                try engine.withTrialCopies(of: url) { first, second in
                    try engine.run(forecast.statements, at: first, nil)
                    try LightweightMigrator(MigrationRequest(at: second, to: model)).apply()
                    return try engine.differences(of: first, from: second, leavingOut: [])
                }
            }
            #expect(try differences().isEmpty)
            forecast.statements[place].text = "UPDATE ZBOOK SET ZCOPIES = 4"
            #expect(try differences() == ["ZBOOK, row 1, ZCOPIES: int(4) instead of int(3)"])
            forecast.statements[place].text = "CREATE INDEX OTHER ON ZBOOK (ZCOPIES)"
            #expect(try differences() == ["+ index OTHER: CREATE INDEX OTHER ON ZBOOK (ZCOPIES)"])
            forecast.statements[place].text = "UPDATE ZNOTHING SET ZCOPIES = 4"
            let error = try #require(throws: NSError.self) { try differences() }
            #expect(error.localizedDescription.contains("ZNOTHING"))
        }
    }

    @Test("A check that finds a row ends the run")
    func checks() throws {
        try with(kind("an index")) { url, _ in
            let engine = try #require(StoreEngines.migratingEngine(for: NSSQLiteStoreType))
            let check = MigrationForecast.Statement(
                .check, "SELECT ZTITLE FROM ZBOOK WHERE ZTITLE IS NULL", summary: "check Book.title")
            let error = try #require(throws: NSError.self) { try engine.run([check], at: url, nil) }
            #expect(error.localizedDescription.contains("check Book.title"), "\(error)")
        }
    }

    @Test(
        "The file has the order, the rows, the lock and what cannot be undone, and two calls give the same statements")
    func script() throws {
        try with(kind("many changes at once")) { url, model in
            let forecast = try forecast(url, model)
            let lines = forecast.script.split(separator: "\n").map(String.init)
            #expect(lines.first == "-- The statements of a migration of store.sqlite.")
            let statements = lines.filter { !$0.hasPrefix("--") }
            #expect(statements.first == "BEGIN IMMEDIATE;" && statements.last == "COMMIT;")
            #expect(statements == forecast.statements.filter { !$0.text.isEmpty }.map { $0.text + ";" })
            let text = forecast.script
            #expect(text.contains("locks store.sqlite against writers for about "), "\(text)")
            #expect(text.contains("; 5 rows of ZBOOK; about "), "\(text)")
            #expect(text.contains("cannot be undone: "), "\(text)")
            #expect(text.contains("must find no row") == forecast.statements.contains { $0.kind == .check })
            // Figures are comments.
            let texts = forecast.statements.map(\.text)
            #expect(try self.forecast(url, model).statements.map(\.text) == texts)
            let older = ModelText.model(try kind("many changes at once").older)
            try withStore(url, older) { try KindsOfChange.fill($0) }
            #expect(try self.forecast(url, model).statements.map(\.text) == texts)
        }
    }

    @Test("The definitions of an attempt that was abandoned do not count")
    func attempts() throws {
        try with(kind("an index")) { url, model in
            let request = MigrationRequest(at: url, to: model, options: [NSMigrationForecastStatementsOption: true])
            var seen: [Int] = []
            _ = try SQLiteStoreSummary.reading(at: url, timeout: 1) { summary, connection in
                try HopForecaster(request).forecast(of: summary, on: connection) { _, state, forecast in
                    var forecaster = HopForecaster(request)
                    try forecaster.recordStatements(on: connection)
                    forecaster.frame.after = { _, _, definitions in
                        seen.append(definitions.count)
                        return []
                    }
                    let hops = [MigrationHop(source: state.model, target: model, means: .inferred)]
                    for _ in 0..<2 { try forecaster.add(hops, from: state, on: connection, to: &forecast) }
                }
            }
            #expect(seen.count == 2 && seen.first ?? 0 > 0 && seen.first == seen.last, "\(seen)")
        }
    }

    @Test("Without the option, without a migration, and with an obstacle there are none")
    func none() throws {
        try with(kind("an index")) { url, model in
            #expect(
                try NSPersistentStoreCoordinator.migrationForecast(forPersistentStoreAt: url, to: model).statements
                    .isEmpty)
            let same = ModelText.model(try kind("an index").older)
            #expect(try forecast(url, same).script.isEmpty)
            let impossible = ModelText.model("entity Book\n  title data")
            let forecast = try forecast(url, impossible)
            #expect(!forecast.isPossible && forecast.statements.isEmpty && forecast.script.isEmpty)
        }
    }

    @Test("Code of the program is named at its place, and there is nothing to compare")
    func code() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("d.sqlite")
            try DepotModels.fill(url, DepotModels.versions[1], items: 5)
            let options: [AnyHashable: Any] = [
                NSMigrationMappingModelOption: DepotModels.mapping(policy: nil),
                NSMigrationForecastStatementsOption: true,
            ]
            let verification = try NSPersistentStoreCoordinator.verifyMigrationStatements(
                forPersistentStoreAt: url, to: ModelText.model(DepotModels.versions[2]), options: options)
            #expect(!verification.isVerified && verification.differences.isEmpty)
            #expect(verification.forecast.statements.allSatisfy { $0.kind == .program })
            #expect(verification.notCompared.contains { $0.hasPrefix("mapping model ") }, "\(verification.notCompared)")
            #expect(verification.forecast.script.contains("the program does this"))
        }
    }

    @Test("Values are literals: a number for an infinite one, a text with a quotation mark and a zero byte")
    func literals() {
        let dialect = SQLiteDialect()
        #expect(dialect.literal(.double(-.infinity), as: nil) == "-9e999")
        #expect(dialect.literal(.double(0.1), as: nil) == "0.1")
        #expect(dialect.literal(.string("it's"), as: nil) == "'it''s'")
        #expect(dialect.literal(.string("a\0b"), as: nil) == "CAST(X'610062' AS TEXT)")
        #expect(dialect.literal(.decimal(Decimal(string: "1.5") ?? 0), as: nil) == "1.5")
        #expect(dialect.literal(.decimal(.nan), as: nil) == "'NaN'")
        let insert = SQLInsert(into: "ZA", ["ZX"])
        var literals = SQLLiterals()
        literals.parameters = [.data(Data([1, 255]))]
        #expect(
            SQLPrinter.text(of: .insert(insert), with: literals, in: dialect) == "INSERT INTO ZA (ZX) VALUES (X'01ff')")
    }
}
