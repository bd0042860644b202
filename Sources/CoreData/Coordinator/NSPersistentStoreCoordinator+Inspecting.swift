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

    /// Asks a store's database what it says of itself: the extent of its history, the sizes of entities, damage, and
    /// what no save has written.
    ///
    /// An addition to Apple's API. May be called on any thread; nothing is changed. Stores without a database have
    /// nothing to say.
    ///
    /// - Parameters:
    ///   - store: A store of this coordinator.
    ///   - parts: What to look at. Everything but history takes time in proportion to a file's size.
    /// - Throws: An `NSError` where the store is none of this coordinator's, or cannot be read.
    public final func inspect(
        _ store: NSPersistentStore, for parts: StoreInspection.Parts
    ) throws -> StoreInspection {
        try attachedStore(numbered: number(of: store) ?? -1).rows.inspected(for: parts)
    }

    /// Mends what `inspect(_:for:)` has found to be irregular, in one transaction.
    ///
    /// An addition to Apple's API, for tools that repair a store. May be called on any thread. Counters are raised, and
    /// links to rows that are not there go. A text gets the replacement character (U+FFFD) in the place of what is not
    /// UTF-8, and a value that is none of its attribute's becomes nil where the attribute is optional. What has changed
    /// since it was found stays as it is. The history tells nothing of it, derived attributes keep their values, and
    /// contexts have to refresh the objects.
    ///
    /// - Parameters:
    ///   - irregularities: What to mend.
    ///   - store: A store of this coordinator.
    /// - Returns: What cannot be mended: rows of no entity, and values of attributes that need one.
    /// - Throws: An `NSError` where the store is none of this coordinator's, or cannot be written; nothing is mended
    ///   then.
    public final func mend(
        _ irregularities: [StoreIrregularity], in store: NSPersistentStore
    ) throws -> [StoreIrregularity] {
        try attachedStore(numbered: number(of: store) ?? -1).rows.mend(irregularities)
    }
}
