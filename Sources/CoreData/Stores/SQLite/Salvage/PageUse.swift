import Foundation

/// The use of pages by the data of the file: the list of free pages, and the pointer map, which has the parent of each
/// page.
final class PageUse {
    /// The use of a page by the pointer map.
    enum Role: Equatable {
        case root
        case unused
        case overflow
        /// A page of a tree, below the page of this number.
        case below(Int)
        case unknown
    }

    /// The pages in the list of free pages, as far as the list can be followed.
    private(set) var freePages: Set<Int> = []
    /// Whether the list has as many pages as the header states, each of them once.
    private(set) var isFreeListWhole = false
    let hasMap: Bool
    private let reader: PageReader
    private static let pageOfLocks = 0x4000_0000

    init(_ reader: PageReader) {
        self.reader = reader
        hasMap = reader.header.isWhole ? reader.header.hasPointerMap : Self.hasMap(reader)
        readFreeList()
    }

    private func readFreeList() {
        let header = reader.header
        let known = reader.expectedPageCount
        var isWhole = header.isWhole
        var trunk = header.firstFreePage
        func add(_ page: Int) -> Bool {
            page > 1 && page <= known && !isMapPage(page) && freePages.insert(page).inserted
        }
        while trunk != 0 {
            guard add(trunk), let page = reader.page(trunk), let next = page.bytes.number32(at: 0),
                let count = page.bytes.number32(at: 4), count <= reader.usableSize / 4 - 2
            else {
                isWhole = false
                break
            }
            for index in 0..<count {
                if !add(page.bytes.number32(at: 8 + 4 * index) ?? 0) { isWhole = false }
            }
            trunk = next
        }
        isFreeListWhole = isWhole && freePages.count == header.freePageCount
    }

    // MARK: The map

    /// The page of the map that has the entry of a page.
    private func mapPage(of page: Int) -> Int {
        Self.mapPage(of: page, usableSize: reader.usableSize, pageSize: reader.pageSize)
    }

    private static func mapPage(of page: Int, usableSize: Int, pageSize: Int) -> Int {
        let pagesOfMap = usableSize / 5 + 1
        let place = (page - 2) / pagesOfMap * pagesOfMap + 2
        return place == pageOfLocks / pageSize + 1 ? place + 1 : place
    }

    func isMapPage(_ page: Int) -> Bool { hasMap && page > 1 && mapPage(of: page) == page }

    func role(of page: Int) -> Role {
        guard hasMap, page > 2 else { return page == 1 ? .root : .unknown }
        let map = mapPage(of: page)
        let place = 5 * (page - map - 1)
        guard place >= 0, let bytes = reader.page(map)?.bytes, place < bytes.count,
            let parent = bytes.number32(at: place + 1)
        else { return .unknown }
        switch (bytes[place], parent) {
        case (1, 0): return .root
        case (2, 0): return .unused
        case (3, 1...), (4, 1...): return .overflow
        case (5, 1...reader.expectedPageCount.clampedToOne): return .below(parent)
        default: return .unknown
        }
    }

    /// Whether the second page of a file without a header is a pointer map.
    private static func hasMap(_ reader: PageReader) -> Bool {
        guard let page = reader.page(2) else { return false }
        let count = min(reader.pages.count - 2, reader.usableSize / 5)
        guard count > 0 else { return false }
        let fitting = (0..<count).filter { index in
            (1...5).contains(page.bytes[5 * index])
                && page.bytes.number32(at: 5 * index + 1).map { $0 <= reader.expectedPageCount } ?? false
        }
        return fitting.count * 10 >= count * 9
    }

    // MARK: Judgements

    /// Whether a page holds nothing that is in use. If the list of free pages is damaged, the map decides. If there is
    /// no map, the parent page decides.
    func isFree(_ page: Int) -> Bool {
        if isMapPage(page) { return true }
        return isFreeListWhole ? freePages.contains(page) : role(of: page) == .unused
    }

    /// Whether a page that no tree leads to is one that a tree has lost. The result is false if that is not certain,
    /// because the page may have been freed, with rows that were deleted.
    func isLost(_ page: Int) -> Bool {
        if isFree(page) { return false }
        // Without a map an empty list may be a list that was lost itself.
        guard hasMap else { return isFreeListWhole && !freePages.isEmpty }
        switch role(of: page) {
        case .root: return true
        case .below: return isFreeListWhole || root(of: page) != nil
        case .unused, .overflow, .unknown: return false
        }
    }

    /// The root of the tree that a page belongs to, by the map.
    func root(of page: Int) -> Int? {
        var (page, steps) = (page, 0)
        while steps < TreeWalk.deepest {
            switch role(of: page) {
            case .root: return page
            case .below(let parent): (page, steps) = (parent, steps + 1)
            case .unused, .overflow, .unknown: return nil
            }
        }
        return nil
    }

    /// Whether a page that one branch leads to belongs to another branch.
    func belongsElsewhere(_ page: Int, than branch: Int) -> Bool {
        guard case .below(let parent) = role(of: page), parent != branch, let other = reader.page(parent) else {
            return false
        }
        return BTreePage(other, usableSize: reader.usableSize)?.children.contains { $0.page == page } ?? false
    }
}

extension Int {
    /// The end of a range that begins with 1.
    fileprivate var clampedToOne: Int { Swift.max(1, self) }
}
