/// What requests, and the stores that programs write, ask of a context: what depends on their kind, and how errors call
/// it. Requests know no more of contexts than this.
protocol RequestExecutor: NSManagedObjectContext {
    /// What a batch request's result holds.
    func insertBatch(_ request: NSBatchInsertRequest) throws -> Any
    func updateBatch(_ request: NSBatchUpdateRequest) throws -> Any
    func deleteBatch(_ request: NSBatchDeleteRequest) throws -> Any
    func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T]
    /// The coordinator of the context, or of the last one of its parents.
    var persistentStoreCoordinator: NSPersistentStoreCoordinator? { get set }
    /// Fetches, and gives the results in the form of those that come later.
    func wrappedResult<ResultType>(of request: NSFetchRequest<ResultType>) throws -> NSPersistentStoreResult
    /// What the stores that programs write answer to a request of a program's own kind; nil where there are none.
    func answers(ofObjectStoresTo request: NSPersistentStoreRequest) throws -> [Any]?
    /// What errors call the context.
    var debugName: String { get }

    /// The context whose block runs on this thread; the innermost of several.
    static var innermostHeld: (any RequestExecutor)? { get }
    /// A context for whoever asks a program's store without one.
    static func own(of coordinator: NSPersistentStoreCoordinator?) -> NSManagedObjectContext
}
