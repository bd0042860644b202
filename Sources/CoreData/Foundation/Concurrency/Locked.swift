import Foundation

/// A value behind a lock.
///
/// The lock is Foundation's, because the thread sanitizer sees it. The sanitizer does not see `Synchronization.Mutex`.
package final class Locked<Value>: @unchecked Sendable {  // `value` is touched under `lock` only
    @usableFromInline let lock = NSLock()
    // Unchecked: the lock excludes a second access.
    @exclusivity(unchecked) @usableFromInline var value: Value

    package init(_ value: Value) { self.value = value }

    /// Runs a body that reads or changes the value. The body must not call this method again.
    ///
    /// Other modules inline it: as a generic function it would take longer than the body.
    @inlinable package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
