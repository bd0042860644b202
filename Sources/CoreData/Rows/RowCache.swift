import Foundation
import Synchronization

/// The rows of a store that somebody still looks at: key → snapshot, per root entity, shared by all contexts.
///
/// Open addressing on the key, eight bytes per entry (the key is in the snapshot). The cache holds its rows strongly
/// and drops those that nobody else holds when it is swept; contexts ask for a sweep when they have let many objects
/// go, and the cache sweeps itself before it grows. So a row costs no weak reference, and memory follows what is in
/// use.
///
/// Safe to use from any thread (one lock, held for a probe or for a batch; no row is read or built under it).
package final class RowCache: @unchecked Sendable {  // every access to `tables` holds `lock`
    /// One root entity's rows. Raw memory, because an array's uniqueness and exclusivity checks cost more than the
    /// probe.
    private struct Table {
        var entries: UnsafeMutablePointer<Unmanaged<Snapshot>?>?
        var capacity = 0
        var count = 0
    }

    private let lock = NSLock()
    /// When rows were put in (nanoseconds of the machine's clock), once somebody asks for their ages; under `lock`,
    /// which keeps accesses apart without a check of each.
    @exclusivity(unchecked) private var times: [Place: UInt64]?

    private struct Place: Hashable {
        var rootIndex: Int
        var key: Int64
    }
    /// One per root entity.
    private let tables: UnsafeMutablePointer<Table>
    private let rootCount: Int

    /// Counts what makes rows old that somebody is reading: saves, and rows that are forgotten.
    private let changes = Atomic<UInt64>(0)

    /// A moment in the life of the cache.
    package struct Moment: Equatable, Sendable {
        fileprivate let changes: UInt64
    }

    /// Now. Whoever reads rows takes it before the state of the database is fixed that is read from.
    package var moment: Moment { Moment(changes: changes.load(ordering: .acquiring)) }

    /// Notes that rows which are being read may be old. Called under the lock.
    fileprivate func noteChange() { changes.add(1, ordering: .releasing) }

    /// Whether nothing is kept: for a store of which every row is looked at once.
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
        var position = Self.hash(key, mask)
        let wanted = row.toOpaque()
        while let entry = entries[position] {
            if entry.toOpaque() == wanted { return true }
            position = (position + 1) & mask
        }
        return false
    }

    /// Runs a batch of look-ups and insertions under one lock.
    ///
    /// - Parameter moment: when the rows of the batch began to be read. If something has been saved or forgotten since,
    ///   they take the places of older rows, but none where there is no row: it may have been deleted, or be newer than
    ///   what was read.
    package func batch<Result>(
        readSince moment: Moment? = nil, _ body: (inout Batch) throws -> Result
    ) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        var batch = Batch(cache: self, isLate: moment.map { $0 != self.moment } ?? false)
        return try body(&batch)
    }

    package struct Batch {
        fileprivate unowned(unsafe) let cache: RowCache
        fileprivate let isLate: Bool

        package func row(for key: Int64, rootIndex: Int) -> Snapshot? { cache.probe(key, rootIndex) }
        package func insert(_ row: Snapshot, rootIndex: Int) { cache.insertLocked(row, rootIndex, isLate: isLate) }
        package func remove(_ key: Int64, rootIndex: Int) {
            cache.noteChange()
            cache.removeLocked(key, rootIndex)
        }

        /// Notes that rows which are being read may be old.
        package func noteChange() { cache.noteChange() }

        /// The row that is there with the same version and entity; else the given row, which is put in.
        package func shared(_ row: Snapshot, rootIndex: Int) -> Snapshot {
            cache.insertLocked(row, rootIndex, keepingEqual: true, isLate: isLate) ?? row
        }
    }

    /// The row of a version and entity, if the cache has it.
    ///
    /// - Parameter waits: whether to wait for another thread that is using the cache; if not, there is no row then.
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

    /// Puts a row in the place of an older version. A newer version that is already there stays.
    package func insert(_ row: Snapshot, rootIndex: Int) {
        lock.lock()
        defer { lock.unlock() }
        insertLocked(row, rootIndex)
    }

    package func remove(_ key: Int64, rootIndex: Int) {
        lock.lock()
        defer { lock.unlock() }
        noteChange()
        removeLocked(key, rootIndex)
    }

    /// Notes from now on when rows are put in.
    package func trackAges() {
        lock.withLock { if times == nil { times = [:] } }
    }

    /// How long ago a row was put in, in seconds; nil when it is not there or nobody noted it.
    package func age(of key: Int64, rootIndex: Int) -> TimeInterval? {
        lock.withLock {
            guard let time = times?[Place(rootIndex: rootIndex, key: key)], probe(key, rootIndex) != nil else {
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

    /// Drops every row of a root entity; whoever holds one keeps it.
    package func removeAll(rootIndex: Int) {
        lock.lock()
        defer { lock.unlock() }
        noteChange()
        clear(rootIndex)
    }

    package func removeAll() {
        lock.lock()
        defer { lock.unlock() }
        noteChange()
        for root in 0..<rootCount { clear(root) }
    }

    /// How many rows are held; for tests and for `checkInvariants`.
    package var count: Int {
        lock.lock()
        defer { lock.unlock() }
        return (0..<rootCount).reduce(0) { $0 + tables[$1].count }
    }

    /// How many rows of a root entity are held.
    package func count(rootIndex: Int) -> Int { lock.withLock { tables[rootIndex].count } }

    @inline(__always)
    private static func hash(_ key: Int64, _ mask: Int) -> Int {
        Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 20) & mask
    }

    private func probe(_ key: Int64, _ root: Int) -> Snapshot? {
        guard let entries = tables[root].entries else { return nil }
        let mask = tables[root].capacity - 1
        var position = Self.hash(key, mask)
        while let entry = entries[position] {
            if Self.key(of: entry) == key { return entry.takeUnretainedValue() }
            position = (position + 1) & mask
        }
        return nil
    }

    @inline(__always)
    private static func key(of entry: Unmanaged<Snapshot>) -> Int64 {
        entry._withUnsafeGuaranteedRef { $0.key }
    }

    /// - Parameters:
    ///   - keepsEqual: whether a row stays that has the same version and entity.
    ///   - isLate: whether the row may be old, although no newer one is there: then it takes the place of an older one
    ///     alone.
    /// - Returns: that row, when it stays.
    @discardableResult
    private func insertLocked(
        _ row: Snapshot, _ root: Int, keepingEqual keepsEqual: Bool = false, isLate: Bool = false
    ) -> Snapshot? {
        if isOff { return nil }
        let table = tables + root
        if !isLate, (table.pointee.count + 1) * 5 > table.pointee.capacity * 4 { rebuild(root, making: 1) }
        guard let entries = table.pointee.entries else { return nil }
        let mask = table.pointee.capacity - 1
        let key = row.key
        var position = Self.hash(key, mask)
        while let entry = entries[position] {
            if Self.key(of: entry) == key {
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
                entries[position] = Unmanaged.passRetained(row)
                entry.release()
                return nil
            }
            position = (position + 1) & mask
        }
        if isLate { return nil }
        noteTime(row, root)
        entries[position] = Unmanaged.passRetained(row)
        table.pointee.count += 1
        return nil
    }

    @inline(__always)
    private func noteTime(_ row: Snapshot, _ root: Int) {
        if times != nil { times?[Place(rootIndex: root, key: row.key)] = DispatchTime.now().uptimeNanoseconds }
    }

    private func removeLocked(_ key: Int64, _ root: Int) {
        guard let entries = tables[root].entries else { return }
        let mask = tables[root].capacity - 1
        var position = Self.hash(key, mask)
        while let entry = entries[position], Self.key(of: entry) != key { position = (position + 1) & mask }
        guard let found = entries[position] else { return }
        entries[position] = nil
        tables[root].count -= 1
        // Backward shift: the run behind the hole moves up so that no probe ends too early.
        var hole = position
        var next = (position + 1) & mask
        while let entry = entries[next] {
            if (next &- Self.hash(Self.key(of: entry), mask)) & mask >= (next &- hole) & mask {
                entries[hole] = entry
                entries[next] = nil
                hole = next
            }
            next = (next + 1) & mask
        }
        found.release()
    }

    /// Keeps the rows that somebody else holds too, in a table with room for them and for `extra` more.
    private func rebuild(_ root: Int, making extra: Int = 0) {
        let old = tables[root]
        var kept = 0
        for position in 0..<old.capacity {
            guard let entry = old.entries?[position] else { continue }
            if Self.isUsed(entry) {
                kept += 1
            } else {
                old.entries?[position] = nil
                entry.release()
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
        let entries = UnsafeMutablePointer<Unmanaged<Snapshot>?>.allocate(capacity: capacity)
        entries.initialize(repeating: nil, count: capacity)
        for position in 0..<old.capacity {
            guard let entry = old.entries?[position] else { continue }
            var place = Self.hash(Self.key(of: entry), capacity - 1)
            while entries[place] != nil { place = (place + 1) & (capacity - 1) }
            entries[place] = entry
        }
        old.entries?.deallocate()
        tables[root] = Table(entries: entries, capacity: capacity, count: kept)
    }

    /// Whether anybody but the cache holds a row.
    @inline(__always)
    private static func isUsed(_ entry: Unmanaged<Snapshot>) -> Bool {
        var row = entry.takeRetainedValue()
        let isUsed = !isKnownUniquelyReferenced(&row)
        _ = Unmanaged.passRetained(row)
        return isUsed
    }

    private func clear(_ root: Int) {
        for position in 0..<tables[root].capacity { tables[root].entries?[position]?.release() }
        tables[root].entries?.deallocate()
        tables[root] = Table()
    }
}
