/// The keys of the results of a fetch, in the order of the fetch. All objects are of one root entity.
///
/// A value type. A key takes four bytes if some thousand consecutive keys are near each other, and two more bytes if
/// they are of several entities. The list grows by pieces, so that a list of millions is never copied.
package struct FetchedKeys: Sequence, Sendable {
    /// The number of keys that a piece has.
    private static let pieceSize = 1 << 14

    /// Some consecutive keys; immutable.
    private final class Piece: Sendable {
        /// The smallest key.
        let base: Int64
        /// The distances of the keys from `base`; empty if a distance takes more than four bytes.
        private let distances: ContiguousArray<UInt32>
        private let keys: ContiguousArray<Int64>
        private let layoutIndex: Int
        /// The entities of the keys; empty if all keys are of one entity.
        private let layoutIndexes: ContiguousArray<UInt16>

        init(_ all: [ObjectKey]) {
            let base = all.lazy.map(\.key).min() ?? 0
            let (range, isTooWide) = (all.lazy.map(\.key).max() ?? 0).subtractingReportingOverflow(base)
            self.base = base
            if isTooWide || range > Int64(UInt32.max) {
                distances = []
                keys = ContiguousArray(all.lazy.map(\.key))
            } else {
                distances = ContiguousArray(all.lazy.map { UInt32(truncatingIfNeeded: $0.key &- base) })
                keys = []
            }
            let first = all.first?.layoutIndex ?? 0
            layoutIndex = first
            let isOne = all.allSatisfy { $0.layoutIndex == first }
            layoutIndexes = isOne ? [] : ContiguousArray(all.lazy.map { UInt16($0.layoutIndex) })
        }

        @inline(__always)
        subscript(place: Int) -> ObjectKey {
            ObjectKey(
                layoutIndex: layoutIndexes.isEmpty ? layoutIndex : Int(layoutIndexes[place]),
                key: distances.isEmpty ? keys[place] : base &+ Int64(distances[place]))
        }

        var all: [ObjectKey] { (0..<FetchedKeys.pieceSize).map { self[$0] } }
    }

    private var pieces: [Piece] = []
    /// The keys behind the last piece.
    private var latest: [ObjectKey] = []

    package init() {}

    package init(_ keys: some Sequence<ObjectKey>) {
        for key in keys { append(key) }
    }

    package var count: Int { pieces.count * Self.pieceSize + latest.count }
    package var isEmpty: Bool { count == 0 }
    package var underestimatedCount: Int { count }
    package var first: ObjectKey? { isEmpty ? nil : self[0] }

    @inline(__always)
    package mutating func append(_ key: ObjectKey) {
        latest.append(key)
        if latest.count == Self.pieceSize { closePiece() }
    }

    private mutating func closePiece() {
        pieces.append(Piece(latest))
        latest.removeAll(keepingCapacity: true)
    }

    package subscript(place: Int) -> ObjectKey {
        let piece = place / Self.pieceSize
        return piece < pieces.count
            ? pieces[piece][place % Self.pieceSize] : latest[place - pieces.count * Self.pieceSize]
    }

    package subscript(range: Range<Int>) -> [ObjectKey] { range.map { self[$0] } }

    /// Whether the list has a key of an object that is not saved yet.
    package var hasTemporary: Bool { pieces.contains { $0.base < 0 } || latest.contains(where: \.isTemporary) }

    /// Replaces temporary keys.
    package mutating func replaceTemporary(_ replacement: (ObjectKey) -> ObjectKey) {
        for index in pieces.indices where pieces[index].base < 0 {
            pieces[index] = Piece(pieces[index].all.map { $0.isTemporary ? replacement($0) : $0 })
        }
        for index in latest.indices where latest[index].isTemporary { latest[index] = replacement(latest[index]) }
    }

    /// The keys that an offset and a limit leave; a limit of 0 means no limit.
    package func page(_ offset: Int, _ limit: Int) -> FetchedKeys {
        let start = Swift.min(offset, count)
        let end = limit > 0 ? start + Swift.min(limit, count - start) : count
        if start == 0, end == count { return self }
        var page = FetchedKeys()
        for place in start..<end { page.append(self[place]) }
        return page
    }

    package func makeIterator() -> Iterator { Iterator(keys: self) }

    /// Iterates over the keys, and unpacks one piece at a time.
    package struct Iterator: IteratorProtocol {
        private let keys: FetchedKeys
        private var nextPiece = 0
        private var current: [ObjectKey] = []
        private var place = 0

        fileprivate init(keys: FetchedKeys) { self.keys = keys }

        @inline(__always)
        package mutating func next() -> ObjectKey? {
            if place == current.count, !advance() { return nil }
            defer { place += 1 }
            return current[place]
        }

        private mutating func advance() -> Bool {
            if nextPiece > keys.pieces.count { return false }
            current = nextPiece < keys.pieces.count ? keys.pieces[nextPiece].all : keys.latest
            nextPiece += 1
            place = 0
            return !current.isEmpty
        }
    }
}
