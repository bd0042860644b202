import Foundation

/// The objects that relationships led to lately, held for a while.
///
/// Objects do not hold what their relationships lead to (a graph of references both ways would never be released), so
/// walking from many books to few authors would make and drop the same author again and again. Four thousand places,
/// one for each value of a hash; a newcomer takes the place of what was there. Emptied at the end of every block on the
/// context's queue. For the context's queue only.
final class RecentObjects {
    private static var size: Int { 4096 }
    @exclusivity(unchecked) private var places: UnsafeMutablePointer<NSManagedObject?>?

    /// What the latest prefetching brought, so that it is still there when it is looked at.
    var prefetched: [NSManagedObject] = []

    deinit { removeAll() }

    @inline(__always)
    private static func place(_ key: ObjectKey) -> Int {
        let mixed = UInt64(bitPattern: key.key) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(truncatingIfNeeded: key.layoutIndex)
        return Int(truncatingIfNeeded: mixed >> 20) & (size - 1)
    }

    @inline(__always)
    func object(for key: ObjectKey) -> NSManagedObject? {
        guard let places, let object = places[Self.place(key)], object.key == key.key,
            object.home.layout.index == key.layoutIndex, object.home.context != nil
        else { return nil }
        return object
    }

    func insert(_ object: NSManagedObject, for key: ObjectKey) {
        let places = self.places ?? make()
        places[Self.place(key)] = object
    }

    private func make() -> UnsafeMutablePointer<NSManagedObject?> {
        let new = UnsafeMutablePointer<NSManagedObject?>.allocate(capacity: Self.size)
        new.initialize(repeating: nil, count: Self.size)
        places = new
        return new
    }

    func removeAll() {
        if !prefetched.isEmpty { prefetched = [] }
        guard let places else { return }
        self.places = nil
        places.deinitialize(count: Self.size)
        places.deallocate()
    }
}
