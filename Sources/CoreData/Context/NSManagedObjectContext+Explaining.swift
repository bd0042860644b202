import Foundation

extension NSManagedObjectContext {
    /// Says what the stores would do for a fetch: statement, values and the plan of the database. The fetch is not run.
    ///
    /// An addition to Apple's API. To be called on the context's queue. Unsaved changes do not count. Where a database
    /// does not decide all of a predicate as Core Data does, values that the program judges are read.
    ///
    /// - Returns: One explanation for each store that has statements, in the order of the coordinator's stores: none
    ///   for XML, binary and other stores that the program searches, and none for a store without the entity.
    /// - Throws: What `fetch(_:)` throws for a request that makes no sense, and an `NSError` where the store cannot be
    ///   read.
    public final func explain<T>(_ request: NSFetchRequest<T>) throws -> [FetchExplanation] {
        checkConfinement()
        var plan = try plan(for: request)
        switch plan.parameters.resultType {
        case .dictionaryResultType: plan.store.result = try DictionaryColumns(plan).result(plan.parameters)
        case .countResultType: plan.store.result = .count
        default: plan.store.result = .keys
        }
        let asRows = plan.parameters.resultType == .managedObjectResultType
        return try persistentStoreCoordinator?.explained(
            plan.store, asRows: asRows, in: plan.affectedStores, at: plan.generation) ?? []
    }
}
