/// A set of keys of rows, for loops that insert few keys many times. It uses one multiplication where a `Set` hashes.
struct KeySet {
    /// The entries, with open addressing; 0 is a free place.
    private var places: ContiguousArray<Int64> = ContiguousArray(repeating: 0, count: 16)
    private var hasZero = false
    private(set) var count = 0

    /// Inserts a key; false if the set had the key already.
    @inline(__always)
    mutating func insert(_ key: Int64) -> Bool {
        if key == 0 { return insertZero() }
        var place = Self.place(key, places.count)
        while places[place] != 0 {
            if places[place] == key { return false }
            place = (place + 1) & (places.count - 1)
        }
        places[place] = key
        count += 1
        if count * 2 > places.count { grow() }
        return true
    }

    /// Whether the set has a key.
    func contains(_ key: Int64) -> Bool {
        if key == 0 { return hasZero }
        var place = Self.place(key, places.count)
        while places[place] != 0 {
            if places[place] == key { return true }
            place = (place + 1) & (places.count - 1)
        }
        return false
    }

    /// The keys, in no particular order.
    var keys: [Int64] { places.filter { $0 != 0 } + (hasZero ? [0] : []) }

    private mutating func insertZero() -> Bool {
        if hasZero { return false }
        hasZero = true
        count += 1
        return true
    }

    @inline(__always)
    private static func place(_ key: Int64, _ capacity: Int) -> Int {
        Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 20) & (capacity - 1)
    }

    private mutating func grow() {
        let former = places
        places = ContiguousArray(repeating: 0, count: former.count * 4)
        for key in former where key != 0 {
            var place = Self.place(key, places.count)
            while places[place] != 0 { place = (place + 1) & (places.count - 1) }
            places[place] = key
        }
    }
}
