#if PostgreSQL
import CoreData
@testable import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.waiting, .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineLeaseTests {
    private static let older = """
        entity Item
          name string
          count int16
        """
    private static let newer = """
        entity Item
          name string
          total int64 was count
        """

    private func wait(until statement: String, _ database: TestDatabase) {
        database.server.wait(until: statement, in: database.name)
    }

    /// A program of the older version that was stopped while it saved, and whose lease has run out.
    private func stoppedProgram(_ store: OnlineStore) throws -> ChildProgram {
        let child = try ChildProgram(
            "postgresql-child", [store.database.url.absoluteString, "insert", Self.older, "1"])
        child.wait(for: "saved 5\n")
        kill(child.processIdentifier, SIGSTOP)
        wait(until: "SELECT max(until) < now() FROM coredata.leases", store.database)
        return child
    }

    @Test("A program that slept past its lease, and whose version has ended, writes nothing and gets an error")
    func sleeper() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let child = try stoppedProgram(store)
        let newer = try store.open(Self.newer)
        #expect(try store.end())
        #expect(store.columns("item") == ["entity", "id", "name", "total", "version"])
        let count = try OnlineStore.lines(newer, "Item", "name").count
        kill(child.processIdentifier, SIGCONT)
        let output = child.wait().output
        #expect(output.contains("failed \(PostgreSQLFailure.versionEnded.rawValue)"), "\(output)")
        #expect(try OnlineStore.lines(newer, "Item", "name").count == count)
    }

    @Test("A connection that is being made belongs to the program's lease before it has the lock of the version")
    func connecting() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let first = try store.open(Self.older, [NSPostgreSQLLeaseOption: 3_600])
        let coordinator = try #require(first.persistentStoreCoordinator)
        let metadata = coordinator.metadata(for: coordinator.persistentStores[0])
        let blocker = try PostgreSQLConnection(#require(PostgreSQLAddress(store.database.url)))
        // One fetch waits with the connection that is there, the other one while it connects.
        try blocker.execute("BEGIN; LOCK TABLE item, coredata.metadata IN ACCESS EXCLUSIVE MODE")
        let group = DispatchGroup()
        for _ in 1...2 {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.performAndWait { context.persistentStoreCoordinator = coordinator }
            group.enter()
            context.perform {
                _ = try? context.all("Item")
                group.leave()
            }
        }
        wait(
            until: "SELECT count(DISTINCT pid) = 2 FROM pg_locks WHERE NOT granted AND locktype = 'relation' "
                + "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
            store.database)
        #expect(store.database.psql("UPDATE coredata.leases SET until = now() - interval '1 second'") != nil)
        let users = try blocker.usersOfVersion(PostgreSQLConnection.versionLock(of: metadata))
        try blocker.execute("COMMIT")
        group.wait()
        #expect(users.living == [])
        #expect(users.asleep.count >= 2)
    }

    @Test("A program that slept past its lease continues where its version is served still")
    func shortSleeper() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let child = try stoppedProgram(store)
        let newer = try store.open(Self.newer)
        let count = try OnlineStore.lines(newer, "Item", "name").count
        kill(child.processIdentifier, SIGCONT)
        wait(until: "SELECT count(*) > \(count + 5) FROM item", store.database)
        child.kill()
        #expect(!child.wait().output.contains("failed"))
        wait(until: "SELECT count(*) = 0 FROM item WHERE total IS DISTINCT FROM count", store.database)
    }

    @Test("An older version stays for the delay after its last program has gone, and then goes by itself")
    func delay() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let older = try store.open(Self.older)
        let lasting = try store.open(
            Self.newer, [NSPostgreSQLOlderVersionDelayOption: 3_600, NSPostgreSQLLeaseOption: 1])
        try store.close(older)
        let later = try store.open(
            Self.newer, [NSPostgreSQLOlderVersionDelayOption: 3_600, NSPostgreSQLLeaseOption: 1])
        // A rollback finds its version.
        let again = try store.open(Self.older)
        try again.performAndWait {
            again.make("Item", ["name": "by a rollback", "count": 1])
            try again.save()
        }
        try store.close(again)
        #expect(store.columns("item").contains("count"))
        try store.close(later)
        try store.close(lasting)
        let quick = try store.open(
            Self.newer, [NSPostgreSQLOlderVersionDelayOption: 0, NSPostgreSQLLeaseOption: 1])
        wait(
            until: "SELECT count(*) = 1 FROM coredata.model_versions WHERE state = 'removed'", store.database)
        #expect(store.columns("item") == ["entity", "id", "name", "total", "version"])
        #expect(try OnlineStore.lines(quick, "Item", "name", "total") == ["by a rollback 1"])
    }

    @Test("A store that serves two versions takes no third one beside them, and takes it when the oldest has gone")
    func thirdVersion() throws {
        let third = Self.newer + "\n  size double"
        var store = try OnlineStore(Self.older, Self.newer)
        let older = try store.open(Self.older)
        let newer = try store.open(Self.newer)
        (store.older, store.newer) = (Self.newer, third)
        let error = try #require(throws: NSError.self) { _ = try store.open(third) }
        #expect(error.code == NSMigrationError)
        try store.close(older)
        #expect(try store.end())
        let newest = try store.open(third)
        try newest.performAndWait {
            newest.make("Item", ["name": "third", "total": 3, "size": 1.5])
            try newest.save()
        }
        #expect(try OnlineStore.lines(newer, "Item", "name", "total") == ["third 3"])
    }
}
#endif
