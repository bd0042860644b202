import Foundation

extension NSManagedObjectContext {
    /// Executes a fetch and returns what it asks for; unsaved changes of this context and its parents count unless
    /// `includesPendingChanges` is false.
    ///
    /// Throws an `NSError` when the entity is unknown, the predicate has no translation, or the store cannot be read.
    public final func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        checkConfinement()
        let plan = try plan(for: request)
        if plan.parameters.resultType == .managedObjectResultType {
            if let expected = T.self as? NSManagedObject.Type {
                home(at: plan.store.layout.index).findMissingClass(besides: expected)
            }
            let objects = try objects(plan)
            // One check per class instead of one per object: an array of objects is an array of pointers either way.
            if let expected = T.self as? NSManagedObject.Type, homes.allSatisfy({ isHome($0, of: expected, plan) }) {
                return unsafeBitCast(objects, to: [T].self)
            }
            return try typed(objects, plan)
        }
        return try typed(try results(plan), plan)
    }

    private func isHome(_ home: ObjectHome?, of expected: NSManagedObject.Type, _ plan: FetchPlan) -> Bool {
        guard let home, plan.store.layout.subtree.contains(home.layout.index) else { return true }
        if home.holdsOtherClasses { return false }
        var candidate: AnyClass? = home.managedClass
        while let current = candidate {
            if current == expected { return true }
            candidate = _getSuperclass(current)
        }
        return false
    }

    final func typed<T>(_ results: [Any], _ plan: FetchPlan) throws -> [T] {
        if let typed = results as? [T] { return typed }
        let other = results.first { !($0 is T) }
        fatalError(
            """
            The request for '\(plan.store.layout.name)' yields \(other.map { "\(type(of: $0))" } ?? "nothing"), \
            not \(T.self)
            """)
    }

    /// How many objects the request would return.
    public final func count<T>(for request: NSFetchRequest<T>) throws -> Int {
        checkConfinement()
        let plan = try plan(for: request)
        return try count(plan)
    }

    /// How many objects the request would return, where nothing but this says what type of results it has.
    @_disfavoredOverload
    public final func count(for request: NSFetchRequest<NSManagedObject>) throws -> Int {
        checkConfinement()
        return try count(try plan(for: request))
    }

    final func results(_ plan: FetchPlan) throws -> [Any] {
        switch plan.parameters.resultType {
        case .countResultType: [NSNumber(value: try count(plan))]
        case .dictionaryResultType: try dictionaries(plan).map { $0 as NSDictionary }
        case .managedObjectIDResultType: try objectIDs(for: keys(plan))
        default: try objects(plan)
        }
    }

    /// A fetch as this context and its parents understand it.
    struct FetchPlan {
        var parameters: FetchParameters
        var store: StoreFetch
        var affectedStores: [NSPersistentStore]?
        /// The state of the stores to read, where the context is pinned to one.
        var generation: QueryGeneration?
    }

    final func plan(for request: NSPersistentStoreRequest) throws -> FetchPlan {
        drainMailbox()
        guard var parameters = request.fetchParameters else {
            throw NSError.coreData(
                NSPersistentStoreUnsupportedRequestTypeError,
                reason: "Unsupported request type \(request.requestType) for a fetch")
        }
        guard let modelLayout else {
            throw NSError.coreData(
                NSCoreDataError, reason: "\(debugName) has no coordinator and no parent; it cannot fetch")
        }
        let name = parameters.entityName ?? ""
        guard let layout = modelLayout.layout(named: name) else {
            throw NSError.coreData(
                NSCoreDataError, reason: "A fetch request must have an entity; the model has no entity '\(name)'")
        }
        parameters.predicate = parameters.predicate.map { ObjectReferences.frozen($0) }
        var fetch = StoreFetch(layout: layout)
        fetch.includesSubentities = parameters.includesSubentities
        fetch.predicate = parameters.predicate
        fetch.sortDescriptors = parameters.sortDescriptors?.map(\.byKey) ?? []
        fetch.limit = parameters.fetchLimit
        fetch.offset = parameters.fetchOffset
        return FetchPlan(
            parameters: parameters, store: fetch, affectedStores: request.affectedStores,
            generation: parent == nil ? try generation() : nil)
    }

    // MARK: Objects

    final func objects(_ plan: FetchPlan) throws -> [NSManagedObject] {
        try throwingReadErrors {
            do {
                return try storedObjects(plan)
            } catch let error as NSError where isJudgedInMemory(plan, after: error) {
                return try judgedObjects(plan)
            }
        }
    }

    private func storedObjects(_ plan: FetchPlan) throws -> [NSManagedObject] {
        if plan.parameters.includesPendingChanges { settlePendingChanges() }
        let touched = plan.parameters.includesPendingChanges ? touchedObjects(plan.store) : []
        if touched.isEmpty {
            return try fetchObjects(plan)
        }
        let found = try fetchObjects(opened(plan, touched.count))
        return overlaid(found, touched, plan)
    }

    /// The fetch that finds enough rows when so many objects are judged by their unsaved values.
    private func opened(_ plan: FetchPlan, _ touched: Int) -> FetchPlan {
        var open = plan
        open.store.offset = 0
        if plan.store.limit > 0 {
            // No touched object is among those that are kept as they are: so many rows more are enough to fill the limit.
            open.store.limit = plan.store.offset + plan.store.limit + touched
        }
        return open
    }

    /// What to read in the background for a fetch, and how many objects have unsaved changes now.
    final func rowsPlan(for plan: FetchPlan) throws -> (plan: FetchPlan, touched: Int) {
        guard plan.parameters.includesPendingChanges else { return (plan, 0) }
        try throwingReadErrors { settlePendingChanges() }
        let touched = touchedObjects(plan.store).count
        return (touched == 0 ? plan : opened(plan, touched), touched)
    }

    /// The objects of a fetch whose rows were read when `touchedBefore` objects had unsaved changes.
    final func objects(_ plan: FetchPlan, rows: [Snapshot], touchedBefore: Int) throws -> [NSManagedObject] {
        try throwingReadErrors { try overlaidObjects(plan, rows: rows, touchedBefore: touchedBefore) }
    }

    private func overlaidObjects(
        _ plan: FetchPlan, rows: [Snapshot], touchedBefore: Int
    ) throws -> [NSManagedObject] {
        guard plan.parameters.includesPendingChanges else { return try fetchObjects(plan, rows: rows) }
        settlePendingChanges()
        let touched = touchedObjects(plan.store)
        let isCut = plan.store.limit > 0 || plan.store.offset > 0
        // More changes came meanwhile: the rows may be too few.
        if isCut, touched.count > touchedBefore { return try objects(plan) }
        let found = try fetchObjects(plan, rows: rows)
        return touched.isEmpty && touchedBefore == 0 ? found : overlaid(found, touched, plan)
    }

    /// The rows of a fetch as this context's source has them.
    private func rows(_ plan: FetchPlan) throws -> [Snapshot] {
        switch source {
        case .parent(let parent):
            let sent = Transfer(plan)
            return try parent.reading { Transfer(try parent.rowsForChild(sent.value)) }.value
        case .coordinator(let coordinator):
            return try coordinator.rows(
                for: storeFetch(plan, coordinator), in: plan.affectedStores, at: try plan.generation ?? generation())
        case nil:
            return []
        }
    }

    /// The same, some hundred at a time where the source is a store.
    final func eachBatchOfRows(_ plan: FetchPlan, _ body: ([Snapshot]) throws -> Void) throws {
        if case .coordinator(let coordinator)? = source {
            try coordinator.fetchRows(
                plan.store, in: plan.affectedStores, at: try plan.generation ?? generation(), body)
        } else {
            try body(try rows(plan))
        }
    }

    /// The objects of a fetch as this context's source has them, made while each batch of rows is fresh.
    ///
    /// `given` are the rows where they have been read before.
    private func fetchObjects(_ plan: FetchPlan, rows given: [Snapshot]? = nil) throws -> [NSManagedObject] {
        if given == nil, plan.parameters.fetchBatchSize > 0 { return batchedObjects(try sourceKeys(plan), plan) }
        var objects: [NSManagedObject] = []
        var birth = Birth(home: home(at: plan.store.layout.index))
        let isRefreshing = plan.parameters.shouldRefreshRefetchedObjects
        let map = identityMap(of: plan.store.layout.rootIndex)
        // A fetch gives every row once: where nothing was known before it, nothing has to be looked up.
        let isFresh = map.count == 0
        func take(_ rows: [Snapshot]) {
            var current = birth
            var made: [NSManagedObject] = []
            made.reserveCapacity(rows.count)
            for row in rows {
                if row.layoutIndex != current.layoutIndex { current = Birth(home: home(at: row.layoutIndex)) }
                if isFresh {
                    made.append(current.deliver(key: row.key, row: row, flags: [.registered, .unfired]))
                } else {
                    made.append(object(for: row, birth: current, map: map, isRefreshing: isRefreshing))
                }
            }
            birth = current
            if isFresh { map.register(contentsOf: made) }
            objects += made
        }
        if let given {
            take(given)
        } else if isAnsweredWithKeys(plan) {
            objects = try faults(plan)
        } else {
            try eachBatchOfRows(plan, take)
        }
        if !plan.parameters.returnsObjectsAsFaults {
            try fire(objects)
        }
        try prefetch(plan.parameters.relationshipKeyPathsForPrefetching ?? [], of: objects)
        return objects
    }

    /// Objects of the fetched entity with unsaved changes in this context.
    final func touchedObjects(_ fetch: StoreFetch) -> [NSManagedObject] {
        let range = fetch.includesSubentities ? fetch.layout.subtree : fetch.layout.index..<fetch.layout.index + 1
        func isOfEntity(_ object: NSManagedObject) -> Bool { range.contains(object.home.layout.index) }
        if insertedList.isEmpty, updatedList.isEmpty, deletedList.isEmpty { return [] }
        return livingInserted.filter(isOfEntity) + livingUpdated.filter(isOfEntity) + livingDeleted.filter(isOfEntity)
    }

    /// What a fetch returns once the unsaved changes are counted: touched objects are judged by their present values.
    private func overlaid(
        _ found: [NSManagedObject], _ touched: [NSManagedObject], _ plan: FetchPlan
    ) -> [NSManagedObject] {
        let touchedIdentities = Set(touched.map(ObjectIdentifier.init))
        var result = found.filter { !touchedIdentities.contains(ObjectIdentifier($0)) }
        let predicate = plan.store.predicate
        let matching = touched.filter {
            !$0.flags.contains(.deleted) && (predicate?.evaluate(with: $0) ?? true)
        }
        result += matching
        if !plan.store.sortDescriptors.isEmpty, plan.parameters.fetchBatchSize > 0 {
            // Only those that the search for a place looks at are read.
            result.removeLast(matching.count)
            for object in matching { result.insert(object, byDescriptors: plan.store.sortDescriptors) }
        } else if !plan.store.sortDescriptors.isEmpty {
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

    /// The keys of a fetch as this context's source has them.
    private func sourceKeys(_ plan: FetchPlan) throws -> [ObjectKey] {
        switch source {
        case .parent(let parent):
            let sent = Transfer(plan)
            return try parent.reading { try parent.keys(sent.value) }
        case .coordinator(let coordinator):
            return try coordinator.keys(
                for: plan.store, in: plan.affectedStores, at: try plan.generation ?? generation())
        case nil: return []
        }
    }

    private func keys(_ plan: FetchPlan) throws -> [ObjectKey] {
        if try isFetchDirect(plan), case .coordinator(let coordinator)? = source {
            do {
                let fetch = storeFetch(plan, coordinator)
                return try isAnsweredWithKeys(plan)
                    ? coordinator.orderedKeys(for: fetch, in: plan.affectedStores)
                    : coordinator.keys(
                        for: fetch, in: plan.affectedStores, at: try plan.generation ?? generation())
            } catch let error as NSError where isJudgedInMemory(plan, after: error) {}
        }
        return try objects(plan).map(\.objectKey)
    }

    final func count(_ plan: FetchPlan) throws -> Int {
        if try isFetchDirect(plan) {
            do {
                switch source {
                case .coordinator(let coordinator):
                    return try coordinator.count(
                        for: storeFetch(plan, coordinator), in: plan.affectedStores,
                        at: try plan.generation ?? generation())
                case .parent(let parent):
                    let sent = Transfer(plan)
                    return try parent.reading { try parent.count(sent.value) }
                case nil: return 0
                }
            } catch let error as NSError where isJudgedInMemory(plan, after: error) {}
        }
        return try objects(plan).count
    }

    /// Dictionaries are read from the store: unsaved changes do not count, as documented.
    final func dictionaries(_ plan: FetchPlan) throws -> [[String: Any]] {
        switch source {
        case .parent(let parent):
            let sent = Transfer(plan)
            return try parent.reading { Transfer(try parent.dictionaries(sent.value)) }.value
        case .coordinator(let coordinator):
            var fetch = storeFetch(plan, coordinator)
            let parameters = plan.parameters
            let properties =
                try parameters.propertiesToFetch?.map { try column($0, plan) }
                ?? fetch.layout.entity.attributesByName.keys.sorted().map { .keyPath($0) }
            let composites = properties.compactMap { column -> CompositeAccess? in
                guard case .composite(let composite)? = fetch.layout.access[column.name] else { return nil }
                return composite
            }
            fetch.result = .dictionaries(
                properties: properties.flatMap { column -> [StoreFetch.Column] in
                    guard let composite = composites.first(where: { $0.name == column.name }) else { return [column] }
                    return composite.slots.map { .keyPath(fetch.layout.slots[$0].name) }
                },
                groupBy: try parameters.propertiesToGroupBy?.map { try column($0, plan) } ?? [],
                having: parameters.havingPredicate, distinct: parameters.returnsDistinctResults)
            let rows = try coordinator.dictionaries(
                for: fetch, in: plan.affectedStores, at: try plan.generation ?? generation())
            if composites.isEmpty { return rows }
            let asked = Set(properties.map(\.name))
            return rows.map { Self.folding(composites, in: $0, fetch.layout, keeping: asked) }
        case nil:
            return []
        }
    }

    /// A dictionary whose composite attributes are read element by element, with one dictionary for each.
    private static func folding(
        _ composites: [CompositeAccess], in row: [String: Any], _ layout: EntityLayout, keeping asked: Set<String>
    ) -> [String: Any] {
        var result = row
        // A program's store may have given the whole.
        for composite in composites where row[composite.name] == nil {
            func value(_ composite: CompositeAccess) -> [String: Any]? {
                var values: [String: Any] = [:]
                for (name, access) in composite.elements {
                    switch access {
                    case .attribute(let slot):
                        let path = layout.slots[slot].name
                        values[name] = row[path]
                        if !asked.contains(path) { result[path] = nil }
                    case .composite(let inner): values[name] = value(inner)
                    case .toOne, .toMany, .fetched: break
                    }
                }
                return values.isEmpty ? nil : values
            }
            result[composite.name] = value(composite)
        }
        return result
    }

    private func column(_ element: Any, _ plan: FetchPlan) throws -> StoreFetch.Column {
        switch element {
        case let name as String: return .keyPath(name)
        case let expression as NSExpressionDescription:
            // Without an expression it may stand for the attribute of its name.
            let isAttribute = if case .attribute? = plan.store.layout.access[expression.name] { true } else { false }
            return expression.expression == nil && isAttribute ? .keyPath(expression.name) : .expression(expression)
        case let property as NSPropertyDescription: return .keyPath(property.name)
        case let keyPath as AnyKeyPath:
            return .keyPath(
                KeyPathNames.requiredName(of: keyPath, for: "propertiesToFetch of '\(plan.store.layout.name)'"))
        default:
            throw NSError.coreData(
                NSCoreDataError,
                reason: """
                    Invalid element \(element) in propertiesToFetch or propertiesToGroupBy of a request for \
                    '\(plan.store.layout.name)'
                    """)
        }
    }

    /// Whether nothing unsaved of this context can change the answer.
    private func isFetchDirect(_ plan: FetchPlan) throws -> Bool {
        if !plan.parameters.includesPendingChanges { return true }
        try throwingReadErrors { settlePendingChanges() }
        return touchedObjects(plan.store).isEmpty
    }

    // MARK: For children

    /// Rows for a child's fetch, with this context's unsaved changes in them. Called on this context's queue.
    final func rowsForChild(_ plan: FetchPlan) throws -> [Snapshot] {
        try throwingReadErrors { settlePendingChanges() }
        if !plan.parameters.includesPendingChanges || touchedObjects(plan.store).isEmpty {
            return try rows(plan)
        }
        return try objects(plan).map { $0.currentRow() }
    }

    /// The row behind a child's object, with this context's unsaved changes in it. Called on this context's queue.
    final func rowForChild(_ key: ObjectKey) throws -> Snapshot? {
        drainMailbox()
        var key = key
        if key.isTemporary, let permanent = permanentKeys[key.key] { key.key = permanent }
        if let object = registeredObject(for: key) {
            if object.flags.contains(.deleted) { return nil }
            if object.row != nil { return object.currentRow() }
        }
        return try readRow(for: key)
    }

    /// The rows behind many objects of a child, by the keys it has for them. Called on this context's queue.
    final func rowsForChild(_ keys: [ObjectKey]) throws -> [(ObjectKey, Snapshot)] {
        drainMailbox()
        var rows: [(ObjectKey, Snapshot)] = []
        var missing: [(ObjectKey, ObjectKey)] = []
        for key in keys {
            let present = key.renamed(permanentKeys)
            if let object = registeredObject(for: present), object.row != nil || object.flags.contains(.deleted) {
                if !object.flags.contains(.deleted) { rows.append((key, object.currentRow())) }
            } else {
                missing.append((key, present))
            }
        }
        let found = try readRows(for: missing.map(\.1))
        for (key, present) in missing {
            let place = ObjectKey(layoutIndex: home(at: present.layoutIndex).layout.rootIndex, key: present.key)
            if let row = found[place] { rows.append((key, row)) }
        }
        return rows
    }

    /// The members of a child's to-many relationship, with this context's unsaved changes. On this context's queue.
    final func membersForChild(of toMany: ToManySlot, owner: ObjectKey) throws -> [ObjectKey] {
        var owner = owner
        return try throwingReadErrors {
            settlePendingChanges()
            if owner.isTemporary, let permanent = permanentKeys[owner.key] { owner.key = permanent }
            return object(for: owner).members(of: toMany.index)
        }
    }
}
