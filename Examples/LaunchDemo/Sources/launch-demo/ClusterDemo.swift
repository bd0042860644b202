#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation

/// Three servers, many processes: the primary is killed while they count, and a store is migrated while two
/// versions of a program work on it.
struct ClusterDemo {
    let tickets: Int
    /// How often each process counts.
    let times: Int

    private static let counters = 8

    func run() throws {
        guard let program = ProcessInfo.processInfo.environment["OPENCOREDATA_CLUSTER"] else {
            throw DemoFailure("bin/demo postgresql says where the program is that starts servers")
        }
        print("\n3. A primary server with two standbys. Commits wait until a standby has them.")
        let cluster = try Cluster(program)
        try count(cluster)
        try migrate(cluster)
    }

    // MARK: Counting

    private func count(_ cluster: Cluster) throws {
        try cluster.tell("psql 0 CREATE DATABASE counting")
        let address = cluster.url(ofDatabase: "counting")
        let url = URL(ofStore: address)
        print("   \(Self.counters) processes count one number in one row up, \(times) times each.")
        _ = try LaunchedChild(["make-counter", address, "0"]).run()
        let (expected, times) = (Self.counters * times, times)
        var isKilled = false
        var failure: (any Error)?
        _ = try LaunchedChild.together(
            Self.counters, { _ in try LaunchedChild(["count", address, "\(times)"]).run() }
        ) {
            guard !isKilled, let counted = try? Counter(store: url).value(), counted > expected / 3 else { return }
            isKilled = true
            do {
                try cluster.tell("kill 0")
                print("   The primary is killed with \(counted) counted.")
                let primary = try cluster.tell("promote")
                let start = DispatchTime.now()
                _ = try Counter(store: url).value()
                print(
                    "   Server \(primary) is promoted; it answers \(ChildLaunches.seconds(since: start).seconds) s later."
                )
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        let found = try Counter(store: url).value()
        guard isKilled else { throw DemoFailure("the processes were through before the primary was killed") }
        guard found == expected else { throw DemoFailure("the row says \(found) instead of \(expected)") }
        print(
            "   \(Self.counters) × \(times) = \(expected), and the row says \(found): nothing lost, nothing twice")
    }

    // MARK: Two versions

    private func migrate(_ cluster: Cluster) throws {
        print("\n4. A store with \(tickets) tickets is migrated while programs of both versions work on it.")
        let primary = try cluster.tell("primary")
        try cluster.tell("psql \(primary) CREATE DATABASE tickets")
        let address = cluster.url(ofDatabase: "tickets")
        let url = URL(ofStore: address)
        let stop = FileManager.default.temporaryDirectory.appendingPathComponent(
            "opencoredata-demo-\(getpid()).stop")
        defer { try? FileManager.default.removeItem(at: stop) }
        _ = try LaunchedChild(["fill-tickets", address, "\(tickets)"]).run()
        print("   A ticket becomes an issue, a title a summary; votes get 64 bits; a state must not be empty.")
        // Two of the older version, and two of the newer one, of which the first that comes migrates the store.
        let work = [["older"], ["older"], ["migrate-tickets", "newer"], ["newer"]]
        let isMigrated = Held(false)
        _ = try LaunchedChild.together(work.count) { number in
            var outcome = LaunchedChild.Outcome()
            for role in work[number] {
                outcome = try LaunchedChild([role, address, stop.path]).run()
                if role == "migrate-tickets" { isMigrated.value = true }
            }
            return outcome
        } meanwhile: {
            // Both versions work beside each other for a while.
            guard isMigrated.value, !FileManager.default.fileExists(atPath: stop.path) else { return }
            Thread.sleep(forTimeInterval: 2)
            try? Data().write(to: stop)
        }
        guard try NSPersistentStoreCoordinator.endOlderPostgreSQLVersions(at: url) else {
            throw DemoFailure("somebody still uses the older version")
        }
        print("   The last program of the older version has gone, and so has what only that needed.")
    }
}

/// A value that is shared between threads.
private final class Held<Value>: @unchecked Sendable {  // used under the lock
    private let lock = NSLock()
    private var held: Value

    init(_ value: Value) { held = value }

    var value: Value {
        get { lock.withLock { held } }
        set { lock.withLock { held = newValue } }
    }
}
#endif
