import Foundation

/// A page of a B-tree. Each value in it is used only after it has been checked against the rest of the page.
struct BTreePage {
    enum Kind: UInt8 {
        case indexBranch = 2
        case tableBranch = 5
        case indexLeaf = 10
        case tableLeaf = 13

        var isLeaf: Bool { self == .indexLeaf || self == .tableLeaf }
    }

    /// A row in a leaf of a table: its key, and the place of its bytes.
    struct Cell {
        let key: Int64
        /// The number of bytes of the row, with those on overflow pages.
        let byteCount: Int
        let local: Range<Int>
        /// The first of the overflow pages.
        let overflow: Int?
        let place: Range<Int>
    }

    let page: DatabasePage
    let kind: Kind
    let usableSize: Int
    private let start: Int
    private var bytes: [UInt8] { page.bytes }
    /// The largest number of bytes that SQLite allows for a row.
    private static let largest = 0x7FFF_FFFF
    private static let leastCellSize = 4

    /// Parses a page. Nil if the page is no page of a B-tree.
    ///
    /// - Parameter given: The kind of the page; nil for the kind that the page's first byte gives.
    init?(_ page: DatabasePage, usableSize: Int, as given: Kind? = nil) {
        start = page.number == 1 ? DatabaseHeader.size : 0
        guard usableSize >= 480, usableSize <= page.bytes.count, let kind = given ?? Kind(rawValue: page.bytes[start])
        else { return nil }
        self.page = page
        self.kind = kind
        self.usableSize = usableSize
    }

    private var headerEnd: Int { start + (kind.isLeaf ? 8 : 12) }
    /// The number of cells by the page's header.
    private var claimed: Int { bytes.number16(at: start + 3) ?? 0 }
    /// The number of cells that the page has room for.
    private var room: Int { max(0, (usableSize - headerEnd) / 2) }

    private var contentStart: Int? {
        guard let place = bytes.number16(at: start + 5).map({ $0 == 0 ? 65536 : $0 }),
            place >= headerEnd, place <= usableSize
        else { return nil }
        return place
    }

    /// The places of deleted cells; nil if their chain is broken.
    private var holes: [Range<Int>]? {
        var holes: [Range<Int>] = []
        var place = bytes.number16(at: start + 1) ?? 0
        var least = max(headerEnd, contentStart ?? headerEnd)
        while place != 0 {
            guard place >= least, let next = bytes.number16(at: place), let size = bytes.number16(at: place + 2),
                size >= 4, place + size <= usableSize
            else { return nil }
            holes.append(place..<place + size)
            least = place + size
            place = next
        }
        return holes
    }

    private func pointer(_ index: Int) -> Int? {
        guard let place = bytes.number16(at: headerEnd + 2 * index), place >= headerEnd, place < usableSize else {
            return nil
        }
        return place
    }

    // MARK: Branches

    /// A page below a branch, and its greatest key; nil if the branch has no key for it.
    struct Child {
        let page: Int
        let greatest: Int64?
    }

    /// The pages below a branch, in the order of keys.
    var children: [Child] {
        if kind.isLeaf { return [] }
        let left = (0..<min(claimed, room)).compactMap { index -> Child? in
            guard let place = pointer(index), let page = bytes.number32(at: place) else { return nil }
            let key = kind == .tableBranch ? bytes.varint(at: place + 4, before: usableSize)?.value : nil
            return Child(page: page, greatest: key.map { Int64(bitPattern: $0) })
        }
        return left + [Child(page: bytes.number32(at: start + 8) ?? 0, greatest: nil)]
    }

    // MARK: Leaves of tables

    private func cell(at place: Int) -> Cell? {
        guard let (size, afterSize) = bytes.varint(at: place, before: usableSize), size <= Self.largest,
            let (key, first) = bytes.varint(at: afterSize, before: usableSize)
        else { return nil }
        let count = Int(size)
        let most = usableSize - 35
        var local = count
        if count > most {
            let least = (usableSize - 12) * 32 / 255 - 23
            let fitting = least + (count - least) % (usableSize - 4)
            local = fitting <= most ? fitting : least
        }
        let end = first + local + (local < count ? 4 : 0)
        guard end <= usableSize, end <= page.present else { return nil }
        return Cell(
            key: Int64(bitPattern: key), byteCount: count, local: first..<first + local,
            overflow: local < count ? bytes.number32(at: first + local) : nil,
            place: place..<max(end, place + Self.leastCellSize))
    }

    private var fragments: Int { Int(bytes[start + 7]) }

    /// The rows of a leaf of a table, the number of its rows that cannot be read, and whether the sizes of the rows are
    /// certain.
    ///
    /// A deleted row may still lie in the page: behind the pointers, in a hole, or before the content. If cells, holes
    /// and fragments make up the content without an overlap, the cells are certain, whatever number of cells the header
    /// has. Otherwise pointers into holes, or before the content, are suspect. All suspect cells are left out if the
    /// content has room for the rows that their pointers led to. If it has none, suspect cells are left out only at the
    /// end of the list, because old pointers lie behind those of present rows.
    func rows() -> (cells: [Cell], unread: Int, areSizesCertain: Bool) {
        guard kind == .tableLeaf else { return ([], 0, true) }
        let holes = holes
        if let certain = certainCells(holes) { return (certain, 0, true) }
        let isCountPossible = claimed <= room
        // Without these values the old pointers cannot be distinguished from the present ones.
        if !isCountPossible, contentStart == nil, holes == nil { return ([], 1, false) }
        var cells: [Cell] = []
        var seen: Set<Int> = []
        for index in 0..<min(claimed, room) {
            guard let place = pointer(index), let cell = cell(at: place) else {
                if isCountPossible { continue }
                break
            }
            if seen.insert(place).inserted { cells.append(cell) }
        }
        if let own = cellsWithoutStrayed(cells, holes) { return (own, claimed - own.count, false) }
        let start = isContentStart(cells, holes) ? headerEnd : contentStart ?? headerEnd
        while let place = cells.last?.place.lowerBound,
            place < start || holes?.contains(where: { $0.contains(place) }) ?? false
        {
            cells.removeLast()
        }
        return (cells, isCountPossible ? claimed - cells.count : 1, false)
    }

    /// Whether the cells make up the content of a page whose content begins with the first of them.
    private func isContentStart(_ cells: [Cell], _ holes: [Range<Int>]?) -> Bool {
        guard claimed <= room, cells.count == claimed, let holes,
            let first = (cells.map(\.place) + holes).map(\.lowerBound).min()
        else { return false }
        return size(of: cells) + size(of: holes) + fragments == usableSize - first
    }

    /// The cells without those that damaged pointers lead to, which lie in holes or before the content. Nil if the
    /// content has no room for the rows that are missing then: in that case the holes, the content's start or the
    /// number of rows are damaged.
    private func cellsWithoutStrayed(_ cells: [Cell], _ holes: [Range<Int>]?) -> [Cell]? {
        guard let contentStart, let holes, claimed <= room else { return nil }
        let outside = holes + [0..<contentStart]
        let own = cells.filter { cell in
            !outside.contains { $0.contains(cell.place.lowerBound) && cell.place.upperBound <= $0.upperBound }
        }
        let spare = usableSize - contentStart - size(of: own) - size(of: holes) - fragments
        guard own.count < cells.count, spare >= (claimed - own.count) * Self.leastCellSize, isDisjoint(own, outside)
        else { return nil }
        return own
    }

    /// Whether no cell or hole overlaps another one.
    private func isDisjoint(_ cells: [Cell], _ holes: [Range<Int>]) -> Bool {
        let places = (cells.map(\.place) + holes).sorted { $0.lowerBound < $1.lowerBound }
        return zip(places, places.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
    }

    private func size(of cells: [Cell]) -> Int { cells.reduce(0) { $0 + $1.place.count } }
    private func size(of holes: [Range<Int>]) -> Int { holes.reduce(0) { $0 + $1.count } }

    /// The cells that make up the content together with the holes; nil if no such list of cells is found.
    private func certainCells(_ holes: [Range<Int>]?) -> [Cell]? {
        guard let contentStart, let holes else { return nil }
        var rest = usableSize - contentStart - size(of: holes) - fragments
        var cells: [Cell] = []
        while rest > 0, cells.count < room {
            guard let place = pointer(cells.count), place >= contentStart, let cell = cell(at: place) else {
                return nil
            }
            cells.append(cell)
            rest -= cell.place.count
        }
        return rest == 0 && isDisjoint(cells, holes) ? cells : nil
    }

    /// Whether the content of the page reaches up to its end, as in every page that SQLite has written.
    var fillsItsPage: Bool {
        guard let contentStart, claimed <= room, let holes else { return false }
        if kind == .tableLeaf { return claimed > 0 && certainCells(holes)?.count == claimed }
        let last = (0..<claimed).compactMap { pointer($0) }.max() ?? contentStart
        return contentStart >= headerEnd + 2 * claimed && last > usableSize / 2
    }
}
