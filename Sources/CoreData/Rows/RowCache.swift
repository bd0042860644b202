import Foundation
import Synchronization

/// The rows of a store that are in use: key → snapshot, per root entity, shared by all contexts.
///
/// Open addressing on the key, eight bytes per entry (the key is in the snapshot). The cache holds its rows strongly.
/// A sweep drops the rows that only the cache holds. A context starts a sweep when it has released many objects.
/// Before the cache grows, it looks at some rows, and sweeps if one of them has no other holder. So a row costs no
/// weak reference, and memory follows the rows in use.
///
/// Safe to use from any thread (one lock, held for a probe or for a batch; no row is read or built under it).
package final class RowCache: @unchecked Sendable {  // every access to `tables` holds `lock`
    /// The rows of one root entity. It is raw memory, because an array's uniqueness and exclusivity checks cost more
    /// than the probe.
    struct Table {
        var entries: UnsafeMutablePointer<TaggedReference>?
        var capacity = 0
        var count = 0
    }

    private let lock = NSLock()
    /// The times at which rows were inserted (nanoseconds of the machine's clock); nil until a context needs the ages
    /// of rows. Guarded by `lock`, so accesses cannot overlap and need no exclusivity check.
    @exclusivity(unchecked) private var times: [CachedKey: UInt64]?

    private struct CachedKey: Hashable {
        var rootIndex: Int
        var key: Int64
    }
    /// The tables, one per root entity. Tests damage them and check that the damage is found.
    let tables: UnsafeMutablePointer<Table>
    private let rootCount: Int

    /// Counts the changes that can make a row old while another thread is reading it: each row that is saved or
    /// forgotten.
    private let changes = Atomic<UInt64>(0)
    /// The rows that were saved or forgotten last, one for each change; under `lock`.
    @exclusivity(unchecked) private var changed: [CachedKey] = []
    /// The number of remembered changes. With a writer that never pauses they cover about a tenth of a second. If a
    /// reader began before that, the cache cannot find out which rows have changed since.
    static let rememberedChanges = 4_096

    /// A point in the sequence of the cache's changes.
    package struct Moment: Equatable, Sendable {
        fileprivate let changes: UInt64
    }

    /// The present moment. A reader of rows takes it before it fixes the state of the database.
    package var moment: Moment { Moment(changes: changes.load(ordering: .acquiring)) }

    /// Notes that a row which another thread may be reading may be old.
    fileprivate func noteChange(of key: Int64, _ root: Int) {
        if changed.count == Self.rememberedChanges { changed.removeFirst(Self.rememberedChanges / 2) }
        changed.append(CachedKey(rootIndex: root, key: key))
        changes.add(1, ordering: .releasing)
    }

    /// Notes that all rows which other threads may be reading may be old.
    fileprivate func noteChangeOfAll() {
        changed.removeAll(keepingCapacity: true)
        changes.add(1, ordering: .releasing)
    }

    /// The rows of a root entity that may be old if they were read since a moment. Called under the lock.
    private func late(since moment: Moment, _ root: Int) -> Late {
        let count = changes.load(ordering: .relaxed) &- moment.changes
        if count == 0 { return .none }
        if count > changed.count { return .all }
        var keys = KeySet()
        for cached in changed.suffix(Int(count)) where cached.rootIndex == root { _ = keys.insert(cached.key) }
        return keys.count == 0 ? .none : .some(keys)
    }

    /// The rows that may be old although the cache has no newer ones.
    fileprivate enum Late {
        case none
        case some(KeySet)
        case all

        @inline(__always)
        func contains(_ key: Int64) -> Bool {
            switch self {
            case .none: false
            case .some(let keys): keys.contains(key)
            case .all: true
            }
        }
    }

    /// Whether the cache keeps nothing, for a store whose rows are each read once.
    private let isOff: Bool

    package init(rootCount: Int, isOff: Bool = false) {
        self.rootCount = rootCount
        self.isOff = isOff
        tables = .allocate(capacity: rootCount)
        tables.initialize(repeating: Table(), count: rootCount)
    }

    deinit {
        for root in 0..<rootCount { clear(root) }
        tables.deallocate()
    }

    /// The row with the given key, if the cache has it.
    package func row(for key: Int64, rootIndex: Int) -> Snapshot? {
        lock.lock()
        defer { lock.unlock() }
        return probe(key, rootIndex)
    }

    /// Whether this very row is the one with the key. Compares addresses, and so touches no row.
    package func has(_ row: Unmanaged<Snapshot>, for key: Int64, rootIndex: Int) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard let entries = tables[rootIndex].entries else { return false }
        let mask = tables[rootIndex].capacity - 1
        let hash = KeyHash(key)
        var position = hash.place(mask)
        let wanted = TaggedReference(row.toOpaque(), hash)
        while !entries[position].isFree {
            if entries[position] == wanted { return true }
            position = (position + 1) & mask
        }
        return false
    }

    /// Runs a batch of searches and insertions under one lock.
    package func batch<Result>(_ body: (inout Batch) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        var batch = Batch(cache: self, late: .none)
        return try body(&batch)
    }

    /// Runs a batch of searches and insertions for rows of one root entity that were read.
    ///
    /// - Parameter moment: The time at which reading the rows began; nil if it was just now. Rows that have been saved
    ///   or forgotten since take the places of older rows. If the cache has no row for the key, such a row is not
    ///   inserted: it may have been deleted since, or saved in a newer version.
    package func batch<Result>(
        readSince moment: Moment?, rootIndex: Int, _ body: (inout Batch) throws -> Result
    ) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        var batch = Batch(cache: self, late: moment.map { late(since: $0, rootIndex) } ?? .none)
        return try body(&batch)
    }

    package struct Batch {
        fileprivate unowned(unsafe) let cache: RowCache
        fileprivate let late: Late

        /// Makes room for rows, and loads the places of their keys into the processor's cache.
        package func prepare(for rows: [Snapshot], rootIndex: Int) { cache.prepare(for: rows, rootIndex) }

        /// Loads the place of a key into the processor's cache.
        @inline(__always)
        func loadPlace(of key: Int64, rootIndex: Int) { cache.loadPlace(of: key, rootIndex) }

        package func row(for key: Int64, rootIndex: Int) -> Snapshot? { cache.probe(key, rootIndex) }
        package func insert(_ row: Snapshot, rootIndex: Int) {
            cache.insertLocked(row, rootIndex, isLate: late.contains(row.key))
        }
        /// - Parameter isNoted: Whether the change is noted; false if `noteChangeOfAll()` has noted all of them.
        package func remove(_ key: Int64, rootIndex: Int, noting isNoted: Bool = true) {
            if isNoted { cache.noteChange(of: key, rootIndex) }
            cache.removeLocked(key, rootIndex)
        }

        /// Notes that a row which another thread may be reading may be old.
        package func noteChange(of key: Int64, rootIndex: Int) { cache.noteChange(of: key, rootIndex) }
        /// Notes that all rows which other threads may be reading may be old.
        package func noteChangeOfAll() { cache.noteChangeOfAll() }

        /// Returns the cached row with the version and entity of the given row. If there is none, inserts the given row
        /// and returns nil.
        package func equalRow(orInserting row: Snapshot, rootIndex: Int) -> Snapshot? {
            cache.insertLocked(row, rootIndex, keepingEqual: true, isLate: late.contains(row.key))
        }
    }

    /// The row of a version and entity, if the cache has it.
    ///
    /// - Parameter waits: whether to wait for another thread that is using the cache. If not, the result is nil while
    ///   another thread is using it.
    @inline(__always)
    package func row(
        for key: Int64, rootIndex: Int, version: Int32, layoutIndex: Int, waits: Bool
    ) -> Snapshot? {
        if waits { lock.lock() } else if !lock.try() { return nil }
        defer { lock.unlock() }
        guard let row = probe(key, rootIndex), row.version == version, row.layoutIndex == layoutIndex else {
            return nil
        }
        return row
    }

    /// Inserts a row, which replaces an older version. A newer version in the cache stays.
    package func insert(_ row: Snapshot, rootIndex: Int) {
        lock.lock()
        defer { lock.unlock() }
        insertLocked(row, rootIndex)
    }

    package func remove(_ key: Int64, rootIndex: Int) {
        lock.lock()
        defer { lock.unlock() }
        noteChange(of: key, rootIndex)
        removeLocked(key, rootIndex)
    }

    /// Makes the cache note from now on when rows are inserted.
    package func trackAges() {
        lock.withLock { if times == nil { times = [:] } }
    }

    /// The seconds since a row was inserted; nil if the cache has no such row or noted no time for it.
    package func age(of key: Int64, rootIndex: Int) -> TimeInterval? {
        lock.withLock {
            guard let time = times?[CachedKey(rootIndex: rootIndex, key: key)], probe(key, rootIndex) != nil else {
                return nil
            }
            return TimeInterval(DispatchTime.now().uptimeNanoseconds - time) / 1_000_000_000
        }
    }

    /// Drops every row that only the cache holds.
    package func sweep() {
        lock.lock()
        defer { lock.unlock() }
        for root in 0..<rootCount { rebuild(root) }
        if let known = times { times = known.filter { probe($0.key.key, $0.key.rootIndex) != nil } }
    }

    /// Drops every row of a root entity. Rows that are held elsewhere still exist.
    package func removeAll(rootIndex: Int) {
        lock.lock()
        defer { lock.unlock() }
        noteChangeOfAll()
        clear(rootIndex)
    }

    package func removeAll() {
        lock.lock()
        defer { lock.unlock() }
        noteChangeOfAll()
        for root in 0..<rootCount { clear(root) }
    }

    /// The number of rows that are held; for tests.
    package var count: Int {
        lock.lock()
        defer { lock.unlock() }
        return (0..<rootCount).reduce(0) { $0 + tables[$1].count }
    }

    /// The number of rows of a root entity that are held.
    package func count(rootIndex: Int) -> Int { lock.withLock { tables[rootIndex].count } }

    /// The rows of a root entity that are held; for tests.
    package func rows(rootIndex: Int) -> [Snapshot] {
        lock.withLock {
            let table = tables[rootIndex]
            return (0..<table.capacity).compactMap { table.entries?[$0].row?.takeUnretainedValue() }
        }
    }

    /// The first contradiction in the cache; nil if there is none.
    ///
    /// - Parameters:
    ///   - layout: The layout of the store's model.
    ///   - storeNumber: The number that the store's keys begin with.
    package func contradiction(in layout: ModelLayout, storeNumber: Int) -> String? {
        lock.lock()
        defer { lock.unlock() }
        if changed.count > Self.rememberedChanges || changed.count > changes.load(ordering: .relaxed) {
            return "The row cache remembers more changes than there were"
        }
        for root in 0..<rootCount {
            if let contradiction = contradiction(ofRoot: root, layout, storeNumber) {
                return "\(contradiction) (\(layout.entities[root].name))"
            }
        }
        return nil
    }

    private func contradiction(ofRoot root: Int, _ layout: ModelLayout, _ storeNumber: Int) -> String? {
        let table = tables[root]
        var found = 0
        for position in 0..<table.capacity {
            guard let row = table.entries?[position].row?.takeUnretainedValue() else { continue }
            found += 1
            // Readers of this key would get a row of another store or entity.
            guard layout.entities.indices.contains(row.layoutIndex),
                layout.entities[row.layoutIndex].rootIndex == root
            else { return "The row cache holds a row of another entity" }
            guard ObjectKey(layoutIndex: row.layoutIndex, key: row.key).storeNumber == storeNumber else {
                return "The row cache holds a row of another store"
            }
            var probe = KeyHash(row.key).place(table.capacity - 1)
            while probe != position {
                guard let before = table.entries?[probe].row else { return "A row lies behind a hole of the row cache" }
                if before.key == row.key { return "A key stands twice in the row cache" }
                probe = (probe + 1) & (table.capacity - 1)
            }
        }
        if found != table.count { return "The row cache counts \(table.count) rows and holds \(found)" }
        // A search for a row that is not in the cache ends only at a free place.
        return found > 0 && found == table.capacity ? "The row cache has no free place" : nil
    }

    private func probe(_ key: Int64, _ root: Int) -> Snapshot? {
        guard let entries = tables[root].entries else { return nil }
        let mask = tables[root].capacity - 1
        let hash = KeyHash(key)
        var position = hash.place(mask)
        while let row = entries[position].row {
            if entries[position].mayHave(hash), row.key == key { return row.takeUnretainedValue() }
            position = (position + 1) & mask
        }
        return nil
    }

    @inline(__always)
    fileprivate func loadPlace(of key: Int64, _ root: Int) {
        guard let entries = tables[root].entries else { return }
        MemoryHint.load(entries + KeyHash(key).place(tables[root].capacity - 1))
    }

    private func prepare(for rows: [Snapshot], _ root: Int) {
        if isOff { return }
        let table = tables + root
        if (table.pointee.count + rows.count) * 5 > table.pointee.capacity * 4 { rebuild(root, making: rows.count) }
        guard let entries = table.pointee.entries else { return }
        let mask = table.pointee.capacity - 1
        rows.withUnsafeBufferPointer { rows in
            for place in rows.indices { MemoryHint.load(entries + KeyHash(rows[place].key).place(mask)) }
        }
    }

    /// - Parameters:
    ///   - keepsEqual: whether a cached row with the version and entity of the given row stays.
    ///   - isLate: whether the row may be old although the cache has no newer one. Such a row only replaces an older
    ///     one.
    /// - Returns: the cached row, when it stays.
    @discardableResult
    private func insertLocked(
        _ row: Snapshot, _ root: Int, keepingEqual keepsEqual: Bool = false, isLate: Bool = false
    ) -> Snapshot? {
        if isOff { return nil }
        let table = tables + root
        if !isLate, (table.pointee.count + 1) * 5 > table.pointee.capacity * 4 { rebuild(root, making: 1) }
        guard let entries = table.pointee.entries else { return nil }
        let mask = table.pointee.capacity - 1
        let hash = KeyHash(row.key)
        var position = hash.place(mask)
        while let entry = entries[position].row {
            if entries[position].mayHave(hash), entry.key == row.key {
                if keepsEqual {
                    let isEqual = entry._withUnsafeGuaranteedRef {
                        $0.version == row.version && $0.layoutIndex == row.layoutIndex
                    }
                    if isEqual { return entry.takeUnretainedValue() }
                }
                if isLate, entry._withUnsafeGuaranteedRef({ $0.version == row.version }) { return nil }
                noteTime(row, root)
                guard entry._withUnsafeGuaranteedRef({ !RowVersion.isOlder(row.version, than: $0.version) }) else {
                    return nil
                }
                entries[position] = TaggedReference(Unmanaged.passRetained(row).toOpaque(), hash)
                entry.release()
                return nil
            }
            position = (position + 1) & mask
        }
        if isLate { return nil }
        noteTime(row, root)
        entries[position] = TaggedReference(Unmanaged.passRetained(row).toOpaque(), hash)
        table.pointee.count += 1
        return nil
    }

    @inline(__always)
    private func noteTime(_ row: Snapshot, _ root: Int) {
        if times != nil { times?[CachedKey(rootIndex: root, key: row.key)] = DispatchTime.now().uptimeNanoseconds }
    }

    private func removeLocked(_ key: Int64, _ root: Int) {
        guard let entries = tables[root].entries else { return }
        let mask = tables[root].capacity - 1
        let hash = KeyHash(key)
        var position = hash.place(mask)
        while let row = entries[position].row, !entries[position].mayHave(hash) || row.key != key {
            position = (position + 1) & mask
        }
        guard let found = entries[position].row else { return }
        entries[position] = .free
        tables[root].count -= 1
        // Backward shift: the entries behind the hole move up, so that no probe ends too early.
        var hole = position
        var next = (position + 1) & mask
        while let row = entries[next].row {
            if (next &- KeyHash(row.key).place(mask)) & mask >= (next &- hole) & mask {
                entries[hole] = entries[next]
                entries[next] = .free
                hole = next
            }
            next = (next + 1) & mask
        }
        found.release()
    }

    /// Keeps the rows that are held elsewhere too, in a table with places for them and for `extra` more.
    private func rebuild(_ root: Int, making extra: Int = 0) {
        let old = tables[root]
        var kept = extra > 0 && hasOnlyUsedRows(old) ? old.count : 0
        for position in 0..<(kept > 0 ? 0 : old.capacity) {
            if position + 16 < old.capacity { MemoryHint.load(old.entries?[position + 16].row?.toOpaque()) }
            guard let row = old.entries?[position].row else { continue }
            if Self.isUsed(row) {
                kept += 1
            } else {
                old.entries?[position] = .free
                row.release()
            }
        }
        guard kept + extra > 0 else {
            old.entries?.deallocate()
            tables[root] = Table()
            return
        }
        var capacity = 16
        while capacity * 3 < (kept + extra) * 5 { capacity *= 2 }
        // Small tables grow fast, large ones without waste.
        if extra > 0, capacity <= 1 << 15 { capacity *= 2 }
        let entries = UnsafeMutablePointer<TaggedReference>.allocate(capacity: capacity)
        entries.initialize(repeating: .free, count: capacity)
        for position in 0..<old.capacity {
            if position + 16 < old.capacity { MemoryHint.load(old.entries?[position + 16].row?.toOpaque()) }
            guard let entry = old.entries?[position], let row = entry.row else { continue }
            var place = KeyHash(row.key).place(capacity - 1)
            while !entries[place].isFree { place = (place + 1) & (capacity - 1) }
            entries[place] = entry
        }
        old.entries?.deallocate()
        tables[root] = Table(entries: entries, capacity: capacity, count: kept)
    }

    /// Whether each of some rows has a holder other than the cache. Then most rows have one, and a search for rows
    /// without one would read every row and find few.
    private func hasOnlyUsedRows(_ table: Table) -> Bool {
        guard table.capacity >= 1_024, let entries = table.entries else { return false }
        return stride(from: 0, to: table.capacity, by: table.capacity / 64).allSatisfy { position in
            entries[position].row.map { Self.isUsed($0) } ?? true
        }
    }

    /// Whether a row has a holder other than the cache.
    @inline(__always)
    private static func isUsed(_ entry: Unmanaged<Snapshot>) -> Bool {
        var row = entry.takeRetainedValue()
        let isUsed = !isKnownUniquelyReferenced(&row)
        _ = Unmanaged.passRetained(row)
        return isUsed
    }

    private func clear(_ root: Int) {
        let table = tables[root]
        for position in 0..<table.capacity {
            if position + 16 < table.capacity { MemoryHint.load(table.entries?[position + 16].row?.toOpaque()) }
            table.entries?[position].row?.release()
        }
        tables[root].entries?.deallocate()
        tables[root] = Table()
    }
}

extension TaggedReference {
    /// The row; nil for a free place.
    @inline(__always)
    var row: Unmanaged<Snapshot>? { pointer.map { Unmanaged<Snapshot>.fromOpaque($0) } }
}

extension Unmanaged<Snapshot> {
    @inline(__always)
    fileprivate var key: Int64 { _withUnsafeGuaranteedRef { $0.key } }
}
