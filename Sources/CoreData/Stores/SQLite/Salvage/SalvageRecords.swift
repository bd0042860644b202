import Foundation

/// A value of a row, as far as it can be read.
enum SalvagedValue: Equatable {
    case whole(SlotValue)
    /// A text with bytes that are not valid in its encoding, or only the beginning of a text.
    case repaired(String)
    case lost

    var value: SlotValue? {
        if case .whole(let value) = self { value } else { nil }
    }

    /// The value as an integer; nil for any other value.
    var integer: Int64? {
        if case .whole(.int(let number)) = self { number } else { nil }
    }

    /// The value as a text, with replacement characters for damaged bytes; nil for any other value.
    var readableText: String? {
        if case .repaired(let text) = self { text } else { text }
    }

    /// Whether there is a value that is no integer.
    var isOfOtherType: Bool {
        switch self {
        case .whole(.null), .whole(.int), .lost: false
        case .whole, .repaired: true
        }
    }

    var text: String? {
        if case .whole(.string(let text)) = self { text } else { nil }
    }

    var data: Data? {
        if case .whole(.data(let data)) = self { data } else { nil }
    }
}

/// A row that was found, with its values in the order of the table's columns.
struct SalvagedRow {
    let key: Int64
    let page: Int
    let values: [SalvagedValue]

    /// The value of a column. Older rows have no values for columns that were added to the table later.
    subscript(column: Int) -> SalvagedValue { column < values.count ? values[column] : .whole(.null) }
}

/// Reads the rows of leaves, with their parts on overflow pages.
final class SalvageRecords {
    private let reader: PageReader
    private let use: PageUse
    /// The number of times that each overflow page was read. Each belongs to one row, but several damaged rows may lead
    /// to the same page.
    private var readings: [Int: Int] = [:]
    private static let mostReadings = 4
    /// A number that exceeds the columns of any table.
    static let mostColumns = 4_000

    init(_ reader: PageReader, _ use: PageUse) {
        self.reader = reader
        self.use = use
    }

    /// The rows of a leaf, and the number of its rows that cannot be read.
    ///
    /// - Parameters:
    ///   - keys: the range of keys that the tree has for the page.
    ///   - columns: the number of columns of the table; nil if it is not known.
    func rows(
        of page: BTreePage, keys: ClosedRange<Int64> = Int64.min...Int64.max, columns: Int? = nil
    ) -> (rows: [SalvagedRow], unread: Int) {
        let found = page.rows()
        let cells = Self.inOrder(found.cells, on: page, keys)
        let rows = cells.compactMap { cell -> SalvagedRow? in
            let bytes = bytes(of: cell, page)
            let columns = found.areSizesCertain ? columns : nil
            guard let values = values(of: bytes, declared: cell.byteCount, columns) else { return nil }
            return SalvagedRow(key: cell.key, page: page.page.number, values: values)
        }
        return (rows, found.unread + found.cells.count - rows.count)
    }

    /// The cells whose keys are not damaged. The keys of a page ascend. A key counts as damaged if it is in no
    /// ascending sequence of the greatest weight. A key outside the tree's range for the page counts as damaged, too,
    /// if most keys of the page are within the range.
    private static func inOrder(
        _ cells: [BTreePage.Cell], on page: BTreePage, _ keys: ClosedRange<Int64>
    ) -> [BTreePage.Cell] {
        // A complete row weighs more than all damaged rows together, whose keys may have any value.
        let weights = cells.map { isWhole($0, on: page) ? cells.count + 1 : 1 }
        let before = weightsOfRows(cells.map(\.key), weights)
        // In reverse order the keys descend, and their complements ascend.
        let behind = weightsOfRows(cells.reversed().map { ~$0.key }, weights.reversed()).reversed()
        let greatest = before.max() ?? 0
        let ordered = zip(zip(cells, weights), zip(before, behind)).filter { cell, sums in
            sums.0 + sums.1 - cell.1 == greatest
        }.map(\.0.0)
        let own = ordered.filter { keys.contains($0.key) }
        return own.count * 2 > ordered.count ? own : ordered
    }

    /// Whether the types of a row add up to the size in its cell.
    private static func isWhole(_ cell: BTreePage.Cell, on page: BTreePage) -> Bool {
        let bytes = Array(page.page.bytes[cell.local])
        guard let (end, first) = bytes.varint(at: 0, before: bytes.count), end <= UInt64(bytes.count), end > first
        else { return false }
        return size(of: bytes, types: first..<Int(end)) == cell.byteCount
    }

    /// For each place, the greatest weight of an ascending sequence of keys that ends there.
    private static func weightsOfRows(_ keys: [Int64], _ weights: [Int]) -> [Int] {
        let sorted = Set(keys).sorted()
        let ranks = Dictionary(uniqueKeysWithValues: zip(sorted, 1...))
        // A Fenwick tree of the greatest weights: each place covers as many ranks as the value of its lowest bit.
        var tree = [Int](repeating: 0, count: sorted.count + 1)
        return zip(keys, weights).map { key, weight in
            let rank = ranks[key] ?? 0
            var (sum, place) = (0, rank - 1)
            while place > 0 {
                sum = max(sum, tree[place])
                place -= place & -place
            }
            sum += weight
            place = rank
            while place > 0, place < tree.count {
                tree[place] = max(tree[place], sum)
                place += place & -place
            }
            return sum
        }
    }

    /// The bytes of a row; fewer than its size in the cell if an overflow page is missing.
    private func bytes(of cell: BTreePage.Cell, _ page: BTreePage) -> [UInt8] {
        var bytes = Array(page.page.bytes[cell.local])
        var next = cell.overflow ?? 0
        while bytes.count < cell.byteCount, next > 1, !use.isFree(next), let page = reader.page(next) {
            let count = readings[next, default: 0]
            if count >= Self.mostReadings { break }
            readings[next] = count + 1
            let wanted = min(reader.usableSize - 4, cell.byteCount - bytes.count)
            let present = min(wanted, page.present - 4)
            if present > 0 { bytes += page.bytes[4..<4 + present] }
            if present < wanted { break }
            next = page.bytes.number32(at: 0) ?? 0
        }
        return bytes
    }

    /// The values of a row. Nil if its header of types cannot be read.
    ///
    /// - Parameter columns: The number of columns, if the number of bytes of the row is certain. A wrong end of the
    ///   header of types is then corrected.
    private func values(of bytes: [UInt8], declared: Int, _ columns: Int?) -> [SalvagedValue]? {
        guard let (claimed, first) = bytes.varint(at: 0, before: bytes.count) else { return nil }
        let isPossible = claimed <= UInt64(declared) && claimed >= UInt64(first)
        if let columns, !isPossible || Self.size(of: bytes, types: first..<Int(claimed)) != declared,
            let end = Self.end(of: bytes, typesFrom: first, columns)
        {
            let size = Self.size(of: bytes, types: first..<end)
            if size == declared || !isPossible { return values(of: bytes, types: first..<end) }
        }
        return isPossible ? values(of: bytes, types: first..<Int(claimed)) : nil
    }

    /// The size of a row with a header of these types, including the header; nil if they are not valid.
    private static func size(of bytes: [UInt8], types: Range<Int>) -> Int? {
        var (place, size) = (types.lowerBound, types.upperBound)
        while place < types.upperBound {
            guard let (type, next) = bytes.varint(at: place, before: types.upperBound),
                let count = byteCount(ofType: type), let sum = sum(size, count)
            else { return nil }
            (place, size) = (next, sum)
        }
        return size
    }

    /// The end of a header with this number of types; nil if it has fewer.
    private static func end(of bytes: [UInt8], typesFrom first: Int, _ columns: Int) -> Int? {
        var place = first
        for _ in 0..<columns {
            guard let (_, next) = bytes.varint(at: place, before: bytes.count) else { return nil }
            place = next
        }
        return place
    }

    private func values(of bytes: [UInt8], types: Range<Int>) -> [SalvagedValue] {
        let typesEnd = min(types.upperBound, bytes.count)
        var place = types.lowerBound
        var body = types.upperBound
        var values: [SalvagedValue] = []
        while place < typesEnd, values.count < Self.mostColumns {
            guard let (type, next) = bytes.varint(at: place, before: typesEnd) else {
                values.append(.lost)
                break
            }
            place = next
            guard body >= 0, let count = Self.byteCount(ofType: type), let end = Self.sum(body, count) else {
                values.append(.lost)
                body = -1
                continue
            }
            if count == 0 {
                values.append(value(ofType: type, []))
            } else {
                values.append(
                    end <= bytes.count ? value(ofType: type, bytes[body..<end]) : beginning(ofType: type, bytes, body))
            }
            body = end
        }
        return values
    }

    private static func sum(_ one: Int, _ other: Int) -> Int? {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? nil : sum
    }

    private static func byteCount(ofType type: UInt64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 10, 11: nil
        default: Int(exactly: (type - 12) / 2)
        }
    }

    private func value(ofType type: UInt64, _ bytes: ArraySlice<UInt8>) -> SalvagedValue {
        switch type {
        case 0: return .whole(.null)
        case 8: return .whole(.int(0))
        case 9: return .whole(.int(1))
        case 1...6:
            let sign: Int64 = bytes.first.map { $0 & 0x80 != 0 } ?? false ? -1 : 0
            return .whole(.int(bytes.reduce(sign) { $0 << 8 | Int64($1) }))
        case 7:
            let number = Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
            // SQLite never writes a NaN, and reads it as NULL.
            return .whole(number.isNaN ? .null : .double(number))
        default: return type & 1 == 0 ? .whole(.data(Data(bytes))) : text(bytes)
        }
    }

    /// The rest of a truncated value: the beginning of a text; nothing of other values.
    private func beginning(ofType type: UInt64, _ bytes: [UInt8], _ place: Int) -> SalvagedValue {
        guard type > 12, type & 1 == 1, place < bytes.count, let text = text(bytes[place...]).readableText else {
            return .lost
        }
        return .repaired(text)
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> SalvagedValue {
        guard reader.header.encoding != 1 else {
            if let text = String(validating: bytes, as: UTF8.self) { return .whole(.string(text)) }
            return .repaired(String(decoding: bytes, as: UTF8.self))
        }
        let hasHighByteFirst = reader.header.encoding == 3
        let pairs = Array(bytes)
        let units = stride(from: 0, to: pairs.count - 1, by: 2).map { place in
            let (one, other) = (UInt16(pairs[place]), UInt16(pairs[place + 1]))
            return hasHighByteFirst ? one << 8 | other : other << 8 | one
        }
        if pairs.count % 2 == 0, let text = String(validating: units, as: UTF16.self) { return .whole(.string(text)) }
        return .repaired(String(decoding: units, as: UTF16.self))
    }
}
