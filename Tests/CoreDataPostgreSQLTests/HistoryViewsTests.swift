#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct HistoryViewsTests {
    /// The history of a store in which another program commits between two readings of it.
    private final class MovingHistory: HistoryStore, @unchecked Sendable {
        private let store: any HistoryStore
        private let commit: () throws -> Void
        private var readings = 0

        init(_ store: any HistoryStore, commit: @escaping () throws -> Void) {
            self.store = store
            self.commit = commit
        }

        var tracksHistory: Bool { store.tracksHistory }
        var lastRecordedTransaction: Int64? { store.lastRecordedTransaction }
        func record(savesIn log: SaveLog) {}
        func lastTransactionNumber() throws -> Int64 { try store.lastTransactionNumber() }
        func transactions(
            _ interval: HistoryInterval, _ body: (HistoryTransactionRecord) throws -> Void
        ) throws {
            try store.transactions(interval, body)
        }
        func changes(_ interval: HistoryInterval, _ body: (HistoryChangeRecord) throws -> Void) throws {
            try store.changes(interval, body)
            readings += 1
            if readings == 1 { try commit() }
        }
        func changeCount(_ interval: HistoryInterval) throws -> Int { try store.changeCount(interval) }
        func deleteHistory(_ interval: HistoryInterval) throws -> Int { try store.deleteHistory(interval) }
        func lostHistory(after number: Int64) throws -> LostHistory? { try store.lostHistory(after: number) }
        func isComplete(after number: Int64) throws -> Bool { try store.isComplete(after: number) }
        func number(ofEntityNamed name: String) -> Int? { store.number(ofEntityNamed: name) }
    }

    @Test("A predicate on changes decides only about the transactions whose changes it has seen")
    func meanwhile() throws {
        let library = try Library(.postgreSQL, options: [NSPersistentHistoryTrackingKey: true])
        let (server, database) = (try PostgreSQLServer.shared.get(), library.database)
        let context = library.context()
        func save() throws {
            try context.performAndWait {
                context.make("Tag")
                try context.save()
            }
            server.awaitHistory(of: database)
        }
        try save()
        let real = try #require(library.coordinator.historyStores(among: nil).first)
        let store = AttachedHistory(
            history: MovingHistory(real.history) { try save() }, identifier: real.identifier, url: real.url)
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "TRANSACTION")
        request.predicate = NSPredicate(format: "NOT (ANY changes.changeType == 0)")
        var reading = HistoryReading(
            context: context, resultType: .transactionsAndChanges, request: request.parameters)
        try reading.read(store, .all, HistoryFilter(request, store))
        let found = try #require(reading.result() as? [NSPersistentHistoryTransaction])
        // Each of both transactions inserts a row.
        #expect(found.map { $0.changes?.count } == [])
        #expect(server.psql(database, "SELECT count(*) FROM coredata.transactions") == "2")
    }
}
#endif
