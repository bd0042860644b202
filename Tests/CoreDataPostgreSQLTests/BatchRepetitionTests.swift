#if PostgreSQL
    import CoreData
    import Foundation
    import TestSupport
    import Testing

    @testable import CoreDataPostgreSQL

    /// Batches whose transaction somebody was in the way of.
    @Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    struct BatchRepetitionTests {
        private let database: TestDatabase

        init() throws { database = try TestDatabase() }

        /// How many wait for a row that another transaction has written.
        private static let waiting = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            """

        private func set(_ setting: String, _ value: String) throws {
            try #require(
                database.psql("ALTER DATABASE \"\(database.name.lowercased())\" SET \(setting) = '\(value)'") != nil)
        }

        /// A store with two tags, which another program's transaction locks in the other order than a batch does.
        private func deadlock(_ request: @escaping @Sendable () -> NSPersistentStoreRequest) throws -> [NSError] {
            let library = try Library(.postgreSQL, in: database.folder)
            let first = library.context()
            try first.performAndWait {
                for name in ["a", "b"] { first.make("Tag", ["name": name]) }
                try first.save()
            }
            // A process looks once whether it is in a deadlock, that long after it began to wait. The batch's finds it.
            try set("deadlock_timeout", "5s")
            let other = try PostgreSQLConnection(#require(PostgreSQLAddress(database.url)))
            try other.execute("SET deadlock_timeout = '600s'; BEGIN")
            try other.execute("UPDATE tag SET name = name || 'x' WHERE id = (SELECT max(id) FROM tag)")
            let context = try library.beside().context()
            let (failures, group) = (Locked<[NSError]>([]), DispatchGroup())
            group.enter()
            Thread.detachNewThread {
                context.performAndWait {
                    do { try context.execute(request()) } catch { failures.withLock { $0.append(error as NSError) } }
                }
                group.leave()
            }
            while database.psql(Self.waiting) != "1" {}
            try other.execute("UPDATE tag SET name = name || 'x' WHERE id = (SELECT min(id) FROM tag)")
            try other.execute("COMMIT")
            group.wait()
            return failures.withLock { $0 }
        }

        @Test("A batch update that ends a deadlock is repeated")
        func update() throws {
            let failures = try deadlock {
                let request = NSBatchUpdateRequest(entityName: "Tag")
                request.propertiesToUpdate = ["name": "z"]
                return request
            }
            #expect(failures.isEmpty)
            #expect(database.psql("SELECT string_agg(name, ' ') FROM tag") == "z z")
        }

        @Test("A batch deletion that ends a deadlock is repeated")
        func deletion() throws {
            let failures = try deadlock {
                NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag"))
            }
            #expect(failures.isEmpty)
            #expect(database.psql("SELECT count(*) FROM tag") == "0")
        }

        @Test(
            "Batches that count together come to the sum, at any isolation level of the database",
            arguments: ["repeatable read", "serializable"])
        func counting(isolation: String) throws {
            try set("default_transaction_isolation", isolation)
            let library = try Library(
                .postgreSQL, in: database.folder, options: [NSPersistentHistoryTrackingKey: true])
            let first = library.context()
            try first.performAndWait {
                first.make("Book", ["title": "a", "pages": 0])
                try first.save()
            }
            let libraries = try (0..<4).map { _ in try library.beside() }
            let failures = Locked<[NSError]>([])
            DispatchQueue.concurrentPerform(iterations: libraries.count) { number in
                let context = libraries[number].context()
                context.performAndWait {
                    for _ in 0..<10 {
                        let request = NSBatchUpdateRequest(entityName: "Book")
                        request.propertiesToUpdate = ["pages": NSExpression(format: "pages + 1")]
                        do { try context.execute(request) } catch { failures.withLock { $0.append(error as NSError) } }
                    }
                }
            }
            #expect(failures.withLock { $0 }.isEmpty)
            #expect(database.psql("SELECT pages FROM book") == "40")
        }

        @Test("Some open a new store at once where transactions are repeatable reads")
        func opening() throws {
            try set("default_transaction_isolation", "repeatable read")
            let (failures, url) = (Locked<[NSError]>([]), database.url)
            DispatchQueue.concurrentPerform(iterations: 6) { _ in
                do {
                    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
                    try coordinator.addPersistentStore(
                        ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
                        options: [NSPersistentHistoryTrackingKey: true])
                } catch { failures.withLock { $0.append(error as NSError) } }
            }
            #expect(failures.withLock { $0 }.isEmpty)
        }
    }
#endif
