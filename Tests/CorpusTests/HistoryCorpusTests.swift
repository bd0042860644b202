import CoreData
import Foundation
import TestSupport
import Testing

/// The history of real stores is read, and goes on when they are changed.
@Suite(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct HistoryCorpusTests {
    private static let stores = CorpusStore.all.filter { store in
        (try? store.withCopy { try RawDatabase($0).tables.contains("ACHANGE") }) ?? false
    }

    private func history(
        _ context: NSManagedObjectContext, after token: NSPersistentHistoryToken? = nil
    ) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
        return try #require(result.result as? [NSPersistentHistoryTransaction])
    }

    @Test("transactions and changes are what the tables hold, with names, properties and values of deleted rows")
    func reads() throws {
        #expect(!Self.stores.isEmpty)
        for store in Self.stores {
            try store.withCopy { url in
                let raw = try RawDatabase(url)
                let context = try CorpusStore.open(url, store.model)
                try context.performAndWait {
                    let found = try history(context)
                    let changes = found.flatMap { $0.changes ?? [] }
                    let numbers = "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT < 16000"
                    let known = try raw.integer("SELECT count(*) FROM ACHANGE WHERE ZENTITY IN (\(numbers))")
                    #expect(Int64(changes.count) == known, "\(store.path)")
                    #expect(
                        Int64(found.count) == (try raw.integer("SELECT count(*) FROM ATRANSACTION")), "\(store.path)")
                    #expect(found.allSatisfy { !$0.processID.isEmpty && !$0.bundleID.isEmpty }, "\(store.path)")
                    #expect(found.map(\.transactionNumber) == found.map(\.transactionNumber).sorted())
                    let set = try raw.integer(
                        "SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 1 AND ltrim(hex(ZCOLUMNS), '0') <> ''")
                    #expect(
                        Int64(changes.filter { $0.updatedProperties?.isEmpty == false }.count) == set, "\(store.path)")
                    if raw.tables.contains("ACHANGE"),
                        let columns = try? raw.integer("SELECT count(*) FROM ACHANGE WHERE ZTOMBSTONE0 IS NOT NULL")
                    {
                        #expect(Int64(changes.filter { $0.tombstone != nil }.count) >= columns, "\(store.path)")
                    }
                    print("Corpus: \(store.path): \(found.count) transactions, \(changes.count) changes")
                }
            }
        }
    }

    @Test("history goes on when a real store is changed, also in the layout of 2017")
    func goesOn() throws {
        for store in Self.stores {
            try store.withCopy { url in
                let context = try CorpusStore.open(url, store.model, options: [NSPersistentHistoryTrackingKey: true])
                let coordinator = try #require(context.persistentStoreCoordinator)
                let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
                try context.performAndWait {
                    let count = try history(context).count
                    context.transactionAuthor = "test"
                    var changes = StoreChanges(context: context, model: store.model)
                    try changes.insert()
                    let new = try history(context, after: token)
                    #expect(try history(context).count == count + new.count)
                    #expect(new.allSatisfy { $0.author == "test" }, "\(store.path)")
                    let ids = Set(
                        new.flatMap { $0.changes ?? [] }.filter { $0.changeType == .insert }.map(\.changedObjectID))
                    #expect(!changes.inserted.isEmpty)
                    #expect(changes.inserted.allSatisfy { ids.contains($0.objectID) }, "\(store.path)")
                }
            }
        }
    }
}
