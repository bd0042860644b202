import Foundation

extension NSManagedObjectContext: RequestExecutor {
    /// Does the work of `execute(_:)` unless a subclass overrides it.
    @discardableResult
    final func _execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        checkConfinement()
        applyPendingUpdates()
        return try request.result(in: self)
    }

    final func answers(ofObjectStoresTo request: NSPersistentStoreRequest) throws -> [Any]? {
        guard let coordinator = persistentStoreCoordinator, coordinator.hasObjectStores else { return nil }
        return try coordinator.answers(to: request, in: self)
    }

    static func own(of coordinator: NSPersistentStoreCoordinator?) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// The author and the context's name that history records for this context's changes. Nil unless set.
    final var changeOrigin: ChangeOrigin { ChangeOrigin(author: transactionAuthor, contextName: name) }

    /// The author and the name that history records for a batch, which passes the parents by. A child without an author
    /// gets that of the nearest parent that has one.
    private var batchOrigin: ChangeOrigin {
        var origin = changeOrigin
        var ancestor = parent
        while origin.author == nil, let context = ancestor {
            origin.author = context.reading { context.transactionAuthor }
            ancestor = context.parent
        }
        return origin
    }

    // MARK: Batches

    /// The merge policy's rule for rows that break a uniqueness constraint.
    private var batchCollision: BatchInsertion.Collision {
        switch settings.mergePolicy.mergeType {
        case .mergeByPropertyObjectTrumpMergePolicyType: .takesGiven
        case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: .keepsStored
        case .overwriteMergePolicyType: .replaces
        case .errorMergePolicyType: .fails
        }
    }

    /// Inserts the rows of a batch and returns the value for the request's result.
    final func insertBatch(_ request: NSBatchInsertRequest) throws -> Any {
        let (coordinator, layout) = try target(ofBatch: request.entity?.name ?? request.entityName)
        guard !layout.entity.isAbstract else {
            throw NSError.coreData(
                NSCoreDataError, reason: "Cannot insert rows of the abstract entity '\(layout.name)'")
        }
        var batch = BatchInsertion(layout: layout) { nil }
        batch.collision = batchCollision
        batch.origin = batchOrigin
        batch.wantsKeys = request.resultType == .objectIDs
        let values = BatchValues(layout, coordinator)
        if let handler = request.dictionaryHandler {
            let dictionary = BatchDictionary(layout)
            batch.next = {
                dictionary.removeAllObjects()
                return handler(dictionary) ? nil : try values.given(by: dictionary)
            }
        } else if let handler = request.managedObjectHandler {
            // One entity binding for all, so that the class is looked up once.
            let binding = Self.detachedBinding(for: layout.entity)
            let materializer = ObjectMaterializer(binding: binding)
            batch.next = {
                let object = materializer.materialize(
                    key: NSManagedObjectID.nextTemporaryKey(), row: binding.layout.defaultRow, flags: [])
                return handler(object) ? nil : try values.given(by: object)
            }
        } else {
            let given = request.objectsToInsert ?? []
            var rest = given.makeIterator()
            batch.next = { try rest.next().map { try values.given(by: $0) } }
            batch.restart = { rest = given.makeIterator() }
        }
        let store = try coordinator.batchStore(forNew: layout, in: request.affectedStores, request)
        return value(of: try store.insert(batch), batch.wantsKeys, request.resultType == .count)
    }

    /// Updates the rows of a batch and returns the value for the request's result.
    final func updateBatch(_ request: NSBatchUpdateRequest) throws -> Any {
        let (coordinator, layout) = try target(ofBatch: request.entity?.name ?? request.entityName)
        var rows = StoreFetch(layout: layout)
        rows.includesSubentities = request.includesSubentities
        rows.predicate = request.predicate.map { FrozenPredicate.of($0) }
        var batch = BatchUpdate(rows: rows, assignments: [])
        batch.origin = batchOrigin
        batch.wantsKeys = request.resultType == .updatedObjectIDsResultType
        let values = BatchValues(layout, coordinator)
        for (property, value) in request.propertiesToUpdate ?? [:] {
            let name = (property.base as? NSPropertyDescription)?.name ?? property.base as? String
            batch.assignments += try values.assignments(of: value, to: name ?? "\(property.base)")
        }
        batch.assignments.sort { $0.slot < $1.slot }
        guard !batch.assignments.isEmpty else {
            throw NSError.coreData(
                NSCoreDataError, reason: "The batch update of '\(layout.name)' has no propertiesToUpdate")
        }
        let stores = try coordinator.batchStores(holding: layout, in: request.affectedStores, request)
        batch.goesWithOthers = stores.count > 1
        let outcome = try together(stores[...]) { try $0.update(batch, beforeCommit: $1) }
        return value(of: outcome, batch.wantsKeys, request.resultType == .updatedObjectsCountResultType)
    }

    /// Deletes the rows of a batch and returns the value for the request's result.
    final func deleteBatch(_ request: NSBatchDeleteRequest) throws -> Any {
        value(
            of: try delete(request), request.resultType == .resultTypeObjectIDs, request.resultType == .resultTypeCount)
    }

    private func delete(_ request: NSBatchDeleteRequest) throws -> BatchOutcome {
        let fetch = request.fetchRequest.parameters
        // Without ids there is no entity, and nothing to delete.
        guard let name = fetch.entityName else { return BatchOutcome() }
        let (coordinator, layout) = try target(ofBatch: name)
        var rows = StoreFetch(layout: layout)
        rows.includesSubentities = fetch.includesSubentities
        rows.predicate = fetch.predicate.map { FrozenPredicate.of($0) }
        rows.limit = fetch.fetchLimit
        rows.offset = fetch.fetchOffset
        if rows.limit > 0 || rows.offset > 0 { rows.sortDescriptors = fetch.sortDescriptors ?? [] }
        var batch = BatchDeletion(rows: rows)
        batch.origin = batchOrigin
        batch.wantsKeys = request.resultType == .resultTypeObjectIDs
        let stores = try coordinator.batchStores(holding: layout, in: request.affectedStores, request)
        if stores.count > 1, rows.limit > 0 || rows.offset > 0 {
            // Offset and limit count over all stores, in the order that a fetch has them in.
            let keys = try coordinator.keys(for: rows, in: request.affectedStores)
            var some = StoreFetch(layout: layout)
            some.predicate = NSPredicate(format: "self IN %@", argumentArray: [objectIDs(for: keys)])
            batch.rows = some
        }
        batch.goesWithOthers = stores.count > 1
        return try together(stores[...]) { try $0.delete(batch, beforeCommit: $1) }
    }

    private func value(of outcome: BatchOutcome, _ wantsIDs: Bool, _ wantsCount: Bool) -> Any {
        if wantsIDs { return objectIDs(for: outcome.keys) }
        return wantsCount ? NSNumber(value: outcome.count) : NSNumber(value: true)
    }

    /// Executes each store's part of a batch in a transaction of its own. No store commits before all stores have
    /// executed their parts.
    private func together(
        _ stores: ArraySlice<any BatchStore>,
        _ body: @escaping (_ store: any BatchStore, _ beforeCommit: () throws -> Void) throws -> BatchOutcome
    ) throws -> BatchOutcome {
        guard let first = stores.first else { return BatchOutcome() }
        var others = BatchOutcome()
        var outcome = try body(first) { others = try together(stores.dropFirst(), body) }
        outcome.merge(others)
        return outcome
    }

    private func target(ofBatch name: String) throws -> (NSPersistentStoreCoordinator, EntityLayout) {
        guard let coordinator = persistentStoreCoordinator, let modelLayout else {
            throw NSError.coreData(
                NSCoreDataError, reason: "\(debugName) has no coordinator and no parent; it cannot execute a request")
        }
        guard let layout = modelLayout.layout(named: name) else {
            throw NSError.coreData(
                NSCoreDataError, reason: "A batch request must have an entity; the model has no entity '\(name)'")
        }
        return (coordinator, layout)
    }
}
