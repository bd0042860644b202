#if PostgreSQL
    import CoreData
    import Foundation
    import TestSupport
    import Testing

    @testable import CoreDataPostgreSQL

    @Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    struct SimultaneousOpeningTests {
        @Test("Two that open a store whose history is to be made ready, both at the same moment, both open it")
        func history() throws {
            let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
            let library = try Library(.postgreSQL, options: tracking)
            let (server, database) = (try PostgreSQLServer.shared.get(), library.folder.url.lastPathComponent)
            // As it is for a moment in a new store.
            let removed = server.psql(
                database,
                "ALTER TABLE coredata.changes ALTER id DROP IDENTITY; "
                    + "ALTER TABLE coredata.names ALTER id DROP IDENTITY")
            #expect(removed != nil)
            let address = try #require(PostgreSQLAddress(server.url(ofMadeDatabase: database.lowercased())))
            let holder = try PostgreSQLConnection(address)
            // The lock of those who write.
            try holder.execute("BEGIN; SELECT pg_advisory_xact_lock(\(0x4F70_656E_436F_7265))")
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
            let waiting = """
                SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """
            while server.psql(database, waiting) != "2", group.wait(timeout: .now()) != .success {}
            try holder.execute("COMMIT")
            group.wait()
            #expect(failures.withLock { $0 } == [])
            #expect(server.psql(database, "SELECT count(*) FROM coredata.changes") == "2")
        }
    }
#endif
