import Foundation

/// The meaning of a slot's eight bytes.
package enum SlotKind: UInt8, Sendable {
    /// Integer 16, 32, 64.
    case integer
    case boolean
    case double
    case float
    /// Seconds since 2001-01-01 00:00:00 UTC.
    case date
    case string
    case uri
    case data
    /// The data that the value transformer returned.
    case transformable
    case uuid
    case decimal
    /// The key (`ObjectKey.key`) of another row.
    case reference
    /// The layout index of the row to which a reference leads, stored beside the reference when the destination has
    /// sub-entities.
    case entityNumber
    /// The position of a row in an ordered to-many relationship.
    case order

    /// Whether the eight bytes are the value itself; otherwise they are the position of its bytes.
    @inline(__always) package var isInline: Bool {
        switch self {
        case .integer, .boolean, .double, .float, .date, .reference, .entityNumber, .order: true
        case .string, .uri, .data, .transformable, .uuid, .decimal: false
        }
    }
}

/// A value of a slot outside a snapshot: changed, inserted, or about to be written to the store. Never `Any`.
package enum SlotValue: Equatable, Sendable {
    case null
    case int(Int64)
    case double(Double)
    case string(String)
    case data(Data)
    case uuid(UUID)
    case decimal(Decimal)

    @inline(__always) package var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension ContiguousArray<SlotValue> {
    /// The given number of null values. A generic initialiser would copy the repeated value with the reference counting
    /// that a string in it would need.
    static func nulls(_ count: Int) -> ContiguousArray {
        ContiguousArray(unsafeUninitializedCapacity: count) { buffer, initializedCount in
            for place in 0..<count { buffer.initializeElement(at: place, to: .null) }
            initializedCount = count
        }
    }
}

/// The row that an object stands for: its entity's place in the model and its key.
///
/// A positive key is a saved row's: the primary key in the low 48 bits, the number of the store within its coordinator
/// above them. A negative key is a new object's, unique in the process.
package struct ObjectKey: Hashable, Sendable {
    package static let primaryKeyBits: Int64 = 48
    package static let primaryKeyMask: Int64 = (1 << primaryKeyBits) - 1

    /// The concrete entity's place in the model's numbering (`EntityLayout.index`).
    package var layoutIndex: Int
    package var key: Int64

    @inline(__always) package var isTemporary: Bool { key < 0 }
    @inline(__always) package var primaryKey: Int64 { key & Self.primaryKeyMask }
    @inline(__always) package var storeNumber: Int { Int(key >> Self.primaryKeyBits) }

    @inline(__always)
    package static func key(storeNumber: Int, primaryKey: Int64) -> Int64 {
        Int64(storeNumber) << primaryKeyBits | primaryKey
    }

    /// Whether a number from a table can be a primary key.
    @inline(__always)
    package static func isPrimaryKey(_ number: Int64) -> Bool {
        UInt64(bitPattern: number &- 1) < UInt64(bitPattern: primaryKeyMask)
    }

    /// The error of a number that cannot be a primary key.
    @inline(never)
    package static func refusal(of number: Int64, in table: String) -> NSError {
        .coreData(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            reason: "The table “\(table)” holds the key \(number), and keys go from 1 to \(primaryKeyMask).")
    }
}

/// A set of slot numbers; the first 64 without allocation.
package struct SlotMask: Hashable, Sendable {
    package private(set) var low: UInt64 = 0
    package private(set) var high: [UInt64] = []

    @inline(__always) package init() {}

    @inline(__always) package var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    @inline(__always)
    package func contains(_ slot: Int) -> Bool {
        if slot < 64 { return low & (1 << UInt64(slot)) != 0 }
        let word = (slot >> 6) - 1
        return word < high.count && high[word] & (1 << UInt64(slot & 63)) != 0
    }

    /// The number of slots that have a smaller number.
    @inline(__always)
    package func rank(of slot: Int) -> Int {
        if slot < 64 { return (low & ((1 << UInt64(slot)) - 1)).nonzeroBitCount }
        return highRank(of: slot)
    }

    private func highRank(of slot: Int) -> Int {
        let word = (slot >> 6) - 1
        var rank = low.nonzeroBitCount
        for bits in high.prefix(word) { rank += bits.nonzeroBitCount }
        if word < high.count { rank += (high[word] & ((1 << UInt64(slot & 63)) - 1)).nonzeroBitCount }
        return rank
    }

    @inline(__always)
    package mutating func insert(_ slot: Int) {
        if slot < 64 {
            low |= 1 << UInt64(slot)
        } else {
            insertHigh(slot)
        }
    }

    private mutating func insertHigh(_ slot: Int) {
        let word = (slot >> 6) - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(slot & 63)
    }

    package mutating func remove(_ slot: Int) {
        if slot < 64 {
            low &= ~(1 << UInt64(slot))
        } else if (slot >> 6) - 1 < high.count {
            high[(slot >> 6) - 1] &= ~(1 << UInt64(slot & 63))
            while high.last == 0 { high.removeLast() }
        }
    }

    package mutating func formUnion(_ other: SlotMask) {
        low |= other.low
        if other.high.isEmpty { return }
        for (word, bits) in other.high.enumerated() {
            while high.count <= word { high.append(0) }
            high[word] |= bits
        }
    }

    /// Calls the closure for every slot of the set, smallest first.
    @inline(__always)
    package func forEach(_ body: (Int) throws -> Void) rethrows {
        var bits = low
        while bits != 0 {
            try body(bits.trailingZeroBitCount)
            bits &= bits - 1
        }
        for (word, high) in high.enumerated() {
            var bits = high
            while bits != 0 {
                try body((word + 1) * 64 + bits.trailingZeroBitCount)
                bits &= bits - 1
            }
        }
    }
}
