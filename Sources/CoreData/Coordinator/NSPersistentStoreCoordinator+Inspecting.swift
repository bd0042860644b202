import Foundation

extension NSPersistentStoreCoordinator {
    /// What the stores that a fetch concerns would do for it; without those that have no statements.
    final func explained(
        _ fetch: StoreFetch, asRows: Bool, in affected: [NSPersistentStore]?, at generation: QueryGeneration?
    ) throws -> [FetchExplanation] {
        let stores = try attachedStores(for: fetch.layout, in: affected)
        var fetch = fetch
        if stores.count > 1 {
            // As with fetches: the offset and the limit count over all.
            fetch.limit = fetch.limit > 0 ? fetch.offset + fetch.limit : 0
            fetch.offset = 0
        }
        return try stores.compactMap { store in
            try (generation?.views[store.number] ?? store.rows).explained(fetch, asRows: asRows)
        }
    }

    /// Asks a store's database what it says of itself: the extent of its history, the sizes of entities, damage.
    ///
    /// An addition to Apple's API. May be called on any thread; nothing is changed. Stores without a database have
    /// nothing to say.
    ///
    /// - Parameters:
    ///   - store: A store of this coordinator.
    ///   - parts: What to look at. Sizes and damage take time in proportion to a file's size.
    /// - Throws: An `NSError` where the store is none of this coordinator's, or cannot be read.
    public final func inspect(
        _ store: NSPersistentStore, for parts: StoreInspection.Parts
    ) throws -> StoreInspection {
        try attachedStore(numbered: number(of: store) ?? -1).rows.inspected(for: parts)
    }
}
