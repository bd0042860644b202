/// A lock of four bytes.
///
/// A thread that takes a lock twice, or frees one that it does not hold, stops the process. The lock must not move
/// while a thread holds it or waits for it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/os_unfair_lock)
public struct os_unfair_lock_s: Sendable {
    /// The state of the lock; no program reads it.
    public var _os_unfair_lock_opaque: UInt32

    /// Creates a lock that is free.
    public init() { _os_unfair_lock_opaque = 0 }

    /// Creates a lock with a state.
    public init(_os_unfair_lock_opaque: UInt32) { self._os_unfair_lock_opaque = _os_unfair_lock_opaque }
}

/// A lock of four bytes.
public typealias os_unfair_lock = os_unfair_lock_s

/// The place of a lock.
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>

// The functions are those of `COSLock`. Each takes one pointer, for which the calls of Swift and C are alike.

/// Takes a lock, and waits until it is free.
///
/// - Parameter lock: The lock.
@_silgen_name("opencoredata_lock_lock")
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t)

/// Takes a lock if it is free, and returns whether it was.
///
/// - Parameter lock: The lock.
@_silgen_name("opencoredata_lock_try")
public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool

/// Frees a lock.
///
/// - Parameter lock: The lock.
@_silgen_name("opencoredata_lock_unlock")
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t)

/// Stops the process unless the present thread holds a lock.
///
/// - Parameter lock: The lock.
@_silgen_name("opencoredata_lock_assert_owner")
public func os_unfair_lock_assert_owner(_ lock: UnsafePointer<os_unfair_lock_s>)

/// Stops the process if the present thread holds a lock.
///
/// - Parameter lock: The lock.
@_silgen_name("opencoredata_lock_assert_not_owner")
public func os_unfair_lock_assert_not_owner(_ lock: UnsafePointer<os_unfair_lock_s>)
