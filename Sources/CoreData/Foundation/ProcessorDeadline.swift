import Foundation

/// The processor time that the running thread may take for one request.
///
/// Processor time and not the clock's: a machine that is busy, or a process that was stopped for a while, ends no
/// request that would have been short. A deadline is used by the thread that began it.
final class ProcessorDeadline {
    /// Whether somebody has stopped because the time was over.
    private(set) var wasReached = false
    private let seconds: Double
    private let end: UInt64
    /// Whether another thread has asked for the end.
    private let isStopped: (() -> Bool)?

    private static let threadKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The deadline of the request that the thread works on; nil where it has none.
    static var current: ProcessorDeadline? {
        pthread_getspecific(threadKey).map { Unmanaged<ProcessorDeadline>.fromOpaque($0).takeUnretainedValue() }
    }

    private init(seconds: Double, _ isStopped: (() -> Bool)?) {
        self.seconds = seconds
        self.isStopped = isStopped
        // A value that is no number, or larger than any time, is no limit.
        end = seconds < 1e9 ? Self.now + UInt64(max(seconds, 0) * 1e9) : UInt64.max
    }

    /// Nanoseconds of the processor that the thread has had.
    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Throws where code on the thread has stopped because the time was over: its answer counts for nothing then.
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

    /// Whether the time is over. The caller stops then.
    var isOver: Bool {
        if !wasReached, Self.now >= end || isStopped?() == true { wasReached = true }
        return wasReached
    }

    /// Runs a body with a deadline. Within another one's body it is the other one that counts.
    ///
    /// - Parameter isStopped: Whether another thread has asked for the end.
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
