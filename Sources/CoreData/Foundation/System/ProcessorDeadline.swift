import Foundation

/// The processor time that the running thread may take for one request.
///
/// The limit is processor time and not clock time, so that a busy machine, or a process that was stopped for a while,
/// does not end a short request. Only the thread that began a deadline uses it.
final class ProcessorDeadline {
    /// Whether code has stopped because the time was over.
    private(set) var wasReached = false
    private let seconds: Double
    private let end: UInt64
    /// Whether another thread has requested the end.
    private let isStopped: (() -> Bool)?

    private static let threadKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The deadline of the request that the thread executes; nil if it has none.
    static var current: ProcessorDeadline? {
        pthread_getspecific(threadKey).map { Unmanaged<ProcessorDeadline>.fromOpaque($0).takeUnretainedValue() }
    }

    private init(seconds: Double, _ isStopped: (() -> Bool)?) {
        self.seconds = seconds
        self.isStopped = isStopped
        // A value that is no number, or too large to be counted, means no limit.
        end = seconds < 1e9 ? Self.now + UInt64(max(seconds, 0) * 1e9) : UInt64.max
    }

    /// The processor time of the thread, in nanoseconds.
    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Throws if code on the thread has stopped because the time was over: its result is not valid then.
    static func check() throws {
        if let current, current.wasReached { throw current.error }
    }

    var error: NSError {
        if isStopped?() == true {
            return .coreData(CocoaError.Code.userCancelled.rawValue, reason: "The request was stopped.")
        }
        return .coreData(
            NSPersistentStoreTimeoutError,
            reason: "The request was ended, for it took more than the \(seconds) s of processor time that "
                + "NSPersistentStoreRequestTimeLimitOption allows.")
    }

    /// Whether the time is over. If it is, the caller has to stop.
    var isOver: Bool {
        if !wasReached, Self.now >= end || isStopped?() == true { wasReached = true }
        return wasReached
    }

    /// Runs a body with a deadline. Inside the body of another deadline, that deadline stays in force.
    ///
    /// - Parameter isStopped: Whether another thread has requested the end.
    static func run<Result>(
        seconds: Double, stoppedBy isStopped: (() -> Bool)? = nil, _ body: (ProcessorDeadline) throws -> Result
    ) rethrows -> Result {
        if let outer = current { return try body(outer) }
        let deadline = ProcessorDeadline(seconds: seconds, isStopped)
        return try withExtendedLifetime(deadline) {
            pthread_setspecific(threadKey, Unmanaged.passUnretained(deadline).toOpaque())
            defer { pthread_setspecific(threadKey, nil) }
            return try body(deadline)
        }
    }
}
