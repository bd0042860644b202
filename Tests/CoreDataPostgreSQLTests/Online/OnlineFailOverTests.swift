#if PostgreSQL
    import CoreData
    import CoreDataPostgreSQL
    import Foundation
    import TestSupport
    import Testing

    /// A migration beside others whose primary server dies.
    @Suite(
        .serialized, .waiting,
        .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    struct OnlineFailOverTests {
        private static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil
        private static let rows = isLong ? 1_000_000 : 20_000

        @Test(
            "The primary dies while rows are migrated: programs of both versions see no error, and another one ends it")
        func migrating() throws {
            let cluster = try PostgreSQLCluster(isSynchronous: true)
            try cluster.make(database: "online")
            let url = cluster.url(ofDatabase: "online")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(OnlineModels.older))
            let made = try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
                options: [NSPersistentHistoryTrackingKey: true, NSPostgreSQLOnlineMigrationOption: true])
            try coordinator.remove(made)
            let filled = cluster.psql(
                0, "online",
                "SET session_replication_role = replica; INSERT INTO item (entity, version, name, count) "
                    + "SELECT 'Item', 1, 'row ' || n, n % 100 FROM generate_series(1, \(Self.rows)) n")
            #expect(filled != nil)
            let folder = try TemporaryFolder()
            var workers = OnlineWorkers(url, endingIn: folder.url)
            for number in 0..<2 { try workers.start(OnlineModels.older, "Item,name,count", "older\(number)") }
            let arguments = [url.absoluteString, "migrate", OnlineModels.older, OnlineModels.newer]
            let migrator = try ChildProgram("postgresql-child", arguments)
            // It is in the middle when the first slice is done.
            while cluster.psql(0, "online", "SELECT count(*) > 0 FROM coredata.moves") != "t" {}
            try cluster.kill(0)
            let primary = try cluster.promote()
            // The migrator continues on the other server, or fails and is started again.
            if migrator.wait().output != "served\n" {
                #expect(try ChildProgram("postgresql-child", arguments).wait().output == "served\n")
            }
            for number in 0..<2 { try workers.start(OnlineModels.newer, "Thing,label,total", "newer\(number)") }
            let result = try workers.end()
            #expect(result.complaints.isEmpty, "\(result.complaints)")
            #expect(result.rounds.count == 4 && result.rounds.allSatisfy { $0 > 0 })
            let wrong = "SELECT count(*) FROM item WHERE note IS NULL OR total IS DISTINCT FROM count"
            #expect(cluster.psql(primary, "online", wrong) == "0")
            print("longest save over the fail-over: \(result.longest) ms")
            #expect(cluster.psql(primary, "online", "UPDATE coredata.leases SET until = now()") != nil)
            #expect(try NSPersistentStoreCoordinator.endOlderPostgreSQLVersions(at: url))
        }
    }
#endif
