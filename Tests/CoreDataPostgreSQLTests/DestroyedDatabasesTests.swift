#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct DestroyedDatabasesTests {
    private func destroy(
        _ library: Library, by coordinator: NSPersistentStoreCoordinator? = nil, force: Bool = false
    ) throws {
        let url = try #require(library.kind.url(in: library.folder.url))
        let coordinator = coordinator ?? NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.destroyPersistentStore(
            at: url, ofType: NSPostgreSQLStoreType, options: [NSPersistentStoreForceDestroyOption: force])
    }

    private func save(_ name: String, in context: NSManagedObjectContext) throws {
        try context.performAndWait {
            context.make("Tag", ["name": name])
            try context.save()
        }
    }

    @Test("A store that another program has open is destroyed by force alone, one's own in any case")
    func open() throws {
        let library = try Library(.postgreSQL)
        let context = library.context()
        try save("a", in: context)
        let error = #expect(throws: NSError.self) { try destroy(library) }
        #expect(error?.code == NSPersistentStoreTimeoutError)
        try save("b", in: context)
        #expect(try library.saved("Tag", "name") == ["a", "b"])
        try destroy(library, by: library.coordinator)
        let newer = try Library(.postgreSQL, in: library.folder)
        #expect(try newer.saved("Tag", "name") == [])
        try destroy(newer, force: true)
        let url = try #require(library.kind.url(in: library.folder.url))
        #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSPostgreSQLStoreType, at: url)
        }
    }

    private static let kinds: [StoreKind] =
        PostgreSQLPooler.reasonOfAbsence == nil ? [.postgreSQL, .pooled] : [.postgreSQL]

    @Test(
        "A program that had a store open writes nothing into the one in its place, and reads nothing of it",
        arguments: kinds)
    func madeAnew(kind: StoreKind) throws {
        let library = try Library(kind, options: [NSPersistentHistoryTrackingKey: true])
        let (context, reader, pinned) = (library.context(), library.context(), library.context())
        try save("former", in: context)
        for other in [reader, pinned] {
            try other.performAndWait {
                if other === pinned { try other.setQueryGenerationFrom(.current) }
                #expect(try other.all("Tag").count == 1)
            }
        }
        try destroy(library, force: true)
        let newer = try Library(kind, in: library.folder, options: [NSPersistentHistoryTrackingKey: true])
        let newContext = newer.context()
        try save("newer", in: newContext)
        func expectRefusal(_ body: () throws -> Void) {
            let refusal = #expect(throws: NSError.self) { try body() }
            #expect(
                refusal?.localizedDescription.contains("made in its place") == true,
                "\(refusal.map { "\($0)" } ?? "")")
        }
        for other in [reader, pinned] {
            other.performAndWait {
                other.reset()
                expectRefusal { _ = try other.all("Tag") }
                let count = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                expectRefusal { _ = try other.count(for: count) }
            }
        }
        for _ in 0..<2 { expectRefusal { try save("lost", in: context) } }
        context.performAndWait {
            let rows = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "lost"]])
            expectRefusal { _ = try context.execute(rows) }
            let tags = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Tag"))
            expectRefusal { _ = try context.execute(tags) }
            expectRefusal {
                _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date()))
            }
            expectRefusal {
                _ = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast))
            }
        }
        try save("last", in: newContext)
        #expect(try newer.saved("Tag", "name") == ["last", "newer"])
        let history = try library.psql("SELECT count(*) FROM coredata.transactions")
        #expect(history == "2")
    }

    enum Writing: String, CaseIterable, Sendable {
        case replaced, emptied, rewritten
    }

    @Test(
        "A generation whose tables were made or written anew is one that has ended, and reads no empty tables",
        arguments: Sample.slice(kinds, oneIn: 2), Writing.allCases)
    func generation(kind: StoreKind, writing: Writing) throws {
        let library = try Library(kind)
        let context = library.context()
        try save("former", in: context)
        let pinned = library.context()
        try pinned.performAndWait {
            try pinned.setQueryGenerationFrom(.current)
            #expect(try pinned.all("Tag").count == 1)
            // A statement that changes tables and rewrites none leaves it alone.
            for statement in ["ALTER TABLE tag ADD other integer", "DELETE FROM tag", "VACUUM tag"] {
                #expect(try library.psql(statement) != nil)
            }
            #expect(try pinned.all("Tag").count == 1)
        }
        switch writing {
        case .replaced:
            let source = try Library(.postgreSQL)
            try save("newer", in: source.context())
            let (from, to) = (
                try #require(source.kind.url(in: source.folder.url)), try #require(kind.url(in: library.folder.url))
            )
            let other = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            try other.replacePersistentStore(
                at: to, destinationOptions: [NSPersistentStoreForceDestroyOption: true],
                withPersistentStoreFrom: from, ofType: NSPostgreSQLStoreType)
            #expect(try library.psql("SELECT name FROM tag") == "newer")
        case .emptied: #expect(try library.psql("TRUNCATE tag CASCADE") != nil)
        case .rewritten: #expect(try library.psql("ALTER TABLE tag ALTER name TYPE varchar(99)") != nil)
        }
        try pinned.performAndWait {
            let count = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            for read in [{ try pinned.all("Tag").count }, { try pinned.count(for: count) }] {
                let error = try #require(throws: NSError.self) { try read() }
                #expect(
                    error.userInfo[NSPostgreSQLFailureKey] as? String == PostgreSQLFailure.generationEnded.rawValue,
                    "\(error)")
            }
            if writing == .replaced { return }
            try pinned.setQueryGenerationFrom(nil)
            #expect(try pinned.all("Tag").isEmpty)
        }
    }

    @Test("A read from a destroyed store, with nothing in its place, is an error that says so", arguments: kinds)
    func gone(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try save("former", in: context)
        try destroy(library, force: true)
        try context.performAndWait {
            context.reset()
            let error = try #require(throws: NSError.self) { try context.all("Tag") }
            #expect(error.localizedDescription.contains("holds no Core Data store"), "\(error)")
        }
    }

    @Test("A store whose metadata another program writes can still be read through a pooler")
    func otherMetadata() throws {
        for kind in Self.kinds {
            let library = try Library(kind)
            let context = library.context()
            try save("a", in: context)
            let url = try #require(kind.url(in: library.folder.url))
            for number in 0..<3 {
                try NSPersistentStoreCoordinator.setMetadata(
                    ["number": number], forPersistentStoreOfType: NSPostgreSQLStoreType, at: url)
                let count = try context.performAndWait { try context.all("Tag").count }
                #expect(count == 1)
            }
        }
    }

    @Test("A store whose UUID a program has changed is still the same")
    func renamed() throws {
        let library = try Library(.postgreSQL)
        let context = library.context()
        let other = try library.beside()
        other.store.metadata[NSStoreUUIDKey] = UUID().uuidString
        try save("a", in: other.context())
        try save("b", in: context)
        #expect(try library.saved("Tag", "name") == ["a", "b"])
    }

    @Test("A role that may read and write all rows can neither migrate the store nor destroy it")
    func otherRole() throws {
        let library = try Library(.postgreSQL)
        try save("a", in: library.context())
        let role = "app_\(UUID().uuidString.prefix(8).lowercased())"
        let granted = try library.psql(
            """
            CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA coredata, public TO \(role);
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA coredata, public TO \(role);
            GRANT USAGE ON ALL SEQUENCES IN SCHEMA coredata, public TO \(role);
            """)
        try #require(granted != nil)
        defer { _ = try? library.psql("DROP OWNED BY \(role); DROP ROLE \(role)") }
        try library.coordinator.remove(library.store)
        let address = try PostgreSQLServer.shared.get().url(ofDatabase: library.database).absoluteString
        let url = try #require(URL(string: address.replacingOccurrences(of: "user=postgres", with: "user=\(role)")))
        let newer = LibraryModel.make()
        newer.entitiesByName["Tag"]?.versionHashModifier = "2"
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: newer)
        let migration = try #require(throws: NSError.self) {
            try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true,
                    NSInferMappingModelAutomaticallyOption: true,
                ])
        }
        let destruction = try #require(throws: NSError.self) {
            try coordinator.destroyPersistentStore(
                at: url, ofType: NSPostgreSQLStoreType, options: [NSPersistentStoreTimeoutOption: 60])
        }
        for error in [migration, destruction] {
            let failure = error.userInfo[NSPostgreSQLFailureKey] as? String
            #expect(failure == PostgreSQLFailure.notPermitted.rawValue, "\(error)")
        }
        #expect(try library.saved("Tag", "name") == ["a"])
    }

    @Test("A user whose connection the destroying role may not end reads the store in its place until that ends")
    func unendedConnection() throws {
        let database = try TestDatabase()
        let role = "owner_\(UUID().uuidString.prefix(8).lowercased())"
        let made = "CREATE ROLE \(role) LOGIN; ALTER DATABASE \"\(database.name.lowercased())\" OWNER TO \(role)"
        try #require(database.psql(made) != nil)
        defer {
            _ = database.psql("REASSIGN OWNED BY \(role) TO postgres; DROP OWNED BY \(role); DROP ROLE \(role)")
        }
        let address = database.url.absoluteString.replacingOccurrences(of: "user=postgres", with: "user=\(role)")
        let url = try #require(URL(string: address))
        func make(_ names: String...) throws {
            try withStore(url, LibraryModel.make(), type: NSPostgreSQLStoreType) { context in
                for name in names { context.make("Tag", ["name": name]) }
                try context.save()
            }
        }
        try make("former")
        // No other role may end a superuser's connections.
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: database.url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        func count() throws -> Int {
            try context.performAndWait {
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
            }
        }
        #expect(try count() == 1)
        try NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make()).destroyPersistentStore(
            at: url, ofType: NSPostgreSQLStoreType, options: [NSPersistentStoreForceDestroyOption: true])
        try make("newer", "newest")
        #expect(try count() == 2)
        let end = """
            SELECT bool_and(pg_terminate_backend(pid, 20000)) FROM pg_stat_activity \
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            """
        #expect(database.psql(end) == "t")
        let error = #expect(throws: NSError.self) { try count() }
        #expect(error?.localizedDescription.contains("made in its place") == true, "\(error as Any)")
    }
}
#endif
