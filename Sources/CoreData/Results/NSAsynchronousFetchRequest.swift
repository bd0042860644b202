import Foundation

/// A fetch that reads in the background: `NSManagedObjectContext.execute(_:)` returns at once, and the completion block
/// is called on the context's queue when the objects are there.
///
/// Only the making of the objects takes place on the context's queue, not the reading. A `Progress` that is current
/// while the request is executed gets the fetch's own as its child; cancelling it ends the fetch with an error. A
/// context of the confinement type stops the process: it has no queue.
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
    /// What to fetch.
    open private(set) var fetchRequest: NSFetchRequest<ResultType>
    /// Called on the context's queue with the complete result, also when the fetch failed or was cancelled.
    open private(set) var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    /// How many results are expected, as the total of the progress; 0, the value unless set, when nobody knows.
    open var estimatedResultCount = 0

    /// Fetches what the request describes, as it is when it is executed.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        fetchRequest = request
        completionBlock = blk
        super.init()
    }

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
        let (block, sent) = (Transfer(completionBlock), Transfer(result))
        try context.fetchInBackground(fetchRequest, progress: progress) { outcome in
            sent.value.finish(outcome)
            block.value?(sent.value)
        }
        return result
    }
}
