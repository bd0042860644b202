#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// An online migration whose primary server fails.
@Suite(
    .serialized, .waiting,
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineFailOverTests {
    private static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil
    private static let rows = isLong ? 1_000_000 : 10_000

    /// A store of the older version with many rows, and what it runs on.
    private func filled(standbys: Int, isSynchronous: Bool) throws -> (PostgreSQLCluster, URL) {
        let cluster = try PostgreSQLCluster(standbys: standbys, isSynchronous: isSynchronous)
        try cluster.make(database: "online")
        let url = cluster.url(ofDatabase: "online")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(OnlineModels.older))
        let made = try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true, NSPostgreSQLOnlineMigrationOption: true])
        try coordinator.remove(made)
        let filled = cluster.psql(
            0, "online",
            "SET session_replication_role = replica; INSERT INTO item (entity, version, name, count) "
                + "SELECT 'Item', 1, 'row ' || n, n % 100 FROM generate_series(1, \(Self.rows)) n")
        #expect(filled != nil)
        return (cluster, url)
    }

    /// Begins a migration, and waits until it is in the middle: the first slice is done.
    private func begin(_ arguments: [String], on cluster: PostgreSQLCluster) throws -> ChildProgram {
        let migrator = try ChildProgram("postgresql-child", arguments)
        while cluster.psql(0, "online", "SELECT count(*) > 0 FROM coredata.moves") != "t" {}
        return migrator
    }

    @Test("The primary stops answering while rows are migrated: the migration continues on another server")
    func stopped() throws {
        let (cluster, url) = try filled(standbys: 1, isSynchronous: false)
        try cluster.wait(for: 1)
        let arguments = [url.absoluteString, "migrate", OnlineModels.older, OnlineModels.newer]
        let migrator = try begin(arguments, on: cluster)
        try cluster.tell("freeze 0")
        try cluster.promote(1)
        #expect(migrator.wait().output == "served\n")
        let wrong = "SELECT count(*) FROM item WHERE note IS NULL OR total IS DISTINCT FROM count"
        #expect(cluster.psql(1, "online", wrong) == "0")
    }

    @Test(
        "The server ends the migrator's sessions for longer than the wait for another one: it continues each time",
        .enabled(if: isLong, "it takes more than half a minute (OPENCOREDATA_LONG)"))
    func endedAgain() throws {
        let (cluster, url) = try filled(standbys: 1, isSynchronous: false)
        let migrator = try begin(
            [url.absoluteString, "migrate", OnlineModels.older, OnlineModels.newer], on: cluster)
        let ending =
            "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' "
            + "AND mode = 'ExclusiveLock' AND granted"
        let isMoving = "SELECT count(*) > 0 FROM coredata.model_versions WHERE state = 'coming'"
        let position = "SELECT position FROM coredata.moves"
        let start = ContinuousClock.now
        var (sessions, last) = (0, cluster.psql(0, "online", position))
        // A session that has moved no row yet is left alone.
        while kill(migrator.processIdentifier, 0) == 0, cluster.psql(0, "online", isMoving) == "t" {
            if cluster.psql(0, "online", position) == last { continue }
            sessions += cluster.psql(0, "online", ending).flatMap { Int($0) } ?? 0
            last = cluster.psql(0, "online", position)
        }
        let (output, time) = (migrator.wait().output, ContinuousClock.now - start)
        #expect(output == "served\n", "\(sessions) sessions ended within \(time)")
        print("ended \(sessions) sessions of the migrator within \(time)")
        let wrong = "SELECT count(*) FROM item WHERE note IS NULL OR total IS DISTINCT FROM count"
        #expect(cluster.psql(0, "online", wrong) == "0")
    }

    @Test(
        "The primary dies while rows are migrated: programs of both versions see no error, and another one ends it")
    func migrating() throws {
        let (cluster, url) = try filled(standbys: 2, isSynchronous: true)
        let folder = try TemporaryFolder()
        var workers = OnlineWorkers(url, endingIn: folder.url)
        for number in 0..<2 { try workers.start(OnlineModels.older, "Item,name,count", "older\(number)") }
        let arguments = [url.absoluteString, "migrate", OnlineModels.older, OnlineModels.newer]
        let migrator = try begin(arguments, on: cluster)
        try cluster.kill(0)
        let primary = try cluster.promote()
        // The migrator continues on the other server, or fails and is started again.
        if migrator.wait().output != "served\n" {
            let second = try ChildProgram("postgresql-child", arguments).wait().output
            #expect(second == "served\n")
        }
        for number in 0..<2 { try workers.start(OnlineModels.newer, "Thing,label,total", "newer\(number)") }
        let result = try workers.end()
        #expect(result.complaints.isEmpty, "\(result.complaints)")
        #expect(result.rounds.count == 4 && result.rounds.allSatisfy { $0 > 0 })
        let wrong = "SELECT count(*) FROM item WHERE note IS NULL OR total IS DISTINCT FROM count"
        #expect(cluster.psql(primary, "online", wrong) == "0")
        print("longest save over the fail-over: \(result.longest) ms")
        #expect(cluster.psql(primary, "online", "UPDATE coredata.leases SET until = now()") != nil)
        #expect(try NSPersistentStoreCoordinator.endOlderPostgreSQLVersions(at: url))
    }
}
#endif
