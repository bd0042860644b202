import Foundation

extension NSPersistentStoreCoordinator {
    /// Explains how the stores of a fetch would execute it. Stores without statements are left out.
    final func explained(
        _ fetch: StoreFetch, asRows: Bool, in affected: [NSPersistentStore]?, at generation: QueryGeneration?
    ) throws -> [FetchExplanation] {
        let stores = try attachedStores(for: fetch.layout, in: affected)
        var fetch = fetch
        if stores.count > 1 {
            // As in a fetch, the offset and the limit count over the rows of all stores.
            fetch.limit = fetch.limit > 0 ? fetch.offset + fetch.limit : 0
            fetch.offset = 0
        }
        return try stores.compactMap { store in
            try (generation?.views[store.number] ?? store.rows).explained(fetch, asRows: asRows)
        }
    }

    /// Inspects a store's database: history, sizes of entities, damage, and contents that no save wrote.
    ///
    /// Nothing is changed. Any thread may call it. A store without a database gives an empty result.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameters:
    ///   - store: A store of this coordinator.
    ///   - parts: The parts to inspect. All of them but the history take time in proportion to the size of the file.
    /// - Returns: The result of the inspection.
    /// - Throws: `NSPersistentStoreOperationError` (134070) if the store is not one of this coordinator's, and the
    ///   store's error if it cannot be read.
    public final func inspect(
        _ store: NSPersistentStore, for parts: StoreInspection.Parts
    ) throws -> StoreInspection {
        try attachedStore(numbered: number(of: store) ?? -1).rows.inspected(for: parts)
    }

    /// Repairs irregularities that ``inspect(_:for:)`` has found, in one transaction.
    ///
    /// Counters are raised, and links to missing rows are removed. In a text, the replacement character (U+FFFD)
    /// replaces bytes that are not UTF-8. A value that its attribute cannot have becomes nil if the attribute is
    /// optional.
    ///
    /// A value that has changed since the inspection stays as it is. The history records nothing of this, derived
    /// attributes keep their values, and contexts have to refresh the objects. Any thread may call it.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameters:
    ///   - irregularities: The irregularities to repair.
    ///   - store: A store of this coordinator.
    /// - Returns: The irregularities that cannot be repaired: rows of no entity, and values of attributes that need
    ///   one.
    /// - Throws: `NSPersistentStoreOperationError` (134070) if the store is not one of this coordinator's, and the
    ///   store's error if it cannot be written. Nothing is repaired then.
    public final func mend(
        _ irregularities: [StoreIrregularity], in store: NSPersistentStore
    ) throws -> [StoreIrregularity] {
        try attachedStore(numbered: number(of: store) ?? -1).rows.repair(irregularities)
    }
}
