import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Rows")
struct RowCacheTests {
    private let model = LibraryModel.make()

    private func row(_ key: Int64, version: Int32 = 1, title: String = "") -> Snapshot {
        guard let layout = model.layout.layout(named: "Book"), case .attribute(let slot)? = layout.access["title"]
        else {
            preconditionFailure("Books have a title")
        }
        var builder = SnapshotBuilder(layout: layout, key: key, version: version, tailBytes: title.utf8.count)
        builder.set(slot, string: title)
        return builder.finish()
    }

    @Test("A row holds what was put in, and nil everywhere else")
    func snapshotValues() throws {
        let layout = try #require(model.layout.layout(named: "Book"))
        let built = row(7, title: "Über")
        #expect(built.key == 7)
        #expect(built.version == 1)
        for (slot, description) in layout.slots.enumerated() {
            if description.name == "title" {
                #expect(built.string(slot) == "Über")
            } else {
                #expect(built.isNull(slot))
            }
        }
    }

    @Test("Slots of a super-entity have the same numbers in its sub-entities")
    func inheritedSlots() throws {
        let book = try #require(model.layout.layout(named: "Book"))
        let novel = try #require(model.layout.layout(named: "Novel"))
        #expect(novel.slots.prefix(book.slots.count).map(\.name) == book.slots.map(\.name))
        #expect(novel.rootIndex == book.index)
        #expect(book.subtree.contains(novel.index))
    }

    @Test("The cache keeps the newest version of a row, and a sweep drops what nobody holds")
    func newestAndSweep() {
        let cache = RowCache(rootCount: 1)
        var held: [Snapshot] = []
        for key in 1...1000 {
            let row = row(Int64(key))
            if key % 2 == 0 { held.append(row) }
            cache.insert(row, rootIndex: 0)
        }
        cache.insert(row(2, version: 3), rootIndex: 0)
        cache.insert(row(2, version: 2), rootIndex: 0)
        #expect(cache.row(for: 2, rootIndex: 0)?.version == 3)
        held.removeFirst()
        cache.sweep()
        #expect(cache.count == held.count)
        #expect(cache.row(for: 1, rootIndex: 0) == nil)
        #expect(held.allSatisfy { cache.row(for: $0.key, rootIndex: 0) === $0 })
    }

    @Test("Removing rows leaves every other one where it is found")
    func removal() {
        let cache = RowCache(rootCount: 1)
        let rows = (1...500).map { row(Int64($0)) }
        for row in rows { cache.insert(row, rootIndex: 0) }
        for row in rows where row.key % 3 == 0 { cache.remove(row.key, rootIndex: 0) }
        for row in rows {
            #expect((cache.row(for: row.key, rootIndex: 0) === row) == (row.key % 3 != 0))
        }
    }
}
