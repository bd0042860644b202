import Foundation

// In-memory stores evaluate predicates and sort descriptors that have no SQL (values inside transformable attributes,
// comparators that are blocks) on the objects, as Apple's do.
extension NSManagedObjectContext {
    /// Whether a fetch that has no SQL is to be evaluated object by object.
    final func isEvaluatedOnClient(_ plan: FetchPlan, after error: NSError) -> Bool {
        guard error.domain == NSCocoaErrorDomain, error.code == NSCoreDataError,
            plan.store.predicate != nil || !plan.store.sortDescriptors.isEmpty,
            let stores = plan.affectedStores ?? persistentStoreCoordinator?.persistentStores,
            (try? MemoryFetch(request: plan.store).requireDecidable()) != nil
        else { return false }
        return !stores.isEmpty && stores.allSatisfy(\.decidesByObject)
    }

    /// The objects of a fetch, each evaluated in the program.
    final func clientEvaluatedObjects(_ plan: FetchPlan) throws -> [NSManagedObject] {
        var everything = plan
        everything.store.predicate = nil
        everything.store.sortDescriptors = []
        everything.store.limit = 0
        everything.store.offset = 0
        var result = try objects(everything)
        if let predicate = plan.store.predicate { result = result.filter { predicate.evaluate(with: $0) } }
        if !plan.store.sortDescriptors.isEmpty { result = result.sorted(byDescriptors: plan.store.sortDescriptors) }
        result.removeFirst(min(plan.store.offset, result.count))
        if plan.store.limit > 0, result.count > plan.store.limit { result.removeLast(result.count - plan.store.limit) }
        return result
    }
}
