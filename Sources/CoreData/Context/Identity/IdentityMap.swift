import Foundation

/// The objects of one root entity that are alive in a context: key → object, unretained.
///
/// The table uses open addressing with eight bytes per entry. An object removes itself when it is deallocated. Objects
/// may be released on any thread, so every operation holds the lock.
///
/// The place of a removed object is marked, as long as searches pass through it. Moving later entries up instead would
/// read the keys of their objects, which may wait for memory, at each object that goes.
///
/// An object whose last reference is gone, but which has not removed itself yet, is not found. The runtime's try-retain
/// ensures that. A weak reference per object would cost a side allocation, and 20 ns where a probe under the lock costs
/// 5.
final class IdentityMap: @unchecked Sendable {  // every access to the places holds `lock`
    private let lock = NSLock()
    @exclusivity(unchecked) private var entries: UnsafeMutablePointer<TaggedReference>
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private(set) var count = 0
    /// The number of places that are marked as removed.
    @exclusivity(unchecked) private var removedCount = 0
    /// Whether the table retains its objects; otherwise its references are unretained.
    @exclusivity(unchecked) private var isRetaining = false
    /// Counts every change of the table.
    @exclusivity(unchecked) private var generation = 0
    /// Records the saved rows that come into use and go out of use. Called without the lock.
    private let usage: UsageObserver?

    init(usage: UsageObserver? = nil) {
        self.usage = usage
        capacity = 16
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: .free, count: capacity)
    }

    deinit {
        entries.deallocate()
    }

    @inline(__always)
    private static func object(_ pointer: UnsafeMutableRawPointer) -> Unmanaged<NSManagedObject> {
        Unmanaged<NSManagedObject>.fromOpaque(pointer)
    }

    @inline(__always)
    private static func key(of pointer: UnsafeMutableRawPointer) -> Int64 {
        object(pointer)._withUnsafeGuaranteedRef { $0.key }
    }

    /// The live object with the key.
    func object(for key: Int64) -> NSManagedObject? {
        var place = Place()
        return object(for: key, place: &place)
    }

    /// The number of objects that are found before they are retained.
    private static var groupSize: Int { 64 }

    /// Appends the live objects with the keys from a place on, until a key is of another entity or has no object.
    ///
    /// - Returns: The place of the first key whose object was not appended.
    func append(objectsFor keys: [ObjectKey], from start: Int, to objects: inout [NSManagedObject]) -> Int {
        let layoutIndex = keys[start].layoutIndex
        var next = start
        lock.lock()
        defer { lock.unlock() }
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: Self.groupSize) { found in
            keys.withUnsafeBufferPointer { keys in
                var count = 0
                repeat {
                    // The processor reads the memory of several objects at a time, unless it has to count a reference
                    // to each in between.
                    count = 0
                    while count < Self.groupSize, next + count < keys.count,
                        keys[next + count].layoutIndex == layoutIndex, let pointer = entry(of: keys[next + count].key)
                    {
                        found[count] = pointer
                        count += 1
                        // Where one object is registered, mostly all are.
                        if count > 1 { continue }
                        for key in keys[next..<min(next + Self.groupSize, keys.count)] { loadPlace(of: key.key) }
                    }
                    for place in 0..<count {
                        guard tryRetain(found[place]) else { return }
                        objects.append(Self.object(found[place]).takeRetainedValue())
                        next += 1
                    }
                } while count == Self.groupSize
            }
        }
        return next
    }

    /// The object with the key, alive or not. Called under the lock.
    @inline(__always)
    private func entry(of key: Int64) -> UnsafeMutableRawPointer? {
        let hash = KeyHash(key)
        var position = hash.place(capacity - 1)
        while !entries[position].isFree {
            if let pointer = entries[position].pointer(of: hash), Self.key(of: pointer) == key { return pointer }
            position = (position + 1) & (capacity - 1)
        }
        return nil
    }

    /// The place for a key that was not found, as long as nothing else changes the table.
    struct Place {
        fileprivate var position = 0
        fileprivate var generation = -1
    }

    /// The live object with the key, or the place it would have.
    @inline(__always)
    func object(for key: Int64, place: inout Place) -> NSManagedObject? {
        lock.lock()
        defer { lock.unlock() }
        let hash = KeyHash(key)
        var position = hash.place(capacity - 1)
        while !entries[position].isFree {
            if let pointer = entries[position].pointer(of: hash), Self.key(of: pointer) == key {
                guard tryRetain(pointer) else { return nil }
                return Self.object(pointer).takeRetainedValue()
            }
            position = (position + 1) & (capacity - 1)
        }
        place = Place(position: position, generation: generation)
        return nil
    }

    /// Enters an object whose key was not found a moment ago.
    func register(_ object: NSManagedObject, at place: Place) {
        lock.lock()
        guard place.generation == generation, hasRoom(for: 1) else {
            lock.unlock()
            return register(object)
        }
        entries[place.position] = TaggedReference(Unmanaged.passUnretained(object).toOpaque(), KeyHash(object.key))
        if isRetaining { _ = Unmanaged.passRetained(object) }
        count += 1
        generation += 1
        lock.unlock()
        usage?.began([object.key])
    }

    /// Whether the table has an object, dying ones included, of any of these rows.
    func holdsAny(of rows: [Snapshot]) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return rows.withUnsafeBufferPointer { rows in
            rows.indices.contains { entry(of: rows[$0].key) != nil }
        }
    }

    /// Enters many objects.
    func register(contentsOf objects: ArraySlice<NSManagedObject>) {
        lock.lock()
        // The table grows once, not by way of smaller tables.
        if !hasRoom(for: objects.count) { rebuild(for: count + objects.count) }
        objects.withUnsafeBytes { bytes in
            for object in bytes.bindMemory(to: UnsafeRawPointer.self) {
                Unmanaged<NSManagedObject>.fromOpaque(object)._withUnsafeGuaranteedRef { insert($0) }
            }
        }
        lock.unlock()
        if let usage { usage.began(objects.map(\.key)) }
    }

    /// Enters an object under its key. The object replaces a dying one with the same key.
    func register(_ object: NSManagedObject) {
        lock.lock()
        insert(object)
        lock.unlock()
        usage?.began([object.key])
    }

    @inline(__always)
    private func insert(_ object: NSManagedObject) {
        if !hasRoom(for: 1) { rebuild(for: count + 1) }
        let pointer = Unmanaged.passUnretained(object).toOpaque()
        let hash = KeyHash(object.key)
        var position = hash.place(capacity - 1)
        var removed = -1
        while !entries[position].isFree {
            if let existing = entries[position].pointer(of: hash) {
                if existing == pointer { return }
                if Self.key(of: existing) == object.key {
                    // The object that is replaced is being deallocated: it has no owner, so the table does not release
                    // it either.
                    if isRetaining { _ = Unmanaged.passRetained(object) }
                    entries[position] = TaggedReference(pointer, hash)
                    generation += 1
                    return
                }
            } else if removed < 0, entries[position].isRemoved {
                removed = position
            }
            position = (position + 1) & (capacity - 1)
        }
        if isRetaining { _ = Unmanaged.passRetained(object) }
        if removed >= 0 {
            position = removed
            removedCount -= 1
        }
        entries[position] = TaggedReference(pointer, hash)
        count += 1
        generation += 1
    }

    /// Whether the table holds its objects.
    func setRetaining(_ retains: Bool) {
        lock.lock()
        var released: [Unmanaged<NSManagedObject>] = []
        if retains != isRetaining {
            let pointers = (0..<capacity).compactMap { entries[$0].pointer }
            if retains {
                // A dying object cannot be retained any more, so it leaves the table.
                for pointer in pointers where !tryRetain(pointer) {
                    _ = remove(pointer, key: Self.key(of: pointer))
                }
            } else {
                released = pointers.map { Self.object($0) }
            }
            isRetaining = retains
        }
        lock.unlock()
        // An object takes itself out in its deinit, which takes the lock.
        for object in released { object.release() }
    }

    /// Takes an object out; nothing happens when its place was taken by another one.
    func unregister(_ object: NSManagedObject) {
        lock.lock()
        let wasIn = remove(Unmanaged.passUnretained(object).toOpaque(), key: object.key)
        lock.unlock()
        if wasIn { usage?.ended([object.key]) }
    }

    /// Gives an object a new key (a temporary id became permanent).
    func rekey(_ object: NSManagedObject, to key: Int64) {
        lock.lock()
        _ = remove(Unmanaged.passUnretained(object).toOpaque(), key: object.key)
        object.key = key
        lock.unlock()
        register(object)
    }

    /// Gives objects of this table their permanent keys.
    func rekey(_ objects: [NSManagedObject], to permanent: PermanentKeys) {
        // The places of few objects are found one by one.
        var single = objects.count * 8 < capacity ? objects : []
        if single.isEmpty {
            var keys: [Int64] = []
            lock.lock()
            objects.eachAhead { object in
                guard object.binding.identityMap === self, let key = permanent[object.key] else { return }
                // A fault or a dying object may have the key.
                if entry(of: key) != nil { return single.append(object) }
                object.key = key
                if usage != nil { keys.append(key) }
            }
            rebuild(for: count)
            lock.unlock()
            if !keys.isEmpty { usage?.began(keys) }
        }
        single.eachAhead { object in
            guard object.binding.identityMap === self, let key = permanent[object.key] else { return }
            rekey(object, to: key)
        }
    }

    /// All live objects.
    var objects: [NSManagedObject] {
        lock.lock()
        defer { lock.unlock() }
        var living: [NSManagedObject] = []
        living.reserveCapacity(count)
        for position in 0..<capacity {
            guard let pointer = entries[position].pointer, tryRetain(pointer) else { continue }
            living.append(Self.object(pointer).takeRetainedValue())
        }
        return living
    }

    /// Forgets everything; the objects must have been detached before.
    func removeAll() {
        lock.lock()
        var released: [Unmanaged<NSManagedObject>] = []
        if isRetaining {
            for position in 0..<capacity {
                if let pointer = entries[position].pointer { released.append(Self.object(pointer)) }
            }
        }
        let ended = usage == nil ? [] : (0..<capacity).compactMap { entries[$0].pointer.map(Self.key(of:)) }
        defer {
            lock.unlock()
            usage?.ended(ended)
            for object in released { object.release() }
        }
        entries.deallocate()
        capacity = 16
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: .free, count: capacity)
        count = 0
        removedCount = 0
        generation += 1
    }

    /// Stops the process when the table contradicts itself; called by tests.
    func checkInvariants() {
        lock.lock()
        defer { lock.unlock() }
        var found = 0
        for position in 0..<capacity {
            guard let key = entries[position].pointer.map(Self.key(of:)) else { continue }
            found += 1
            var probe = KeyHash(key).place(capacity - 1)
            require(entries[position].mayHave(KeyHash(key)), "An object of the identity map has another key's hash")
            while probe != position {
                require(!entries[probe].isFree, "An object lies behind a hole of the identity map")
                require(
                    entries[probe].pointer.map(Self.key(of:)) != key, "A key stands twice in the identity map")
                probe = (probe + 1) & (capacity - 1)
            }
        }
        require(found == count, "The identity map counts \(count) objects and holds \(found)")
        let removed = (0..<capacity).count { entries[$0].isRemoved }
        require(removed == removedCount, "The identity map counts \(removedCount) removed objects and marks \(removed)")
        // A search for an object that is not there ends only at a free place.
        require(found + removed < capacity, "The identity map has no free place")
    }

    private func remove(_ pointer: UnsafeMutableRawPointer, key: Int64) -> Bool {
        let mask = capacity - 1
        let hash = KeyHash(key)
        // Objects often go in the order of their keys.
        loadPlace(of: key &+ 8)
        let wanted = TaggedReference(pointer, hash)
        var position = hash.place(mask)
        while !entries[position].isFree, entries[position] != wanted { position = (position + 1) & mask }
        if entries[position].isFree { return false }
        // The caller holds the object that it takes out.
        if isRetaining { Self.object(pointer).release() }
        count -= 1
        generation += 1
        if !entries[(position + 1) & mask].isFree {
            entries[position] = .removed
            removedCount += 1
            return true
        }
        // No search passes through this place, nor through the removed ones before it.
        entries[position] = .free
        position = (position - 1) & mask
        while entries[position].isRemoved {
            entries[position] = .free
            removedCount -= 1
            position = (position - 1) & mask
        }
        return true
    }

    /// Loads the place of a key into the processor's cache. Called under the lock, or on the context's queue, on which
    /// alone the memory and the size of the table change.
    @inline(__always)
    func loadPlace(of key: Int64) { MemoryHint.load(entries + KeyHash(key).place(capacity - 1)) }

    /// Whether the table has places for more objects: four fifths of it may be taken.
    @inline(__always)
    private func hasRoom(for more: Int) -> Bool { (count + removedCount + more) * 5 <= capacity * 4 }

    /// Makes a table without marks for a number of objects. It grows if it has too few places for them.
    private func rebuild(for expected: Int) {
        let old = entries
        let oldCapacity = capacity
        generation += 1
        // With marks the table gets some more places than it needs, or it would soon be full of marks again.
        let taken = removedCount > 0 ? 3 : 4
        // Small tables grow fast, large ones without waste.
        while expected * 5 > capacity * taken { capacity *= capacity < 1 << 15 ? 4 : 2 }
        removedCount = 0
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: .free, count: capacity)
        for index in 0..<oldCapacity {
            guard let pointer = old[index].pointer else { continue }
            // Not the old entry, because the object may have got another key.
            let hash = KeyHash(Self.key(of: pointer))
            var position = hash.place(capacity - 1)
            while !entries[position].isFree { position = (position + 1) & (capacity - 1) }
            entries[position] = TaggedReference(pointer, hash)
        }
        old.deallocate()
    }
}
