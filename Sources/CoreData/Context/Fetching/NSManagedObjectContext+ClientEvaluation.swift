import Foundation

// In-memory stores evaluate predicates and sort descriptors that have no SQL (values inside transformable attributes,
// comparators that are blocks) on the objects, as Apple's do.
extension NSManagedObjectContext {
    /// Whether the stores have no SQL for a fetch, and the program is to evaluate it object by object.
    ///
    /// False for a fetch that names a property that does not exist: the stores refuse it with an error.
    final func isEvaluatedOnClient(_ fetch: StoreFetch, in affected: [NSPersistentStore]?) -> Bool {
        guard fetch.predicate != nil || !fetch.sortDescriptors.isEmpty, let coordinator = persistentStoreCoordinator,
            !coordinator.hasSQL(for: fetch, in: affected)
        else { return false }
        return (try? MemoryFetch(request: fetch).requireDecidable()) != nil
    }

    /// The objects of a fetch, each evaluated in the program.
    final func clientEvaluatedObjects(_ plan: FetchPlan) throws -> [NSManagedObject] {
        let everything = plan.with(isEvaluatedOnClient: false) { _, store in
            store.predicate = nil
            store.sortDescriptors = []
            store.limit = 0
            store.offset = 0
        }
        var result = try objects(everything)
        if let predicate = plan.store.predicate { result = result.filter { predicate.evaluate(with: $0) } }
        if !plan.store.sortDescriptors.isEmpty { result = result.sorted(byDescriptors: plan.store.sortDescriptors) }
        result.removeFirst(min(plan.store.offset, result.count))
        if plan.store.limit > 0, result.count > plan.store.limit { result.removeLast(result.count - plan.store.limit) }
        return result
    }
}
