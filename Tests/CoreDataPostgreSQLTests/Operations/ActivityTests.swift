#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct ActivityTests {
    private func save(_ context: NSManagedObjectContext, _ name: String) throws {
        try context.performAndWait {
            context.make("Tag", ["name": name])
            try context.save()
        }
    }

    @Test("A coordinator has the connections of a store, its writes and generations, and all of it in one line")
    func values() throws {
        let library = try Library(.postgreSQL)
        let context = library.context()
        try save(context, "a")
        let before = try library.coordinator.postgreSQLActivity(of: library.store)
        try save(context, "b")
        var activity = try library.coordinator.postgreSQLActivity(of: library.store)
        #expect(activity.writes > before.writes)
        #expect(activity.connectionLimit == 5)
        #expect(activity.connections >= 1 && activity.busyConnections == 0)
        #expect(activity.connectionsMade >= activity.connections)
        #expect(activity.server.hasSuffix("/\(library.database.lowercased())"))
        #expect(activity.queryGenerations == 0 && activity.standbys == [] && activity.failOvers == 0)
        let line = "\(activity)"
        #expect(line.hasPrefix("PostgreSQL \(activity.server), connections 0/"))
        #expect(line.contains("writes \(activity.writes)") && !line.contains("fail-overs") && !line.contains("\n"))
        try context.performAndWait {
            try context.setQueryGenerationFrom(.current)
            #expect(try context.all("Tag").count == 2)
        }
        activity = try library.coordinator.postgreSQLActivity(of: library.store)
        #expect(activity.queryGenerations == 1)
        try context.performAndWait { try context.setQueryGenerationFrom(nil) }
        activity = try library.coordinator.postgreSQLActivity(of: library.store)
        #expect(activity.queryGenerations == 0)
    }

    @Test("Stores of other types, and of other coordinators, have none")
    func otherStores() throws {
        let (library, other) = (try Library(.postgreSQL), try Library(.sqlite))
        for (coordinator, store) in [(other.coordinator, other.store), (other.coordinator, library.store)] {
            let error = try #require(throws: NSError.self) { try coordinator.postgreSQLActivity(of: store) }
            #expect(error.code == NSPersistentStoreInvalidTypeError)
        }
    }

    @Test("Writes that wait for each other are counted, and so is how long they waited")
    func waits() throws {
        let library = try Library(.postgreSQL)
        let store = try #require(library.store as? SQLStore)
        let done = DispatchSemaphore(value: 0)
        try store.writing { _ in
            Thread.detachNewThread {
                try? save(library.context(), "a")
                done.signal()
            }
            // It waits for as long as this body runs.
            while try library.coordinator.postgreSQLActivity(of: library.store).waitsToWrite.count == 0 {}
        }
        done.wait()
        let waits = try library.coordinator.postgreSQLActivity(of: library.store).waitsToWrite
        #expect(waits.count == 1)
        #expect(waits.longest > 0 && waits.longest == waits.seconds)
    }

    @Test("A save that another session delays is repeated, and each repetition is counted")
    func repetitions() throws {
        let library = try Library(.postgreSQL, options: [NSPostgreSQLLockTimeoutOption: 0.01])
        let context = library.context()
        try save(context, "a")
        let address = try #require(
            PostgreSQLAddress(PostgreSQLServer.shared.get().url(ofMadeDatabase: library.database.lowercased())))
        let other = try PostgreSQLConnection(address)
        try other.execute("BEGIN; LOCK TABLE tag")
        #expect(throws: NSError.self) { try save(context, "b") }
        let activity = try library.coordinator.postgreSQLActivity(of: library.store)
        #expect(activity.repetitions > 0)
        try other.execute("ROLLBACK")
        context.performAndWait { context.reset() }
        try save(context, "c")
        let later = try library.coordinator.postgreSQLActivity(of: library.store)
        #expect(later.repetitions == activity.repetitions)
        #expect("\(later)".contains("repetitions \(activity.repetitions)"))
    }

    @Test("A list of sessions that hold a snapshot gives their activity, the oldest first")
    func snapshots() throws {
        let library = try Library(.postgreSQL, options: [NSPostgreSQLSnapshotWarningOption: 0])
        let address = try #require(
            PostgreSQLAddress(PostgreSQLServer.shared.get().url(ofMadeDatabase: library.database.lowercased())))
        let session = try PostgreSQLConnection(address)
        try session.execute("SET application_name = 'report'; BEGIN ISOLATION LEVEL REPEATABLE READ")
        try session.execute("SELECT count(*)\n FROM tag")
        let context = library.context()
        try context.performAndWait {
            try context.setQueryGenerationFrom(.current)
            #expect(try context.all("Tag").isEmpty)
        }
        let sessions = try library.coordinator.postgreSQLActivity(of: library.store).longSnapshots
        #expect(sessions.map(\.name).first == "report")
        #expect(sessions.first?.statement == "SELECT count(*) FROM tag")
        #expect(sessions.first?.state == "idle in transaction" && sessions.first?.user == "postgres")
        #expect(sessions.contains { $0.statement == nil && "\($0)".hasSuffix("a query generation") })
        try session.execute("ROLLBACK")
        let later = try library.coordinator.postgreSQLActivity(of: library.store)
        #expect(!later.longSnapshots.contains { $0.name == "report" })
    }

    @Test("A program that has a store open and does nothing holds no snapshot, for which new indexes would wait")
    func quiet() throws {
        let library = try Library(
            .postgreSQL,
            options: [
                NSPostgreSQLSnapshotWarningOption: 0, NSPersistentHistoryTrackingKey: true,
                NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
            ])
        let context = library.context()
        try save(context, "a")
        #expect(try context.performAndWait { try context.all("Tag").count } == 1)
        // Work in the background, such as renewing the lease, takes a moment.
        while try !library.coordinator.postgreSQLActivity(of: library.store).longSnapshots.isEmpty {}
    }

    @Test("The line is written as often as an option says")
    func log() throws {
        let library = try Library(.postgreSQL, options: [NSPostgreSQLLogIntervalOption: 0.1])
        let database = try #require((library.store as? SQLStore)?.database as? PostgreSQLDatabase)
        let (lines, isWritten) = (Locked<[String]>([]), DispatchSemaphore(value: 0))
        database.upkeep.write.withLock {
            $0 = { line in
                lines.withLock { $0.append(line) }
                isWritten.signal()
            }
        }
        for _ in 0..<2 { #expect(isWritten.wait(timeout: .now() + 60) == .success) }
        #expect(lines.withLock { $0.allSatisfy { $0.hasPrefix("CoreData: PostgreSQL ") } })
    }

    @Test("A primary reports which standbys follow, how far behind they are, and how much was read from them")
    func standbys() throws {
        let cluster = try PostgreSQLCluster(standbys: 1, isSynchronous: true)
        try cluster.make(database: "library")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: cluster.url(ofDatabase: "library"),
            options: [NSPostgreSQLStandbyTimeoutOption: 0.05])
        let (writer, reader) = (
            NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType),
            NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        )
        writer.performAndWait { writer.persistentStoreCoordinator = coordinator }
        reader.performAndWait {
            reader.persistentStoreCoordinator = coordinator
            reader.readsFromStandbys = true
        }
        try save(writer, "a")
        try cluster.wait(for: 1)
        #expect(try reader.performAndWait { try reader.all("Tag").count } == 1)
        var activity = try coordinator.postgreSQLActivity(of: store)
        #expect(activity.standbys.count == 1)
        #expect(activity.standbys.first?.isSynchronous == true)
        #expect(activity.readsFromStandbys > 0 && activity.connectionsToStandbys > 0)
        try cluster.tell("pause 1")
        try save(writer, "b")
        #expect(try reader.performAndWait { try reader.all("Tag").count } == 2)
        activity = try coordinator.postgreSQLActivity(of: store)
        #expect(activity.standbys.first?.bytesBehind ?? 0 > 0)
        #expect(activity.waitsForStandbys.count > 0 && activity.readsFromPrimaryInstead > 0)
        #expect("\(activity)".contains("(synchronous): "))
        try cluster.tell("resume 1")
        try cluster.kill(0)
        try cluster.tell("sync off")
        try cluster.promote(1)
        try save(writer, "c")
        activity = try coordinator.postgreSQLActivity(of: store)
        #expect(activity.failOvers == 1 && activity.standbys == [])
        #expect(activity.server.hasSuffix(":5433/library"))
    }
}
#endif
