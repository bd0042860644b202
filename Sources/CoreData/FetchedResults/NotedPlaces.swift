import Foundation

/// The places of objects in an array as they were noted, by the objects' addresses.
///
/// A table with open addressing: a dictionary takes ten times as long to fill, and 100,000 results are noted at once.
struct NotedPlaces {
    private struct Entry {
        var address: UInt = 0
        var place = 0
    }

    private static let gone = -1
    private var entries: ContiguousArray<Entry>
    private var count = 0

    init(_ items: [NSObject]) {
        self = items.withUnsafeBufferPointer { items in
            // A reference to an object and an unmanaged one are the same word.
            items.withMemoryRebound(to: Unmanaged<NSObject>.self) { NotedPlaces($0) }
        }
    }

    init(_ items: UnsafeBufferPointer<Unmanaged<NSObject>>) {
        var capacity = 64
        while capacity < items.count * 2 { capacity *= 2 }
        entries = ContiguousArray(repeating: Entry(), count: capacity)
        count = items.count
        entries.withUnsafeMutableBufferPointer { entries in
            for (place, item) in items.enumerated() {
                let address = Self.address(of: item)
                entries[Self.position(of: address, in: UnsafeBufferPointer(entries))] = Entry(
                    address: address, place: place)
            }
        }
    }

    @inline(__always)
    private static func address(of item: Unmanaged<NSObject>) -> UInt { UInt(bitPattern: item.toOpaque()) }

    /// The position of an address, or the free position where it belongs.
    @inline(__always)
    private static func position(of address: UInt, in entries: UnsafeBufferPointer<Entry>) -> Int {
        let mask = entries.count - 1
        var position = Int(truncatingIfNeeded: (UInt64(address) &* 0x9E37_79B9_7F4A_7C15) >> 20) & mask
        while entries[position].address != 0, entries[position].address != address {
            position = (position + 1) & mask
        }
        return position
    }

    private mutating func withEntry<Result>(of item: NSObject, _ body: (inout Entry) -> Result) -> Result {
        let address = Self.address(of: Unmanaged.passUnretained(item))
        return entries.withUnsafeMutableBufferPointer {
            body(&$0[Self.position(of: address, in: UnsafeBufferPointer($0))])
        }
    }

    /// The noted place of an object; nil when the object has none.
    mutating func place(of item: NSObject) -> Int? {
        withEntry(of: item) { $0.address == 0 || $0.place == Self.gone ? nil : $0.place }
    }

    /// The places of the noted objects in another array, in the order of the array that was noted.
    func places(of items: UnsafeBufferPointer<Unmanaged<NSObject>>) -> [Int?] {
        var found: [Int?] = Array(repeating: nil, count: count)
        var left = count
        entries.withUnsafeBufferPointer { entries in
            for place in items.indices {
                if left == 0 { break }
                let entry = entries[Self.position(of: Self.address(of: items[place]), in: entries)]
                if entry.address == 0 { continue }
                found[entry.place] = place
                left -= 1
            }
        }
        return found
    }

    /// Removes an object.
    mutating func remove(_ item: NSObject) {
        withEntry(of: item) { if $0.address != 0 { $0.place = Self.gone } }
    }

    /// Notes the place of an object.
    /// - Returns: False when the table is full and has to be made anew.
    mutating func note(_ item: NSObject, at place: Int) -> Bool {
        let address = Self.address(of: Unmanaged.passUnretained(item))
        let isNew = withEntry(of: item) { entry in
            defer { entry = Entry(address: address, place: place) }
            return entry.address == 0
        }
        if isNew { count += 1 }
        return count * 4 < entries.count * 3
    }
}
