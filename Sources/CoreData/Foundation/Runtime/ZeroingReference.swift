import CSwiftRuntime

/// A reference that does not retain its object, takes no memory beside the pointer, and is nil once the object is gone.
///
/// A weak reference would cost a side allocation for the object, and each later retain and release of the object would
/// be slower. This reference keeps the object's memory, as an unowned one does, and the runtime's try-retain finds out
/// whether the object is still alive, on any thread.
// @unchecked Sendable: the runtime counts references, and finds out whether the object is alive, atomically.
@frozen
package struct ZeroingReference<Object: AnyObject>: ~Copyable, @unchecked Sendable {
    @usableFromInline let pointer: UnsafeMutableRawPointer

    @inlinable
    package init(_ object: Object) {
        pointer = Unmanaged.passUnretained(object).toOpaque()
        opencoredata_unowned_retain(pointer)
    }

    /// The object; nil if it is gone.
    @inlinable
    package var object: Object? {
        guard opencoredata_try_retain(pointer) != nil else { return nil }
        return Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
    }

    /// Whether the reference is to this object.
    @inlinable
    package func leads(to object: Object) -> Bool { pointer == Unmanaged.passUnretained(object).toOpaque() }

    @inlinable
    deinit { opencoredata_unowned_release(pointer) }
}

/// A zeroing reference that is copied, and that closures hold.
final class SharedZeroingReference<Object: AnyObject>: Sendable {
    private let reference: ZeroingReference<Object>

    init(_ object: Object) { reference = ZeroingReference(object) }

    /// The object; nil if it is gone.
    var object: Object? { reference.object }
}
