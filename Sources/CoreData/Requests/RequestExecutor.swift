/// The part of a context that requests and the stores of programs use. They use no other member of contexts.
protocol RequestExecutor: NSManagedObjectContext {
    /// Carries out a batch insertion. The value is the content of the request's result.
    func insertBatch(_ request: NSBatchInsertRequest) throws -> Any
    /// Carries out a batch update. The value is the content of the request's result.
    func updateBatch(_ request: NSBatchUpdateRequest) throws -> Any
    /// Carries out a batch deletion. The value is the content of the request's result.
    func deleteBatch(_ request: NSBatchDeleteRequest) throws -> Any
    func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T]
    /// The coordinator of the context, or of its last parent.
    var persistentStoreCoordinator: NSPersistentStoreCoordinator? { get set }
    /// Fetches, and wraps the results as those of an asynchronous fetch.
    func wrappedResult<ResultType>(of request: NSFetchRequest<ResultType>) throws -> NSPersistentStoreResult
    /// The answers of the stores that programs write to a request of a program's own class; nil if there are no such
    /// stores.
    func answers(ofObjectStoresTo request: NSPersistentStoreRequest) throws -> [Any]?
    /// The name of the context in error messages.
    var debugName: String { get }

    /// The context whose block runs on this thread; the innermost of several.
    static var innermostHeld: (any RequestExecutor)? { get }
    /// A new context of a coordinator, for calls into a program's store that come without a context.
    static func own(of coordinator: NSPersistentStoreCoordinator?) -> NSManagedObjectContext
}
