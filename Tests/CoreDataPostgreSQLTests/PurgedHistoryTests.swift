#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PurgedHistoryTests {
    private static let type = NSPostgreSQLStoreType
    private static var tracking: [AnyHashable: Any] {
        [
            NSPersistentHistoryTrackingKey: true, NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true,
        ]
    }

    private func token(_ context: NSManagedObjectContext) throws -> NSPersistentHistoryToken {
        try #require(context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil))
    }

    private func save(_ room: String, _ context: NSManagedObjectContext) throws {
        context.make("Shelf", ["room": room])
        try context.save()
    }

    private func expectExpired(
        _ token: NSPersistentHistoryToken, _ context: NSManagedObjectContext,
        location: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: NSError.self, sourceLocation: location) {
            try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        }
        #expect(error?.code == NSPersistentHistoryTokenExpiredError, sourceLocation: location)
    }

    @Test("Tokens from before a migration by a mapping model expire with the history, and later ones as ever")
    func mapped() throws {
        try withTemporaryFolder { folder in
            let (server, database) = (try PostgreSQLServer.shared.get(), folder.lastPathComponent)
            let url = try #require(StoreKind.postgreSQL.url(in: folder))
            try DepotModels.fill(url, DepotModels.versions[1], items: 20, type: Self.type)
            let old = try withStore(url, DepotModels.model(1), type: Self.type, options: Self.tracking) { context in
                try save("a", context)
                server.awaitHistory(of: database)
                let token = try token(context)
                try save("b", context)
                return token
            }
            let options = Self.tracking.merging([NSMigrationMappingModelOption: DepotModels.mapping()]) { $1 }
            try withStore(url, DepotModels.model(2), type: Self.type, options: options) { context in
                expectExpired(old, context)
                try save("c", context)
                server.awaitHistory(of: database)
                let newer = try token(context)
                try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: newer))
                try save("d", context)
                server.awaitHistory(of: database)
                try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture))
                expectExpired(newer, context)
            }
        }
    }

    @Test("Tokens of a store that another one was put in the place of expire when history is deleted")
    func replaced() throws {
        let (library, source) = (
            try Library(.postgreSQL, options: Self.tracking), try Library(.postgreSQL, options: Self.tracking)
        )
        let url = try #require(StoreKind.postgreSQL.url(in: library.folder.url))
        try library.coordinator.replacePersistentStore(
            at: url, withPersistentStoreFrom: try #require(StoreKind.postgreSQL.url(in: source.folder.url)),
            ofType: Self.type)
        let copy = try Library(.postgreSQL, in: library.folder, options: Self.tracking)
        let (server, database) = (try PostgreSQLServer.shared.get(), library.database)
        let context = copy.context()
        try context.performAndWait {
            context.make("Tag")
            try context.save()
            server.awaitHistory(of: database)
            let token = try token(context)
            context.make("Tag")
            try context.save()
            server.awaitHistory(of: database)
            try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture))
            expectExpired(token, context)
        }
    }
}
#endif
