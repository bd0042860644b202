import Foundation

/// Presents an incremental store to contexts and coordinators as rows of its nodes, keys of its ids and requests to
/// save.
final class IncrementalRows: ObjectStore, @unchecked Sendable {  // `versions` and `stale` are used under `lock` only
    let store: NSIncrementalStore
    private let layout: ModelLayout
    private weak var coordinator: NSPersistentStoreCoordinator?
    private let rowCache: RowCache
    private let lock = NSLock()
    /// The present versions of records that were written, or that changed between two reads. For all other records the
    /// row cache has the version, if the record is still in use.
    private var versions: [Int64: Int32] = [:]
    /// The keys of cached rows that must be read again.
    private var stale: Set<Int64> = []
    /// The number of saves that have deleted records.
    private var deletions = 0

    var storeNumber: Int { store.storeNumber }
    var answersWithKeys: Bool { true }

    init(_ store: NSIncrementalStore, of coordinator: any StoreHost) {
        self.store = store
        self.coordinator = coordinator
        layout = coordinator.modelLayout
        rowCache = RowCache(rootCount: layout.entities.count)
    }

    func sweepRowCache() { rowCache.sweep() }

    func rowCacheContradiction() -> String? { rowCache.contradiction(in: layout, storeNumber: storeNumber) }

    func cachedRow(for key: Int64, rootIndex: Int) -> Snapshot? { rowCache.row(for: key, rootIndex: rootIndex) }

    /// Marks the cached row. It stays in the cache until it has been compared with the row that is read next.
    func forgetCachedRow(_ key: Int64, rootIndex: Int) {
        if rowCache.row(for: key, rootIndex: rootIndex) == nil { return }
        lock.withLock { _ = stale.insert(key) }
    }

    func close() { rowCache.removeAll() }

    /// Runs a body with the context of the request, on whose queue this is called. A caller without a context gets a
    /// new one.
    private func using<Result>(
        _ given: NSManagedObjectContext?, _ body: (NSManagedObjectContext) throws -> Result
    ) rethrows -> Result {
        if let given { return try body(given) }
        let executor: any RequestExecutor.Type = NSManagedObjectContext.self
        let context = executor.own(of: coordinator)
        return try context.performAndWait { try body(context) }
    }

    private func objectID(_ key: Int64) throws -> NSManagedObjectID {
        if let id = store.objectID(ofKey: key, in: layout) { return id }
        throw NSError.coreData(
            NSManagedObjectReferentialIntegrityError, reason: "The store \(store) has not made this object id.")
    }

    // MARK: Fetching

    func fetch(_ request: StoreFetch) throws -> StoreFetchResult {
        switch request.result {
        case .keys: return .keys(FetchedKeys(try keys(request)))
        case .count:
            switch try execute(request, .countResultType) {
            case let numbers as [NSNumber]: return .count(numbers.first?.intValue ?? 0)
            case let numbers as [Int]: return .count(numbers.first ?? 0)
            case let number as NSNumber: return .count(number.intValue)
            case let other: throw unexpected(other, "an array of one number", request)
            }
        case .dictionaries:
            let result = try execute(request, .dictionaryResultType)
            guard let found = result as? [Any] else { throw unexpected(result, "an array of dictionaries", request) }
            return .dictionaries(
                try found.map { element in
                    if let dictionary = element as? [String: Any] { return dictionary }
                    guard let dictionary = element as? NSDictionary as? [String: Any] else {
                        throw unexpected(element, "dictionaries", request)
                    }
                    return dictionary
                })
        }
    }

    func fetchRows(_ request: StoreFetch, _ body: ([Snapshot]) throws -> Void) throws {
        let context = request.origin?.context
        try body(try keys(request).compactMap { try row(for: $0.key, refreshing: false, in: context) })
    }

    private func keys(_ request: StoreFetch) throws -> [ObjectKey] {
        // Every store can return objects. Ids are requested only if the fetch requests ids.
        let wantsIDs = request.origin?.parameters.resultType == .managedObjectIDResultType
        let result = try execute(request, wantsIDs ? .managedObjectIDResultType : .managedObjectResultType)
        guard let found = result as? [Any] else { throw unexpected(result, "an array of objects", request) }
        return try found.map { element in
            guard let key = (element as? any ObjectKeyConvertible)?.objectKey else {
                throw unexpected(element, "objects or ids", request)
            }
            return key
        }
    }

    private func execute(_ request: StoreFetch, _ resultType: NSFetchRequestResultType) throws -> Any {
        let fetch = NSFetchRequest<NSFetchRequestResult>()
        var parameters = request.origin?.parameters ?? FetchParameters()
        parameters.entity = request.layout.entity
        parameters.includesSubentities = request.includesSubentities
        parameters.predicate = request.predicate
        parameters.sortDescriptors = request.sortDescriptors.isEmpty ? nil : request.sortDescriptors
        parameters.fetchLimit = request.limit
        parameters.fetchOffset = request.offset
        parameters.resultType = resultType
        fetch.parameters = parameters
        fetch.affectedStores = [store]
        return try using(request.origin?.context) { context in
            let result = try store.execute(fetch, with: context)
            // The objects belong to this context, but their ids are valid for every caller.
            guard let objects = result as? [NSManagedObject] else { return result }
            return objects.map(\.objectID)
        }
    }

    private func unexpected(_ result: Any, _ wanted: String, _ request: StoreFetch) -> NSError {
        NSError.coreData(
            NSPersistentStoreOperationError,
            reason: """
                The store \(store) answered a fetch of '\(request.layout.name)' with \(type(of: result)); \
                \(wanted) was expected.
                """)
    }

    func execute(_ request: NSPersistentStoreRequest, in context: NSManagedObjectContext) throws -> Any {
        try store.execute(request, with: context)
    }

    // MARK: Values

    func row(for key: Int64, refreshing: Bool, in context: NSManagedObjectContext?) throws -> Snapshot? {
        let id = try objectID(key)
        if !refreshing, !lock.withLock({ stale.contains(key) }),
            let cached = rowCache.row(for: key, rootIndex: id.layout.rootIndex)
        {
            return cached
        }
        return try using(context) { try read(id, in: $0) }
    }

    /// The state of a record at the time at which a reader begins to read it from the store.
    private struct Knowledge: Equatable {
        var version: Int32?
        var deletions: Int
    }

    private func knowledge(of key: Int64) -> Knowledge { Knowledge(version: versions[key], deletions: deletions) }

    /// Reads a record from the store. The result is outdated if another context has saved the record during the
    /// reading. If it counted as a new change, it would be in conflict with that later save.
    private func read(_ id: NSManagedObjectID, in context: NSManagedObjectContext) throws -> Snapshot? {
        while true {
            let known = lock.withLock { knowledge(of: id.objectKey.key) }
            guard let row = try readOnce(id, version: known.version, in: context) else { return nil }
            if let taken = takeIn(row, id.layout, readAfter: known) { return taken }
        }
    }

    private func readOnce(
        _ id: NSManagedObjectID, version: Int32?, in context: NSManagedObjectContext
    ) throws -> Snapshot? {
        let node: NSIncrementalStoreNode
        do {
            node = try store.newValuesForObject(with: id, with: context)
        } catch let error as NSError
            where error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectReferentialIntegrityError
        {
            return nil
        }
        return try RecordReader(
            layout: id.layout, key: id.objectKey.key, version: version ?? Int32(foldingVersion: node.version)
        ).row(
            attribute: { node.value(for: $0) },
            reference: { relationship in
                let value =
                    try node.value(for: relationship)
                    ?? store.newValue(forRelationship: relationship, forObjectWith: id, with: context)
                return value is NSNull ? nil : try key(value, of: relationship, id)
            })
    }

    /// Puts a row that was just read into the cache. If it differs from the cached row, it gets a version of its own,
    /// because the store may not count versions, and a context that holds the old row must get a conflict. Nil if the
    /// record has been saved since the reading began.
    private func takeIn(_ row: Snapshot, _ layout: EntityLayout, readAfter known: Knowledge) -> Snapshot? {
        lock.withLock {
            if knowledge(of: row.key) != known { return nil }
            stale.remove(row.key)
            var row = row
            if let previous = rowCache.row(for: row.key, rootIndex: layout.rootIndex) {
                if previous.hasSameValues(as: row, layout) { return previous }
                if !RowVersion.isOlder(previous.version, than: row.version) {
                    row = row.copy(version: RowVersion.next(after: previous.version), layout)
                }
                versions[row.key] = row.version
                rowCache.remove(row.key, rootIndex: layout.rootIndex)
            }
            rowCache.insert(row, rootIndex: layout.rootIndex)
            return row
        }
    }

    func members(of toMany: ToManySlot, owner: ObjectKey, in context: NSManagedObjectContext?) throws -> [ObjectKey] {
        let id = try objectID(owner.key)
        let value = try using(context) {
            try store.newValue(forRelationship: toMany.relationship, forObjectWith: id, with: $0)
        }
        let elements: [Any]
        switch value {
        case is NSNull: elements = []
        case let set as NSOrderedSet: elements = set.array
        case let set as NSSet: elements = set.allObjects
        case let set as Set<NSManagedObjectID>: elements = Array(set)
        case let array as [Any]: elements = array
        default: throw unexpected(value, of: toMany.relationship, id)
        }
        return try elements.map { try key($0, of: toMany.relationship, id) }
    }

    private func key(
        _ value: Any, of relationship: NSRelationshipDescription, _ id: NSManagedObjectID
    ) throws -> ObjectKey {
        guard let key = (value as? any ObjectKeyConvertible)?.objectKey else {
            throw unexpected(value, of: relationship, id)
        }
        guard layout.mayLead(relationship, to: key) else {
            throw NSError.coreData(
                NSPersistentStoreOperationError,
                reason: """
                    The store \(store) gave an id of '\(layout.entities[key.layoutIndex].name)' for the relationship \
                    '\(relationship.name)' of \(id); one of '\(relationship.destinationEntity?.name ?? "")' was expected.
                    """)
        }
        return key
    }

    private func unexpected(_ value: Any, of relationship: NSRelationshipDescription, _ id: NSManagedObjectID)
        -> NSError
    {
        NSError.coreData(
            NSPersistentStoreOperationError,
            reason: """
                The store \(store) gave \(type(of: value)) for the relationship '\(relationship.name)' of \(id); \
                ids were expected.
                """)
    }

    // MARK: Saving

    func permanentKeys(for objects: [NSManagedObject]) throws -> [Int64] {
        let ids = try store.obtainPermanentIDs(for: objects)
        guard ids.count == objects.count else {
            throw NSError.coreData(
                NSPersistentStoreSaveError,
                reason: "The store \(store) gave \(ids.count) permanent ids for \(objects.count) new objects.")
        }
        return ids.map(\.objectKey.key)
    }

    func commit(_ changes: ChangeSet) throws {
        guard let saved = changes.objects, !saved.isEmpty else { return }
        if store.isReadOnly { throw NSError.readOnlyStore(store) }
        try checkVersions(changes, saved.context)
        let request = NSSaveChangesRequest(
            inserted: saved.inserted, updated: saved.updated, deleted: saved.deleted, locked: saved.locked)
        request.affectedStores = [store]
        _ = try store.execute(request, with: saved.context)
        lock.withLock {
            for row in changes.written { versions[row.key] = row.version }
            for deletion in changes.deleted { versions[deletion.key.key] = nil }
            if !changes.deleted.isEmpty { deletions += 1 }
            rowCache.follow(changes, in: layout, replacing: true)
        }
    }

    /// Throws if another context has read or written newer values of a record through this store, or has deleted it.
    private func checkVersions(_ changes: ChangeSet, _ context: NSManagedObjectContext) throws {
        var conflicts: [SaveConflicts.Conflict] = []
        for (key, row) in changes.expected {
            let root = layout.entities[key.layoutIndex].rootIndex
            let cached = rowCache.row(for: key.key, rootIndex: root)
            if let known = lock.withLock({ versions[key.key] }) ?? cached?.version {
                if known == row.version { continue }
                let found = try cached ?? read(try objectID(key.key), in: context)
                conflicts.append(SaveConflicts.Conflict(key: key, expected: row, found: found))
                continue
            }
            let found = try read(try objectID(key.key), in: context)
            if found?.version == row.version { continue }
            conflicts.append(SaveConflicts.Conflict(key: key, expected: row, found: found))
        }
        if !conflicts.isEmpty { throw SaveConflicts(conflicts: conflicts) }
    }

    // MARK: Use

    func contextDidRegister(_ keys: [Int64]) {
        store.managedObjectContextDidRegisterObjects(with: keys.compactMap { store.objectID(ofKey: $0, in: layout) })
    }

    func contextDidUnregister(_ keys: [Int64]) {
        store.managedObjectContextDidUnregisterObjects(with: keys.compactMap { store.objectID(ofKey: $0, in: layout) })
    }
}
