#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLReconnectionTests {
    private let library: Library
    private let context: NSManagedObjectContext

    init() throws {
        library = try Library(
            .postgreSQL, options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        context = library.context()
        try save("a")
    }

    private func save(_ name: String, in other: NSManagedObjectContext? = nil) throws {
        let context = other ?? context
        try context.performAndWait {
            context.make("Tag", ["name": name])
            try context.save()
        }
    }

    private func names() throws -> [String] {
        try context.performAndWait {
            context.reset()
            return try context.all("Tag").compactMap { $0.value(forKey: "name") as? String }.sorted()
        }
    }

    private func psql(_ statement: String) throws -> String? { try library.psql(statement) }

    /// Ends all connections of the library's, and returns when they are gone.
    private func endConnections() throws {
        // Processes of the server's own, autovacuum among them, come and go.
        let ended = try psql(
            "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid, 20000)) > 0 FROM pg_stat_activity "
                + "WHERE datname = current_database() AND pid <> pg_backend_pid() "
                + "AND backend_type = 'client backend'")
        #expect(ended == "t")
    }

    @Test("Idle connections that were lost are made anew: the next read and the next save succeed")
    func idleConnections() throws {
        #expect(try names() == ["a"])
        try endConnections()
        #expect(try names() == ["a"])
        try endConnections()
        try save("b")
        #expect(try names() == ["a", "b"])
    }

    @Test("Emptying the table of tokens makes no save count as lost; a save that is lost behind it is reported")
    func removedTokens() throws {
        let told = Locked<[[PostgreSQLLostTransaction]]>([])
        let isTold = DispatchSemaphore(value: 0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPostgreSQLTransactionsLost, object: library.coordinator, queue: nil
        ) { notification in
            let lost = notification.userInfo?[NSPostgreSQLLostTransactionsKey] as? [PostgreSQLLostTransaction]
            told.withLock { $0.append(lost ?? []) }
            isTold.signal()
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try save("b")
        // It begins its transaction in another way than a save.
        try context.performAndWait {
            _ = try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["name": "c"]]))
        }
        #expect(try psql("TRUNCATE coredata.saves") == "TRUNCATE TABLE")
        try endConnections()
        try save("d")
        try endConnections()
        try save("e")
        #expect(try names() == ["a", "b", "c", "d", "e"])
        // The line continues: no transaction is reported as lost.
        #expect(try psql("SELECT count(*) FROM coredata.lines") == "1")
        // As where the server has not written its last transaction to its disk.
        let removal = """
            DELETE FROM coredata.saves WHERE token = \
            (SELECT token FROM coredata.saves ORDER BY xmin::text::bigint DESC LIMIT 1)
            """
        #expect(try psql(removal) == "DELETE 1")
        try endConnections()
        try save("f")
        #expect(isTold.wait(timeout: .now() + 60) == .success)
        let lost = told.withLock { $0 }
        #expect(lost.count == 1 && lost.first?.count == 1)
        #expect(lost.first?.first?.insertedObjectIDs.count == 1)
        #expect(try psql("SELECT count(*) FROM coredata.lines") == "2")
    }

    @Test("A listener is notified of a change that took place while the connection was lost, and of later ones")
    func listener() throws {
        let told = DispatchSemaphore(value: 0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: library.coordinator, queue: nil
        ) { _ in told.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        let other = try library.beside()
        /// Runs a body, and requires that a notification follows. Earlier notifications do not count.
        func expectNotified(_ what: String, _ body: () throws -> Void) throws {
            while told.wait(timeout: .now()) == .success {}
            try body()
            try #require(told.wait(timeout: .now() + 300) == .success, "\(what)")
        }
        // The server's last words and the end of the connection come at once, or one after the other.
        for number in 1...10 {
            try expectNotified("save \(number)") { try save("b\(number)", in: other.context()) }
            // By itself: a lost connection counts as a change.
            try expectNotified("end \(number)") { try endConnections() }
        }
        try expectNotified("the last save") { try save("c", in: other.context()) }
        #expect(try names().count == 12)
    }

    private func connection() throws -> PostgreSQLConnection {
        let url = try #require(StoreKind.postgreSQL.url(in: library.folder.url))
        return try PostgreSQLConnection(#require(PostgreSQLAddress(url)))
    }

    @Test("A rolled back transaction, and one that wrote nothing, send no notification")
    func nothingWritten() throws {
        let writer = try connection()
        // A pooler's connections get no notifications.
        let reader = try PostgreSQLConnection(writer.address.direct)
        try reader.execute("LISTEN coredata")
        try writer.transaction { _ = try writer.tableNames() }
        try writer.begin()
        try writer.execute("DELETE FROM tag")
        writer.rollback()
        try writer.transaction { try writer.execute("UPDATE tag SET name = 'b'") }
        try writer.execute("NOTIFY coredata, 'end'")
        var payloads: [String] = []
        while payloads.last != "end" {
            try reader.execute("SELECT 1")
            payloads += reader.notifications()
        }
        #expect(payloads.count == 2)
    }

    @Test("A store has as many connections as its limit says, and readers beyond wait for their turn")
    func limit() throws {
        let limited = try Library(
            .postgreSQL, in: library.folder, options: [NSPostgreSQLConnectionLimitOption: 2])
        let connections = Locked<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 6) { _ in
            let reader = limited.context()
            for _ in 0..<10 {
                let count = try? reader.performAndWait { try reader.all("Tag").count }
                connections.withLock { $0.append(count ?? -1) }
            }
        }
        #expect(connections.withLock { $0 } == Array(repeating: 1, count: 60))
        // Those of this library: a writer, a reader that has queried what is saved, and the listener. Those of the
        // other one: two.
        let count = try psql(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
                + "AND backend_type = 'client backend'")
        #expect(try #require(count.flatMap { Int($0) }) <= 5)
    }

    // MARK: Limits of time

    @Test(
        "A statement that takes too long, or waits too long for a lock, is an error, and the context can be used",
        arguments: [
            (NSPostgreSQLStatementTimeoutOption, PostgreSQLFailure.cancelled),
            (NSPostgreSQLLockTimeoutOption, .locked),
        ])
    func timeouts(option: String, failure: PostgreSQLFailure) throws {
        // Opening is under the limit, too: it is long enough for a machine that is busy.
        let limited = try Library(.postgreSQL, in: library.folder, options: [option: 2])
        let reader = limited.context()
        let holder = try connection()
        try holder.execute("BEGIN; LOCK TABLE tag")
        try reader.performAndWait {
            let error = try #require(throws: NSError.self) { try reader.all("Tag") }
            #expect(error.userInfo[NSPostgreSQLFailureKey] as? String == failure.rawValue)
            holder.rollback()
            #expect(try reader.all("Tag").count == 1)
        }
    }
}
#endif
