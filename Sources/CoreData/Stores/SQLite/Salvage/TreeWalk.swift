import Foundation

/// Walks the trees of tables, and visits each page once.
struct TreeWalk {
    /// A number of levels that exceeds the depth of any tree.
    static let deepest = 64

    let reader: PageReader
    let use: PageUse
    /// The pages that were visited.
    private(set) var visited: Set<Int> = []
    /// The pages that trees lead to but that do not exist, or are no pages of a table's tree.
    private(set) var unread: Set<Int> = []

    init(_ reader: PageReader, _ use: PageUse) {
        self.reader = reader
        self.use = use
    }

    private struct PageVisit {
        let page: Int
        let parent: Int?
        let depth: Int
        let keys: ClosedRange<Int64>
    }

    /// Calls a body with each leaf of the tree of a root, in the order of keys, and with the range of keys that it can
    /// have.
    mutating func leaves(
        from root: Int, atMost limit: Int = .max, _ body: (BTreePage, ClosedRange<Int64>) throws -> Void
    ) rethrows {
        var rest = limit
        var waiting = [PageVisit(page: root, parent: nil, depth: 0, keys: Int64.min...Int64.max)]
        while rest > 0, let visit = waiting.popLast() {
            if let parent = visit.parent {
                if use.isFree(visit.page) || use.belongsElsewhere(visit.page, than: parent) {
                    unread.insert(parent)
                    continue
                }
            }
            guard visit.depth < Self.deepest, visit.page > 0, visit.page <= reader.expectedPageCount,
                visited.insert(visit.page).inserted
            else {
                // The page numbers in the branch are wrong.
                if let parent = visit.parent { unread.insert(parent) }
                continue
            }
            guard let page = tablePage(visit.page) ?? (visit.parent == nil ? nil : leafWithoutKind(visit.page)) else {
                unread.insert(visit.page)
                continue
            }
            if page.kind == .tableLeaf {
                rest -= 1
                try body(page, visit.keys)
            } else {
                waiting += Self.visits(below: page, visit).reversed()
            }
        }
    }

    /// The pages below a branch. Keys that do not ascend limit nothing.
    private static func visits(below page: BTreePage, _ visit: PageVisit) -> [PageVisit] {
        var least = visit.keys.lowerBound
        return page.children.map { child in
            let greatest = child.greatest.map { min($0, visit.keys.upperBound) } ?? visit.keys.upperBound
            let keys = least <= greatest ? least...greatest : Int64.min...Int64.max
            if greatest >= least, greatest < Int64.max { least = greatest + 1 }
            return PageVisit(page: child.page, parent: visit.page, depth: visit.depth + 1, keys: keys)
        }
    }

    /// A page that no tree leads to, as a leaf of a table; nil if it is no such leaf, or is not certain to be in use.
    mutating func lostLeaf(_ number: Int) -> BTreePage? {
        guard !visited.contains(number), use.isLost(number), let page = tablePage(number), page.kind == .tableLeaf
        else { return nil }
        visited.insert(number)
        return page
    }

    /// A page below a branch whose kind is not valid, but that is a leaf in every other respect; otherwise nil.
    private func leafWithoutKind(_ number: Int) -> BTreePage? {
        guard let page = reader.page(number), BTreePage(page, usableSize: reader.usableSize) == nil,
            let leaf = BTreePage(page, usableSize: reader.usableSize, as: .tableLeaf), leaf.fillsItsPage
        else { return nil }
        return leaf
    }

    private func tablePage(_ number: Int) -> BTreePage? {
        guard let page = reader.page(number), let tree = BTreePage(page, usableSize: reader.usableSize) else {
            return nil
        }
        return tree.kind == .tableLeaf || tree.kind == .tableBranch ? tree : nil
    }
}
