import Foundation

/// The objects that a context used lately, held for a while: destinations of relationships, and results of fetches and
/// saves.
///
/// Objects do not hold the destinations of their relationships, because a graph of references both ways would never be
/// released. So walking from many books to few authors would make and drop the same author again and again. On a Mac
/// the pool of a block holds the results of a fetch or a save, and programs look for them among the registered objects.
/// Here the number is limited, because a block may never end. Emptied at the end of every block on the context's queue,
/// and of a turn of the main queue. For the context's queue only.
final class RecentObjects {
    private static var size: Int { 4096 }
    /// The destinations of to-one relationships: one place for each value of a hash, where a newer object replaces the
    /// older one. The table grows up to `size` before it replaces any. Most blocks follow few relationships, and to
    /// make and empty a large table takes longer than a small block.
    @exclusivity(unchecked) private var places: UnsafeMutablePointer<NSManagedObject?>?
    /// The number of places, a power of two.
    @exclusivity(unchecked) private var capacity = 0
    private static var firstCapacity: Int { 8 }

    /// The objects that the latest prefetching read, so that they still exist when they are used.
    var prefetched: [NSManagedObject] = []

    /// Whole results; when the newer ones are half the limit, the older ones are released. Large ones are held as they
    /// are, and of small ones the objects: their arrays are freed sooner, and take no memory of their own.
    struct Results {
        fileprivate var newer: [[NSManagedObject]] = []
        fileprivate var older: [[NSManagedObject]] = []
        fileprivate var newerObjects: [NSManagedObject] = []
        fileprivate var olderObjects: [NSManagedObject] = []
        fileprivate var newerCount = 0
        fileprivate var newerBytes = 0
    }

    /// The number of bytes of rows that are held at most: large values must not add up in a block that works through
    /// many.
    private static var bytes: Int { 8 << 20 }

    @exclusivity(unchecked) private var results = Results()

    /// The number of objects of a small result.
    private static var fewObjects: Int { 8 }

    /// Holds a result as a whole, unless it is larger than a limit.
    func keep(_ objects: [NSManagedObject]) {
        if objects.count > Self.size { return }
        let bytes = Self.bytes(of: objects)
        if bytes > Self.bytes / 2 { return }
        // Released at the end, because the deinitialiser of an object may use the context.
        var released: [NSManagedObject] = []
        var releasedResults: [[NSManagedObject]] = []
        if results.newerCount + objects.count > Self.size / 2 || results.newerBytes + bytes > Self.bytes / 2 {
            swap(&released, &results.olderObjects)
            swap(&results.olderObjects, &results.newerObjects)
            swap(&releasedResults, &results.older)
            swap(&results.older, &results.newer)
            results.newerCount = 0
            results.newerBytes = 0
        }
        if objects.count <= Self.fewObjects {
            results.newerObjects += objects
        } else {
            results.newer.append(objects)
        }
        results.newerCount += objects.count
        results.newerBytes += bytes
        released.releaseAll()
        releasedResults.removeAll()
    }

    /// The bytes of objects' rows, or more if all rows of their entity are small. To visit each row takes longer than
    /// to find the objects.
    private static func bytes(of objects: [NSManagedObject]) -> Int {
        if let layout = objects.first?.binding.layout {
            let most = layout.bytesOfLargestRow * objects.count
            // With such rows the number of objects reaches its limit first.
            if layout.bytesOfLargestRow <= bytes / size, most <= bytes / 2,
                objects.allSatisfy({ $0.binding.layout === layout })
            {
                return most
            }
        }
        return objects.reduce(0) { $0 + ($1.row?.byteCount ?? 0) }
    }

    /// Runs a block within another one: the results of each are held until its own end.
    func holdingOwnResults(_ block: () -> Void) {
        let outer = results
        results = Results()
        defer { results = outer }
        block()
    }

    deinit { removeAll() }

    @inline(__always)
    private func place(_ key: ObjectKey) -> Int {
        let mixed = UInt64(bitPattern: key.key) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(truncatingIfNeeded: key.layoutIndex)
        return Int(truncatingIfNeeded: mixed >> 20) & (capacity - 1)
    }

    @inline(__always)
    func object(for key: ObjectKey) -> NSManagedObject? {
        guard let places, let object = places[place(key)], object.key == key.key else { return nil }
        // The object is held, and holds its entity binding.
        let isIt = Unmanaged.passUnretained(object.binding)._withUnsafeGuaranteedRef {
            $0.layout.index == key.layoutIndex && $0.context != nil
        }
        return isIt ? object : nil
    }

    func insert(_ object: NSManagedObject, for key: ObjectKey) {
        if places == nil { grow(to: Self.firstCapacity) }
        // No table has two places for one key.
        while let other = places?[place(key)], other !== object, other.key != key.key, capacity < Self.size {
            grow(to: capacity * 8)
        }
        places?[place(key)] = object
    }

    /// Moves the objects to a larger table. Objects with different places in a table have different places in a larger
    /// one.
    private func grow(to newCapacity: Int) {
        let (old, count) = (places, capacity)
        let new = UnsafeMutablePointer<NSManagedObject?>.allocate(capacity: newCapacity)
        new.initialize(repeating: nil, count: newCapacity)
        places = new
        capacity = newCapacity
        guard let old else { return }
        for index in 0..<count {
            guard let object = old[index] else { continue }
            new[place(ObjectKey(layoutIndex: object.binding.layout.index, key: object.key))] = object
        }
        old.deinitialize(count: count)
        old.deallocate()
    }

    func removeAll() {
        if !prefetched.isEmpty {
            var released: [NSManagedObject] = []
            swap(&released, &prefetched)
            released.releaseAll()
        }
        if results.newerCount > 0 || !results.older.isEmpty || !results.olderObjects.isEmpty {
            var released = Results()
            swap(&released, &results)
            released.newerObjects.releaseAll()
            released.olderObjects.releaseAll()
        }
        guard let places else { return }
        self.places = nil
        places.deinitialize(count: capacity)
        places.deallocate()
        capacity = 0
    }
}
