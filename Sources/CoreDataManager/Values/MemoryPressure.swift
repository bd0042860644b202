import Foundation

/// A source of reports to caches that memory is short.
///
/// ``system`` watches the machine. Make a source of your own for tests, or if your program has better information, and
/// call ``report()``.
///
/// Use all members from any thread.
// @unchecked Sendable: all mutable state is guarded by `lock`; handlers run after it is released.
public final class MemoryPressure: @unchecked Sendable {
    /// The source that watches the machine. It watches while it has listeners.
    public static let system = MemoryPressure { SystemMemoryWatch(report: $0) }

    private let lock = NSLock()
    private var handlers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    private let makeWatch: (@Sendable (@escaping @Sendable () -> Void) -> AnyObject)?
    /// The watch, which reports as long as this reference holds it.
    private var watch: AnyObject?

    /// Makes a source that reports only when you call ``report()``.
    public init() {
        makeWatch = nil
    }

    init(watch: @escaping @Sendable (@escaping @Sendable () -> Void) -> AnyObject) {
        makeWatch = watch
    }

    /// Reports to all listeners that memory is short, on the calling thread.
    public func report() {
        for handler in lock.withLock({ Array(handlers.values) }) {
            handler()
        }
    }

    /// Adds a handler, which is called until the listener is removed.
    func add(_ listener: ObjectIdentifier, _ handler: @escaping @Sendable () -> Void) {
        lock.withLock {
            handlers[listener] = handler
            if watch == nil {
                watch = makeWatch? { [weak self] in self?.report() }
            }
        }
    }

    func remove(_ listener: ObjectIdentifier) {
        let idle = lock.withLock { () -> AnyObject? in
            handlers[listener] = nil
            guard handlers.isEmpty else { return nil }
            defer { watch = nil }
            return watch
        }
        // Released outside the lock.
        withExtendedLifetime(idle) {}
    }
}
