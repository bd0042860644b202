import CSwiftRuntime

/// A reference that does not retain its object, takes no memory beside the pointer, and is nil once the object is gone.
///
/// A weak reference would cost a side allocation for the object, and each later retain and release of the object would
/// be slower. This reference keeps the object's memory, as an unowned one does, and the runtime's try-retain finds out
/// whether the object is still alive, on any thread.
@frozen
package struct ZeroingReference: ~Copyable, @unchecked Sendable {  // the count and the object are used atomically
    @usableFromInline let pointer: UnsafeMutableRawPointer

    @inlinable
    package init(_ object: AnyObject) {
        pointer = Unmanaged.passUnretained(object).toOpaque()
        opencoredata_unowned_retain(pointer)
    }

    /// The object; nil if it is gone.
    @inlinable
    package var object: AnyObject? {
        guard opencoredata_try_retain(pointer) != nil else { return nil }
        return Unmanaged<AnyObject>.fromOpaque(pointer).takeRetainedValue()
    }

    /// Whether the reference is to this object.
    @inlinable
    package func leads(to object: AnyObject) -> Bool { pointer == Unmanaged.passUnretained(object).toOpaque() }

    @inlinable
    deinit { opencoredata_unowned_release(pointer) }
}

/// A zeroing reference that is copied, and that closures hold.
final class SharedZeroingReference: Sendable {
    private let reference: ZeroingReference

    init(_ object: AnyObject) { reference = ZeroingReference(object) }

    /// The object; nil if it is gone.
    var object: AnyObject? { reference.object }
}
