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

extension Array where Element: AnyObject {
    /// Calls a body with each object, and loads the memory of the objects that follow.
    ///
    /// The array holds the objects during the pass, which counts no reference to them.
    ///
    /// - Parameters:
    ///   - places: The places of the objects; nil for all.
    ///   - load: Gives the hints at a place: it gets the addresses of all objects.
    @inlinable @inline(__always)
    package func eachAhead(
        in places: Range<Int>? = nil, loading load: (UnsafeBufferPointer<UnsafeRawPointer>, Int) -> Void,
        _ body: (Element) throws -> Void
    ) rethrows {
        try withUnsafeBytes { bytes in
            let addresses = bytes.bindMemory(to: UnsafeRawPointer.self)
            for place in places?.clamped(to: addresses.indices) ?? addresses.indices {
                load(addresses, place)
                try Unmanaged<Element>.fromOpaque(addresses[place])._withUnsafeGuaranteedRef { try body($0) }
            }
        }
    }
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
