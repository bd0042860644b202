import Foundation

/// A page of a database, whatever its content.
struct DatabasePage {
    let number: Int
    /// The bytes of the page, filled with zeros up to the page's size.
    let bytes: [UInt8]
    /// The number of bytes that are in the file: fewer than a page if the file ends within it.
    let present: Int
}

/// The numbers of pages: those of a file that are in none of its holes, and those that only its log has. Holes are
/// skipped, because a small file can claim a very great length.
struct PageNumbers: Sequence {
    /// The number of pages from 1 on, including those in holes.
    let first: Int
    let others: [Int]
    /// The next range of pages, from a number on, that are in no hole.
    let data: (_ number: Int) -> Range<Int>?

    var count: Int { first + others.count }
    var last: Int { Swift.max(first, others.last ?? 0) }

    func makeIterator() -> AnyIterator<Int> {
        var present = 1..<1
        var place = 0
        return AnyIterator {
            if present.isEmpty, present.lowerBound <= first {
                present = (data(present.lowerBound) ?? first + 1..<first + 1).clamped(to: 1..<first + 1)
            }
            if let number = present.first {
                present = number + 1..<present.upperBound
                return number
            }
            defer { place += 1 }
            return place < others.count ? others[place] : nil
        }
    }
}

/// Reads the pages of a database. A page in its -wal replaces that of the main file.
final class PageReader {
    let header: DatabaseHeader
    let log: WriteAheadLog?
    let pageSize: Int
    /// The number of bytes of a page that SQLite uses.
    let usableSize: Int
    /// The numbers of the pages that exist.
    let pages: PageNumbers
    private let main: any SalvageBytes
    private let mainCount: Int
    private let lastPage: Int
    private var cache: [Int: DatabasePage] = [:]
    private static let cachedBytes = 4 << 20

    /// - Parameter log: the log of the same database; nil to read the main file alone.
    init(_ main: any SalvageBytes, log: WriteAheadLog?) {
        self.main = main
        let first = main.bytes(at: 0, count: DatabaseHeader.size)
        let own = DatabaseHeader(first)
        let log = log.flatMap { $0.pageCount == nil || own.isWhole && own.pageSize != $0.pageSize ? nil : $0 }
        self.log = log
        header = log?.page(1).map { DatabaseHeader(Array($0.prefix(DatabaseHeader.size))) } ?? own
        pageSize =
            log?.pageSize ?? (header.isWhole ? header.pageSize : nil) ?? Self.likelyPageSize(main) ?? header.pageSize
            ?? 4096
        usableSize = Self.usableSize(of: main, pageSize, header)
        mainCount = main.count / pageSize + (main.count % pageSize == 0 ? 0 : 1)
        lastPage = log?.pageCount ?? mainCount
        let data = { [pageSize] in Self.pages(of: main, pageSize, from: $0) }
        let added = log?.places.keys.filter { [mainCount, lastPage] number in
            // Only the log may have a page whose place in the file is a hole.
            number <= lastPage && (number > mainCount || data(number)?.lowerBound != number)
        }
        pages = PageNumbers(first: min(mainCount, lastPage), others: (added ?? []).sorted(), data: data)
    }

    /// The next range of pages, from a number on, of which any byte is in no hole.
    private static func pages(of main: any SalvageBytes, _ pageSize: Int, from number: Int) -> Range<Int>? {
        main.data(from: (number - 1) * pageSize).map { data in
            data.lowerBound / pageSize + 1..<(data.upperBound - 1) / pageSize + 2
        }
    }

    /// The number of pages that the database should have.
    var expectedPageCount: Int {
        max(pages.last, log?.pageCount ?? (header.isWhole ? header.pageCount : 0))
    }

    /// Returns a page; nil if it does not exist.
    func page(_ number: Int) -> DatabasePage? {
        if let known = cache[number] { return known }
        guard number > 0, number <= lastPage else { return nil }
        var bytes: [UInt8]
        if let logged = log?.page(number) {
            bytes = logged
        } else {
            guard number <= mainCount else { return nil }
            bytes = main.bytes(at: (number - 1) * pageSize, count: pageSize)
        }
        let present = bytes.count
        if present == 0 { return nil }
        if present < pageSize { bytes += [UInt8](repeating: 0, count: pageSize - present) }
        let page = DatabasePage(number: number, bytes: bytes, present: present)
        if cache.count >= Self.cachedBytes / pageSize { cache.removeAll(keepingCapacity: true) }
        cache[number] = page
        return page
    }

    /// The number of bytes of a page that SQLite uses. Reserved bytes are very rare, so the value of the header is
    /// accepted only if the pages fit it, too.
    private static func usableSize(of main: any SalvageBytes, _ pageSize: Int, _ header: DatabaseHeader) -> Int {
        guard header.isWhole, header.reserved > 0 else { return pageSize }
        let usable = pageSize - header.reserved
        let (with, without) = (
            wholeShare(of: main, pageSize, usable: usable), wholeShare(of: main, pageSize, usable: pageSize)
        )
        return without > with ? pageSize : usable
    }

    /// The likely page size of a file without a header: the size for which most sampled pages are complete.
    static func likelyPageSize(_ main: any SalvageBytes) -> Int? {
        var best: (size: Int, share: Double)?
        for size in [4096] + DatabaseHeader.sizes.filter({ $0 != 4096 }) {
            let share = wholeShare(of: main, size, usable: size)
            if share > best?.share ?? 0 { best = (size, share) }
        }
        return best?.size
    }

    /// The part of the sampled pages that is complete with a given page size.
    private static func wholeShare(of main: any SalvageBytes, _ size: Int, usable: Int) -> Double {
        let count = main.count / size
        var looked = 0
        var whole = 0
        // The sample leaves out the first page, which is the damaged one.
        for index in stride(from: 1, to: count, by: max(1, count / 64)) {
            let bytes = main.bytes(at: index * size, count: size)
            guard bytes.contains(where: { $0 != 0 }) else { continue }
            looked += 1
            let page = DatabasePage(number: index + 1, bytes: bytes, present: bytes.count)
            if BTreePage(page, usableSize: usable)?.fillsItsPage ?? false { whole += 1 }
        }
        return Double(whole) / Double(max(1, looked))
    }
}
