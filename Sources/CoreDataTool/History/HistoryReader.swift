import CoreData
import Foundation

/// Reads a store's history in parts, so that a long one is not in memory as a whole.
struct HistoryReader {
    let context: NSManagedObjectContext
    let store: ResolvedStore
    /// The transactions that count; nil for all.
    let predicate: NSPredicate?
    private static let part = 200

    /// Passes on the transactions after a number, in their order, until there are no more or `body` returns false.
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

    /// The newest transactions before a number, the newest first. With an id only those that changed this object.
    func latest(before number: Int64, limit: Int, of id: NSManagedObjectID?) throws -> [NSPersistentHistoryTransaction]
    {
        var found: [NSPersistentHistoryTransaction] = []
        var number = number
        while found.count < limit {
            // Without an id, no more transactions are read than the limit needs.
            let size = id == nil ? limit - found.count : Self.part
            let part = try read(
                NSPredicate(format: "transactionNumber < %lld", number), limit: size, isAscending: false)
            for transaction in part {
                number = transaction.transactionNumber
                let isMeant = id == nil || (transaction.changes ?? []).contains { $0.changedObjectID == id }
                if isMeant { found.append(transaction) }
                if found.count == limit { break }
            }
            if part.count < size { break }
        }
        return found
    }

    /// The number of the newest transaction; 0 if there is none.
    func newest() throws -> Int64 {
        try read(after: 0, limit: 1, isAscending: false).first?.transactionNumber ?? 0
    }

    private func read(after number: Int64, limit: Int, isAscending: Bool = true) throws
        -> [NSPersistentHistoryTransaction]
    {
        try read(NSPredicate(format: "transactionNumber > %lld", number), limit: limit, isAscending: isAscending)
    }

    private func read(_ part: NSPredicate, limit: Int, isAscending: Bool) throws -> [NSPersistentHistoryTransaction] {
        guard let fetch = NSPersistentHistoryTransaction.fetchRequest else { return [] }
        fetch.predicate = predicate.map { NSCompoundPredicate(andPredicateWithSubpredicates: [part, $0]) } ?? part
        fetch.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: isAscending)]
        fetch.fetchLimit = limit
        return try store.reading {
            let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch))
            return (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
        }
    }
}
