import CoreData
import Foundation

/// Reads a store's history by parts, so that a long one does not lie in memory.
struct HistoryReader {
    let context: NSManagedObjectContext
    let store: OpenedStore
    /// The transactions that count; nil for all.
    let predicate: NSPredicate?
    private static let part = 200

    /// Hands over the transactions behind a number, in their order, until there are no more or `body` returns false.
    func each(after number: Int64, _ body: (NSPersistentHistoryTransaction) throws -> Bool) throws {
        var number = number
        while true {
            let transactions = try read(after: number, limit: Self.part)
            for transaction in transactions {
                if try !body(transaction) { return }
                number = transaction.transactionNumber
            }
            if transactions.count < Self.part { return }
        }
    }

    /// The number of the newest transaction; 0 where there is none.
    func newest() throws -> Int64 {
        try read(after: 0, limit: 1, isAscending: false).first?.transactionNumber ?? 0
    }

    private func read(after number: Int64, limit: Int, isAscending: Bool = true) throws
        -> [NSPersistentHistoryTransaction]
    {
        guard let fetch = NSPersistentHistoryTransaction.fetchRequest else { return [] }
        let behind = NSPredicate(format: "transactionNumber > %lld", number)
        fetch.predicate = predicate.map { NSCompoundPredicate(andPredicateWithSubpredicates: [behind, $0]) } ?? behind
        fetch.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: isAscending)]
        fetch.fetchLimit = limit
        return try store.reading {
            let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch))
            return (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
        }
    }
}
