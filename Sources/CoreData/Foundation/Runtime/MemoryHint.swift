import CSwiftRuntime

/// Hints that make the processor load memory before it is used.
///
/// A pass over many objects waits for memory at each object that the processor's cache no longer has. Counting a
/// reference is an ordered access, and the processor begins no later read before it, so the waits do not overlap. A
/// hint is no access: the loads that it begins overlap with the pass.
@usableFromInline
package enum MemoryHint {
    /// The number of elements between an element and the one that is loaded for it.
    @inlinable package static var distance: Int { 12 }

    @inlinable
    package static func load(_ address: UnsafeRawPointer?) { opencoredata_prefetch(address) }
}

extension Array {
    /// Empties the array from its end, and loads the memory of the elements that are released next.
    ///
    /// - Parameter load: Gives the hints for an element, and counts no reference.
    @inline(__always)
    mutating func removeAllAhead(_ load: (UnsafePointer<Element>) -> Void) {
        let together = 64
        while count > together {
            withUnsafeBufferPointer { elements in
                guard let base = elements.baseAddress else { return }
                for place in elements.count - together..<elements.count { load(base + place) }
            }
            removeLast(together)
        }
        removeAll()
    }
}
