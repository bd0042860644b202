/// A lock with the state that it guards.
///
/// Copies share one lock and one state. Any thread may use it. A thread that takes a lock twice stops the process.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/osallocatedunfairlock)
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    // @unchecked Sendable: the state is read and written under the lock.
    private let storage: Storage

    private final class Storage {
        let lock = os_unfair_lock_t.allocate(capacity: 1)
        var state: State

        init(_ state: State) {
            self.state = state
            lock.initialize(to: os_unfair_lock())
        }

        deinit { lock.deallocate() }
    }

    /// Creates a lock with a state that threads need not share safely.
    public init(uncheckedState initialState: State) { storage = Storage(initialState) }

    /// Runs a closure under the lock, and returns its result.
    ///
    /// - Parameter body: The closure. It gets the state, and may change it.
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
        os_unfair_lock_lock(storage.lock)
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// Runs a closure under the lock, and returns its result.
    ///
    /// - Parameter body: The closure. It gets the state, and may change it.
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
        try withLockUnchecked(body)
    }

    /// Runs a closure under the lock, and returns its result; nil if another thread has the lock.
    ///
    /// - Parameter body: The closure. It gets the state, and may change it.
    public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
        guard os_unfair_lock_trylock(storage.lock) else { return nil }
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// Runs a closure under the lock, and returns its result; nil if another thread has the lock.
    ///
    /// - Parameter body: The closure. It gets the state, and may change it.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked(body)
    }

    /// The relation of the present thread to a lock.
    public enum Ownership: Hashable, Sendable {
        /// The present thread.
        case owner
        /// Another thread, or no thread.
        case notOwner
    }

    /// Stops the process unless the present thread has, or has not, the lock.
    public func precondition(_ condition: Ownership) {
        switch condition {
        case .owner: os_unfair_lock_assert_owner(storage.lock)
        case .notOwner: os_unfair_lock_assert_not_owner(storage.lock)
        }
    }
}

extension OSAllocatedUnfairLock where State: Sendable {
    /// Creates a lock with a state.
    public init(initialState: State) { self.init(uncheckedState: initialState) }
}

extension OSAllocatedUnfairLock where State == () {
    /// Creates a lock without a state.
    public init() { self.init(uncheckedState: ()) }

    /// Takes the lock; waits until no other thread has it.
    @available(*, noasync, message: "Use withLock, which frees the lock on the thread that took it")
    public func lock() { os_unfair_lock_lock(storage.lock) }

    /// Frees the lock, on the thread that took it.
    @available(*, noasync, message: "Use withLock, which frees the lock on the thread that took it")
    public func unlock() { os_unfair_lock_unlock(storage.lock) }

    /// Takes the lock, and returns whether no other thread had it.
    @available(*, noasync, message: "Use withLockIfAvailable, which frees the lock on the thread that took it")
    public func lockIfAvailable() -> Bool { os_unfair_lock_trylock(storage.lock) }

    /// Runs a closure under the lock, and returns its result.
    public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
        try withLockUnchecked { (_: inout State) in try body() }
    }

    /// Runs a closure under the lock, and returns its result.
    public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R {
        try withLockUnchecked { (_: inout State) in try body() }
    }

    /// Runs a closure under the lock, and returns its result; nil if another thread has the lock.
    public func withLockIfAvailableUnchecked<R>(_ body: () throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked { (_: inout State) in try body() }
    }

    /// Runs a closure under the lock, and returns its result; nil if another thread has the lock.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked { (_: inout State) in try body() }
    }
}
