#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

/// Batches whose transaction is delayed or ended because another session holds a lock.
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

    /// Runs a batch in a coordinator of its own, and a body when the batch waits.
    ///
    /// - Returns: the failures of the batch.
    private func run(
        _ request: @escaping @Sendable () -> NSPersistentStoreRequest, in library: Library,
        whenItWaits body: () throws -> Void
    ) throws -> [NSError] {
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
        try body()
        group.wait()
        return failures.withLock { $0 }
    }

    /// A store with two tags, which another program's transaction locks in the other order than a batch does.
    private func deadlock(_ request: @escaping @Sendable () -> NSPersistentStoreRequest) throws -> [NSError] {
        let library = try Library(.postgreSQL, in: database.folder)
        let first = library.context()
        try first.performAndWait {
            for name in ["a", "b"] { first.make("Tag", ["name": name]) }
            try first.save()
        }
        // A server process checks once whether it is in a deadlock, that long after it began to wait. The batch's
        // process finds it.
        try set("deadlock_timeout", "5s")
        let other = try PostgreSQLConnection(#require(PostgreSQLAddress(database.url)))
        try other.execute("SET deadlock_timeout = '600s'; BEGIN")
        try other.execute("UPDATE tag SET name = name || 'x' WHERE id = (SELECT max(id) FROM tag)")
        return try run(request, in: library) {
            try other.execute("UPDATE tag SET name = name || 'x' WHERE id = (SELECT min(id) FROM tag)")
            try other.execute("COMMIT")
        }
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

    /// The failures of a batch that waits for a lock on a table of one tag when its connection is ended.
    private func failures(ofEnded request: @escaping @Sendable () -> NSPersistentStoreRequest) throws -> [NSError] {
        let library = try Library(.postgreSQL, in: database.folder)
        let first = library.context()
        try first.performAndWait {
            first.make("Tag", ["name": "a"])
            try first.save()
        }
        let other = try PostgreSQLConnection(#require(PostgreSQLAddress(database.url)))
        try other.execute("BEGIN; LOCK TABLE tag IN SHARE MODE")
        return try run(request, in: library) {
            let end = """
                SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity \
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """
            #expect(database.psql(end) == "t")
            try other.execute("COMMIT")
        }
    }

    @Test("A batch whose connection dies is repeated")
    func deadConnection() throws {
        let failures = try failures {
            let request = NSBatchUpdateRequest(entityName: "Tag")
            request.propertiesToUpdate = ["name": "z"]
            return request
        }
        #expect(failures.isEmpty)
        #expect(database.psql("SELECT name FROM tag") == "z")
    }

    @Test("A batch with a handler is not repeated when its connection dies, and writes nothing")
    func deadConnectionOfHandler() throws {
        let calls = Locked(0)
        let failures = try failures {
            NSBatchInsertRequest(
                entityName: "Tag",
                dictionaryHandler: { row in
                    row["name"] = "b"
                    return calls.withLock { count -> Bool in
                        count += 1
                        return count > 1
                    }
                })
        }
        let failure = failures.first?.userInfo[NSPostgreSQLFailureKey] as? String
        #expect(failure == PostgreSQLFailure.connectionLost.rawValue, "\(failures)")
        #expect(calls.withLock { $0 } == 2)
        #expect(database.psql("SELECT name FROM tag") == "a")
    }

    @Test("A server that ends idle transactions ends a batch whose handler takes longer, and nothing is written")
    func slowHandler() throws {
        let library = try Library(.postgreSQL, in: database.folder)
        let context = library.context()
        // The batch has a new connection, with the limit.
        try set("idle_in_transaction_session_timeout", "1s")
        let end = """
            SELECT bool_and(pg_terminate_backend(pid, 20000)) FROM pg_stat_activity \
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            """
        #expect(database.psql(end) == "t")
        let calls = Locked(0)
        let idle = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
            AND state LIKE 'idle in transaction%'
            """
        let request = NSBatchInsertRequest(
            entityName: "Tag",
            dictionaryHandler: { [database = self.database] row in
                row["name"] = "a"
                while database.psql(idle) != "0" {}
                return calls.withLock { count -> Bool in
                    count += 1
                    return count > 1
                }
            })
        context.performAndWait {
            let error = #expect(throws: NSError.self) { try context.execute(request) }
            let failure = error?.userInfo[NSPostgreSQLFailureKey] as? String
            #expect(failure == PostgreSQLFailure.connectionLost.rawValue, "\(error as Any)")
        }
        #expect(database.psql("SELECT count(*) FROM tag") == "0")
    }

    @Test("A batch overwrites the columns that it sets in a row that another program has changed in between")
    func overwritten() throws {
        let library = try Library(.postgreSQL, in: database.folder)
        let first = library.context()
        try first.performAndWait {
            first.make("Book", ["title": "a", "pages": 1])
            try first.save()
        }
        let other = try PostgreSQLConnection(#require(PostgreSQLAddress(database.url)))
        try other.execute("BEGIN; UPDATE book SET title = 'theirs', pages = 7")
        let request: @Sendable () -> NSPersistentStoreRequest = {
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.predicate = NSPredicate(format: "pages == 1")
            request.propertiesToUpdate = ["title": "mine"]
            return request
        }
        let failures = try run(request, in: library) { try other.execute("COMMIT") }
        #expect(failures.isEmpty)
        #expect(database.psql("SELECT title, pages FROM book") == "mine|7")
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
