import Foundation

// Reads rows through the coordinator: chooses the stores that answer, and makes one list of several stores' answers.
extension NSPersistentStoreCoordinator {
    /// Whether one of the stores is a server's (`RowStore.isAskedByRoundTrips`).
    final var isAskedByRoundTrips: Bool { lock.withLock { attached.contains { $0.rows.isAskedByRoundTrips } } }

    /// Whether rows that are needed soon are read by one request. A program's own store is called for each object, as
    /// on a Mac.
    final var readsAhead: Bool { isAskedByRoundTrips || !hasObjectStores }

    final func store(numbered number: Int) -> NSPersistentStore? {
        lock.withLock { attached.first { $0.number == number }?.store }
    }

    final func number(of store: NSPersistentStore) -> Int? {
        lock.withLock { attached.first { $0.store === store }?.number }
    }

    /// The `RowStore.versionedLinks` of the stores that have any, by the numbers of the stores.
    final var versionedLinks: [Int: VersionedLinks] {
        lock.withLock { attached.reduce(into: [:]) { $0[$1.number] = $1.rows.versionedLinks } }
    }

    /// The identifiers of the stores by their numbers.
    final var storeIdentifiers: [Int: String] {
        lock.withLock {
            Dictionary(
                attached.compactMap { attached in attached.store.identifier.map { (attached.number, $0) } },
                uniquingKeysWith: { first, _ in first })
        }
    }

    final func storeNumber(identifier: String) -> Int? {
        lock.withLock { attached.first { $0.store.identifier == identifier }?.number }
    }

    /// The primary key that a text in the URI of an id stands for.
    final func primaryKey(_ text: Substring, _ layout: EntityLayout, _ store: NSPersistentStore) -> Int64? {
        if let references = store.references {
            return text.removingPercentEncoding.map { references.primaryKey(ofText: $0, entity: layout.name) }
        }
        return Int64(text).flatMap { $0 > 0 && $0 <= ObjectKey.primaryKeyMask ? $0 : nil }
    }

    private func rowStore(numbered number: Int, at generation: QueryGeneration? = nil) throws -> any RowStore {
        if let view = generation?.views[number] { return view }
        return try attachedStore(numbered: number).rows
    }

    final func attachedStore(numbered number: Int) throws -> AttachedStore {
        if let match = lock.withLock({ attached.first { $0.number == number } }) { return match }
        throw NSError.coreData(
            NSPersistentStoreOperationError,
            reason: "The object's persistent store is not reachable from this coordinator (it was removed)")
    }

    /// The only store of the coordinator, if a request for an entity concerns it; nil if there are more, or none.
    private func soleStore(for layout: EntityLayout, in affected: [NSPersistentStore]?) -> AttachedStore? {
        guard affected == nil, let sole = lock.withLock({ attached.count == 1 ? attached[0] : nil }) else { return nil }
        return holds(layout, sole.store) ? sole : nil
    }

    /// The stores that a fetch of an entity concerns.
    private func rowStores(
        for layout: EntityLayout, in affected: [NSPersistentStore]?, at generation: QueryGeneration?
    ) throws -> [any RowStore] {
        try attachedStores(for: layout, in: affected).map { generation?.views[$0.number] ?? $0.rows }
    }

    /// The stores that a request for an entity concerns.
    final func attachedStores(
        for layout: EntityLayout, in affected: [NSPersistentStore]?
    ) throws -> [AttachedStore] {
        let all = lock.withLock { attached }
        if all.isEmpty { throw noStores("It cannot perform a fetch operation.") }
        return all.filter { candidate in
            (affected?.contains { $0 === candidate.store } ?? true) && holds(layout, candidate.store)
        }
    }

    /// Whether the stores that hold an entity answer a fetch themselves. False if all of them are SQLite's in memory,
    /// and at least one has no SQL for it. Stores of other kinds answer the fetch, or refuse it with an error.
    final func hasSQL(for fetch: StoreFetch, in affected: [NSPersistentStore]?) -> Bool {
        if !haveStoresInMemory.load(ordering: .relaxed) { return true }
        let stores = lock.withLock { attached }.filter { one in
            (affected?.contains { $0 === one.store } ?? true) && holds(fetch.layout, one.store)
        }
        guard !stores.isEmpty, stores.allSatisfy(\.store.decidesByObject) else { return true }
        return stores.allSatisfy { $0.rows.translation(of: fetch) != .missing }
    }

    private func noStores(_ consequence: String) -> NSError {
        NSError.coreData(
            NSCoreDataError,
            reason: "This NSPersistentStoreCoordinator has no persistent stores (unknown).  \(consequence)")
    }

    private func holds(_ layout: EntityLayout, _ store: NSPersistentStore) -> Bool {
        guard store.configurationName != NSManagedObjectModel.defaultConfigurationName else { return true }
        let entities = managedObjectModel.entities(forConfigurationName: store.configurationName) ?? []
        if entities.contains(where: { $0.name == layout.name }) { return true }
        // A file may have been made with subentities that the configuration does not name.
        let isBelow = entities.contains { layout.entity.isKindOf(entity: $0) }
        return isBelow && (store.metadata?[NSStoreModelVersionHashesKey] as? [String: Any])?[layout.name] != nil
    }

    /// The store that takes new objects of an entity: the first writable one that holds it.
    final func storeNumber(forNew layout: EntityLayout) throws -> Int {
        let all = lock.withLock { attached }
        if all.isEmpty { throw noStores("It cannot perform a save operation.") }
        let holding = all.filter { holds(layout, $0.store) }
        if let match = holding.first(where: { !$0.store.isReadOnly }) { return match.number }
        if let store = holding.first?.store { throw NSError.readOnlyStore(store) }
        throw NSError.coreData(
            NSPersistentStoreSaveError,
            reason:
                "No store of the coordinator takes objects of the entity '\(layout.name)': none of their configurations has it",
            userInfo: [NSAffectedStoresErrorKey: all.map(\.store)])
    }

    // MARK: Reading

    /// Returns the row of a key. `context` is the context that reads, which is passed to the stores that programs
    /// write.
    final func row(
        for key: ObjectKey, rootIndex: Int, at generation: QueryGeneration? = nil, refreshing: Bool = false,
        in context: NSManagedObjectContext? = nil
    ) throws -> Snapshot? {
        let store = try attachedStore(numbered: key.storeNumber)
        if let objects = store.objects { return try objects.row(for: key.key, refreshing: refreshing, in: context) }
        let rows = generation?.views[key.storeNumber] ?? store.rows
        return try rows.row(for: key.key, rootIndex: rootIndex, refreshing: refreshing)
    }

    final func rows(
        for keys: [Int64], rootIndex: Int, at generation: QueryGeneration? = nil, refreshing: Bool = false
    ) throws -> [Snapshot] {
        try Dictionary(grouping: keys) { ObjectKey(layoutIndex: 0, key: $0).storeNumber }.flatMap { number, keys in
            try rowStore(numbered: number, at: generation)
                .rows(for: keys, rootIndex: rootIndex, refreshing: refreshing)
        }
    }

    final func members(
        of toMany: ToManySlot, owner: ObjectKey, at generation: QueryGeneration? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [ObjectKey] {
        if owner.isTemporary { return [] }
        let store = try attachedStore(numbered: owner.storeNumber)
        if let objects = store.objects { return try objects.members(of: toMany, owner: owner, in: context) }
        return try (generation?.views[owner.storeNumber] ?? store.rows).members(of: toMany, owner: owner)
    }

    final func members(
        of toMany: ToManySlot, owners: [ObjectKey], at generation: QueryGeneration? = nil
    ) throws -> [Int64: [ObjectKey]] {
        try Dictionary(grouping: owners, by: \.storeNumber).reduce(into: [:]) { result, group in
            let store = try rowStore(numbered: group.key, at: generation)
            result.merge(try store.members(of: toMany, owners: group.value)) { first, _ in first }
        }
    }

    /// The rows of the members of a relationship of some objects; nil if the objects are not all of one store, or if
    /// the store does not give such rows.
    final func memberRows(
        of toMany: ToManySlot, owners: [ObjectKey], at generation: QueryGeneration? = nil
    ) throws -> MemberRows? {
        guard let number = owners.first?.storeNumber, owners.allSatisfy({ $0.storeNumber == number }) else {
            return nil
        }
        return try rowStore(numbered: number, at: generation).memberRows(of: toMany, owners: owners)
    }

    final func rows(
        for fetch: StoreFetch, in affected: [NSPersistentStore]?, at generation: QueryGeneration? = nil
    ) throws -> [Snapshot] {
        var rows: [Snapshot] = []
        try fetchRows(fetch, in: affected, at: generation) { rows += $0 }
        return rows
    }

    /// The rows of a fetch, some hundred at a time.
    final func fetchRows(
        _ fetch: StoreFetch, in affected: [NSPersistentStore]?, at generation: QueryGeneration? = nil,
        _ body: ([Snapshot]) throws -> Void
    ) throws {
        if let sole = soleStore(for: fetch.layout, in: affected) {
            return try (generation?.views[sole.number] ?? sole.rows).fetchRows(fetch, body)
        }
        let stores = try rowStores(for: fetch.layout, in: affected, at: generation)
        if stores.count == 1 { return try stores[0].fetchRows(fetch, body) }
        // Each of several stores sorts its own rows; the offset and the limit count over all rows.
        var open = fetch
        open.offset = 0
        open.limit = fetch.limit > 0 ? fetch.offset + fetch.limit : 0
        let lists = try stores.map { store in
            var rows: [Snapshot] = []
            try store.fetchRows(open) { rows += $0 }
            return rows
        }
        let all = MergedRows(coordinator: self, generation: generation).merged(lists, by: fetch.sortDescriptors)
        try body(MergedRows.page(all, fetch.offset, fetch.limit))
    }

    final func keys(
        for fetch: StoreFetch, in affected: [NSPersistentStore]?, at generation: QueryGeneration? = nil
    ) throws -> FetchedKeys {
        var fetch = fetch
        fetch.result = .keys
        let stores = try rowStores(for: fetch.layout, in: affected, at: generation)
        if stores.count > 1 {
            if fetch.sortDescriptors.isEmpty { return try keysInTurn(fetch, of: stores) }
            return FetchedKeys(
                try rows(for: fetch, in: affected, at: generation).lazy.map {
                    ObjectKey(layoutIndex: $0.layoutIndex, key: $0.key)
                })
        }
        guard let store = stores.first, case .keys(let keys) = try store.fetch(fetch) else { return FetchedKeys() }
        return keys
    }

    /// The keys of several stores, one store after another.
    final func keysInTurn(_ fetch: StoreFetch, of stores: [any RowStore]) throws -> FetchedKeys {
        var open = fetch
        open.offset = 0
        open.limit = fetch.limit > 0 ? fetch.offset + fetch.limit : 0
        var all = FetchedKeys()
        for store in stores {
            guard case .keys(let keys) = try store.fetch(open) else { continue }
            for key in keys { all.append(key) }
        }
        return all.page(fetch.offset, fetch.limit)
    }

    final func count(
        for fetch: StoreFetch, in affected: [NSPersistentStore]?, at generation: QueryGeneration? = nil
    ) throws -> Int {
        var fetch = fetch
        fetch.result = .count
        let (offset, limit) = (fetch.offset, fetch.limit)
        let stores = try rowStores(for: fetch.layout, in: affected, at: generation)
        if stores.count > 1 {
            fetch.offset = 0
            fetch.limit = 0
        }
        let total = try stores.reduce(0) { sum, store in
            guard case .count(let count) = try store.fetch(fetch) else { return sum }
            return sum + count
        }
        if stores.count <= 1 { return total }
        let rest = max(0, total - offset)
        return limit > 0 ? min(limit, rest) : rest
    }

    final func dictionaries(
        for fetch: StoreFetch, in affected: [NSPersistentStore]?, at generation: QueryGeneration? = nil
    ) throws -> [[String: Any]] {
        let stores = try rowStores(for: fetch.layout, in: affected, at: generation)
        var found: [[String: Any]] = []
        if stores.count > 1 {
            found = try mergedDictionaries(fetch, of: stores)
        } else if let store = stores.first, case .dictionaries(let own) = try store.fetch(fetch) {
            found = own
        }
        return withIDs(found)
    }

    /// The dictionaries with ids in place of keys.
    final func withIDs(_ dictionaries: [[String: Any]]) -> [[String: Any]] {
        dictionaries.map { dictionary in
            dictionary.mapValues { value in
                guard let key = value as? ObjectKey else { return value }
                return NSManagedObjectID(
                    objectKey: key, modelLayout: modelLayout, store: self.store(numbered: key.storeNumber))
            }
        }
    }

    // MARK: Writing

    /// Runs a save's writing while no other context of this coordinator writes, so that changes are published in order.
    final func withSaveLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        saveLock.lock()
        defer { saveLock.unlock() }
        return try body()
    }

    final func reserveKeys(_ counts: [Int: Int], inStoreNumbered number: Int) throws -> [Int: [Range<Int64>]] {
        try rowStore(numbered: number).reserveKeys(counts)
    }

    /// Writes to one store.
    ///
    /// `beforeVisible` is called before any of the writing can be seen, unless it fails earlier. `beforeCommit` is
    /// called when everything is written and checked, and an error that it throws undoes the writing.
    final func commit(
        _ changes: ChangeSet, toStoreNumbered number: Int, beforeVisible: () -> Void,
        beforeCommit: () throws -> Void
    ) throws {
        try rowStore(numbered: number).commit(changes, beforeVisible: beforeVisible, beforeCommit: beforeCommit)
    }

    /// The order in which one save writes to several stores. Files and databases come first, by their addresses, so
    /// that two savers of the same stores cannot deadlock. Stores in memory follow, and then programs' stores, which
    /// commit at once.
    final func savingOrder(of numbers: some Collection<Int>) -> ArraySlice<Int> {
        if numbers.count < 2 { return Array(numbers)[...] }
        let stores = lock.withLock { attached }.filter { numbers.contains($0.number) }
        func rank(_ store: AttachedStore) -> (Int, String, Int) {
            if store.objects != nil { return (2, "", store.number) }
            guard let url = store.store.url, StorePlace(url) != .memory else {
                return (1, "", store.number)
            }
            let address = url.isFileURL ? url.resolvingSymlinksInPath().path : url.absoluteString
            return (0, address, store.number)
        }
        return stores.sorted { rank($0) < rank($1) }.map(\.number)[...]
    }

    // MARK: Row caches

    /// Makes the row caches note the time at which they get each row from now on.
    final func trackRowAges() {
        for store in lock.withLock({ attached }) { store.rows.trackRowAges() }
    }

    /// The time since the row cache got a row; nil if the cache has no such row, or has noted no time for it.
    final func cachedRowAge(for key: ObjectKey, rootIndex: Int) -> TimeInterval? {
        (try? rowStore(numbered: key.storeNumber))?.cachedRowAge(for: key.key, rootIndex: rootIndex)
    }

    /// The number of rows that the row caches hold; for tests.
    package final var cachedRowCount: Int {
        lock.withLock { attached }.reduce(0) { $0 + $1.rows.cachedRowCount }
    }

    /// Stops the process when a row cache contradicts itself; called by tests.
    final func checkRowCaches() {
        for store in lock.withLock({ attached }) {
            let contradiction = store.rows.rowCacheContradiction()
            require(contradiction == nil, contradiction ?? "")
        }
    }

    final func sweepRowCaches() {
        for store in lock.withLock({ attached }) { store.rows.sweepRowCache() }
    }

    /// The store with a number, for many questions about its row cache; nil if there is none.
    final func storeOfCachedRows(numbered number: Int) -> (any RowStore)? { try? rowStore(numbered: number) }

    final func cachedRow(for key: ObjectKey, rootIndex: Int) -> Snapshot? {
        (try? rowStore(numbered: key.storeNumber))?.cachedRow(for: key.key, rootIndex: rootIndex)
    }

    final func forgetCachedRow(_ key: ObjectKey, rootIndex: Int) {
        (try? rowStore(numbered: key.storeNumber))?.forgetCachedRow(key.key, rootIndex: rootIndex)
    }

    final func contextDidRelease(isParentless: Bool) {
        if isParentless { sweepRowCaches() }
    }
}
