import Foundation

/// Walks the trees of tables, each page once.
struct TreeWalk {
    /// More levels than any tree has.
    static let deepest = 64

    let reader: PageReader
    let use: PageUse
    /// The pages that were walked to.
    private(set) var visited: Set<Int> = []
    /// The pages that trees lead to and that are none of a table's tree, or are not there.
    private(set) var unread: Set<Int> = []

    init(_ reader: PageReader, _ use: PageUse) {
        self.reader = reader
        self.use = use
    }

    /// Calls a body with the leaves of the tree of a root, in the order of keys.
    mutating func leaves(from root: Int, _ body: (BTreePage) throws -> Void) rethrows {
        var waiting: [(page: Int, parent: Int?, depth: Int)] = [(root, nil, 0)]
        while let (number, parent, depth) = waiting.popLast() {
            if let parent {
                if use.isFree(number) || use.belongsElsewhere(number, than: parent) {
                    unread.insert(parent)
                    continue
                }
            }
            guard depth < Self.deepest, number > 0, number <= reader.expectedPageCount,
                visited.insert(number).inserted
            else {
                // What the branch says of its pages is wrong.
                if let parent { unread.insert(parent) }
                continue
            }
            guard let page = tablePage(number) else {
                unread.insert(number)
                continue
            }
            if page.kind == .tableLeaf {
                try body(page)
            } else {
                waiting += page.children.reversed().map { ($0, number, depth + 1) }
            }
        }
    }

    /// A page that no tree leads to, as a leaf of a table; nil where it is none, or not certain to be in use.
    mutating func lostLeaf(_ number: Int) -> BTreePage? {
        guard !visited.contains(number), use.isLost(number), let page = tablePage(number), page.kind == .tableLeaf
        else { return nil }
        visited.insert(number)
        return page
    }

    private func tablePage(_ number: Int) -> BTreePage? {
        guard let page = reader.page(number), let tree = BTreePage(page, usableSize: reader.usableSize) else {
            return nil
        }
        return tree.kind == .tableLeaf || tree.kind == .tableBranch ? tree : nil
    }
}
