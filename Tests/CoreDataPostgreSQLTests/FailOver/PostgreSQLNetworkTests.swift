#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// The fate of saves on a network that fails, and on servers that do: the table of the article `FailOver`.
@Suite(
    .serialized, .waiting,
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLNetworkTests {
    private let cluster: PostgreSQLCluster
    private let network: PostgreSQLNetwork
    private let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
    private let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)

    init() throws {
        cluster = try PostgreSQLCluster(standbys: 1, isSynchronous: false)
        network = try PostgreSQLNetwork(to: cluster)
        try cluster.make(database: "net")
        try open(coordinator, context, "")
    }

    private func open(
        _ coordinator: NSPersistentStoreCoordinator, _ context: NSManagedObjectContext, _ options: String
    ) throws {
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil,
            at: network.url(ofDatabase: "net", options: options),
            options: [NSPersistentHistoryTrackingKey: true])
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
    }

    private func save(_ name: String) throws {
        try context.performAndWait {
            context.make("Tag", ["name": name])
            try context.save()
        }
    }

    private func names(on server: Int) -> [String] {
        (cluster.psql(server, "net", "SELECT name FROM tag ORDER BY id") ?? "").split(separator: "\n").map(
            String.init)
    }

    /// Saves on another thread. Returns the outcome.
    private func saving(_ name: String) -> Task<String, Never> {
        Task.detached {
            do {
                try self.save(name)
                return "saved"
            } catch let error as NSError {
                return error.userInfo[NSPostgreSQLFailureKey] as? String ?? "\(error)"
            }
        }
    }

    @Test("A URL that names servers and no ports leads to the usual port of each")
    func hostsOfURL() throws {
        let folder = cluster.folder.replacingOccurrences(of: "/", with: "%2F")
        let url = try #require(URL(string: "postgresql://postgres@%2Fnowhere,\(folder)/net") as URL?)
        let other = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let store = try other.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true])
        #expect(store.identifier == coordinator.persistentStores.first?.identifier)
    }

    @Test("A network that drops everything: the save is ended, and takes place where another server takes over")
    func drops() async throws {
        try save("a")
        try cluster.wait(for: 1)
        network.set(0, .silent)
        let saving = saving("b")
        try cluster.kill(0)
        try cluster.promote(1)
        #expect(await saving.value == "saved")
        #expect(names(on: 1) == ["a", "b"])
    }

    @Test("A network that delays: saves take longer")
    func delays() throws {
        network.set(0, .slow(100))
        for name in ["a", "b", "c"] { try save(name) }
        #expect(names(on: 0) == ["a", "b", "c"])
    }

    @Test("A network that cuts, and is there again: the save takes place once")
    func cuts() async throws {
        try save("a")
        for round in 0..<5 {
            let saving = saving("b\(round)")
            network.set(0, .cut)
            network.set(0, .open)
            #expect(await saving.value == "saved")
        }
        #expect(names(on: 0) == ["a"] + (0..<5).map { "b\($0)" })
    }

    @Test("A server's clock is ten minutes ahead, or behind: tokens give the same answer", arguments: [10, -10])
    func clocks(minutes: Int) throws {
        try save("a")
        let shift = "ALTER TABLE coredata.saves ALTER COLUMN time SET DEFAULT now() + interval '\(minutes) minutes'"
        #expect(cluster.psql(0, "net", shift) != nil)
        try save("b")
        try cluster.wait(for: 1)
        try cluster.kill(0)
        try cluster.promote(1)
        let lost = Locked(0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPostgreSQLTransactionsLost, object: coordinator, queue: nil
        ) { _ in lost.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(observer) }
        try save("c")
        #expect(names(on: 1) == ["a", "b", "c"])
        #expect(lost.withLock { $0 } == 0)
    }

    @Test("A server that has no connection left: the save fails and says so, and a later one succeeds")
    func noConnections() throws {
        #expect(cluster.psql(0, "net", "CREATE ROLE app LOGIN SUPERUSER; ALTER ROLE app NOSUPERUSER") != nil)
        #expect(cluster.psql(0, "net", "GRANT postgres TO app; GRANT ALL ON DATABASE net TO app") != nil)
        let other = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let text = network.url(ofDatabase: "net").absoluteString
        let url = try #require(
            URL(string: text.replacingOccurrences(of: "user=postgres", with: "user=app")) as URL?)
        try other.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true])
        context.performAndWait { context.persistentStoreCoordinator = other }
        func save(_ name: String) throws {
            try context.performAndWait {
                context.make("Tag", ["name": name])
                defer { context.reset() }
                try context.save()
            }
        }
        try save("a")
        #expect(cluster.psql(0, "net", "ALTER ROLE app CONNECTION LIMIT 0") != nil)
        let end = "SELECT count(pg_terminate_backend(pid, 20000)) FROM pg_stat_activity WHERE usename = 'app'"
        #expect(cluster.psql(0, "net", end) != nil)
        let error = try #require(throws: NSError.self) { try save("b") }
        #expect(error.userInfo[NSPostgreSQLFailureKey] as? String == PostgreSQLFailure.noConnectionLeft.rawValue)
        #expect(cluster.psql(0, "net", "ALTER ROLE app CONNECTION LIMIT -1") != nil)
        try save("c")
        #expect(names(on: 0) == ["a", "c"])
    }

    @Test(
        "A save that only the old primary had, when a standby is promoted beside it, is reported as lost later")
    func twoPrimaries() throws {
        context.performAndWait { context.retainsRegisteredObjects = true }
        try save("a")
        try cluster.wait(for: 1)
        let told = Locked<[PostgreSQLLostTransaction]>([])
        let isTold = DispatchSemaphore(value: 0)
        let observer = observeLosses(told, isTold)
        defer { NotificationCenter.default.removeObserver(observer) }
        try cluster.promote(1)
        // This process has had no notification of the new primary.
        try save("b")
        #expect(names(on: 0) == ["a", "b"])
        try cluster.kill(0)
        try save("c")
        #expect(names(on: 1) == ["a", "c"])
        #expect(isTold.wait(timeout: .now() + 60) == .success)
        let lost = told.withLock { $0 }
        #expect(lost.count == 1)
        #expect(lost.first?.insertedObjectIDs.count == 1)
        // The context still has the object, and the row is gone: that is a conflict.
        try context.performAndWait {
            let tags = context.registeredObjects.filter { $0.value(forKey: "name") as? String == "b" }
            let tag = try #require(tags.first)
            #expect(tags.count == 1)
            tag.setValue("changed", forKey: "name")
            #expect(throws: NSError.self) { try context.save() }
            context.reset()
        }
        #expect(names(on: 1) == ["a", "c"])
    }

    /// Gathers the transactions that are reported as lost.
    private func observeLosses(
        _ told: Locked<[PostgreSQLLostTransaction]>, _ isTold: DispatchSemaphore
    ) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(
            forName: .NSPostgreSQLTransactionsLost, object: coordinator, queue: nil
        ) { notification in
            let lost = notification.userInfo?[NSPostgreSQLLostTransactionsKey] as? [PostgreSQLLostTransaction]
            told.withLock { $0 += lost ?? [] }
            isTold.signal()
        }
    }

    @Test("A process is notified of each of its saves that is lost, also where those are many")
    func manySaves() throws {
        try save("a")
        try cluster.wait(for: 1)
        try cluster.tell("stall 1")
        let count = 2_100
        for number in 0..<count { try save("\(number)") }
        let told = Locked<[PostgreSQLLostTransaction]>([])
        let isTold = DispatchSemaphore(value: 0)
        let observer = observeLosses(told, isTold)
        defer { NotificationCenter.default.removeObserver(observer) }
        try cluster.kill(0)
        try cluster.promote(1)
        try save("b")
        #expect(names(on: 1) == ["a", "b"])
        #expect(isTold.wait(timeout: .now() + 60) == .success)
        let lost = told.withLock { $0 }
        #expect(lost.count == count)
        #expect(lost.allSatisfy { $0.insertedObjectIDs.count == 1 })
    }

    @Test("A program that only listens is notified of saves on another server, when its own has stopped")
    func listening() throws {
        try save("a")
        let listening = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try listening.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: cluster.url(ofDatabase: "net"),
            options: [
                NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
            ])
        try cluster.wait(for: 1)
        let hasHeard = DispatchSemaphore(value: 0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: listening, queue: nil
        ) { _ in hasHeard.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        try cluster.tell("freeze 0")
        try cluster.promote(1)
        try save("b")
        #expect(names(on: 1) == ["a", "b"])
        #expect(hasHeard.wait(timeout: .now() + 60) == .success)
    }

    @Test("A cancelled wait for a standby counts as unknown, until one has confirmed a later save")
    func cancelledWait() async throws {
        try save("a")
        try cluster.tell("sync on")
        try cluster.tell("freeze 1")
        let saving = saving("b")
        let cancel = """
            SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'
            """
        while cluster.psql(0, "net", cancel) == "0" {}
        try cluster.tell("thaw 1")
        #expect(await saving.value == "saved")
        #expect(names(on: 0) == ["a", "b"])
    }

    @Test("The error is that of an unknown outcome, where no standby confirms in time")
    func neverConfirmed() async throws {
        try save("a")
        try cluster.tell("sync on")
        try cluster.kill(1)
        let saving = saving("b")
        let cancel = """
            SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'
            """
        while cluster.psql(0, "net", cancel) == "0" {}
        #expect(await saving.value == PostgreSQLFailure.commitUnknown.rawValue)
    }
}
#endif
