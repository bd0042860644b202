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

    @Test("A row holds the values that were put in, and nil everywhere else")
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

    @Test("The cache keeps the newest version of a row, and a sweep drops rows without a holder")
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

    @Test("The first of two equal rows is kept, and one that differs is not mistaken for it")
    func sharing() throws {
        let cache = RowCache(rootCount: 1)
        let (first, second, newer, older) = (row(1), row(1), row(1, version: 3), row(1, version: 2))
        cache.batch { cache in
            #expect(cache.equalRow(orInserting: first, rootIndex: 0) == nil)
            #expect(cache.equalRow(orInserting: second, rootIndex: 0) === first)
            #expect(cache.equalRow(orInserting: newer, rootIndex: 0) == nil)
            #expect(cache.equalRow(orInserting: older, rootIndex: 0) == nil)
            #expect(cache.row(for: 1, rootIndex: 0) === newer)
        }
        #expect(cache.count == 1)
        let entity = first.layoutIndex
        #expect(cache.row(for: 1, rootIndex: 0, version: 3, layoutIndex: entity, waits: false) === newer)
        #expect(cache.row(for: 1, rootIndex: 0, version: 2, layoutIndex: entity, waits: false) == nil)
        #expect(cache.row(for: 1, rootIndex: 0, version: 3, layoutIndex: entity + 1, waits: false) == nil)
        // A thread that cannot have the lock does without the row.
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

    @Test("Rows are built while other threads use the cache, and are found there the next time")
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
                    // The lock of the cache is free.
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
        // After some rows that are not in the cache, rows are built in vain, but those that are in the cache are found
        // and used.
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

    @Test("Rows are built while another thread has the cache, and the cached ones are taken in the end")
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
        #expect(cache.row(for: 1, rootIndex: shape.rootIndex) == nil)
        // A row that no save has changed in between is as it was read.
        for row in read1.dropFirst() { #expect(cache.row(for: row.key, rootIndex: shape.rootIndex) === row) }
        // Rows that are there stay, and an older one gives way.
        let newest = row(2, version: 5)
        let read2 = read(1...3, version: 4) {
            for key in 1...3 { cache.remove(Int64(key), rootIndex: shape.rootIndex) }
            cache.insert(newest, rootIndex: shape.rootIndex)
            cache.insert(row(3, version: 1), rootIndex: shape.rootIndex)
        }
        #expect(cache.row(for: 1, rootIndex: shape.rootIndex) == nil)
        #expect(cache.row(for: 2, rootIndex: shape.rootIndex) === newest)
        #expect(cache.row(for: 3, rootIndex: shape.rootIndex) === read2[2])
        // Without a save in between they are kept as ever.
        let read3 = read(4...6, version: 1) {}
        for row in read3 { #expect(cache.row(for: row.key, rootIndex: shape.rootIndex) === row) }
    }

    @Test("A row that came from the cache is not put back where it was removed in between")
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

    @Test("Rows are kept across other changes: of other keys, and of other entities with the same keys")
    func rowsBesideOthers() {
        let cache = RowCache(rootCount: 2)
        let moment = cache.moment
        cache.remove(1, rootIndex: 1)
        cache.remove(2, rootIndex: 0)
        func isKept(_ row: Snapshot, since moment: RowCache.Moment?) -> Bool {
            cache.batch(readSince: moment, rootIndex: 0) { _ = $0.equalRow(orInserting: row, rootIndex: 0) }
            return cache.row(for: row.key, rootIndex: 0) === row
        }
        #expect(isKept(row(1), since: moment))
        #expect(!isKept(row(2), since: moment))
        #expect(isKept(row(2), since: cache.moment))
        // A batch of whatever rows has forgotten all.
        let beforeAll = cache.moment
        cache.removeAll(rootIndex: 1)
        #expect(!isKept(row(3), since: beforeAll))
        #expect(isKept(row(3), since: cache.moment))
        cache.removeAll()
        #expect(cache.count == 0)
    }

    @Test("No row is kept that was read before more changes than are remembered")
    func manyChanges() throws {
        let cache = RowCache(rootCount: 1)
        let atFirst = cache.moment
        for key in 0..<RowCache.rememberedChanges / 2 { cache.remove(Int64(key + 10), rootIndex: 0) }
        let later = cache.moment
        for key in 0..<RowCache.rememberedChanges / 2 { cache.remove(Int64(key + 10), rootIndex: 0) }
        func isKept(_ key: Int64, since moment: RowCache.Moment) -> Bool {
            let row = row(key)
            cache.batch(readSince: moment, rootIndex: 0) { _ = $0.equalRow(orInserting: row, rootIndex: 0) }
            return cache.row(for: key, rootIndex: 0) === row
        }
        #expect(isKept(1, since: atFirst))
        // One more: the older half is forgotten.
        cache.remove(9, rootIndex: 0)
        #expect(!isKept(2, since: atFirst))
        #expect(isKept(3, since: later))
        #expect(!isKept(9, since: later) && !isKept(10, since: later))
    }

    @Test("A save of more rows than are remembered makes all old that is being read")
    func largeSave() throws {
        let (shape, _, cache, library) = try books()
        let store = try #require(library.store as? SQLStore)
        let atFirst = cache.moment
        var changes = ChangeSet()
        changes.inserted = (1...RowCache.rememberedChanges + 1).map { row(Int64($0)) }
        cache.follow(changes, in: store.layout)
        let other = row(1_000_000)
        cache.batch(readSince: atFirst, rootIndex: shape.rootIndex) {
            _ = $0.equalRow(orInserting: other, rootIndex: shape.rootIndex)
        }
        #expect(cache.row(for: other.key, rootIndex: shape.rootIndex) == nil)
        // A small one only its own rows.
        let before = cache.moment
        changes.inserted = [row(2_000_000)]
        cache.follow(changes, in: store.layout)
        cache.batch(readSince: before, rootIndex: shape.rootIndex) {
            _ = $0.equalRow(orInserting: other, rootIndex: shape.rootIndex)
        }
        #expect(cache.row(for: other.key, rootIndex: shape.rootIndex) === other)
        #expect(cache.contradiction(in: store.layout, storeNumber: 0) == nil)
    }

    @Test("A save in the middle of a fetch has those rows of it kept that the save has not touched")
    func fetchAcrossSave() throws {
        let library = try Library(.sqlite)
        let store = try #require(library.store as? SQLStore)
        let layout = try #require(store.layout.layout(named: "Book"))
        let writer = library.context()
        try writer.performAndWait {
            let books = (0..<1_000).map { writer.make("Book", ["isbn": "n\($0)", "pages": $0]) }
            try writer.save()
            var read: [Snapshot] = []
            try store.fetchRows(StoreFetch(layout: layout)) { rows in
                if read.isEmpty {
                    books[997].setValue(-1, forKey: "pages")
                    writer.delete(books[998])
                    try writer.save()
                    writer.reset()
                    #expect(store.cachedRowCount == rows.count)
                }
                read += rows
            }
            #expect(read.count == 1_000)
            #expect(store.cachedRowCount == 998)
            #expect(try store.rowsUnlikeTheDatabase().isEmpty)
        }
    }

    @Test("No row stays in the cache that differs from the database, beside saves of every kind")
    func readersBesideWriter() async throws {
        for kind in [StoreKind.sqlite, .inMemory] {
            let library = try Library(kind)
            let store = try #require(library.store as? SQLStore)
            let writer = library.context()
            try writer.performAndWait {
                for number in 0..<2_000 { writer.make("Book", ["isbn": "n\(number)", "pages": number]) }
                try writer.save()
            }
            let isDone = Locked(false)
            let reading = Task.detached {
                var sums = 0
                repeat {
                    let reader = library.context()
                    sums += try reader.performAndWait {
                        try reader.all("Book").reduce(0) { $0 + ($1.number("pages") ?? 0) }
                    }
                } while !isDone.withLock { $0 }
                return sums
            }
            try await writer.perform {
                for round in 0..<60 {
                    let books = try writer.all("Book")
                    for book in books[round * 7..<round * 7 + 20] { book.setValue(round, forKey: "pages") }
                    for book in books[round * 11 + 40..<round * 11 + 45] { writer.delete(book) }
                    writer.make("Book", ["isbn": "new \(round)", "pages": round])
                    try writer.save()
                    if kind == .sqlite, round % 20 == 7 {
                        let batch = NSBatchUpdateRequest(entityName: "Book")
                        batch.propertiesToUpdate = ["note": "round \(round)"]
                        try writer.execute(batch)
                        writer.refreshAllObjects()
                    }
                }
            }
            isDone.withLock { $0 = true }
            _ = try await reading.value
            #expect(try store.rowsUnlikeTheDatabase().isEmpty, "\(kind)")
            writer.performAndWait { writer.checkInvariants() }
        }
    }

    @Test("A fault in the cache is noticed")
    func contradictions() throws {
        let (shape, _, _, library) = try books()
        let store = try #require(library.store as? SQLStore)
        let root = shape.rootIndex
        let rows = (1...100).map { row(Int64($0)) }
        func spoiled(_ spoil: (RowCache) -> Void) -> String? {
            let cache = RowCache(rootCount: store.layout.entities.count)
            for row in rows { cache.insert(row, rootIndex: root) }
            #expect(cache.contradiction(in: store.layout, storeNumber: 0) == nil)
            spoil(cache)
            let found = cache.contradiction(in: store.layout, storeNumber: 0)
            cache.removeAll()
            return found
        }
        func rename(_ row: Snapshot, _ key: Int64) {
            row.withUnsafeMutablePointerToHeader { $0.pointee.key = key }
        }
        #expect(spoiled { $0.tables[root].count += 1 }?.contains("counts 101 rows and holds 100") == true)
        let another = try #require(store.layout.layout(named: "Author")).rootIndex
        #expect(spoiled { $0.insert(row(1), rootIndex: another) }?.contains("a row of another entity") == true)
        #expect(
            spoiled { $0.insert(row(ObjectKey.key(storeNumber: 1, primaryKey: 1)), rootIndex: root) }?
                .contains("a row of another store") == true)
        // A row at a place where the cache does not search for its key.
        var isFoundLost = false
        for key in 1_000...1_020 {
            rename(rows[0], Int64(key))
            defer { rename(rows[0], 1) }
            rename(rows[0], 1)
            if spoiled({ _ in rename(rows[0], Int64(key)) })?.contains("behind a hole") == true { isFoundLost = true }
        }
        #expect(isFoundLost)
        // Two rows of one key in places next to each other.
        let twice = spoiled { cache in
            let table = cache.tables[root]
            for place in 0..<table.capacity - 1 {
                guard let one = table.entries?[place].row?.takeUnretainedValue(),
                    let other = table.entries?[place + 1].row?.takeUnretainedValue()
                else { continue }
                rename(other, one.key)
                return
            }
        }
        #expect(twice?.contains("stands twice") == true)
        for (place, row) in rows.enumerated() { rename(row, Int64(place + 1)) }
        let full = spoiled { cache in
            // No hole is left.
            let capacity = 4
            let entries = UnsafeMutablePointer<TaggedReference>.allocate(capacity: capacity)
            entries.initialize(repeating: .free, count: capacity)
            cache.removeAll(rootIndex: root)
            cache.tables[root] = RowCache.Table(entries: entries, capacity: capacity)
            var key = 1 as Int64
            for place in 0..<capacity {
                while KeyHash(key).place(capacity - 1) != place { key += 1 }
                entries[place] = TaggedReference(Unmanaged.passRetained(row(key)).toOpaque(), KeyHash(key))
                cache.tables[root].count += 1
                key += 1
            }
        }
        #expect(full?.contains("no free place") == true)
    }

    @Test("A context's check includes the row caches of its stores")
    func contextLooksIntoCaches() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = try Library(.sqlite)
            let context = library.context()
            try context.performAndWait {
                context.make("Book", ["isbn": "1"])
                try context.save()
                context.checkInvariants()
                let store = try #require(library.store as? SQLStore)
                let book = try #require(store.layout.layout(named: "Book"))
                store.rowCache.tables[book.rootIndex].count += 1
                context.checkInvariants()
            }
        }
        #expect(result?.standardErrorContent.contains(Array("The row cache counts 2 rows and holds 1".utf8)) == true)
    }
}
