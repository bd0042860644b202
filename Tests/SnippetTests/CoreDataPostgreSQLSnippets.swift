#if PostgreSQL
import CoreData
import CoreDataPostgreSQL

// Code of the articles of CoreDataPostgreSQL, and of Documentation.
enum CoreDataPostgreSQLSnippets {
    static func address(container: NSPersistentContainer) {
        // snippet: address of a database
        let url = URL(string: "postgresql://user@host/database")!
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        // snippet end
    }

    static func addressOfServers() -> URL {
        // snippet: address of several servers
        let url = URL(string: "postgresql://app@db1,db2,db3/shop")!  // or host=db1,db2,db3&port=5432,5432,5433
        // snippet end
        return url
    }

    static func listen(coordinator: NSPersistentStoreCoordinator) -> any NSObjectProtocol {
        // snippet: lost transactions
        let center = NotificationCenter.default
        let observer = center.addObserver(
            forName: .NSPostgreSQLTransactionsLost, object: coordinator, queue: nil
        ) { note in
            let lost = note.userInfo?[NSPostgreSQLLostTransactionsKey] as? [PostgreSQLLostTransaction] ?? []
            for transaction in lost {
                print(transaction.date, transaction.author ?? "", transaction.insertedObjectIDs)
            }
        }
        // snippet end
        return observer
    }

    /// Stands for what a program measures and logs with.
    struct Metrics {
        func gauge(_ name: String, _ value: some Numeric) {}
        func info(_ text: String) {}
    }

    static func measure(
        coordinator: NSPersistentStoreCoordinator, store: NSPersistentStore, metrics: Metrics, logger: Metrics
    ) throws {
        // snippet: activity
        let activity = try coordinator.postgreSQLActivity(of: store)
        metrics.gauge("store.connections.busy", activity.busyConnections)
        if let lag = activity.standbys.first?.secondsBehind { metrics.gauge("store.lag", lag) }
        logger.info("\(activity)")
        // snippet end
    }
}
#endif
