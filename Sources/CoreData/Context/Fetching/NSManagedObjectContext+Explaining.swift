import Foundation

extension NSManagedObjectContext {
    /// Explains how the stores would carry out a fetch: statement, values and the database's plan. The fetch is not
    /// run.
    ///
    /// Unsaved changes do not count. If a database does not decide all of a predicate as Core Data does, the values
    /// that the program compares are read.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter request: The fetch to explain.
    /// - Returns: One explanation for each store with tables that has the entity, in the order of the coordinator's
    ///   stores. XML, binary and other stores that the program searches have none.
    /// - Throws: The same errors as `fetch(_:)`.
    public final func explain<T>(_ request: NSFetchRequest<T>) throws -> [FetchExplanation] {
        checkConfinement()
        let plan = try plan(for: request)
        var fetch = plan.store
        switch plan.parameters.resultType {
        case .dictionaryResultType: fetch.result = try DictionaryColumns(plan).result(plan.parameters)
        case .countResultType: fetch.result = .count
        default: fetch.result = .keys
        }
        let asRows = plan.parameters.resultType == .managedObjectResultType
        return try persistentStoreCoordinator?.explained(
            fetch, asRows: asRows, in: plan.affectedStores, at: plan.generation) ?? []
    }
}
