import Foundation

/// The contexts whose queues the running thread holds, innermost last.
///
/// `performAndWait` runs on the caller's thread, so `Thread.isMainThread` and queue-specific values do not cover all
/// that a thread may touch. A main thread that runs a private context's block is on that context's queue and still
/// holds the main queue. This per-thread stack records both. The stack decides re-entrancy and confinement.
enum HeldContexts {
    /// One frame of the stack, stored in the activation of `run(holding:_:)`.
    private struct Frame {
        unowned(unsafe) let context: NSManagedObjectContext
        let holdsMain: Bool
        let below: UnsafeMutablePointer<Frame>?
    }

    private static let threadKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private static let mainQueueKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    @inline(__always)
    private static var top: UnsafeMutablePointer<Frame>? {
        pthread_getspecific(threadKey)?.assumingMemoryBound(to: Frame.self)
    }

    /// Runs the closure while the calling thread counts as holding the context's queue.
    ///
    /// `holdsMain` says whether the thread also holds the main queue. Inside a `sync` block queue-specific values do
    /// not show that, so a caller reads `isMainQueueHeld` before it enters one.
    static func run<Result>(
        holding context: NSManagedObjectContext, holdsMain: Bool, _ body: () throws -> Result
    ) rethrows -> Result {
        let below = top
        return try withUnsafeTemporaryAllocation(of: Frame.self, capacity: 1) { frame in
            frame.initializeElement(at: 0, to: Frame(context: context, holdsMain: holdsMain, below: below))
            pthread_setspecific(threadKey, frame.baseAddress)
            defer { pthread_setspecific(threadKey, below) }
            return try body()
        }
    }

    /// The context whose block the calling thread runs; nil outside of all blocks.
    static var innermost: NSManagedObjectContext? { top?.pointee.context }

    /// Whether the calling thread may touch the objects of the context's queue.
    static func contains(_ context: NSManagedObjectContext) -> Bool {
        var frame = top
        while let current = frame {
            if current.pointee.context === context { return true }
            frame = current.pointee.below
        }
        return false
    }

    /// Whether the calling thread runs on the main queue, possibly below blocks of private contexts that it runs
    /// inline.
    ///
    /// Any thread may drain the main queue (after `dispatchMain()`, as Swift Testing does), and the main thread may run
    /// before the main queue is drained: both count.
    static var isMainQueueHeld: Bool {
        if let frame = top { return frame.pointee.holdsMain }
        return DispatchQueue.getSpecific(key: mainQueueKey) == true || Thread.isMainThread
    }

    /// Whether the calling thread is on the main queue and in no block of another one.
    static var isOnMainQueue: Bool {
        if let frame = top, !frame.pointee.context.isMain { return false }
        return isMainQueueHeld
    }

    /// For messages: where the calling thread is.
    static var placeDescription: String {
        if let frame = top { return "the queue of \(frame.pointee.context.debugName)" }
        if DispatchQueue.getSpecific(key: mainQueueKey) == true { return "the main queue" }
        if Thread.isMainThread { return "the main thread" }
        return
            "thread \(Thread.current.name.flatMap { $0.isEmpty ? nil : $0 } ?? "without a name"), on no context's queue"
    }
}

extension NSManagedObjectContext {
    /// The context whose block runs on this thread; the innermost of several.
    static var innermostHeld: (any RequestExecutor)? { HeldContexts.innermost }
}
