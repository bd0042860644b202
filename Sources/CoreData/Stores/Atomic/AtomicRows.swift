import Foundation

/// Presents an atomic store to contexts and coordinators as rows of its nodes. A save changes the nodes, and then the
/// store writes them.
// @unchecked Sendable: `versions` and the nodes of the store are used under `lock` only.
final class AtomicRows: ObjectStore, @unchecked Sendable {
    let store: NSAtomicStore
    /// Whether the file is written only at the end, by the owner of the store. The owner is a migration, and the file
    /// is not opened before.
    private let isWrittenLater: Bool
    private let layout: ModelLayout
    private let rowCache: RowCache
    /// Recursive, because an object may read from this store while the store makes a node of the object.
    private let lock = NSRecursiveLock()
    /// The versions of records that were saved since the store was opened. All other records have version 1.
    private var versions: [Int64: Int32] = [:]

    var storeNumber: Int { store.storeNumber }
    var answersWithKeys: Bool { false }

    init(_ store: NSAtomicStore, of coordinator: any StoreHost, use: StoreUse) {
        self.store = store
        isWrittenLater = use.holdsTransaction
        layout = coordinator.modelLayout
        rowCache = RowCache(rootCount: layout.entities.count)
    }

    func sweepRowCache() { rowCache.sweep() }

    func rowCacheContradiction() -> String? { rowCache.contradiction(in: layout, storeNumber: storeNumber) }

    func cachedRow(for key: Int64, rootIndex: Int) -> Snapshot? { rowCache.row(for: key, rootIndex: rootIndex) }

    func forgetCachedRow(_ key: Int64, rootIndex: Int) { rowCache.remove(key, rootIndex: rootIndex) }

    func close() {
        rowCache.removeAll()
        store.forgetAllNodes()
    }

    private func node(_ key: Int64) -> NSAtomicStoreCacheNode? {
        store.objectID(ofKey: key, in: layout).flatMap { store.node(for: $0.objectKey) }
    }

    // MARK: Reading

    func fetch(_ request: StoreFetch) throws -> StoreFetchResult {
        try lock.withLock {
            let fetch = MemoryFetch(request: request)
            let found = try matching(fetch)
            switch request.result {
            case .keys: return .keys(FetchedKeys(fetch.page(found).lazy.map(\.objectKey)))
            case .count: return .count(fetch.page(found).count)
            case .dictionaries: return .dictionaries(try fetch.dictionaries(found))
            }
        }
    }

    func fetchRows(_ request: StoreFetch, _ body: ([Snapshot]) throws -> Void) throws {
        let rows = try lock.withLock {
            let fetch = MemoryFetch(request: request)
            return try fetch.page(try matching(fetch)).map(row)
        }
        try body(rows)
    }

    private func matching(_ fetch: MemoryFetch) throws -> [NSAtomicStoreCacheNode] {
        let entity = fetch.request.layout
        return try fetch.matching(
            store.nodes(of: fetch.request.includesSubentities ? entity.subtree : entity.index..<entity.index + 1))
    }

    func row(for key: Int64, refreshing: Bool, in context: NSManagedObjectContext?) throws -> Snapshot? {
        try lock.withLock { try node(key).map { try row(of: $0) } }
    }

    private func row(of node: NSAtomicStoreCacheNode) throws -> Snapshot {
        let key = node.objectKey
        let entity = layout.entities[key.layoutIndex]
        if let cached = rowCache.row(for: key.key, rootIndex: entity.rootIndex) { return cached }
        let row = try RecordReader(layout: entity, key: key.key, version: versions[key.key] ?? 1).row(
            attribute: { node.value(forKey: $0.name) },
            reference: { relationship in
                guard let target = node.value(forKey: relationship.name) else { return nil }
                return try self.key(target, of: relationship, node)
            })
        rowCache.insert(row, rootIndex: entity.rootIndex)
        return row
    }

    private func key(
        _ target: Any, of relationship: NSRelationshipDescription, _ node: NSAtomicStoreCacheNode
    ) throws -> ObjectKey {
        guard let key = (target as? any ObjectKeyConvertible)?.objectKey else {
            throw NSError.coreData(
                NSPersistentStoreOperationError,
                reason: """
                    The node of \(node.objectID) has \(type(of: target)) for the relationship '\(relationship.name)'; \
                    cache nodes were expected.
                    """)
        }
        guard layout.mayLead(relationship, to: key) else {
            throw NSError.coreData(
                NSPersistentStoreOperationError,
                reason: """
                    The node of \(node.objectID) has a node of '\(layout.entities[key.layoutIndex].name)' for the \
                    relationship '\(relationship.name)'; one of '\(relationship.destinationEntity?.name ?? "")' was \
                    expected.
                    """)
        }
        return key
    }

    func members(of toMany: ToManySlot, owner: ObjectKey, in context: NSManagedObjectContext?) throws -> [ObjectKey] {
        try lock.withLock {
            guard let node = store.node(for: owner) else { return [] }
            let elements: [Any]
            var isSorted = true
            switch node.value(forKey: toMany.relationship.name) {
            case nil: elements = []
            case let set as NSOrderedSet: elements = set.array
            case let set as NSSet:
                elements = set.allObjects
                isSorted = false
            case let set as Set<NSAtomicStoreCacheNode>:
                elements = Array(set)
                isSorted = false
            case let array as [Any]: elements = array
            case let other?: elements = [other]
            }
            var keys = try elements.map { try key($0, of: toMany.relationship, node) }
            keys.removeAll { store.node(for: $0) == nil }
            if !isSorted { keys.sort { $0.key < $1.key } }
            return keys
        }
    }

    func execute(_ request: NSPersistentStoreRequest, in context: NSManagedObjectContext) throws -> Any {
        throw NSError.coreData(
            NSPersistentStoreUnsupportedRequestTypeError,
            reason: "Unknown command type \(request): an atomic store fetches and saves, nothing else.", url: store.url)
    }

    // MARK: Saving

    func permanentKeys(for objects: [NSManagedObject]) throws -> [Int64] {
        lock.withLock {
            objects.map { object in
                store.objectID(for: object.entity, withReferenceObject: store.newReferenceObject(for: object))
                    .objectKey.key
            }
        }
    }

    func commit(_ changes: ChangeSet) throws {
        guard let saved = changes.objects, !saved.isEmpty else { return }
        if store.isReadOnly { throw NSError.readOnlyStore(store) }
        try lock.withLock {
            try checkVersions(changes)
            try save(saved)
            if let counters = store.rowCounters {
                counters.add(changes.inserted)
                for deletion in changes.deleted { counters.add(-1, ofEntity: deletion.key.layoutIndex) }
            }
            for row in changes.written { versions[row.key] = row.version }
            rowCache.follow(changes, in: layout, replacing: true)
        }
    }

    private func checkVersions(_ changes: ChangeSet) throws {
        var conflicts: [SaveConflicts.Conflict] = []
        for (key, expectedRow) in changes.expected {
            let node = store.node(for: key)
            if node != nil, versions[key.key] ?? 1 == expectedRow.version { continue }
            conflicts.append(
                SaveConflicts.Conflict(key: key, expected: expectedRow, found: try node.map { try row(of: $0) }))
        }
        if !conflicts.isEmpty { throw SaveConflicts(conflicts: conflicts) }
    }

    /// Updates the nodes from the objects, and then the store writes them. If that fails, the changes of the nodes are
    /// undone.
    private func save(_ saved: SavedObjects) throws {
        func sorted(_ objects: Set<NSManagedObject>) -> [NSManagedObject] { objects.sorted { $0.key < $1.key } }
        let removed = Set(saved.deleted.compactMap { store.node(for: $0.objectKey) })
        let restorations = (saved.updated.compactMap { store.node(for: $0.objectKey) } + removed)
            .map { $0.restoration() }
        var added: [NSAtomicStoreCacheNode] = []
        for object in sorted(saved.inserted) {
            let node = store.newCacheNode(for: object)
            store.addCacheNodes([node])
            added.append(node)
        }
        // Only now does every new object have its node, so that related objects can find it.
        for (node, object) in zip(added, sorted(saved.inserted)) { store.updateCacheNode(node, from: object) }
        for object in sorted(saved.updated) {
            if let node = store.node(for: object.objectKey) { store.updateCacheNode(node, from: object) }
        }
        if !removed.isEmpty {
            store.willRemoveCacheNodes(removed)
            store.forget(removed)
        }
        if isWrittenLater { return }
        do {
            try store.saveFile()
        } catch {
            store.forget(Set(added))
            store.addCacheNodes(removed)
            for restore in restorations { restore() }
            throw error
        }
    }
}
