import Foundation

/// Tells who keeps what can be loaded again that memory is short.
///
/// `system` watches the machine; one of a program's own tells when the program says so, for tests and for programs that
/// know better.
///
/// Threads: everything may be used from any thread.
// @unchecked Sendable: all mutable state is guarded by `lock`; handlers run after it is released.
public final class MemoryPressure: @unchecked Sendable {
    /// The machine's. It is watched while somebody listens.
    public static let system = MemoryPressure { SystemMemoryWatch(report: $0) }

    private let lock = NSLock()
    private var handlers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    private let makeWatch: (@Sendable (@escaping @Sendable () -> Void) -> AnyObject)?
    /// Watches as long as it lives.
    private var watch: AnyObject?

    /// One that tells when `report()` is called.
    public init() {
        makeWatch = nil
    }

    init(watch: @escaping @Sendable (@escaping @Sendable () -> Void) -> AnyObject) {
        makeWatch = watch
    }

    /// Memory is short: everybody who listens is told, on the calling thread.
    public func report() {
        for handler in lock.withLock({ Array(handlers.values) }) {
            handler()
        }
    }

    /// Has a handler called until the listener is removed.
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
        // Let go outside the lock.
        withExtendedLifetime(idle) {}
    }
}
