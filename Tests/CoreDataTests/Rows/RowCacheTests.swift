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

    @Test("Of two rows that are the same the first is kept, and one that differs is not mistaken for it")
    func sharing() throws {
        let cache = RowCache(rootCount: 1)
        let (first, second, newer, older) = (row(1), row(1), row(1, version: 3), row(1, version: 2))
        cache.batch { cache in
            #expect(cache.shared(first, rootIndex: 0) === first)
            #expect(cache.shared(second, rootIndex: 0) === first)
            #expect(cache.shared(newer, rootIndex: 0) === newer)
            #expect(cache.shared(older, rootIndex: 0) === older)
            #expect(cache.row(for: 1, rootIndex: 0) === newer)
        }
        #expect(cache.count == 1)
        let entity = first.layoutIndex
        #expect(cache.row(for: 1, rootIndex: 0, version: 3, layoutIndex: entity, waits: false) === newer)
        #expect(cache.row(for: 1, rootIndex: 0, version: 2, layoutIndex: entity, waits: false) == nil)
        #expect(cache.row(for: 1, rootIndex: 0, version: 3, layoutIndex: entity + 1, waits: false) == nil)
        // Whoever cannot have the lock does without the row.
        cache.batch { _ in
            #expect(cache.row(for: 1, rootIndex: 0, version: 3, layoutIndex: entity, waits: false) == nil)
        }
    }

    /// The shape of the books in a store with a cache of its own, and how they are read.
    private func books() throws -> (shape: RowShape, plan: RowShape.Plan, cache: RowCache, stack: Library) {
        let library = try Library(.inMemory)
        let store = try #require(library.store as? SQLStore)
        let layout = try #require(store.layout.layout(named: "Book"))
        let shape = try #require(store.rootShapes[layout.rootIndex])
        let plan = try #require(shape.plans[layout.index])
        return (shape, plan, RowCache(rootCount: store.layout.entities.count), library)
    }

    @Test("Rows are built while others use the cache, and are found there the next time")
    func intake() throws {
        let (shape, plan, cache, library) = try books()
        defer { withExtendedLifetime(library) {} }
        let there = row(1_000_000)
        cache.insert(there, rootIndex: shape.rootIndex)
        var built = 0
        func read(_ keys: ClosedRange<Int64>, version: Int32, refreshing: Bool = false) throws -> [Snapshot] {
            var intake = RowIntake(shape, cache, since: cache.moment, refreshing: refreshing)
            var rows: [Snapshot] = []
            for key in keys {
                intake.take(key, version: version, plan) {
                    built += 1
                    // Nobody has the cache's lock.
                    #expect(
                        cache.row(
                            for: there.key, rootIndex: shape.rootIndex, version: 1, layoutIndex: there.layoutIndex,
                            waits: false)
                            === there)
                    return row(key, version: version)
                }
                if intake.isFull { intake.handOn { rows += $0 } }
            }
            intake.handOn { rows += $0 }
            return rows
        }
        let first = try read(1...600, version: 1)
        #expect(built == 600)
        #expect(first.map(\.key) == Array(1...600))
        // All are there: none is built.
        #expect(zip(try read(1...600, version: 1), first).allSatisfy { $0 === $1 })
        #expect(built == 600)
        // Behind some that are not there rows are built in vain, but the ones that are there are taken, and looked for.
        for key in 1...20 { cache.remove(Int64(key), rootIndex: shape.rootIndex) }
        built = 0
        let later = try read(1...600, version: 1)
        #expect(built > 20 && built <= RowIntake.rowsAtOnce)
        #expect(zip(later.dropFirst(20), first.dropFirst(20)).allSatisfy { $0 === $1 })
        #expect(later.map(\.key) == Array(1...600))
        #expect(cache.count(rootIndex: shape.rootIndex) == 601)
        // Another version is another row, and so is one that is to be read anew.
        built = 0
        let newer = try read(1...10, version: 2)
        #expect(built == 10)
        #expect(newer.allSatisfy { $0.version == 2 && cache.row(for: $0.key, rootIndex: shape.rootIndex) === $0 })
        built = 0
        let again = try read(1...10, version: 2, refreshing: true)
        #expect(built == 10)
        #expect(zip(again, newer).allSatisfy { $0 !== $1 })
        #expect(again.allSatisfy { cache.row(for: $0.key, rootIndex: shape.rootIndex) === $0 })
    }

    @Test("While another thread has the cache, rows are built, and the cached ones are taken in the end")
    func intakeBesideAnother() throws {
        let (shape, plan, cache, library) = try books()
        defer { withExtendedLifetime(library) {} }
        let there = row(1)
        cache.insert(there, rootIndex: shape.rootIndex)
        var intake = RowIntake(shape, cache, since: cache.moment, refreshing: false)
        var isBuilt = false
        cache.batch { _ in
            intake.take(1, version: 1, plan) {
                isBuilt = true
                return row(1)
            }
        }
        #expect(isBuilt)
        var taken: [Snapshot] = []
        intake.handOn { taken += $0 }
        #expect(taken.first === there)
    }

    @Test("A row that was read before a save does not come back where the save has removed one")
    func lateRow() throws {
        let (shape, plan, cache, library) = try books()
        defer { withExtendedLifetime(library) {} }
        func read(_ keys: ClosedRange<Int64>, version: Int32, meanwhile: () -> Void) -> [Snapshot] {
            var intake = RowIntake(shape, cache, since: cache.moment, refreshing: false)
            for key in keys { intake.take(key, version: version, plan) { row(key, version: version) } }
            meanwhile()
            var rows: [Snapshot] = []
            intake.handOn { rows += $0 }
            return rows
        }
        // Another context saves the row, and then its deletion.
        let read1 = read(1...3, version: 1) {
            cache.insert(row(1, version: 2), rootIndex: shape.rootIndex)
            cache.remove(1, rootIndex: shape.rootIndex)
        }
        #expect(read1.map(\.version) == [1, 1, 1])
        for key in 1...3 { #expect(cache.row(for: Int64(key), rootIndex: shape.rootIndex) == nil) }
        // Rows that are there stay, and an older one gives way.
        let newest = row(2, version: 5)
        cache.insert(newest, rootIndex: shape.rootIndex)
        cache.insert(row(3, version: 1), rootIndex: shape.rootIndex)
        let read2 = read(1...3, version: 4) { cache.remove(9, rootIndex: shape.rootIndex) }
        #expect(cache.row(for: 1, rootIndex: shape.rootIndex) == nil)
        #expect(cache.row(for: 2, rootIndex: shape.rootIndex) === newest)
        #expect(cache.row(for: 3, rootIndex: shape.rootIndex) === read2[2])
        // Without a save in between they are kept as ever.
        let read3 = read(4...6, version: 1) {}
        for row in read3 { #expect(cache.row(for: row.key, rootIndex: shape.rootIndex) === row) }
    }

    @Test("A row that came from the cache is not put back where it was forgotten meanwhile")
    func forgottenRow() throws {
        let (shape, plan, cache, library) = try books()
        defer { withExtendedLifetime(library) {} }
        let there = row(1)
        cache.insert(there, rootIndex: shape.rootIndex)
        var intake = RowIntake(shape, cache, since: cache.moment, refreshing: false)
        for key in 1...2 { intake.take(Int64(key), version: 1, plan) { row(Int64(key)) } }
        cache.remove(1, rootIndex: shape.rootIndex)
        var rows: [Snapshot] = []
        intake.handOn { rows += $0 }
        #expect(rows.first === there && rows.count == 2)
        #expect(cache.row(for: 1, rootIndex: shape.rootIndex) == nil)
    }
}
