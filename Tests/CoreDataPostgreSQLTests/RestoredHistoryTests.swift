#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct RestoredHistoryTests {
    private static var tracking: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

    private func save(_ name: String, in library: Library) throws {
        let context = library.context()
        try context.performAndWait {
            context.transactionAuthor = "tests"
            context.make("Tag", ["name": name])
            try context.save()
        }
    }

    /// The authors of the transactions behind a token, and how many changes each has.
    private func history(
        _ library: Library, after token: NSPersistentHistoryToken? = nil
    ) throws -> [String] {
        try PostgreSQLServer.shared.get().awaitHistory(of: library.database)
        return try notifiedHistory(library, after: token)
    }

    /// Returns the history after a token at once: transactions are missing while an older one is open.
    private func notifiedHistory(
        _ library: Library, after token: NSPersistentHistoryToken? = nil
    ) throws -> [String] {
        let context = library.context()
        return try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let found = try #require(result?.result as? [NSPersistentHistoryTransaction])
            return found.map { "\($0.author ?? "") \($0.changes?.count ?? 0)" }
        }
    }

    /// Gives the history of a store numbers that its server has not come to: as where a dump of it was restored on
    /// a server that has done less than the former.
    private func restore(_ library: Library) throws {
        let server = try PostgreSQLServer.shared.get()
        let moved = server.psql(
            library.database,
            "UPDATE coredata.transactions SET id = id + 1000000000; "
                + "UPDATE coredata.changes SET transaction = transaction + 1000000000")
        #expect(moved != nil)
    }

    /// Requires that all numbers of history are below its end, so that a read has all of them.
    private func requireNumbersAbove(_ library: Library) throws {
        let isAbove = try library.psql("SELECT max(id) < coredata.history_end() FROM coredata.transactions")
        try #require(isAbove == "t")
    }

    @Test("History continues above the numbers of a dump that was restored, again and again")
    func restored() throws {
        let library = try Library(.postgreSQL, options: Self.tracking)
        try save("a", in: library)
        try save("b", in: library)
        try library.coordinator.remove(library.store)
        var count = 2
        for _ in 0..<2 {
            try restore(library)
            let restored = try Library(.postgreSQL, in: library.folder, options: Self.tracking)
            try requireNumbersAbove(library)
            #expect(try history(restored).count == count)
            let token = try #require(restored.coordinator.currentPersistentHistoryToken(fromStores: nil))
            try save("c", in: restored)
            let database = library.database
            let server = try PostgreSQLServer.shared.get()
            let recorded = server.psql(database, "SELECT max(id) FROM coredata.transactions")
            let store = try #require(restored.store as? SQLStore)
            #expect(store.lastRecordedTransaction.map { "\($0)" } == recorded)
            #expect(server.psql(database, "INSERT INTO tag (name) VALUES ('d')") != nil)
            #expect(try history(restored, after: token) == ["tests 1", "psql 1"])
            let context = restored.context()
            try context.performAndWait {
                let rows = [["name": "e"]]
                try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: rows))
            }
            count += 3
            #expect(try history(restored).count == count)
            // Another one who has it open counts alike.
            let other = try restored.beside()
            let newer = try #require(other.coordinator.currentPersistentHistoryToken(fromStores: nil))
            #expect(try history(other, after: newer) == [])
            try restored.coordinator.remove(restored.store)
            try other.coordinator.remove(other.store)
        }
    }

    @Test("History ends with an older transaction until the owner opens a restored store for writing")
    func notYetOpened() throws {
        let library = try Library(.postgreSQL, options: Self.tracking)
        try save("a", in: library)
        try save("b", in: library)
        #expect(try history(library).count == 2)
        try library.coordinator.remove(library.store)
        let newest = "(SELECT max(id) FROM coredata.transactions)"
        let moved = try library.psql(
            "UPDATE coredata.changes SET transaction = transaction + 1000000000 WHERE transaction = \(newest); "
                + "UPDATE coredata.transactions SET id = id + 1000000000 WHERE id = \(newest)")
        try #require(moved == "UPDATE 1\nUPDATE 1")
        let options = Self.tracking.merging([NSReadOnlyPersistentStoreOption: true]) { $1 }
        let reader = try Library(.postgreSQL, in: library.folder, options: options)
        #expect(try notifiedHistory(reader) == ["tests 1"])
        try reader.coordinator.remove(reader.store)
        let owner = try Library(.postgreSQL, in: library.folder, options: Self.tracking)
        #expect(try history(owner) == ["tests 1", "tests 1"])
    }

    @Test("An object that was read before a restoration is compared as a whole, since versions come again")
    func comparedAsWhole() throws {
        let library = try Library(.postgreSQL, options: Self.tracking)
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book", ["title": "a", "pages": 1])
            try context.save()
            var lost: String?
            try PostgreSQLServer.shared.get().replace(library.database) {
                book.setValue("lost", forKey: "title")
                try context.save()
                lost = try library.psql("SELECT version FROM book")
            }
            let other = try library.beside().context()
            try other.performAndWait {
                try other.all("Book").first?.setValue("other", forKey: "title")
                try other.save()
            }
            #expect(try library.psql("SELECT version FROM book") == lost)
            book.setValue(2, forKey: "pages")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSManagedObjectMergeError, "\(error as Any)")
        }
        #expect(try library.psql("SELECT title, pages FROM book") == "other|1")
    }

    @Test("A dump that is restored on the same server, under programs, is recognised: missing saves are reported")
    func restoredBeside() throws {
        let library = try Library(.postgreSQL, options: Self.tracking)
        try save("a", in: library)
        let told = Locked<[PostgreSQLLostTransaction]>([])
        let isTold = DispatchSemaphore(value: 0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPostgreSQLTransactionsLost, object: library.coordinator, queue: nil
        ) { notification in
            let lost = notification.userInfo?[NSPostgreSQLLostTransactionsKey] as? [PostgreSQLLostTransaction]
            told.withLock { $0 += lost ?? [] }
            isTold.signal()
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        var token: NSPersistentHistoryToken?
        try PostgreSQLServer.shared.get().replace(library.database) {
            try save("b", in: library)
            #expect(try history(library) == ["tests 1", "tests 1"])
            token = library.coordinator.currentPersistentHistoryToken(fromStores: nil)
        }
        try save("c", in: library)
        #expect(isTold.wait(timeout: .now() + 60) == .success)
        let lost = told.withLock { $0 }
        #expect(lost.count == 1 && lost.first?.insertedObjectIDs.count == 1)
        #expect(try library.psql("SELECT name FROM tag ORDER BY id") == "a\nc")
        // The new object has another key than the one that was lost.
        let key = try #require(lost.first?.insertedObjectIDs.first).uriRepresentation().lastPathComponent
        #expect(try library.psql("SELECT count(*) FROM tag WHERE 'p' || id = '\(key)'") == "0")
        let error = try #require(throws: NSError.self) { try history(library, after: token) }
        #expect(error.code == NSPersistentHistoryTokenExpiredError)
        #expect(error.userInfo[NSPostgreSQLFailureKey] as? String == PostgreSQLFailure.historyLost.rawValue)
        #expect(try history(library) == ["tests 1", "tests 1"])
        // Another program sees the same line.
        try save("d", in: library.beside())
        #expect(try history(library).count == 3)
    }

    @Test("A follower of a restored store is notified of other commits, when no older transaction runs any more")
    func notifications() throws {
        let library = try Library(.postgreSQL, options: Self.tracking)
        try save("a", in: library)
        try library.coordinator.remove(library.store)
        try restore(library)
        let restored = try Library(
            .postgreSQL, in: library.folder,
            options: Self.tracking.merging([NSPersistentStoreRemoteChangeNotificationPostOptionKey: true]) { $1 })
        try requireNumbersAbove(library)
        let told = DispatchSemaphore(value: 0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: restored.coordinator, queue: nil
        ) { _ in told.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        let database = library.database
        let server = try PostgreSQLServer.shared.get()
        let address = try #require(PostgreSQLAddress(server.url(ofMadeDatabase: database.lowercased())))
        let older = try PostgreSQLConnection(address)
        try older.execute("BEGIN; SELECT pg_current_xact_id()")
        #expect(server.psql(database, "INSERT INTO tag (name) VALUES ('b')") != nil)
        // At the second query the first transaction has had no effect: history does not have it yet.
        server.awaitLooksForHistory(in: database, count: 2)
        #expect(told.wait(timeout: .now()) == .timedOut)
        try older.execute("ROLLBACK")
        #expect(told.wait(timeout: .now() + 300) == .success)
    }
}
#endif
