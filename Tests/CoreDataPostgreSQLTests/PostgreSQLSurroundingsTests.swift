#if PostgreSQL
    import CoreData
    import Foundation
    import TestSupport
    import Testing

    @testable import CoreDataPostgreSQL

    /// What a server and a database are set to, and what else is in them.
    @Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    struct PostgreSQLSurroundingsTests {
        private let server: PostgreSQLServer
        private let folder: TemporaryFolder

        init() throws {
            server = try PostgreSQLServer.shared.get()
            folder = try TemporaryFolder()
        }

        private var database: String { folder.url.lastPathComponent }

        private func psql(_ statement: String) -> String? { server.psql(database, statement) }

        private func connection() throws -> PostgreSQLConnection {
            try PostgreSQLConnection(#require(PostgreSQLAddress(server.url(ofDatabase: database))))
        }

        @Test("A database in another encoding than UTF8 is refused with the reason")
        func encoding() throws {
            let name = "latin-\(UUID().uuidString.lowercased())"
            try #require(
                server.psql(
                    "postgres", "CREATE DATABASE \"\(name)\" ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'") != nil)
            defer { _ = server.psql("postgres", "DROP DATABASE \"\(name)\" WITH (FORCE)") }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            let error = #expect(throws: NSError.self) {
                try coordinator.addPersistentStore(
                    ofType: NSPostgreSQLStoreType, configurationName: nil, at: server.url(ofMadeDatabase: name))
            }
            #expect(error?.code == NSPersistentStoreOpenError)
            #expect(error?.localizedDescription.contains("LATIN1") == true)
            #expect(server.psql(name, "SELECT count(*) FROM pg_namespace WHERE nspname = 'coredata'") == "0")
        }
    }
#endif
