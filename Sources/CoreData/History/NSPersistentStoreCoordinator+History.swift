import Foundation

extension NSPersistentStoreCoordinator {
    /// What `currentPersistentHistoryToken(fromStores:)` does unless a subclass overrides it.
    final func plainCurrentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        var numbers: [String: Int64] = [:]
        for store in historyStores(among: stores?.compactMap { $0 as? NSPersistentStore })
        where store.history.tracksHistory {
            // A store that cannot be read now has no token to give.
            if let number = try? store.history.lastTransactionNumber() { numbers[store.identifier] = number }
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers: numbers)
    }

    /// What a did-save notification says of history under `newChangeToken`; nil where no store keeps any.
    final var savedHistoryToken: NSPersistentHistoryToken? {
        var numbers: [String: Int64] = [:]
        for store in historyStores(among: nil) where store.history.tracksHistory {
            numbers[store.identifier] = store.history.lastRecordedTransaction
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers: numbers)
    }

    /// The stores among some (nil or none: all) that can have history.
    final func historyStores(among stores: [NSPersistentStore]?) -> [AttachedHistory] {
        lock.withLock { attached }.compactMap { candidate in
            if let stores, !stores.isEmpty, !stores.contains(where: { $0 === candidate.store }) { return nil }
            return candidate.rows.history.map {
                AttachedHistory(history: $0, identifier: candidate.store.identifier ?? "", url: candidate.store.url)
            }
        }
    }
}
