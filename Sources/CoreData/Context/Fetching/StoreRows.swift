import Foundation

/// The rows of a context with a coordinator and no parent: those of the coordinator's stores.
struct StoreRows: RowSource {
    let coordinator: NSPersistentStoreCoordinator

    func row(for key: ObjectKey, in context: NSManagedObjectContext) throws -> Snapshot? {
        guard !key.isTemporary, let modelLayout = context.modelLayout else { return nil }
        let rootIndex = modelLayout.entities[key.layoutIndex].rootIndex
        let refreshing = context.settings.stalenessInterval >= 0 && context.isStale(key, rootIndex, coordinator)
        return try coordinator.row(
            for: key, rootIndex: rootIndex, at: try context.generation(), refreshing: refreshing, in: context)
    }

    func newestRow(for key: ObjectKey, in context: NSManagedObjectContext) throws -> Snapshot? {
        try coordinator.row(
            for: key, rootIndex: context.rootIndex(of: key), at: nil, refreshing: true, in: context)
    }

    func rows(for keys: [ObjectKey], in context: NSManagedObjectContext) throws -> [ObjectKey: Snapshot] {
        var found: [ObjectKey: Snapshot] = [:]
        found.reserveCapacity(keys.count)
        // Mostly the objects of few entities follow each other.
        var groups: [(root: Int, keys: [Int64])] = []
        for run in keys.runs(by: { $0.layoutIndex == $1.layoutIndex }) {
            let root = context.rootIndex(of: keys[run.lowerBound])
            let place = groups.firstIndex { $0.root == root } ?? groups.endIndex
            if place == groups.endIndex { groups.append((root, [])) }
            for key in keys[run] where !key.isTemporary { groups[place].keys.append(key.key) }
        }
        for (root, saved) in groups where !saved.isEmpty {
            let rows = try coordinator.rows(
                for: saved, rootIndex: root, at: try context.generation(),
                refreshing: context.settings.stalenessInterval >= 0)
            for row in rows { found[ObjectKey(layoutIndex: root, key: row.key)] = row }
        }
        return found
    }

    func members(of toMany: ToManySlot, owner: ObjectKey, in context: NSManagedObjectContext) throws -> [ObjectKey] {
        try coordinator.members(of: toMany, owner: owner, at: try context.generation(), in: context)
    }

    func members(
        of toMany: ToManySlot, owners: [ObjectKey], in context: NSManagedObjectContext
    ) throws -> [Int64: [ObjectKey]] {
        try coordinator.members(of: toMany, owners: owners, at: try context.generation())
    }

    // MARK: Fetches

    func rows(_ plan: FetchPlan, in context: NSManagedObjectContext) throws -> [Snapshot] {
        try coordinator.rows(
            for: storeFetch(plan, context), in: plan.affectedStores, at: try generation(plan, context))
    }

    func eachBatchOfRows(
        _ plan: FetchPlan, in context: NSManagedObjectContext, _ body: ([Snapshot]) throws -> Void
    ) throws {
        try coordinator.fetchRows(
            storeFetch(plan, context), in: plan.affectedStores, at: try generation(plan, context), body)
    }

    func keys(_ plan: FetchPlan, in context: NSManagedObjectContext) throws -> FetchedKeys {
        let fetch = storeFetch(plan, context)
        if context.isAnsweredWithKeys(plan) { return try coordinator.orderedKeys(for: fetch, in: plan.affectedStores) }
        return try coordinator.keys(for: fetch, in: plan.affectedStores, at: try generation(plan, context))
    }

    func count(_ plan: FetchPlan, in context: NSManagedObjectContext) throws -> Int {
        try coordinator.count(
            for: storeFetch(plan, context), in: plan.affectedStores, at: try generation(plan, context))
    }

    func dictionaries(_ plan: FetchPlan, in context: NSManagedObjectContext) throws -> FetchedDictionaries {
        let columns = try DictionaryColumns(plan)
        var fetch = storeFetch(plan, context)
        fetch.result = columns.result(plan.parameters)
        let generation = try generation(plan, context)
        if !coordinator.hasSQL(for: fetch, in: plan.affectedStores) {
            return .dictionaries(
                columns.folded(
                    try coordinator.clientEvaluatedDictionaries(fetch, in: plan.affectedStores, at: generation)))
        }
        if columns.fitTable, let table = try table(fetch, plan, generation) { return .table(table) }
        return .dictionaries(
            columns.folded(try coordinator.dictionaries(for: fetch, in: plan.affectedStores, at: generation)))
    }

    func streamColumns(
        _ plan: FetchPlan, in context: NSManagedObjectContext, _ body: (FetchedRow) throws -> Void
    ) throws -> Bool {
        let columns = try DictionaryColumns(plan)
        var fetch = storeFetch(plan, context)
        fetch.result = columns.result(plan.parameters)
        guard columns.fitTable, coordinator.hasSQL(for: fetch, in: plan.affectedStores) else { return false }
        let stores = try coordinator.attachedStores(for: fetch.layout, in: plan.affectedStores)
        guard stores.count == 1, let store = stores.first else { return false }
        return try (try generation(plan, context)?.views[store.number] ?? store.rows).streamColumns(fetch, body)
    }

    /// Dictionaries as a table; nil unless exactly one store answers and makes a table.
    private func table(
        _ fetch: StoreFetch, _ plan: FetchPlan, _ generation: QueryGeneration?
    ) throws -> FetchedTable? {
        let stores = try coordinator.attachedStores(for: fetch.layout, in: plan.affectedStores)
        guard stores.count == 1, let store = stores.first else { return nil }
        guard var table = try (generation?.views[store.number] ?? store.rows).fetchTable(fetch) else { return nil }
        let origin = NSManagedObjectID.Origin(modelLayout: coordinator.modelLayout, store: store.store)
        table.replaceKeys { NSManagedObjectID(objectKey: $0, origin: origin) }
        return table
    }

    private func generation(_ plan: FetchPlan, _ context: NSManagedObjectContext) throws -> QueryGeneration? {
        try plan.generation ?? context.generation()
    }

    /// The fetch for the stores of the coordinator. If a program's store is among them, the fetch has its origin.
    private func storeFetch(_ plan: FetchPlan, _ context: NSManagedObjectContext) -> StoreFetch {
        guard plan.hasOrigin, coordinator.hasObjectStores else { return plan.store }
        var fetch = plan.store
        fetch.origin = FetchOrigin(context: plan.shownContext ?? context, parameters: plan.parameters)
        return fetch
    }

    var hasUnsavedRows: Bool { false }
    func permanentKey(for key: ObjectKey) -> ObjectKey? { nil }
    func generation(of context: NSManagedObjectContext) throws -> QueryGeneration? { try context.generation() }

    // MARK: Saving

    func save(_ work: inout NSManagedObjectContext.SaveWork, of context: NSManagedObjectContext) throws -> Bool {
        try context.save(&work, to: coordinator)
        return false
    }

    func takeOverSoon() {}
}
