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

        @Test("A store that somebody else has open is destroyed by force alone, one's own in any case")
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

        @Test("Who had a store open writes nothing into the one that was made in its place, and reads nothing of it")
        func madeAnew() throws {
            let library = try Library(.postgreSQL)
            let context = library.context()
            try save("former", in: context)
            try destroy(library, force: true)
            let newer = try Library(.postgreSQL, in: library.folder)
            let newContext = newer.context()
            try save("newer", in: newContext)
            let refusal = #expect(throws: NSError.self) { try save("lost", in: context) }
            #expect(refusal?.localizedDescription.contains("made in its place") == true)
            #expect(try newer.saved("Tag", "name") == ["newer"])
            // With connections that are made anew, too.
            _ = try PostgreSQLServer.shared.get().psql(
                library.folder.url.lastPathComponent,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    + "WHERE datname = current_database() AND pid <> pg_backend_pid()")
            // A pooler's connections are made anew where nobody sees it.
            if StoreKind.asked != .pooled {
                context.performAndWait {
                    context.reset()
                    #expect(throws: NSError.self) { try context.all("Tag") }
                }
            }
            #expect(throws: NSError.self) { try save("lost", in: context) }
            try save("last", in: newContext)
            #expect(try newer.saved("Tag", "name") == ["last", "newer"])
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
    }
#endif
