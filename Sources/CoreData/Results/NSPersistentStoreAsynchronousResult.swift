import Foundation

/// The result of a request that runs in the background. Any thread may read it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreasynchronousresult)
// @unchecked Sendable: mutable state is guarded by `lock`.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult, @unchecked Sendable {
    /// The context that executed the request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreasynchronousresult/managedobjectcontext)
    public let managedObjectContext: NSManagedObjectContext
    /// The progress of the request; nil if the result was complete at once.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreasynchronousresult/progress)
    public let progress: Progress?
    private let lock = NSLock()
    private var storedError: (any Error)?

    init(context: NSManagedObjectContext, progress: Progress?) {
        managedObjectContext = context
        self.progress = progress
    }

    /// The error of a request that failed; nil as long as it runs, and if it succeeded.
    ///
    /// A cancelled request has the error `NSUserCancelledError`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreasynchronousresult/operationerror)
    open var operationError: (any Error)? { lock.withLock { storedError } }

    /// Ends the request as soon as possible. Its completion block still runs.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreasynchronousresult/cancel())
    open func cancel() {
        progress?.cancel()
    }

    final func fail(_ error: any Error) {
        lock.withLock { storedError = error }
    }
}

/// The result of an asynchronous fetch. Any thread may read it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsasynchronousfetchresult)
// @unchecked Sendable: mutable state is guarded by `resultLock`.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult, @unchecked Sendable {
    /// The request that was executed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsasynchronousfetchresult/fetchrequest)
    public let fetchRequest: NSAsynchronousFetchRequest<ResultType>
    private let resultLock = NSLock()
    private var storedResult: [ResultType]?

    init(
        request: NSAsynchronousFetchRequest<ResultType>, context: NSManagedObjectContext, progress: Progress?
    ) {
        fetchRequest = request
        super.init(context: context, progress: progress)
    }

    /// The results; nil as long as the fetch runs, and if it failed. Use objects among them on the context's queue.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsasynchronousfetchresult/finalresult)
    open var finalResult: [ResultType]? { resultLock.withLock { storedResult } }

    final func finish(_ outcome: Result<[ResultType], any Error>) {
        switch outcome {
        case .success(let found): resultLock.withLock { storedResult = found }
        case .failure(let error): fail(error)
        }
    }
}

extension NSManagedObjectContext {
    /// Fetches, and wraps the results as those of an asynchronous fetch.
    final func wrappedResult<ResultType>(of request: NSFetchRequest<ResultType>) throws -> NSPersistentStoreResult {
        let later = NSAsynchronousFetchRequest(fetchRequest: request)
        let result = NSAsynchronousFetchResult(request: later, context: self, progress: nil)
        result.finish(.success(try fetch(request)))
        return result
    }
}
