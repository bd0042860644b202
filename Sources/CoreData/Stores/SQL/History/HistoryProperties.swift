// About the bits of changed properties.
//
// - The bits have the order of Apple's stores, in six groups. First come columns of to-one relationships, then columns
//   of the entities to which they lead (if the destination has subentities), then places in ordered relationships.
// - The other groups are persistent attributes (derived ones included), to-many relationships with keys in other rows,
//   and many-to-many relationships.
// - Within each group properties of a superentity come first, then names by their bytes. Transient properties have no
//   bit.
// - All 3,168 masks in the six stores at hand that have any are as long as this list (`HistoryCorpusTests`). Those
//   stores do not distinguish it from a list with attributes first. 786 masks in six public photo libraries fit it,
//   too. 178 of these distinguish the two lists, and none fits the other one.
// - The names confirm this: a note's `modificationDate`, `snippet`, `title`; a version that changes with its date; a
//   key that changes with the column of its entity.
// - Names do not determine the order in two places: to-many relationships of one kind, and place columns. Their order
//   is that of a hash table in Apple's memory, which depends on all its content. In the note store the bits that names
//   would give to `folders` and `children` are both `notes`. So if only some of several such bits are set, the result
//   is nil.
// - No mask is at hand for composite elements, and for the keys of to-many relationships without inverse. Masks of more
//   than eight bytes of the framework of 2017 hold addresses.
// - A change that this library writes has a mark in `Z_OPT`, a column of ACHANGE that Apple's framework leaves empty.
//   The mark is a number made of the list of columns. It moves with the row, and after any migration it fits only if
//   the bits still have the same meaning. Without it `updatedProperties` of this library's own changes would be nil, or
//   wrong after a migration.
// - Nothing proves that Apple's framework passes over a number there. No change in 13 stores of Apple's has one. The
//   column is declared as in the tables of entities, where it counts the versions of a row, and a change is written
//   once. `NSPersistentHistoryChange` has no version. Public programs that write into stores of Apple's applications
//   put 1 into the column. No Mac has read a change with a number there yet.
// - A version that is served beside other versions has names for the bits of all earlier ones
//   (`PostgreSQLPlaces.earlierBits`). It gets other marks if an earlier version has the same names for other properties
//   (`SQLSchema.historyMarks`).
// - Older changes of this library had other bits and no mark. A change without a mark counts as Apple's only if that is
//   proven; otherwise `updatedProperties` is nil.
// - One proof is a text or a query generation in the transaction, because no version of this library has written
//   either. The other one is an identifier `com.apple.…`, because no program of Apple's uses this library.

import Foundation

/// The writer of a change of persistent history, as far as the store shows it.
package enum HistoryWriter: Hashable, Sendable {
    /// This library. The mark identifies the list of columns for the change's bits.
    case library(mark: Int64)
    /// Apple's framework. That of 2017 left random bytes of memory in masks of more than eight bytes.
    case apple(isOf2017: Bool)
    /// An older version of this library, which had the bits in another order, or Apple's framework.
    case unknown
}

/// The bits of an entity's properties in history: one each, the most significant bit of the first byte first.
///
/// The order is that of Apple's stores, as far as it is known:
///
/// - The columns of to-one relationships, those of their entities, and those of their places in ordered relationships.
/// - Attributes.
/// - To-many relationships with keys in other rows.
/// - Many-to-many relationships.
///
/// Within each group the entities that declare the properties come from the root on, then the names by their bytes.
/// Transient properties have no bit.
package struct HistoryProperties: Sendable {
    private enum Group: Int {
        case toOne, companion, order, attribute, toMany, manyToMany
    }

    /// The property of each bit; nil for a column that is no property: the place of a row in a list.
    private let properties: [NSPropertyDescription?]
    /// The bits by slot and by to-many relationship; -1 for those without a bit.
    private let bitOfSlot: [Int]
    private let bitOfToMany: [Int]
    /// The bits of groups of to-many relationships whose order in Apple's stores is not known.
    private let toManyBits: [Range<Int>]
    /// Whether Apple's stores may have columns for the entity whose bits have not been observed yet.
    private let hasUnseenColumns: Bool
    package let byteCount: Int
    /// Identifies the list of columns. With another list, the bits of a change have another meaning.
    package let mark: Int64

    /// - Parameter mark: the mark that a store has given to the list because another list has the same names.
    package init(_ layout: EntityLayout, mark: Int64? = nil) {
        var ranked: [(group: Group, depth: Int, name: String, property: NSPropertyDescription?, place: Int)] = []
        func depth(_ index: Int) -> Int {
            layout.model.entities[index].superIndex.map { depth($0) + 1 } ?? 0
        }
        func add(_ group: Group, declaring: Int, name: String, property: NSPropertyDescription?, place: Int) {
            ranked.append((group, depth(declaring), name, property, place))
        }
        var hasUnseenColumns = false
        for (place, slot) in layout.slots.enumerated() where slot.isPersistent {
            switch slot.role {
            case .attribute(let attribute):
                // A composite attribute has a column for each of its elements.
                if slot.composite != nil { hasUnseenColumns = true }
                add(
                    .attribute, declaring: slot.declaringIndex, name: slot.name, property: slot.composite ?? attribute,
                    place: place)
            case .toOne(let relationship, _):
                add(.toOne, declaring: slot.declaringIndex, name: slot.name, property: relationship, place: place)
            case .companion(let key):
                add(
                    .companion, declaring: slot.declaringIndex, name: slot.name, property: layout.slots[key].property,
                    place: place)
            case .order(let key):
                if case .toOne = layout.slots[key].role {
                    add(.order, declaring: slot.declaringIndex, name: slot.name, property: nil, place: place)
                }
            case .owner: hasUnseenColumns = true
            }
        }
        for toMany in layout.toManys {
            let relationship = toMany.relationship
            switch toMany.kind {
            case .inverseKey, .ownerKey:
                add(
                    .toMany, declaring: toMany.declaringIndex, name: relationship.name, property: relationship,
                    place: toMany.index)
            case .join:
                add(
                    .manyToMany, declaring: toMany.declaringIndex, name: relationship.name, property: relationship,
                    place: toMany.index)
            case .transient: break
            }
        }
        ranked.sort {
            if $0.group != $1.group { return $0.group.rawValue < $1.group.rawValue }
            if $0.depth != $1.depth { return $0.depth < $1.depth }
            return $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        var slots = [Int](repeating: -1, count: layout.slots.count)
        var toManys = [Int](repeating: -1, count: layout.toManys.count)
        for (bit, column) in ranked.enumerated() {
            switch column.group {
            case .toOne, .companion, .order, .attribute: slots[column.place] = bit
            case .toMany, .manyToMany: toManys[column.place] = bit
            }
        }
        bitOfSlot = slots
        bitOfToMany = toManys
        properties = ranked.map(\.property)
        toManyBits = [Group.toMany, .manyToMany].compactMap { group in
            ranked.firstIndex { $0.group == group }.map { first in
                first..<(ranked.lastIndex { $0.group == group } ?? first) + 1
            }
        }
        self.hasUnseenColumns = hasUnseenColumns
        byteCount = (ranked.count + 7) / 8
        self.mark = mark ?? Self.mark(of: ranked.map { "\($0.group.rawValue) \($0.name)" })
    }

    /// A number of 31 bits that is much greater than any row version, which such a column holds elsewhere.
    package static func mark(of columns: [String]) -> Int64 {
        let number = SHA2.sha256(Array(columns.joined(separator: "\n").utf8)).prefix(4).reduce(0) {
            $0 << 8 | Int64($1)
        }
        return number & 0x3FFF_FFFF | 0x4000_0000
    }

    /// The bit of a slot or of a to-many relationship; nil if it has none.
    package func bit(ofSlot slot: Int) -> Int? { bitOfSlot[slot] < 0 ? nil : bitOfSlot[slot] }
    package func bit(ofToMany toMany: Int) -> Int? { bitOfToMany[toMany] < 0 ? nil : bitOfToMany[toMany] }

    /// The bits of slots and to-many relationships.
    package func columns(slots: some Sequence<Int>, toManys: some Sequence<Int>) -> Data {
        var bytes = Data(count: byteCount)
        func set(_ bit: Int) {
            if bit >= 0 { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        }
        for slot in slots { set(bitOfSlot[slot]) }
        for toMany in toManys { set(bitOfToMany[toMany]) }
        return bytes
    }

    /// The names of the properties, by bit; nil for a column that is no property.
    package var names: [String?] { properties.map { $0?.name } }

    /// The properties whose bits are set; nil if they cannot be determined.
    package func properties(in columns: Data, by writer: HistoryWriter) -> Set<NSPropertyDescription>? {
        var bits: Set<Int> = []
        for (place, byte) in columns.enumerated() {
            for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 { bits.insert(place * 8 + bit) }
        }
        guard columns.count == byteCount, bits.allSatisfy({ $0 < properties.count }) else { return nil }
        switch writer {
        case .library(let mark):
            if mark != self.mark { return nil }
        case .apple(let isOf2017):
            if hasUnseenColumns || isOf2017 && byteCount > 8 { return nil }
            // Apple's framework has these bits in an order that depends on its memory. A single one of several cannot
            // be assigned.
            for range in toManyBits where !bits.isDisjoint(with: range) && !bits.isSuperset(of: range) { return nil }
        case .unknown:
            return nil
        }
        return Set(bits.compactMap { properties[$0] })
    }
}

/// Caches the properties for the bits of changes, because a history has many changes with equal bits.
struct HistoryMasks {
    private struct Mask: Hashable {
        let index: Int
        let writer: HistoryWriter
        let byteCount: Int
        /// The bits of up to eight bytes, which can be compared quickly.
        var bits: UInt64 = 0
        /// All bytes, if there are more than eight.
        let columns: Data?

        init(_ columns: Data, ofEntity index: Int, by writer: HistoryWriter) {
            (self.index, self.writer, byteCount) = (index, writer, columns.count)
            if byteCount > 8 {
                self.columns = columns
            } else {
                self.columns = nil
                bits = Self.bits(columns)
            }
        }

        /// The bits of up to eight bytes as a number.
        static func bits(_ columns: Data) -> UInt64 {
            columns.withUnsafeBytes { $0.reduce(0) { $0 << 8 | UInt64($1) } }
        }
    }

    /// The mask of the change before, of up to eight bytes, and its properties. Mostly the next change has it, too.
    private struct Latest {
        var index = -1
        var byteCount = 0
        var bits: UInt64 = 0
        var writer = HistoryWriter.unknown
        var properties: Set<NSPropertyDescription>?
    }

    private let layout: ModelLayout
    /// The mark of each entity, if it is not the one that its names give.
    private let marks: [Int: Int64]
    private var orders: [Int: HistoryProperties] = [:]
    private var known: [Mask: Set<NSPropertyDescription>?] = [:]
    private var latest = Latest()

    /// By entity and mark, the names in this version for the bits of other versions of the model.
    private let others: [Int: [Int64: [String?]]]

    init(_ layout: ModelLayout, marks: [Int: Int64] = [:], others: [Int: [Int64: [String?]]] = [:]) {
        self.layout = layout
        self.marks = marks
        self.others = others
    }

    /// The properties of the entity with an index; nil if they cannot be determined.
    mutating func properties(
        in columns: Data, ofEntity index: Int, by writer: HistoryWriter
    ) -> Set<NSPropertyDescription>? {
        if index == latest.index, columns.count == latest.byteCount, writer == latest.writer,
            Mask.bits(columns) == latest.bits
        {
            return latest.properties
        }
        let mask = Mask(columns, ofEntity: index, by: writer)
        let properties: Set<NSPropertyDescription>?
        if let found = known[mask] {
            properties = found
        } else {
            let order = orders[index] ?? HistoryProperties(layout.entities[index], mark: marks[index])
            orders[index] = order
            properties = order.properties(in: columns, by: writer) ?? translated(columns, ofEntity: index, by: writer)
            known[mask] = .some(properties)
        }
        if mask.byteCount <= 8 {
            latest = Latest(
                index: index, byteCount: mask.byteCount, bits: mask.bits, writer: writer, properties: properties)
        }
        return properties
    }

    /// The properties that a program of another version has changed. Nil if that version is not known, or if no bit is
    /// set: this version may store in a property what the other one stores elsewhere.
    private func translated(
        _ columns: Data, ofEntity index: Int, by writer: HistoryWriter
    ) -> Set<NSPropertyDescription>? {
        guard case .library(let mark) = writer, let names = others[index]?[mark],
            columns.count == (names.count + 7) / 8, columns.contains(where: { $0 != 0 })
        else { return nil }
        let own = layout.entities[index].entity.propertiesByName
        var found: Set<NSPropertyDescription> = []
        for (place, name) in names.enumerated()
        where columns[columns.startIndex + place / 8] & (0x80 >> UInt8(place % 8)) != 0 {
            if let property = name.flatMap({ own[$0] }) { found.insert(property) }
        }
        return found
    }
}
