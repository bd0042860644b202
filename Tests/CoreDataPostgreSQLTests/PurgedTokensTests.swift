#if PostgreSQL
    import CoreData
    import Foundation
    import TestSupport
    import Testing

    @testable import CoreDataPostgreSQL

    @Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    struct PurgedTokensTests {
        @Test("A store that stays open removes the tokens of the day before, once an hour behind a save")
        func hourly() throws {
            let library = try Library(.postgreSQL)
            let (server, database) = (try PostgreSQLServer.shared.get(), library.database)
            let store = try #require(library.store as? SQLStore)
            let context = library.context()
            func save() throws {
                try context.performAndWait {
                    context.make("Tag")
                    try context.save()
                }
            }
            func tokens() -> String? { server.psql(database, "SELECT count(*) FROM coredata.saves") }
            #expect(
                server.psql(
                    database, "INSERT INTO coredata.saves SELECT gen_random_uuid(), now() - interval '25 hours'")
                    == "INSERT 0 1")
            try save()
            #expect(tokens() == "2")
            try store.writing { connection in
                let connection = try #require(connection as? PostgreSQLConnection)
                connection.lastPurge -= .seconds(3_700)
            }
            // That was the end of a piece of work, too.
            #expect(tokens() == "1")
            try save()
            #expect(tokens() == "2")
        }
    }
#endif
