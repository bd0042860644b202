#if PostgreSQL
import CoreData
import Foundation
import MigrationTestKit
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

/// Trials of migrations whose stores are in databases.
@Suite(
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"), .serialized)
struct PostgreSQLTrialTests {
    private let server: PostgreSQLServer

    init() throws { server = try PostgreSQLServer.shared.get() }

    private func trial(_ texts: [String]) -> MigrationTrial {
        var trial = MigrationTrial(
            texts.enumerated().map { ModelVersion("\($0.offset)", ModelText.model($0.element)) })
        trial.database = server.url(ofMadeDatabase: "postgres")
        return trial
    }

    private func databases() -> String? {
        server.psql("postgres", "SELECT count(*) FROM pg_database WHERE datname LIKE 'coredata_trial_%'")
    }

    @Test("Every hop, the chain and every way back are tried in databases of their own, which are dropped")
    func versions() throws {
        var trial = trial([
            SampleModels.everything,
            SampleModels.everything.replacingOccurrences(of: "word string", with: "text string was word")
                .replacingOccurrences(of: "unique word", with: "unique text")
                .replacingOccurrences(of: "pages int16", with: "pages double\n  note string! = none"),
            SampleModels.everything.replacingOccurrences(of: "word string", with: "text data")
                .replacingOccurrences(of: "unique word", with: ""),
        ])
        trial.samples.rowsPerEntity = 6
        let report = try trial.run(expecting: [ExpectedRefusal(from: "1", to: "2")])
        #expect(report.isClean, "\(report)")
        let migrations = report.entries.filter { $0.play == .migration }
        #expect(migrations.count == 4 && migrations.allSatisfy { $0.rows == 24 }, "\(report)")
        let downgrades = report.entries.filter { $0.play == .downgrade }
        #expect(downgrades.count == 3 && downgrades.contains { $0.refusal != nil }, "\(report)")
        #expect(databases() == "0")
    }

    @Test("Mapping models in code, and two processes, are tried there, too")
    func mapping() throws {
        var trial = trial([DepotModels.versions[1], DepotModels.versions[2]])
        trial.mappingModels = [DepotModels.mapping(policy: nil)]
        trial.fill = { url, version in
            guard version.name == "0" else { throw CocoaError(.featureUnsupported) }
            try DepotModels.fill(url, DepotModels.versions[1], items: 60, type: NSPostgreSQLStoreType)
        }
        trial.child = try MigrationChild.program(named: "migration-crash-child")
        trial.childArguments = ["given"]
        let hop = try trial.hop(trial.versions[0], trial.versions[1])
        #expect(hop.isGood && hop.rows == 77, "\(hop)")
        let together = try #require(try trial.twoProcesses(trial.versions).first)
        #expect(together.isGood && together.rows == 77, "\(together)")
        // By another version than the newest it is found out.
        trial.childArguments = ["resources", "1"]
        let wrong = try #require(try trial.twoProcesses(trial.versions).first)
        #expect(wrong.problems.contains { $0.contains("it is not of “1”") }, "\(wrong)")
        // Without the mapping model there is no way.
        trial.mappingModels = []
        let refused = try trial.hop(trial.versions[0], trial.versions[1])
        #expect(refused.refusal != nil && refused.problems.isEmpty, "\(refused)")
    }

    @Test("A trial reports the differences between new stores and migrated ones")
    func difference() throws {
        let trial = trial(["entity Item\n  name string", "entity Item\n  name string index"])
        let entry = try trial.hop(trial.versions[0], trial.versions[1])
        #expect(entry.notes.contains { $0.contains("+ index") && $0.contains("name") }, "\(entry)")
    }

    @Test("A copy of a store that is there is tried, and that one stays as it is")
    func original() throws {
        try withTemporaryFolder { folder in
            let original = server.url(ofDatabase: folder.lastPathComponent)
            try PostgreSQLLaunchTests.fill(original, books: 30)
            let database = folder.lastPathComponent
            let state = """
                SELECT (SELECT sum(hashtextextended(b.*::text, 0)) FROM book b), \
                (SELECT list FROM coredata.metadata), (SELECT count(*) FROM pg_class), \
                (SELECT count(*) FROM coredata.saves)
                """
            let before = server.psql(database, state)
            var trial = trial([CrashModels.older, CrashModels.newer])
            trial.database = original
            trial.fill = { url, version in
                try NSPersistentStoreCoordinator(managedObjectModel: version.model).replacePersistentStore(
                    at: url, withPersistentStoreFrom: original, ofType: NSPostgreSQLStoreType)
            }
            trial.options = [NSMigrationAllowedLossesOption: CrashModels.removed]
            let entry = try trial.hop(trial.versions[0], trial.versions[1])
            #expect(entry.isGood && entry.rows == 46, "\(entry)")
            var kills = KillTrial(
                program: try MigrationChild.program(named: "migration-crash-child"), store: original,
                from: trial.versions[0], to: trial.versions[1])
            kills.inspect = { $0 == original ? ["it is the store itself"] : [] }
            let report = try kills.killAtRandom(times: 1, seed: 3)
            #expect(report.isClean && report.entries.first?.rows == 46, "\(report)")
            let folders = try kills.readOnlyFolder()
            #expect(folders.isClean && folders.notPlayed.count == 1, "\(folders)")
            #expect(server.psql(database, state) == before)
            #expect(databases() == "0")
        }
    }

    @Test("Databases that a killed process has left are dropped, and those that are in use are not")
    func forsaken() throws {
        let names = (0..<2).map { "coredata_trial_" + String(repeating: "\($0)", count: 32) }
        for name in names { #expect(server.psql("postgres", "CREATE DATABASE \(name)") != nil) }
        defer { for name in names { _ = server.psql("postgres", "DROP DATABASE IF EXISTS \(name)") } }
        let user = try ListeningPsql(server, names[1])
        let trial = trial(["entity Item\n  name string", "entity Item\n  title string was name"])
        let entry = try trial.hop(trial.versions[0], trial.versions[1])
        #expect(entry.isGood, "\(entry)")
        #expect(
            server.psql("postgres", "SELECT datname FROM pg_database WHERE datname LIKE 'coredata_trial_%'")
                == names[1])
        #expect(try user.payloads() == [])
    }

    private func connection(_ url: URL) throws -> PostgreSQLConnection {
        try PostgreSQLConnection(#require(PostgreSQLAddress(url)))
    }

    @Test("The connection that keeps the database of a trial sees no past state, which would hold up indexes")
    func snapshot() throws {
        let trial = try PostgreSQLScratch(beside: server.url(ofMadeDatabase: "postgres"), connection)
        let keeping = server.psql(
            "postgres",
            "SELECT state, backend_xmin FROM pg_stat_activity WHERE datname LIKE 'coredata_trial_%' "
                + "AND backend_type = 'client backend'")
        #expect(keeping == "idle in transaction|")
        try trial.drop()
    }

    @Test(
        "The database of a trial is kept although a pooler ends connections on which nothing happens",
        .enabled(
            if: PostgreSQLPooler.reasonOfAbsence == nil, "\(PostgreSQLPooler.reasonOfAbsence ?? "")"))
    func idle() throws {
        let pooler = try PostgreSQLPooler(settings: "server_idle_timeout = 1")
        let trial = try PostgreSQLScratch(beside: pooler.url(ofMadeDatabase: "postgres"), connection)
        // A younger connection: when it ends, the time of the older one is over, too.
        let folder = try TemporaryFolder()
        let name = server.url(ofDatabase: folder.url.lastPathComponent).lastPathComponent
        let younger = try connection(pooler.url(ofMadeDatabase: name))
        let count = "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(name)'"
        while server.psql("postgres", count) != "0" {}
        withExtendedLifetime(younger) {}
        try PostgreSQLScratch(beside: server.url(ofMadeDatabase: "postgres"), connection).drop()
        #expect(databases() == "1")
        try trial.drop()
        #expect(databases() == "0")
    }

    @Test("A role that may not make databases, and an address that leads elsewhere, are errors that say so")
    func rights() throws {
        let role = "trial\(UUID().uuidString.prefix(8).lowercased())"
        _ = server.psql("postgres", "CREATE ROLE \(role) LOGIN")
        defer { _ = server.psql("postgres", "DROP ROLE \(role)") }
        var trial = trial(["entity Item\n  name string", "entity Item\n  title string was name"])
        trial.database = URL(string: "postgresql:///postgres?host=\(server.folder)&user=\(role)")
        let entry = try trial.hop(trial.versions[0], trial.versions[1])
        #expect(entry.problems.contains { $0.contains("permission denied to create database") }, "\(entry)")
        // libpq reads this as the name of the database, whatever stands before it.
        trial.database = URL(string: "postgresql:///postgres?host=\(server.folder)&user=postgres&dbn%61me=postgres")
        let same = try trial.hop(trial.versions[0], trial.versions[1])
        #expect(same.problems.contains { $0.contains("No URL of another database") }, "\(same)")
        #expect(databases() == "0")
        trial.database = URL(string: "mysql://server/database")
        let unknown = try trial.hop(trial.versions[0], trial.versions[1])
        #expect(unknown.problems.contains { $0.contains("no address of a database") }, "\(unknown)")
    }
}
#endif
