#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct SimultaneousOpeningTests {
    /// How many wait for their turn to write.
    private static let waiting = """
        SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """

    /// A connection with the lock of those who write, in a transaction.
    private static func writer(in database: String) throws -> PostgreSQLConnection {
        let url = try PostgreSQLServer.shared.get().url(ofDatabase: database)
        let holder = try PostgreSQLConnection(#require(PostgreSQLAddress(url)))
        try holder.execute("BEGIN; SELECT pg_advisory_xact_lock(\(0x4F70_656E_436F_7265))")
        return holder
    }

    @Test("A store that is made while another process destroys the database of that name is in use, and stays")
    func destroyed() throws {
        let (server, folder) = (try PostgreSQLServer.shared.get(), try TemporaryFolder())
        let database = folder.url.lastPathComponent
        let holder = try Self.writer(in: database)
        let (opened, failures, group) = (Locked<Library?>(nil), Locked<[NSError]>([]), DispatchGroup())
        func begin(waiting count: Int, _ work: @escaping @Sendable () throws -> Void) {
            group.enter()
            Thread.detachNewThread {
                do { try work() } catch { failures.withLock { $0.append(error as NSError) } }
                group.leave()
            }
            while server.psql(database, Self.waiting) != "\(count)" {}
        }
        begin(waiting: 1) {
            let library = try Library(.postgreSQL, in: folder)
            opened.withLock { $0 = library }
        }
        begin(waiting: 2) {
            try NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make()).destroyPersistentStore(
                at: server.url(ofDatabase: database), ofType: NSPostgreSQLStoreType)
        }
        try holder.execute("COMMIT")
        group.wait()
        #expect(failures.withLock { $0 }.map(\.code) == [NSPersistentStoreTimeoutError])
        let library = try #require(opened.withLock { $0 })
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "a"])
            try context.save()
        }
        #expect(try library.saved("Tag", "name") == ["a"])
    }

    @Test("Two that open a store whose history is to be made ready, both at the same moment, both open it")
    func history() throws {
        let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        let library = try Library(.postgreSQL, options: tracking)
        let (server, database) = (try PostgreSQLServer.shared.get(), library.database)
        // As it is for a moment in a new store.
        let removed = server.psql(
            database,
            "ALTER TABLE coredata.changes ALTER id DROP IDENTITY; "
                + "ALTER TABLE coredata.names ALTER id DROP IDENTITY")
        #expect(removed != nil)
        let holder = try Self.writer(in: database)
        let (failures, group) = (Locked<[String]>([]), DispatchGroup())
        for _ in 0..<2 {
            group.enter()
            Thread.detachNewThread {
                do {
                    let opened = try library.beside()
                    let context = opened.context()
                    try context.performAndWait {
                        context.make("Tag", ["name": "a"])
                        try context.save()
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
                group.leave()
            }
        }
        while server.psql(database, Self.waiting) != "2", group.wait(timeout: .now()) != .success {}
        try holder.execute("COMMIT")
        group.wait()
        #expect(failures.withLock { $0 } == [])
        #expect(server.psql(database, "SELECT count(*) FROM coredata.changes") == "2")
    }
}
#endif
