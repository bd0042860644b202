import Foundation

extension NSManagedObjectContext {
    /// Does the work of `fetch(_:)` unless a subclass overrides it.
    final func _fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        checkConfinement()
        let plan = try plan(for: request)
        if plan.parameters.resultType == .managedObjectResultType {
            if let expected = T.self as? NSManagedObject.Type {
                binding(at: plan.store.layout.index).findMissingClass(besides: expected)
            }
            let objects = try objects(plan)
            keepForBlock(objects)
            let subtree = plan.store.layout.subtree
            // One check per class instead of one per object: an array of objects is an array of pointers either way.
            if let expected = T.self as? NSManagedObject.Type,
                bindings.allSatisfy({ isBinding($0, of: expected, subtree) })
            {
                return sameArray(objects, of: T.self)
            }
            return try typed(objects, plan)
        }
        switch plan.parameters.resultType {
        case .managedObjectIDResultType: return try cast(objectIDs(for: keys(plan)), plan)
        case .dictionaryResultType: return try cast(dictionaries(plan).objects, plan)
        default: return try typed(results(plan), plan)
        }
    }

    /// Returns the results as an array of the caller's type. No element is cast where the two types are one.
    private func cast<Result: AnyObject, T>(_ results: [Result], _ plan: FetchPlan) throws -> [T] {
        if T.self == Result.self { return sameArray(results, of: T.self) }
        return try typed(results, plan)
    }

    private func isBinding(
        _ binding: EntityBinding?, of expected: NSManagedObject.Type, _ subtree: Range<Int>
    ) -> Bool {
        guard let binding, subtree.contains(binding.layout.index) else { return true }
        if binding.holdsOtherClasses { return false }
        return isClass(binding.managedClass, atOrBelow: expected)
    }

    final func typed<T>(_ results: [Any], _ plan: FetchPlan) throws -> [T] {
        Self.typed(results, ofEntity: plan.store.layout.name)
    }

    /// Results as those of the request's result type; stops the process if they are of another one.
    static func typed<T>(_ results: [Any], ofEntity name: String) -> [T] {
        if let typed = results as? [T] { return typed }
        let other = results.first { !($0 is T) }
        fatalError("The request for '\(name)' yields \(other.map { "\(type(of: $0))" } ?? "nothing"), not \(T.self)")
    }

    /// Does the work of `count(for:)` unless a subclass overrides it.
    final func _count<T>(for request: NSFetchRequest<T>) throws -> Int {
        checkConfinement()
        return try count(try plan(for: request))
    }

    final func results(_ plan: FetchPlan) throws -> [Any] {
        switch plan.parameters.resultType {
        case .countResultType: [NSNumber(value: try count(plan))]
        case .dictionaryResultType: try dictionaries(plan).objects
        case .managedObjectIDResultType: try objectIDs(for: keys(plan))
        default: try objects(plan)
        }
    }

    /// The layout of the entity that a request names.
    final func layout(of parameters: FetchParameters) throws -> EntityLayout {
        guard let modelLayout else {
            throw NSError.coreData(
                NSCoreDataError, reason: "\(debugName) has no coordinator and no parent; it cannot fetch")
        }
        let name = parameters.entityName ?? ""
        // Programs mostly fetch from one entity several times.
        if let latest = fetchState.latestLayout, latest.name == name, modelLayout.has(latest) { return latest }
        guard let layout = modelLayout.layout(named: name) else {
            throw NSError.coreData(
                NSCoreDataError, reason: "A fetch request must have an entity; the model has no entity '\(name)'")
        }
        fetchState.latestLayout = layout
        return layout
    }

    final func plan(for request: NSPersistentStoreRequest) throws -> FetchPlan {
        applyPendingUpdates()
        guard var parameters = request.fetchParameters else {
            throw NSError.coreData(
                NSPersistentStoreUnsupportedRequestTypeError,
                reason: "Unsupported request type \(request.requestType) for a fetch")
        }
        var store = StoreFetch(layout: try layout(of: parameters))
        let generation = try generation(readingFromStandbys: parameters.readsFromStandbys)
        if let predicate = parameters.predicate {
            store.decidesByObject = predicate is ObjectDecidedPredicate
            parameters.predicate = FrozenPredicate.of(predicate)
            store.predicate = parameters.predicate
        }
        store.includesSubentities = parameters.includesSubentities
        if let descriptors = parameters.sortDescriptors { store.sortDescriptors = descriptors.map(\.byKey) }
        store.limit = parameters.fetchLimit
        store.offset = parameters.fetchOffset
        store.isLarge = parameters.fetchBatchSize > 0
        let affected = request.affectedStores
        // Stores in files answer each fetch, or refuse it. Dictionaries have further parts without SQL; `StoreRows`
        // decides about all of them.
        let isDecidedByStores =
            ownCoordinator.map { !$0.haveStoresInMemory.load(ordering: .relaxed) } ?? false
            || parameters.resultType == .dictionaryResultType
        return FetchPlan(
            parameters: parameters, store: store, affectedStores: affected, generation: generation,
            isEvaluatedOnClient: isDecidedByStores ? false : isEvaluatedOnClient(store, in: affected))
    }

    /// The state of the stores that a fetch reads; nil for the present state of the primary stores.
    private func generation(readingFromStandbys wanted: Bool?) throws -> QueryGeneration? {
        let own = try rowSource?.generation(of: self)
        guard let wanted, let coordinator = ownCoordinator else { return own }
        switch (wanted, readingState) {
        case (true, .present): return coordinator.standbys()
        case (false, .standby): return coordinator.primaries
        default: return own
        }
    }

    // MARK: Objects

    final func objects(_ plan: FetchPlan) throws -> [NSManagedObject] {
        try throwingReadErrors {
            plan.isEvaluatedOnClient ? try clientEvaluatedObjects(plan) : try storedObjects(plan)
        }
    }

    private func storedObjects(_ plan: FetchPlan) throws -> [NSManagedObject] {
        if plan.parameters.fetchBatchSize > 0 { return batchedObjects(try keysWithUnsaved(plan), plan) }
        if plan.parameters.includesPendingChanges { propagatePendingDeletes() }
        guard plan.parameters.includesPendingChanges else { return try fetchObjects(plan) }
        if let candidates = unsavedCandidates(for: plan.store) {
            let count = tracked.inserted.count + tracked.updated.count + tracked.deleted.count
            return overlaid(try fetchObjects(widened(plan, by: count)), candidates, plan)
        }
        let touched = touchedObjects(plan.store)
        if touched.isEmpty {
            return try fetchObjects(plan)
        }
        let found = try fetchObjects(widened(plan, by: touched.count))
        return overlaid(found, touched, plan)
    }

    /// The fetch that finds enough rows when the given number of objects is evaluated by unsaved values.
    final func widened(_ plan: FetchPlan, by touched: Int) -> FetchPlan {
        plan.with { parameters, store in
            store.offset = 0
            if plan.store.limit > 0 {
                // The touched objects are taken out of the rows, so as many rows more are enough to fill the limit.
                store.limit = plan.store.offset + plan.store.limit + touched
            }
            // The results are sorted once more, by their values.
            parameters.includesPropertyValues = true
        }
    }

    /// The fetch to run in the background, and the number of objects with unsaved changes now.
    final func rowsPlan(for plan: FetchPlan) throws -> (plan: FetchPlan, touched: Int) {
        guard plan.parameters.includesPendingChanges else { return (plan, 0) }
        try throwingReadErrors { propagatePendingDeletes() }
        let touched = touchedObjects(plan.store).count
        return (touched == 0 ? plan : widened(plan, by: touched), touched)
    }

    /// The objects of a fetch whose rows were read when `touchedBefore` objects had unsaved changes.
    final func objects(_ plan: FetchPlan, rows: [Snapshot], touchedBefore: Int) throws -> [NSManagedObject] {
        try throwingReadErrors { try overlaidObjects(plan, rows: rows, touchedBefore: touchedBefore) }
    }

    private func overlaidObjects(
        _ plan: FetchPlan, rows: [Snapshot], touchedBefore: Int
    ) throws -> [NSManagedObject] {
        guard plan.parameters.includesPendingChanges else { return try fetchObjects(plan, rows: rows) }
        propagatePendingDeletes()
        let touched = touchedObjects(plan.store)
        let isCut = plan.store.limit > 0 || plan.store.offset > 0
        // More changes came while the rows were read, so the rows may be too few.
        if isCut, touched.count > touchedBefore { return try objects(plan) }
        let found = try fetchObjects(plan, rows: rows)
        return touched.isEmpty && touchedBefore == 0 ? found : overlaid(found, touched, plan)
    }

    /// Reads the rows of a fetch as this context's source has them, some hundred at a time if the source returns them
    /// so.
    final func eachBatchOfRows(_ plan: FetchPlan, _ body: ([Snapshot]) throws -> Void) throws {
        try rowSource?.eachBatchOfRows(plan, in: self, body)
    }

    /// The objects of a fetch as this context's source has them, made right after each batch of rows was read.
    ///
    /// `given` are the rows where they have been read before.
    private func fetchObjects(_ plan: FetchPlan, rows given: [Snapshot]? = nil) throws -> [NSManagedObject] {
        let intake = ObjectIntake(plan, in: self)
        if let given {
            intake.take(given)
        } else if isAnsweredWithKeys(plan) || isFetchOfFaultsAlone(plan) {
            intake.take(faults: try faults(plan))
        } else if intake.isRefreshing {
            try observed { try eachBatchOfRows(plan) { intake.take($0) } }
        } else {
            try eachBatchOfRows(plan) { intake.take($0) }
        }
        let objects = intake.objects
        if !intake.areAllFired, !plan.parameters.returnsObjectsAsFaults { try fire(objects) }
        if let paths = plan.parameters.relationshipKeyPathsForPrefetching { try prefetch(paths, of: objects) }
        return objects
    }

    /// Whether the fetch returns faults whose values nothing reads before the program uses them.
    private func isFetchOfFaultsAlone(_ plan: FetchPlan) -> Bool {
        let parameters = plan.parameters
        return !parameters.includesPropertyValues && parameters.returnsObjectsAsFaults
            && !parameters.shouldRefreshRefetchedObjects
            && parameters.relationshipKeyPathsForPrefetching?.isEmpty ?? true
    }

    /// Objects of the fetched entity with unsaved changes in this context.
    final func touchedObjects(_ fetch: StoreFetch) -> [NSManagedObject] {
        let range = fetch.includesSubentities ? fetch.layout.subtree : fetch.layout.index..<fetch.layout.index + 1
        if tracked.inserted.isEmpty, tracked.updated.isEmpty, tracked.deleted.isEmpty { return [] }
        return livingInserted.filter { range.contains($0.binding.layout.index) } + touchedOfSource(fetch)
    }

    /// The touched objects of a fetch that the source may have.
    final func touchedOfSource(_ fetch: StoreFetch) -> [NSManagedObject] {
        let range = fetch.includesSubentities ? fetch.layout.subtree : fetch.layout.index..<fetch.layout.index + 1
        func isOfEntity(_ object: NSManagedObject) -> Bool { range.contains(object.binding.layout.index) }
        if tracked.updated.isEmpty, tracked.deleted.isEmpty { return [] }
        return livingUpdated.filter(isOfEntity) + livingDeleted.filter(isOfEntity)
    }

    /// The results of a fetch with unsaved changes: touched objects are evaluated by their present values.
    ///
    /// - Parameter candidates: The touched objects that may match.
    private func overlaid(
        _ found: [NSManagedObject], _ candidates: [NSManagedObject], _ plan: FetchPlan
    ) -> [NSManagedObject] {
        var result = found.filter { !isTouched($0) }
        let matching = matching(candidates, plan)
        result += matching
        if !plan.store.sortDescriptors.isEmpty {
            result = result.sorted(byDescriptors: plan.store.sortDescriptors)
        } else if matching.contains(where: { !$0.flags.contains(.inserted) }) {
            // Without an order the store's own stays: changed objects keep their place.
            let positions = Dictionary(
                found.enumerated().map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
            result = result.enumerated().sorted { left, right in
                let leftPlace = positions[ObjectIdentifier(left.element)] ?? found.count + left.offset
                let rightPlace = positions[ObjectIdentifier(right.element)] ?? found.count + right.offset
                return leftPlace < rightPlace
            }.map(\.element)
        }
        let offset = min(plan.store.offset, result.count)
        result.removeFirst(offset)
        if plan.store.limit > 0, result.count > plan.store.limit { result.removeLast(result.count - plan.store.limit) }
        return result
    }

    // MARK: Keys, counts, dictionaries

    final func keys(_ plan: FetchPlan) throws -> FetchedKeys {
        if !plan.isEvaluatedOnClient, try plan.parameters.fetchBatchSize > 0 || isFetchDirect(plan) {
            return try throwingReadErrors { try keysWithUnsaved(plan) }
        }
        return FetchedKeys(try objects(plan).map(\.objectKey))
    }

    final func count(_ plan: FetchPlan) throws -> Int {
        if !plan.isEvaluatedOnClient {
            if try isFetchDirect(plan) { return try rowSource?.count(plan, in: self) ?? 0 }
            if let count = try throwingReadErrors({ try countWithUnsaved(plan) }) { return count }
        }
        return try objects(plan).count
    }

    /// Dictionaries are read from the store: unsaved changes do not count, as documented.
    final func dictionaries(_ plan: FetchPlan) throws -> FetchedDictionaries {
        try rowSource?.dictionaries(plan, in: self) ?? .dictionaries([])
    }

    /// Whether nothing unsaved of this context can change the answer.
    private func isFetchDirect(_ plan: FetchPlan) throws -> Bool {
        if !plan.parameters.includesPendingChanges { return true }
        try throwingReadErrors { propagatePendingDeletes() }
        return touchedObjects(plan.store).isEmpty
    }
}

extension NSManagedObjectContext: ExpressionFetching {
    final func expressionValue(of request: Any, countOnly: Bool) throws -> Any? {
        guard let request = request as? NSPersistentStoreRequest else { return nil }
        return try performAndWait {
            let plan = try plan(for: request)
            return countOnly ? NSNumber(value: try count(plan)) : try results(plan)
        }
    }
}
