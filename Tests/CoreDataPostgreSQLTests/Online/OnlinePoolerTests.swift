#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(
        if: PostgreSQLServer.reasonOfAbsence == nil && PostgreSQLPooler.reasonOfAbsence == nil,
        "\(PostgreSQLServer.reasonOfAbsence ?? PostgreSQLPooler.reasonOfAbsence ?? "")"))
struct OnlinePoolerTests {
    @Test("Programs of two versions work beside each other through a transaction pooler, until the older one ends")
    func pooled() throws {
        var store = try OnlineStore(OnlineModels.older, OnlineModels.newer)
        store.pooled = try PostgreSQLPooler.shared.get().url(ofDatabase: store.database.name)
        let older = try store.open(OnlineModels.older)
        try older.performAndWait {
            older.make("Item", ["name": "a", "count": 1])
            try older.save()
        }
        let newer = try store.open(OnlineModels.newer)
        try newer.performAndWait {
            newer.make("Thing", ["label": "b", "total": 2])
            try newer.save()
        }
        try older.performAndWait {
            older.make("Item", ["name": "c", "count": 3])
            try older.save()
        }
        #expect(try OnlineStore.lines(older, "Item", "name", "count") == ["a 1", "b 2", "c 3"])
        let lines = ["a 1 none", "b 2 none", "c 3 none"]
        #expect(try OnlineStore.lines(newer, "Thing", "label", "total", "note") == lines)
        #expect(try !store.end())
        try store.close(older)
        #expect(try store.end())
        #expect(!store.columns("item").contains("count"))
        #expect(try OnlineStore.lines(newer, "Thing", "label", "total", "note") == lines)
    }

    @Test("A program without the option, whose version ends after a migration beside it, saves nothing any more")
    func withoutOption() throws {
        var store = try OnlineStore(OnlineModels.older, OnlineModels.newer)
        store.pooled = try PostgreSQLPooler.shared.get().url(ofDatabase: store.database.name)
        let older = try store.open(OnlineModels.older, [NSPostgreSQLOnlineMigrationOption: false])
        func save(_ name: String) throws {
            try older.performAndWait {
                older.make("Item", ["name": name, "count": 1])
                defer { older.reset() }
                try older.save()
            }
        }
        try save("a")
        let newer = try store.open(OnlineModels.newer)
        try save("b")
        let end =
            "UPDATE coredata.model_versions SET state = 'ended' "
            + "WHERE number = (SELECT min(number) FROM coredata.model_versions)"
        #expect(store.database.psql(end) != nil)
        let error = try #require(throws: NSError.self) { try save("c") }
        #expect(error.userInfo[NSPostgreSQLFailureKey] as? String == PostgreSQLFailure.versionEnded.rawValue)
        #expect(try OnlineStore.lines(newer, "Thing", "label") == ["a", "b"])
    }
}
#endif
