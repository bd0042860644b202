/// The permanent keys of new objects by their temporary ones.
///
/// Temporary keys count down, so the keys of a save's new objects mostly lie close together. A list has such keys,
/// because a save looks each of them up several times, and a search in a large dictionary waits for memory.
struct PermanentKeys: ExpressibleByDictionaryLiteral, Sendable {
    /// The temporary key whose permanent one is the first in the list.
    private var highest: Int64 = 0
    private var list: ContiguousArray<Int64> = []
    /// Keys that are not in the list's range.
    private var others: [Int64: Int64] = [:]
    private(set) var count = 0

    /// The mark of a temporary key without a permanent one in the list.
    private static var missing: Int64 { .min }

    init() {}

    init(dictionaryLiteral elements: (Int64, Int64)...) {
        for (temporary, permanent) in elements { self[temporary] = permanent }
    }

    var isEmpty: Bool { count == 0 }

    /// Makes a list for temporary keys if they lie close together.
    mutating func makeRoom(for keys: ClosedRange<Int64>, count expected: Int) {
        let (width, overflows) = keys.upperBound.subtractingReportingOverflow(keys.lowerBound)
        if overflows || count > 0 || width > 4 * Int64(expected) { return }
        highest = keys.upperBound
        list = ContiguousArray(repeating: Self.missing, count: Int(width) + 1)
    }

    /// The place of a temporary key in the list.
    @inline(__always)
    private func place(of temporary: Int64) -> Int? {
        let place = highest &- temporary
        return UInt64(bitPattern: place) < UInt64(list.count) ? Int(place) : nil
    }

    subscript(temporary: Int64) -> Int64? {
        @inline(__always)
        get {
            if let place = place(of: temporary) { return list[place] == Self.missing ? nil : list[place] }
            return others.isEmpty ? nil : others[temporary]
        }
        set {
            let had = self[temporary] != nil
            if had != (newValue != nil) { count += had ? -1 : 1 }
            if let place = place(of: temporary) {
                list[place] = newValue ?? Self.missing
            } else {
                others[temporary] = newValue
            }
        }
    }

    /// The temporary keys that have permanent ones.
    var temporaryKeys: [Int64] {
        list.indices.compactMap { list[$0] == Self.missing ? nil : highest - Int64($0) } + others.keys
    }

    /// Adds keys. They replace those that the temporary keys had before.
    mutating func merge(_ newer: PermanentKeys) {
        if isEmpty {
            self = newer
            return
        }
        for temporary in newer.temporaryKeys { self[temporary] = newer[temporary] }
    }
}
