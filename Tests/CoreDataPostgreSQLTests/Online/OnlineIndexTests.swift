#if PostgreSQL
import CoreData
@testable import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Indexes that an online migration makes, while another session has an older snapshot of the rows.
@Suite(.waiting, .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineIndexTests {
    private static let older = """
        entity Item
          name string
          count int16
        """
    // An index alone makes no other version.
    private static let newer =
        older.replacingOccurrences(of: "name string", with: "name string index") + "\nentity Other\n  name string"

    /// The error of a migration that waits for another session for longer than its timeout.
    private func refusal(_ store: OnlineStore) throws -> NSError {
        let error = try #require(throws: NSError.self) {
            _ = try store.open(Self.newer, [NSPersistentStoreTimeoutOption: 1])
        }
        #expect(error.code == NSPersistentStoreTimeoutError, "\(error)")
        #expect(error.userInfo[NSPostgreSQLFailureKey] as? String == PostgreSQLFailure.locked.rawValue, "\(error)")
        return error
    }

    private func expectIndex(_ store: OnlineStore) {
        let indexes =
            "SELECT string_agg(DISTINCT indisvalid::text, ' ') FROM pg_index "
            + "WHERE indrelid = 'item'::regclass AND NOT indisprimary"
        #expect(store.database.psql(indexes) == "true")
    }

    @Test("A new index waits for a query generation as long as the option says; the error names it")
    func generation() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        // Where nothing else ends the wait, the end of the generation does.
        let older = try store.open(Self.older, [NSPostgreSQLGenerationLifetimeOption: 90])
        try older.performAndWait {
            older.make("Item", ["name": "one", "count": 1])
            try older.save()
            try older.setQueryGenerationFrom(.current)
            #expect(try older.all("Item").count == 1)
        }
        let error = try refusal(store)
        #expect(error.localizedDescription.contains("a query generation"), "\(error)")
        try older.performAndWait { try older.setQueryGenerationFrom(nil) }
        let newer = try store.open(Self.newer)
        expectIndex(store)
        #expect(try OnlineStore.lines(newer, "Item", "name", "count") == ["one 1"])
    }

    @Test("An index that another session's snapshot leaves unfinished is removed by the next attempt")
    func snapshot() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let older = try store.open(Self.older)
        let stranger = try PostgreSQLConnection(#require(PostgreSQLAddress(store.database.url)))
        try stranger.execute(
            "SET application_name = 'report'; SET idle_in_transaction_session_timeout = '90s'; "
                + "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM item")
        let error = try refusal(store)
        #expect(error.localizedDescription.contains("report"), "\(error)")
        let unfinished = "SELECT count(*) FROM pg_index WHERE NOT indisvalid"
        #expect(store.database.psql(unfinished) == "1")
        try older.performAndWait {
            older.make("Item", ["name": "meanwhile", "count": 1])
            try older.save()
        }
        try stranger.execute("COMMIT")
        let newer = try store.open(Self.newer)
        #expect(store.database.psql(unfinished) == "0")
        expectIndex(store)
        #expect(try OnlineStore.lines(newer, "Item", "name", "count") == ["meanwhile 1"])
    }
}
#endif
