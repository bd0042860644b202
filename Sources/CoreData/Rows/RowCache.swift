import Foundation

/// The rows of a store that somebody still looks at: key → snapshot, per root entity, shared by all contexts.
///
/// Open addressing on the key, eight bytes per entry (the key is in the snapshot). The cache holds its rows strongly and
/// drops those that nobody else holds when it is swept; contexts ask for a sweep when they have let many objects go, and
/// the cache sweeps itself before it grows. So a row costs no weak reference, and memory follows what is in use.
///
/// Safe to use from any thread (one lock, held for a probe or for a batch).
final class RowCache: @unchecked Sendable {  // every access to `tables` holds `lock`
    private struct Table {
        var entries: [Snapshot?] = []
        var count = 0
    }

    private let lock = NSLock()
    private var tables: [Table]

    init(rootCount: Int) {
        tables = Array(repeating: Table(), count: rootCount)
    }

    /// The row with the given key, if the cache has it.
    func row(for key: Int64, rootIndex: Int) -> Snapshot? {
        lock.lock()
        defer { lock.unlock() }
        return probe(key, rootIndex)
    }

    /// Runs a batch of look-ups and insertions under one lock.
    func batch<Result>(_ body: (inout Batch) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        var batch = Batch(cache: self)
        return try body(&batch)
    }

    struct Batch {
        fileprivate unowned(unsafe) let cache: RowCache

        func row(for key: Int64, rootIndex: Int) -> Snapshot? { cache.probe(key, rootIndex) }
        func insert(_ row: Snapshot, rootIndex: Int) { cache.insertLocked(row, rootIndex) }
    }

    /// Puts a row in the place of an older version. A newer version that is already there stays.
    func insert(_ row: Snapshot, rootIndex: Int) {
        lock.lock()
        defer { lock.unlock() }
        insertLocked(row, rootIndex)
    }

    func remove(_ key: Int64, rootIndex: Int) {
        lock.lock()
        defer { lock.unlock() }
        removeLocked(key, rootIndex)
    }

    /// Drops every row that only the cache holds.
    func sweep() {
        lock.lock()
        defer { lock.unlock() }
        for root in tables.indices { rebuild(root) }
    }

    func removeAll() {
        lock.lock()
        defer { lock.unlock() }
        for root in tables.indices { tables[root] = Table() }
    }

    /// How many rows are held; for tests and for `checkInvariants`.
    var count: Int {
        lock.lock()
        defer { lock.unlock() }
        return tables.reduce(0) { $0 + $1.count }
    }

    @inline(__always)
    private static func hash(_ key: Int64, _ mask: Int) -> Int {
        Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 20) & mask
    }

    private func probe(_ key: Int64, _ root: Int) -> Snapshot? {
        let capacity = tables[root].entries.count
        if capacity == 0 { return nil }
        return tables[root].entries.withUnsafeBufferPointer { entries in
            let mask = capacity - 1
            var position = Self.hash(key, mask)
            while let entry = entries[position] {
                if entry.key == key { return entry }
                position = (position + 1) & mask
            }
            return nil
        }
    }

    private func insertLocked(_ row: Snapshot, _ root: Int) {
        if (tables[root].count + 1) * 5 > tables[root].entries.count * 4 { rebuild(root, making: 1) }
        let added = tables[root].entries.withUnsafeMutableBufferPointer { entries in
            let mask = entries.count - 1
            var position = Self.hash(row.key, mask)
            while let entry = entries[position] {
                if entry.key == row.key {
                    if entry.version <= row.version { entries[position] = row }
                    return false
                }
                position = (position + 1) & mask
            }
            entries[position] = row
            return true
        }
        if added { tables[root].count += 1 }
    }

    private func removeLocked(_ key: Int64, _ root: Int) {
        let capacity = tables[root].entries.count
        if capacity == 0 { return }
        let mask = capacity - 1
        var position = Self.hash(key, mask)
        while let entry = tables[root].entries[position], entry.key != key { position = (position + 1) & mask }
        guard tables[root].entries[position] != nil else { return }
        tables[root].entries[position] = nil
        tables[root].count -= 1
        // Backward shift: the run behind the hole moves up so that no probe ends too early.
        var hole = position
        var next = (position + 1) & mask
        while let entry = tables[root].entries[next] {
            let home = Self.hash(entry.key, mask)
            if (next &- home) & mask >= (next &- hole) & mask {
                tables[root].entries[hole] = entry
                tables[root].entries[next] = nil
                hole = next
            }
            next = (next + 1) & mask
        }
    }

    /// Keeps the rows that somebody else holds too, in a table with room for them and for `extra` more.
    private func rebuild(_ root: Int, making extra: Int = 0) {
        var old: [Snapshot?] = []
        swap(&old, &tables[root].entries)
        var kept: [Snapshot] = []
        kept.reserveCapacity(tables[root].count)
        for position in old.indices where old[position] != nil {
            if isKnownUniquelyReferenced(&old[position]) {
                old[position] = nil
            } else if let row = old[position] {
                kept.append(row)
            }
        }
        old = []
        tables[root].count = 0
        let needed = kept.count + extra
        if needed == 0 { return }
        var capacity = 16
        while capacity * 3 < needed * 5 { capacity *= 2 }
        tables[root].entries = Array(repeating: nil, count: capacity)
        for row in kept { insertLocked(row, root) }
    }
}
