import Foundation

/// The result of a request that goes on in the background.
///
/// May be read from any thread.
// @unchecked Sendable: what changes is guarded by `lock`.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult, @unchecked Sendable {
    /// The context that executed the request.
    public let managedObjectContext: NSManagedObjectContext
    /// How far the request is; nil where it was complete at once.
    public let progress: Progress?
    private let lock = NSLock()
    private var storedError: (any Error)?

    init(context: NSManagedObjectContext, progress: Progress?) {
        managedObjectContext = context
        self.progress = progress
    }

    /// Why the request failed; nil while it goes on and when it succeeded. A cancelled one has `NSUserCancelledError`.
    open var operationError: (any Error)? { lock.withLock { storedError } }

    /// Ends the request as soon as possible; its completion block is called all the same.
    open func cancel() {
        progress?.cancel()
    }

    final func fail(_ error: any Error) {
        lock.withLock { storedError = error }
    }
}

/// What an asynchronous fetch found.
// @unchecked Sendable: what changes is guarded by `resultLock`.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult, @unchecked Sendable {
    /// The request that was executed.
    public let fetchRequest: NSAsynchronousFetchRequest<ResultType>
    private let resultLock = NSLock()
    private var storedResult: [ResultType]?

    init(
        request: NSAsynchronousFetchRequest<ResultType>, context: NSManagedObjectContext, progress: Progress?
    ) {
        fetchRequest = request
        super.init(context: context, progress: progress)
    }

    /// What was found; nil while the fetch goes on and when it failed. Objects among it are for the context's queue.
    open var finalResult: [ResultType]? { resultLock.withLock { storedResult } }

    final func finish(_ outcome: Result<[ResultType], any Error>) {
        switch outcome {
        case .success(let found): resultLock.withLock { storedResult = found }
        case .failure(let error): fail(error)
        }
    }
}

extension NSManagedObjectContext {
    /// Fetches, and gives the results in the form of those that come later.
    final func wrappedResult<ResultType>(of request: NSFetchRequest<ResultType>) throws -> NSPersistentStoreResult {
        let later = NSAsynchronousFetchRequest(fetchRequest: request)
        let result = NSAsynchronousFetchResult(request: later, context: self, progress: nil)
        result.finish(.success(try fetch(request)))
        return result
    }
}
