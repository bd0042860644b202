#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLFailureTests {
    private func save(_ name: String, in context: NSManagedObjectContext) throws {
        try context.performAndWait {
            context.make("Tag", ["name": name])
            try context.save()
        }
    }

    private func failure(_ error: NSError) -> String? { error.userInfo[NSPostgreSQLFailureKey] as? String }

    @Test(
        "A database that is only read refuses a save with an error that says so, and takes it when it is not any more"
    )
    func readOnlyDatabase() throws {
        let library = try Library(.postgreSQL)
        let context = library.context()
        try save("a", in: context)
        let server = try PostgreSQLServer.shared.get()
        let database = library.database
        func set(_ value: String) {
            _ = server.psql(
                database, "ALTER DATABASE \"\(database.lowercased())\" SET default_transaction_read_only = \(value)"
            )
            _ = server.psql(
                database,
                "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity "
                    + "WHERE datname = current_database() AND pid <> pg_backend_pid()")
        }
        set("on")
        let error = try #require(throws: NSError.self) { try save("b", in: context) }
        #expect(failure(error) == PostgreSQLFailure.readOnly.rawValue)
        #expect(error.code == NSPersistentStoreSaveError)
        _ = server.psql(
            "postgres", "ALTER DATABASE \"\(database.lowercased())\" RESET default_transaction_read_only")
        set("off")
        try context.performAndWait { try context.save() }
        #expect(try library.saved("Tag", "name") == ["a", "b"])
    }

    @Test("The framework and programs know one list of failures")
    func values() {
        #expect(PostgreSQLFailure.allCases.map(\.rawValue) == ServerFailure.allCases.map(\.rawValue))
        #expect(NSPostgreSQLFailureKey == ServerFailure.userInfoKey)
    }

    @Test("A missing right of the role is a failure of its own")
    func missingRights() throws {
        let role = "r\(UUID().uuidString.prefix(8).lowercased())"
        let library = try Library(.postgreSQL)
        try #require(
            try library.psql(
                "CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA coredata TO \(role); "
                    + "GRANT SELECT ON ALL TABLES IN SCHEMA coredata, public TO \(role)") != nil)
        defer { _ = try? library.psql("DROP OWNED BY \(role); DROP ROLE \(role)") }
        var components = try #require(
            URLComponents(
                url: PostgreSQLServer.shared.get().url(ofDatabase: library.database), resolvingAgainstBaseURL: false
            ))
        components.queryItems?.removeAll { $0.name == "user" }
        components.queryItems?.append(URLQueryItem(name: "user", value: role))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let url = try #require(components.url)
        let error = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(ofType: NSPostgreSQLStoreType, configurationName: nil, at: url)
        }
        #expect(
            error.flatMap(failure) == PostgreSQLFailure.notPermitted.rawValue,
            "\(error?.localizedDescription ?? "")")
    }

    @Test(
        "A full disk of the server is an error that says so; nothing of the save is there; a later one succeeds",
        .enabled(if: SmallDisk.obstacle == nil, "\(SmallDisk.obstacle ?? "")"))
    func fullDisk() throws {
        // A server of this test's own: with a full disk no server makes checkpoints, which other tests need to drop
        // a database.
        let server = try PostgreSQLServer.ownServer()
        let disk = try SmallDisk(kilobytes: 40_960)
        let folder = disk.url.appendingPathComponent("space")
        try server.makeFolder(folder)
        let name = "full\(UUID().uuidString.prefix(8).lowercased())"
        _ = server.psql("postgres", "CREATE TABLESPACE \(name) LOCATION '\(folder.path)'")
        _ = server.psql("postgres", "CREATE DATABASE \(name) TABLESPACE \(name)")
        defer {
            _ = server.psql("postgres", "DROP DATABASE \(name) WITH (FORCE)")
            _ = server.psql("postgres", "DROP TABLESPACE \(name)")
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: server.url(ofMadeDatabase: name))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        try save("a", in: context)
        try disk.fill(leaving: 256)
        var generator = SystemRandomNumberGenerator()
        let noise = Data((0..<3_000_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        try context.performAndWait {
            context.make("Book", ["title": "large", "cover": noise])
            let error = try #require(throws: NSError.self) { try context.save() }
            #expect(failure(error) == PostgreSQLFailure.diskFull.rawValue, "\(error)")
            try disk.empty()
            try context.save()
            context.reset()
            #expect(try context.all("Book").first?.value(forKey: "cover") as? Data == noise)
        }
    }

    @Test(
        "A full disk of the server's log is an error; nothing of the save is there, and later it is saved once",
        .enabled(if: SmallDisk.obstacle == nil, "\(SmallDisk.obstacle ?? "")"))
    func fullLog() throws {
        let disk = try SmallDisk(kilobytes: 65_536)
        let server = try PostgreSQLServer.ownServer(logIn: disk.url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: server.url(ofDatabase: "logged"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        try save("a", in: context)
        try disk.fill(leaving: 0)
        // More than what is left of the files of 16 MB that are there already.
        let source = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        let noise = (0..<10).map { _ in source.readData(ofLength: 4_000_000) }
        try context.performAndWait {
            for (number, data) in noise.enumerated() {
                context.make("Book", ["title": "large \(number)", "cover": data])
            }
            // The server ends itself where it cannot write its log. The program finds out only that the connection
            // is lost.
            let error = try #require(throws: NSError.self) { try context.save() }
            let expected: [PostgreSQLFailure] = [.connectionLost, .unreachable, .commitUnknown, .diskFull]
            #expect(expected.contains { failure(error) == $0.rawValue }, "\(error)")
            try disk.empty()
            server.restart()
            #expect(server.psql("logged", "SELECT count(*) FROM book") == "0")
            try context.save()
            context.reset()
            let books = try context.all("Book")
            #expect(books.count == 10)
            let covers = books.compactMap { $0.value(forKey: "cover") as? Data }
            #expect(Set(covers) == Set(noise))
            #expect(try context.all("Tag").count == 1)
        }
    }

    enum Work: String, CaseIterable, Sendable {
        case fetch, save, batch

        func run(in context: NSManagedObjectContext) throws {
            switch self {
            case .fetch: _ = try context.all("Tag")
            case .save: try context.save()
            case .batch:
                let request = NSBatchInsertRequest(
                    entityName: "Tag", objects: (0..<5_000).map { ["name": "batch \($0)"] })
                try context.execute(request)
            }
        }

        /// How many tags there are behind it, of one and of one that the context has made.
        var tags: Int { self == .fetch ? 1 : self == .save ? 2 : 5_001 }
    }

    @Test(
        "A cancellation by an administrator is an error that says so, and has done nothing; the context stays usable",
        arguments: Work.allCases)
    func cancelled(work: Work) throws {
        let library = try Library(.postgreSQL)
        try save("a", in: library.context())
        let context = library.context()
        let server = try PostgreSQLServer.shared.get()
        let database = library.database
        let url = try #require(StoreKind.postgreSQL.url(in: library.folder.url))
        let holder = try PostgreSQLConnection(#require(PostgreSQLAddress(url)))
        try holder.execute("BEGIN; LOCK TABLE tag")
        let outcome = Locked<NSError?>(nil)
        let end = DispatchSemaphore(value: 0)
        context.perform {
            if work == .save { context.make("Tag", ["name": "b"]) }
            do { try work.run(in: context) } catch { outcome.withLock { $0 = error as NSError } }
            end.signal()
        }
        server.cancelWhoeverWaits(in: database)
        end.wait()
        let error = try #require(outcome.withLock { $0 })
        #expect(failure(error) == PostgreSQLFailure.cancelled.rawValue, "\(error)")
        holder.rollback()
        #expect(server.psql(database, "SELECT count(*) FROM tag") == "1")
        try context.performAndWait {
            try work.run(in: context)
            context.reset()
            let count = try context.all("Tag").count
            #expect(count == work.tags)
        }
    }

    @Test("A server that is older than the oldest that works is refused, and the error names both")
    func oldServer() throws {
        let server = try PostgreSQLServer.shared.get()
        let folder = try TemporaryFolder()
        func open(_ version: String) throws {
            let proxy = try PostgreSQLProxy(server, version: version)
            try withStore(
                proxy.url(ofDatabase: folder.url.lastPathComponent), LibraryModel.make(),
                type: NSPostgreSQLStoreType
            ) { _ in }
            withExtendedLifetime(proxy) {}
        }
        let error = #expect(throws: NSError.self) { try open("13") }
        #expect(error?.localizedDescription.contains("The server is PostgreSQL 13.") == true)
        #expect(error?.localizedDescription.contains("the oldest that works is 14") == true)
        try open("14")
    }

    @Test("A program that opens a store under migration, and does not wait, gets an error that says so")
    func migrated() throws {
        let library = try Library(.postgreSQL)
        let metadata = try #require(library.store.metadata)
        try library.coordinator.remove(library.store)
        let url = try #require(StoreKind.postgreSQL.url(in: library.folder.url))
        let migrator = try PostgreSQLConnection(#require(PostgreSQLAddress(url)))
        let lock = PostgreSQLConnection.versionLock(of: metadata)
        try migrator.takeAlone(version: lock, timeout: 20, nil)
        let error = try #require(throws: NSError.self) {
            try Library(.postgreSQL, in: library.folder, options: [NSPersistentStoreTimeoutOption: 0.1])
        }
        #expect(error.code == NSPersistentStoreTimeoutError)
        #expect(failure(error) == PostgreSQLFailure.migratedByAnother.rawValue)
        _ = try migrator.texts("SELECT pg_advisory_unlock($1)", ["\(lock)"])
        _ = try library.beside()
    }
}
#endif
