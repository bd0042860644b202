#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// A primary that dies under processes that save. With OPENCOREDATA_LONG twenty times, a few times otherwise.
@Suite(
    .serialized, .waiting,
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLFailOverTests {
    private static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil
    private static let rounds = isLong ? 20 : Sample.seed % 3 == 0 ? 2 : 1

    /// The longest time from a promotion to the first save of a process; without much else to do on the machine
    /// none takes longer than five seconds.
    private func expectSoon(_ times: [TimeInterval]) {
        let sorted = times.sorted()
        guard let last = sorted.last else { return }
        let median = sorted[sorted.count / 2]
        print("first save after the promotion: median \(median) s, longest \(last) s, of \(sorted.count)")
        if Self.isLong {
            #expect(median <= 2)
            #expect(last <= 5)
        }
    }

    @Test("Eight processes save while primaries that wait for standbys are killed: nothing is lost or twice")
    func synchronous() throws {
        let cluster = try PostgreSQLCluster(isSynchronous: true)
        let run = try FailOverRun(cluster)
        var times: [TimeInterval] = []
        var primary = 0
        for _ in 0..<Self.rounds {
            try run.waitForSaves(3, after: FailOverRun.now)
            try cluster.kill(primary)
            let killed = primary
            primary = try cluster.promote()
            let promoted = FailOverRun.now
            try run.waitForSaves(1, after: promoted)
            times += run.firstSaves(after: promoted)
            try cluster.rejoin(killed)
        }
        run.end()
        #expect(run.labels("lost") == [])
        run.check(on: primary)
        expectSoon(times)
        print("saves: \(run.labels("saved").count), failed: \(run.labels("failed").count)")
    }

    @Test("Metadata have whether commits wait for a standby, and the store does not keep that")
    func replicationInMetadata() throws {
        let (name, key) = ("told", NSPostgreSQLSynchronousReplicationKey)
        for isSynchronous in [true, false] {
            let cluster = try PostgreSQLCluster(standbys: 1, isSynchronous: isSynchronous)
            try cluster.make(database: name)
            let url = cluster.url(ofDatabase: name)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            let store = try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: url)
            #expect(coordinator.metadata(for: store)[key] as? Bool == isSynchronous)
            try NSPersistentStoreCoordinator.setMetadata(
                [key: !isSynchronous, "mine": "kept"], forPersistentStoreOfType: NSPostgreSQLStoreType, at: url)
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSPostgreSQLStoreType, at: url)
            #expect(metadata[key] as? Bool == isSynchronous)
            #expect(metadata["mine"] as? String == "kept")
            let kept = """
                SELECT position('\(key)'::bytea IN list), position('mine'::bytea IN list) > 0 FROM coredata.metadata
                """
            #expect(cluster.psql(0, name, kept) == "0|t")
            try coordinator.remove(store)
        }
    }

    @Test("Each process is notified, where standbys lag, of its acknowledged saves that are gone")
    func asynchronous() throws {
        let cluster = try PostgreSQLCluster(isSynchronous: false)
        let run = try FailOverRun(cluster)
        var times: [TimeInterval] = []
        var primary = 0
        var lost = 0
        for _ in 0..<Self.rounds {
            try run.waitForSaves(2, after: FailOverRun.now)
            for standby in cluster.others(than: primary) { try cluster.tell("stall \(standby)") }
            try run.waitForSaves(5, after: FailOverRun.now)
            try cluster.kill(primary)
            let killed = primary
            primary = try cluster.promote()
            let promoted = FailOverRun.now
            try run.waitForSaves(1, after: promoted)
            times += run.firstSaves(after: promoted)
            // The acknowledged saves that are gone.
            let tags = Set(run.column("SELECT name FROM tag", on: primary))
            let gone = Set(run.lines.filter { $0.what == "saved" && $0.time < promoted }.map(\.label))
                .subtracting(tags)
            try run.wait("told") { lines in
                gone.isSubset(of: lines.filter { $0.what == "lost" }.map(\.label))
            }
            let told = Set(run.labels("lost"))
            #expect(told == gone)
            #expect(told.count > lost)
            lost = told.count
            try cluster.rejoin(killed)
        }
        run.end()
        run.check(on: primary)
        expectSoon(times)
        print("saves: \(run.labels("saved").count), lost and told: \(lost)")
    }

    @Test("Keys that were reserved, or given, by a primary that is lost are given to no other program")
    func reservedKeys() throws {
        let cluster = try PostgreSQLCluster(standbys: 1, isSynchronous: false)
        try cluster.make(database: "keys")
        let url = cluster.url(ofDatabase: "keys")
        func open() throws -> NSManagedObjectContext {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
                options: [NSPersistentHistoryTrackingKey: true])
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.performAndWait { context.persistentStoreCoordinator = coordinator }
            return context
        }
        func make(_ context: NSManagedObjectContext, _ name: String, _ count: Int) throws {
            try context.performAndWait {
                for number in 0..<count { context.make("Tag", ["name": "\(name) \(number)"]) }
                // Now they have keys of the primary's.
                try context.obtainPermanentIDs(for: Array(context.insertedObjects))
            }
        }
        let (first, second) = (try open(), try open())
        try make(first, "begun", 1)
        try first.performAndWait { try first.save() }
        try cluster.wait(for: 1)
        try cluster.tell("stall 1")
        // More than the numbers of a sequence that a server logs ahead.
        try make(first, "reserved", 10_000)
        try make(second, "lost", 10_000)
        try second.performAndWait { try second.save() }
        try cluster.kill(0)
        try cluster.promote(1)
        let third = try open()
        try make(third, "new", 10_000)
        try third.performAndWait { try third.save() }
        // It has the keys still, and so had the lost ones.
        try first.performAndWait { try first.save() }
        let counts = """
            SELECT string_agg(word || ' ' || count, ', ' ORDER BY word) FROM \
            (SELECT split_part(name, ' ', 1) AS word, count(*) FROM tag GROUP BY 1) t
            """
        #expect(cluster.psql(1, "keys", counts) == "begun 1, new 10000, reserved 10000")
        let ids = try first.performAndWait {
            try first.all("Tag", "name BEGINSWITH 'reserved'").map {
                $0.objectID.uriRepresentation().lastPathComponent
            }
        }
        let found =
            "SELECT count(*) FROM tag WHERE name LIKE 'reserved%' AND 'p' || id IN ('\(ids.joined(separator: "','"))')"
        #expect(cluster.psql(1, "keys", found) == "10000")
    }
}
#endif
