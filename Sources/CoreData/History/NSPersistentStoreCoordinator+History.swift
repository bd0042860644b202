import Foundation

extension NSPersistentStoreCoordinator {
    /// Does the work of `currentPersistentHistoryToken(fromStores:)` unless a subclass overrides it.
    final func _currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        var numbers: [String: Int64] = [:]
        for store in historyStores(among: stores?.compactMap { $0 as? NSPersistentStore })
        where store.history.tracksHistory {
            // A store that cannot be read now is left out of the token.
            if let number = try? store.history.lastTransactionNumber() { numbers[store.identifier] = number }
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers: numbers)
    }

    /// The token that a did-save notification has under `newChangeToken`; nil if no store keeps history.
    final var savedHistoryToken: NSPersistentHistoryToken? {
        var numbers: [String: Int64] = [:]
        for store in historyStores(among: nil) where store.history.tracksHistory {
            numbers[store.identifier] = store.history.lastRecordedTransaction
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers: numbers)
    }

    /// The stores among the given ones (nil or none: all) that can have history.
    final func historyStores(among stores: [NSPersistentStore]?) -> [AttachedHistory] {
        lock.withLock { attached }.compactMap { candidate in
            if let stores, !stores.isEmpty, !stores.contains(where: { $0 === candidate.store }) { return nil }
            return candidate.rows.history.map {
                AttachedHistory(history: $0, identifier: candidate.store.identifier ?? "", url: candidate.store.url)
            }
        }
    }
}
