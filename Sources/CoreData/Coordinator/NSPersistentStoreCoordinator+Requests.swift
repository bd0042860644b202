import Foundation

extension NSPersistentStoreCoordinator {
    /// Does the work of `execute(_:with:)` unless a subclass overrides it.
    @discardableResult
    final func _execute(
        _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext
    ) throws -> Any {
        try request.output(in: context)
    }

    /// The store that takes a batch of new rows: the first of the affected ones (nil: of all) that holds the entity.
    final func batchStore(
        forNew layout: EntityLayout, in affected: [NSPersistentStore]?, _ request: NSPersistentStoreRequest
    ) throws -> any BatchStore {
        if let affected {
            if let first = try attachedStores(for: layout, in: affected).first { return try batchStore(first, request) }
            // The rows must not be written to a store that the request does not name.
            throw NSError.coreData(
                NSPersistentStoreSaveError,
                reason: "None of the affectedStores of the batch takes objects of the entity '\(layout.name)'",
                userInfo: [NSAffectedStoresErrorKey: affected])
        }
        let number = try storeNumber(forNew: layout)
        return try batchStore(lock.withLock { attached.first { $0.number == number } }, request)
    }

    /// The stores of the affected ones (nil: of all) that hold an entity, in the order in which they are written.
    final func batchStores(
        holding layout: EntityLayout, in affected: [NSPersistentStore]?, _ request: NSPersistentStoreRequest
    ) throws -> [any BatchStore] {
        let stores = try attachedStores(for: layout, in: affected).map { try batchStore($0, request) }
        let order = savingOrder(of: stores.map(\.storeNumber))
        return order.compactMap { number in stores.first { $0.storeNumber == number } }
    }

    private func batchStore(
        _ store: AttachedStore?, _ request: NSPersistentStoreRequest
    ) throws -> any BatchStore {
        if let batches = store?.rows.batches { return batches }
        throw NSError.coreData(
            NSPersistentStoreUnsupportedRequestTypeError,
            reason: "Unknown command type \(type(of: request)): a store of the type "
                + "'\(store?.store.type ?? "")' does not take it",
            url: store?.store.url)
    }
}
