#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct HistoryBesideOtherDatabasesTests {
    @Test("A save that waited for an older transaction is announced when that ends, beside work in other databases")
    func told() throws {
        let library = try Library(
            .postgreSQL,
            options: [
                NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
            ])
        let told = DispatchSemaphore(value: 0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: library.coordinator, queue: nil
        ) { _ in told.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        let server = try PostgreSQLServer.shared.get()
        let database = library.database.lowercased()
        let (elsewhere, older) = try (
            PostgreSQLConnection(#require(PostgreSQLAddress(server.url(ofMadeDatabase: "postgres")))),
            PostgreSQLConnection(#require(PostgreSQLAddress(server.url(ofMadeDatabase: database))))
        )
        for connection in [elsewhere, older] { try connection.execute("BEGIN; SELECT pg_current_xact_id()") }
        #expect(server.psql(database, "INSERT INTO tag (name) VALUES ('b')") != nil)
        server.awaitLooksForHistory(in: database, count: 1)
        try older.execute("ROLLBACK")
        #expect(told.wait(timeout: .now() + 300) == .success)
        try elsewhere.execute("ROLLBACK")
    }

    @Test("A save is in history at once, beside transactions in other databases of the server")
    func complete() throws {
        let library = try Library(.postgreSQL, options: [NSPersistentHistoryTrackingKey: true])
        let server = try PostgreSQLServer.shared.get()
        let address = try #require(PostgreSQLAddress(server.url(ofMadeDatabase: "postgres")))
        let others = try (0..<4).map { _ in try PostgreSQLConnection(address) }
        let (isOver, group) = (Locked(false), DispatchGroup())
        let failures = Locked<[String]>([])
        for other in others {
            group.enter()
            let connection = Locked(other)
            Thread.detachNewThread {
                while !isOver.withLock({ $0 }) {
                    do {
                        try connection.withLock { try $0.execute("BEGIN; SELECT pg_current_xact_id(); COMMIT") }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                        break
                    }
                }
                group.leave()
            }
        }
        defer {
            isOver.withLock { $0 = true }
            group.wait()
        }
        let context = library.context()
        try context.performAndWait {
            for number in 1...(Sample.isWhole ? 300 : 40) {
                context.make("Tag", ["name": "\(number)"])
                try context.save()
                for _ in 0..<3 {
                    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
                    request.resultType = .transactionsOnly
                    let result = try context.execute(request) as? NSPersistentHistoryResult
                    let found = try #require(result?.result as? [NSPersistentHistoryTransaction])
                    try #require(found.count == number)
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }

    @Test("A save is in history at once for a role without the right to see what other sessions do, too")
    func otherRole() throws {
        let library = try Library(.postgreSQL, options: [NSPersistentHistoryTrackingKey: true])
        let role = "reader_\(UUID().uuidString.prefix(8).lowercased())"
        let made = try library.psql(
            "CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA coredata, public TO \(role); "
                + "GRANT SELECT ON ALL TABLES IN SCHEMA coredata, public TO \(role)")
        try #require(made != nil)
        defer { _ = try? library.psql("DROP OWNED BY \(role); DROP ROLE \(role)") }
        let server = try PostgreSQLServer.shared.get()
        let address = server.url(ofDatabase: library.database).absoluteString
        let url = try #require(URL(string: address.replacingOccurrences(of: "user=postgres", with: "user=\(role)")))
        let elsewhere = try PostgreSQLConnection(
            #require(PostgreSQLAddress(server.url(ofMadeDatabase: "postgres"))))
        try elsewhere.execute("BEGIN; SELECT pg_current_xact_id()")
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "a"])
            try context.save()
        }
        server.awaitHistory(of: library.database)
        let options: [AnyHashable: Any] = [
            NSReadOnlyPersistentStoreOption: true, NSPersistentHistoryTrackingKey: true,
        ]
        try withStore(url, LibraryModel.make(), type: NSPostgreSQLStoreType, options: options) { reader in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            let result = try reader.execute(request) as? NSPersistentHistoryResult
            let found = try #require(result?.result as? [NSPersistentHistoryTransaction])
            #expect(found.count == 1)
        }
        try elsewhere.execute("ROLLBACK")
    }
}
#endif
