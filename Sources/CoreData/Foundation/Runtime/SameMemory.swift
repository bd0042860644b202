/// An object under another type, without a test. The caller knows that the object is of that type.
///
/// A reference to an object is one pointer, whatever class the type names.
@inline(__always)
func sameObject<Wanted>(_ object: AnyObject, of _: Wanted.Type) -> Wanted { unsafeBitCast(object, to: Wanted.self) }

/// An array of objects under another type of its elements, without a test of each. The caller knows that every object
/// is of that type.
///
/// An array of any class is one pointer to a buffer of references, and no part of the buffer depends on the class.
@inline(__always)
func sameArray<Object: AnyObject, Element>(_ objects: [Object], of _: Element.Type) -> [Element] {
    unsafeBitCast(objects, to: [Element].self)
}

/// Whether an array has its buffer alone, so that it can be changed without a copy.
///
/// An array is one pointer to a buffer, which counts references as an object does.
@inline(__always)
func isUnshared<Element>(_ array: inout [Element]) -> Bool {
    withUnsafeMutablePointer(to: &array) { pointer in
        pointer.withMemoryRebound(to: ArrayBuffer.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
}

/// Stands for the class of an array's buffer. Its references alone are counted, and none of its members is used.
private final class ArrayBuffer {}
