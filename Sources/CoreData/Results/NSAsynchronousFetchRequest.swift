import Foundation

/// A fetch that reads in the background.
///
/// ``NSManagedObjectContext/execute(_:)`` returns at once. The completion block runs on the context's queue when the
/// objects are there. The fetch reads on a queue of the system; only the objects are made on the context's queue.
///
/// If a `Progress` is current while the request is executed, the progress of the fetch becomes its child. Cancelling it
/// ends the fetch with an error. A context with the confinement concurrency type has no queue; executing the request
/// there stops the process.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsasynchronousfetchrequest)
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
    /// The fetch to execute.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsasynchronousfetchrequest/fetchrequest)
    open private(set) var fetchRequest: NSFetchRequest<ResultType>
    /// A closure that gets the complete result on the context's queue. It also runs if the fetch fails or is cancelled.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsasynchronousfetchrequest/completionblock)
    open private(set) var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    /// The expected number of results, for the total of the progress; 0, the value unless set, if there is no estimate.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsasynchronousfetchrequest/estimatedresultcount)
    open var estimatedResultCount = 0

    /// Creates an asynchronous fetch.
    ///
    /// - Parameters:
    ///   - request: The fetch. It is read when the asynchronous request is executed.
    ///   - blk: A closure that gets the complete result on the context's queue.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsasynchronousfetchrequest/init(fetchrequest:completionblock:))
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        fetchRequest = request
        completionBlock = blk
        super.init()
    }

    /// A copy with a copy of the fetch request, and the same completion block.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let request = fetchRequest.copy() as? NSFetchRequest<ResultType>
        let copy = NSAsynchronousFetchRequest(fetchRequest: request ?? fetchRequest, completionBlock: completionBlock)
        copy.affectedStores = affectedStores
        copy.estimatedResultCount = estimatedResultCount
        return copy
    }

    override func result(in context: any RequestExecutor) throws -> NSPersistentStoreResult {
        require(
            context.concurrencyType != .confinementConcurrencyType,
            "NSConfinementConcurrencyType context \(context.debugName) cannot support asynchronous fetch requests.")
        let progress = Progress(totalUnitCount: estimatedResultCount > 0 ? Int64(estimatedResultCount) : -1)
        let result = NSAsynchronousFetchResult(request: self, context: context, progress: progress)
        let (block, sent) = (UncheckedSendable(completionBlock), UncheckedSendable(result))
        try context.fetchInBackground(fetchRequest, progress: progress) { outcome in
            sent.value.finish(outcome)
            block.value?(sent.value)
        }
        return result
    }
}
