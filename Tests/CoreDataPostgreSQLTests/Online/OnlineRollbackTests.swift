#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

/// When an older version goes, and when it stays.
@Suite(.waiting, .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineRollbackTests {
    private static let older = "entity Item\n  name string\n  count int16"
    private static let newer = older + "\n  note string"

    @Test("A rollback does not drop the newer version's later writes, unless an option allows it")
    func rollback() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let older = try store.open(Self.older)
        try older.performAndWait {
            older.make("Item", ["name": "1", "count": 1])
            try older.save()
        }
        let newer = try store.open(Self.newer)
        try store.close(older)
        #expect(try store.end())
        // Nothing is lost yet.
        try store.close(try store.open(Self.older))
        try newer.performAndWait {
            for item in try newer.all("Item") { item.setValue("precious", forKey: "note") }
            try newer.save()
        }
        try store.close(newer)
        let error = try #require(throws: NSError.self) { _ = try store.end() }
        #expect(error.code == NSMigrationError, "\(error)")
        #expect(error.localizedDescription.contains("“Item.note” of 1 object"), "\(error)")
        let losses = error.userInfo[NSMigrationLossesErrorKey] as? [MigrationLoss]
        #expect(losses == [MigrationLoss(entity: "Item", property: "note", count: 1)])
        let again = try store.open(Self.newer)
        #expect(try OnlineStore.lines(again, "Item", "name", "note") == ["1 precious"])
        try store.close(again)
        #expect(
            try NSPersistentStoreCoordinator.endOlderPostgreSQLVersions(
                at: store.url, options: [NSMigrationAllowedLossesOption: ["Item.note"]]))
        #expect(store.columns("item") == ["count", "entity", "id", "name", "version"])
    }

    @Test("An older version stays for a delay of days, whether or not the leases of programs are removed")
    func longDelay() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let older = try store.open(Self.older)
        let newer = try store.open(Self.newer)
        try store.close(older)
        try store.close(newer)
        let others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        while store.database.psql("SELECT count(*) \(others) AND backend_type = 'client backend'") != "0" {}
        let past = """
            UPDATE coredata.model_versions SET seen = now() - interval '8 days';
            UPDATE coredata.leases SET until = now() - interval '25 hours';
            INSERT INTO coredata.leases SELECT -id, version, now() - interval '3 days', process FROM coredata.leases
            """
        try #require(store.database.psql(past) != nil)
        let connection = try PostgreSQLEngine.connection(to: store.url)
        try PostgreSQLBookkeeping.purgeLeases(on: connection)
        #expect(store.database.psql("SELECT count(*) FROM coredata.leases") == "2")
        let contraction = PostgreSQLContraction(connection, timeout: 20)
        #expect(try !contraction.end(after: 7 * 86_400))
        #expect(store.database.psql("SELECT count(*) FROM coredata.leases WHERE id > 0") == "2")
        #expect(try contraction.end(after: 86_400))
        #expect(store.database.psql("SELECT count(*) FROM coredata.model_versions WHERE state = 'removed'") == "1")
    }

    @Test("A table of leases or moves that was dropped is made anew, and the store is opened")
    func droppedTable() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let older = try store.open(Self.older)
        let newer = try store.open(Self.newer)
        for table in ["leases", "moves"] {
            try #require(store.database.psql("DROP TABLE coredata.\(table)") != nil)
            let again = try store.open(Self.older)
            try again.performAndWait {
                again.make("Item", ["name": table, "count": 1])
                try again.save()
            }
            try store.close(again)
        }
        #expect(try OnlineStore.lines(newer, "Item", "name") == ["leases", "moves"])
        try store.close(older)
        #expect(try store.end())
    }

    @Test("A rollback behind which nothing was written that it has no place for ends as any other migration does")
    func emptyRollback() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let older = try store.open(Self.older)
        let newer = try store.open(Self.newer)
        try store.close(older)
        #expect(try store.end())
        let again = try store.open(Self.older)
        try newer.performAndWait {
            newer.make("Item", ["name": "1", "count": 1])
            try newer.save()
        }
        try store.close(newer)
        #expect(try store.end())
        #expect(store.columns("item") == ["count", "entity", "id", "name", "version"])
        #expect(try OnlineStore.lines(again, "Item", "name", "count") == ["1 1"])
    }
}
#endif
