import Foundation

// Passes requests to the stores that programs write, which get objects and contexts.
extension NSPersistentStoreCoordinator {
    /// The numbers of the stores that programs wrote.
    final var objectStoreNumbers: Set<Int> {
        lock.withLock { Set(attached.filter { $0.objects != nil }.map(\.number)) }
    }

    /// Whether a fetch is to be answered with keys, because one of its stores reads values object by object.
    final func answersWithKeys(_ layout: EntityLayout, in affected: [NSPersistentStore]?) -> Bool {
        guard hasObjectStores, let stores = try? attachedStores(for: layout, in: affected) else { return false }
        return stores.contains { $0.objects?.answersWithKeys == true }
    }

    /// The keys of a fetch if one of its stores answers with keys. The keys of several stores follow one another.
    final func orderedKeys(for fetch: StoreFetch, in affected: [NSPersistentStore]?) throws -> FetchedKeys {
        let stores = try attachedStores(for: fetch.layout, in: affected).map(\.rows)
        var fetch = fetch
        fetch.result = .keys
        if stores.count == 1, case .keys(let keys) = try stores[0].fetch(fetch) { return keys }
        if fetch.sortDescriptors.isEmpty { return try keysInTurn(fetch, of: stores) }
        let (offset, limit) = (fetch.offset, fetch.limit)
        fetch.offset = 0
        fetch.limit = limit > 0 ? offset + limit : 0
        let rows = try stores.map { store -> [Snapshot] in
            guard case .keys(let keys) = try store.fetch(fetch) else { return [] }
            return try keys.compactMap { try row(for: $0, rootIndex: fetch.layout.rootIndex) }
        }
        let all = MergedRows(coordinator: self).merged(rows, by: fetch.sortDescriptors)
        return FetchedKeys(
            MergedRows.page(all, offset, limit).lazy.map { ObjectKey(layoutIndex: $0.layoutIndex, key: $0.key) })
    }

    /// The permanent keys of new objects, in their order; nil if the store reserves keys by number.
    final func permanentKeys(for objects: [NSManagedObject], inStoreNumbered number: Int) throws -> [Int64]? {
        try attachedStore(numbered: number).objects?.permanentKeys(for: objects)
    }

    /// Passes a request of a program's own class to the stores that programs wrote, and returns the answer of each.
    final func answers(
        to request: NSPersistentStoreRequest, in context: NSManagedObjectContext
    ) throws -> [Any] {
        let stores = lock.withLock { attached }.filter { candidate in
            request.affectedStores?.contains { $0 === candidate.store } ?? true
        }
        return try stores.compactMap { try $0.objects?.execute(request, in: context) }
    }

    // MARK: Objects in use

    /// Whether a store has to be notified which objects are in use.
    final var wantsToKnowUse: Bool { lock.withLock { attached.contains { $0.objects?.answersWithKeys == true } } }

    /// Notifies the stores that programs wrote of objects, by their keys, that came into use in a context.
    final func contextDidRegister(_ keys: [Int64]) {
        forEachObjectStore(of: keys) { store, keys in store.contextDidRegister(keys) }
    }

    /// Notifies the stores that programs wrote of objects that are not used any longer in a context.
    final func contextDidUnregister(_ keys: [Int64]) {
        forEachObjectStore(of: keys) { store, keys in store.contextDidUnregister(keys) }
    }

    private func forEachObjectStore(of keys: [Int64], _ body: (any ObjectStore, [Int64]) -> Void) {
        let stores = lock.withLock { attached.filter { $0.objects?.answersWithKeys == true } }
        for store in stores {
            let own = keys.filter { $0 > 0 && ObjectKey(layoutIndex: 0, key: $0).storeNumber == store.number }
            if let objects = store.objects, !own.isEmpty { body(objects, own) }
        }
    }
}
