#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

/// By way of PgBouncer in transaction mode, with the server's own address beside. With `OPENCOREDATA_LONG` all
/// suites that run over the kinds of stores do so, too.
@Suite(
    .enabled(
        if: PostgreSQLServer.reasonOfAbsence == nil && PostgreSQLPooler.reasonOfAbsence == nil,
        "\(PostgreSQLServer.reasonOfAbsence ?? PostgreSQLPooler.reasonOfAbsence ?? "")"))
struct PostgreSQLPoolerTests {
    @Test("Four coordinators count together by way of a transaction pooler: the sum is exact")
    func counting() throws {
        let library = try Library(.pooled, options: [NSPersistentHistoryTrackingKey: true])
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "Calvino", "joined": Date(timeIntervalSince1970: 1.25)])
            context.make("Book", ["title": "counted", "pages": 0, "author": author])
            try context.save()
        }
        let failures = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            do {
                let mine = try library.beside().context()
                try mine.performAndWait {
                    let book = try #require(try mine.all("Book", "author.name == 'Calvino'").first)
                    for _ in 0..<10 { try Self.increment(book, in: mine) }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try library.saved("Book", "pages") == ["40"])
    }

    private static func increment(_ book: NSManagedObject, in context: NSManagedObjectContext) throws {
        while true {
            book.setValue((book.value(forKey: "pages") as? Int ?? 0) + 1, forKey: "pages")
            do {
                return try context.save()
            } catch let error as NSError where error.code == NSManagedObjectMergeError {
                context.refresh(book, mergeChanges: false)
            }
        }
    }

    @Test(
        "Locks of the version, and listening, are the direct connection's; the pooler's keep no names of statements"
    )
    func direct() throws {
        let library = try Library(.pooled)
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "a"])
            try context.save()
            #expect(try context.all("Tag", "name == 'a'").count == 1)
        }
        let server = try PostgreSQLServer.shared.get()
        let database = library.database
        let holders = server.psql(
            database,
            "SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database "
                + "WHERE locktype = 'advisory' AND datname = current_database()")
        #expect(holders == "1")
        let url = try #require(StoreKind.pooled.url(in: library.folder.url))
        let connection = try PostgreSQLConnection(#require(PostgreSQLAddress(url)))
        let statement = try connection.prepare(.select(SQLSelect([.countAll], of: "tag")))
        #expect(try statement.first { $0.int64(0) } == 1)
        #expect(try connection.texts("SELECT count(*) FROM pg_prepared_statements WHERE name <> ''") == ["0"])
    }

    @Test("Limits of time hold for statements that a connection has not run before, too")
    func limits() throws {
        let server = try PostgreSQLServer.shared.get()
        for option in [NSPostgreSQLStatementTimeoutOption, NSPostgreSQLLockTimeoutOption] {
            let library = try Library(.pooled, options: [option: 1])
            let database = library.database
            let address = try #require(PostgreSQLAddress(server.url(ofDatabase: database)))
            let holder = try PostgreSQLConnection(address)
            try holder.execute("BEGIN; LOCK TABLE tag")
            let context = library.context()
            try context.performAndWait {
                for _ in 0..<2 {
                    let error = try #require(throws: NSError.self) { try context.all("Tag") }
                    let expected: [PostgreSQLFailure] = [.cancelled, .locked]
                    #expect(expected.contains { $0.rawValue == error.userInfo[NSPostgreSQLFailureKey] as? String })
                }
                holder.rollback()
                #expect(try context.all("Tag").isEmpty)
            }
        }
    }

    @Test("A program whose search path does not lead to the tables finds them by way of a pooler, too")
    func searchPath() throws {
        let library = try Library(.pooled, options: [NSPersistentHistoryTrackingKey: true])
        let database = library.database
        let change = "CREATE SCHEMA other; ALTER DATABASE \"\(database.lowercased())\" SET search_path = other"
        #expect(try PostgreSQLServer.shared.get().psql(database, change) != nil)
        let other = try library.beside()
        let context = other.context()
        try context.performAndWait {
            #expect(try context.all("Tag").isEmpty)
            let tag = context.make("Tag", ["name": "a"])
            try context.save()
            tag.setValue("b", forKey: "name")
            try context.save()
            try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["name": "c"]]))
        }
        #expect(try library.saved("Tag", "name") == ["b", "c"])
    }

    @Test("A context that may read from standbys asks for none by way of a pooler")
    func standbys() throws {
        let library = try Library(.pooled)
        let context = library.context()
        try context.performAndWait {
            context.readsFromStandbys = true
            context.make("Tag", ["name": "a"])
            try context.save()
            context.refreshAllObjects()
            #expect(try context.all("Tag").count == 1)
        }
        let activity = try library.coordinator.postgreSQLActivity(of: library.store)
        #expect(activity.readsFromStandbys == 0 && activity.readsFromPrimaryInstead == 0)
        #expect(activity.connectionsToStandbys == 0)
    }
}
#endif
