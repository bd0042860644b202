// Implementation notes: Rows.
//
// - The layouts were chosen by measurement. `bin/bench` compares them with the same work in C. Its limits are in
//   `Benchmarks/bars.txt`. `instructions.txt` beside that file has the ratio of instructions to those of C for each
//   work, and `.ci/run` checks it. `bin/bench --instructions --growth` shows how both grow with the number of books.
// - A row is one allocation: a header, a null bit and eight bytes per slot, and behind them the bytes of strings and
//   blobs. It never changes once it is built, so the row cache, every context and its children hold the same one.
// - When a coordinator first uses a model, every entity gets a layout from key to slot, slots of the parent entity
//   first. Frequent code uses slots; names are for the public interface.
// - The row cache holds rows strongly, eight bytes each. A sweep drops the rows that only the cache holds: when a
//   context is reset or released, and before the cache grows if some rows are unused. So a row costs no weak
//   reference.
// - The cache's lock is held while rows are searched or inserted, and not while they are read and built (`RowIntake`).
//   256 rows are inserted under one lock. If few rows are cached, rows are built without a search of the cache, and
//   cached rows replace them at the insertion.
// - A row that was saved or forgotten while it was being read (`RowCache.Moment`) only replaces an older one. If no row
//   is cached, the row may have been deleted, or forgotten because it is old.
// - The cache remembers the last 4,096 such rows. A batch, a larger save, or a greater number of them counts as a
//   change of all rows. `checkInvariants` checks the cache, too.

import Foundation

/// The fixed part of a snapshot: the row's key, entity and version, and the number of null words, which gives the
/// position of the slots.
package struct SnapshotHeader {
    /// The row's key: the primary key with the store's number folded in (`ObjectKey`).
    package var key: Int64
    /// The optimistic-lock counter of the row (Z_OPT).
    package var version: Int32
    /// The concrete entity's place in the model's numbering.
    package var layoutIndex: UInt16
    /// Words of null bits before the first slot.
    package var nullWords: UInt16
}

/// One row as the store returned it: immutable once published, typed, shared by pointer.
///
/// One allocation holds the header, a bit per slot for nil, eight bytes per slot, and behind them the bytes of strings,
/// blobs, UUIDs and decimals. The row cache, a context's objects, history and the merge logic hold the *same* snapshot.
/// Measured in the project's benchmarks: a book of eight properties takes about 190 bytes.
///
/// `SnapshotBuilder` builds a snapshot once, on one thread. It never changes after that, so threads may share it.
/// `ManagedBuffer` forbids a `Sendable` conformance; the types that carry snapshots to other threads declare it.
package final class Snapshot: ManagedBuffer<SnapshotHeader, UInt64> {
    // Read by address: `header` is a variable for the compiler, which adds an exclusivity check to each access.
    @inline(__always) package var key: Int64 { withUnsafeMutablePointerToHeader { $0.pointee.key } }
    @inline(__always) package var version: Int32 { withUnsafeMutablePointerToHeader { $0.pointee.version } }
    /// The approximate number of bytes of memory that the snapshot takes.
    package var byteCount: Int { capacity * 8 }
    @inline(__always)
    package var layoutIndex: Int { Int(withUnsafeMutablePointerToHeader { $0.pointee.layoutIndex }) }

    @inline(__always)
    private var words: UnsafeMutablePointer<UInt64> {
        withUnsafeMutablePointerToElements { $0 }
    }

    @inline(__always)
    private func slotPointer(_ slot: Int) -> UnsafeMutablePointer<UInt64> {
        withUnsafeMutablePointers { header, elements in
            elements + Int(header.pointee.nullWords) + slot
        }
    }

    @inline(__always)
    package func isNull(_ slot: Int) -> Bool {
        words[slot >> 6] & (1 << UInt64(slot & 63)) != 0
    }

    /// The slots among the first 64 that are nil, as bits. Bits beyond the last slot have no meaning.
    @inline(__always)
    package var nullAmongFirst: UInt64 { words[0] }

    /// An integer, boolean or reference slot; meaningless when the slot is null.
    @inline(__always)
    package func int(_ slot: Int) -> Int64 {
        Int64(bitPattern: slotPointer(slot).pointee)
    }

    /// A double, float or date slot (dates in seconds since 2001); meaningless when the slot is null.
    @inline(__always)
    package func double(_ slot: Int) -> Double {
        Double(bitPattern: slotPointer(slot).pointee)
    }

    /// The end of the bytes of a slot whose value is stored behind the slots, counted from the first word; 0 when the
    /// slot is null.
    @inline(__always)
    fileprivate func end(of slot: Int) -> Int {
        if isNull(slot) { return 0 }
        let word = slotPointer(slot).pointee
        return Int(word >> 32) + Int(word & 0xFFFF_FFFF)
    }

    /// The bytes of a string, blob, UUID, URI, decimal or transformable slot; empty when the slot is null.
    ///
    /// The pointer is valid as long as the snapshot is alive.
    @inline(__always)
    package func bytes(_ slot: Int) -> UnsafeRawBufferPointer {
        let word = slotPointer(slot).pointee
        let base = UnsafeRawPointer(words)
        return UnsafeRawBufferPointer(start: base + Int(word >> 32), count: Int(word & 0xFFFF_FFFF))
    }

    @inline(__always)
    package func string(_ slot: Int) -> String {
        let bytes = bytes(slot)
        return withExtendedLifetime(self) { String(decoding: bytes, as: UTF8.self) }
    }

    package func data(_ slot: Int) -> Data {
        let bytes = bytes(slot)
        return withExtendedLifetime(self) { Data(bytes) }
    }

    package func uuid(_ slot: Int) -> UUID {
        let bytes = bytes(slot)
        return withExtendedLifetime(self) { UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) }
    }

    package func decimal(_ slot: Int) -> Decimal {
        let bytes = bytes(slot)
        return withExtendedLifetime(self) { bytes.loadUnaligned(as: Decimal.self) }
    }

    /// The value of a slot in its general form. The code that writes to stores uses the typed readers instead.
    package func value(_ slot: Int, kind: SlotKind) -> SlotValue {
        if isNull(slot) { return .null }
        switch kind {
        case .integer, .boolean, .reference, .entityNumber, .order: return .int(int(slot))
        case .double, .float, .date: return .double(double(slot))
        case .string, .uri: return .string(string(slot))
        case .data, .transformable: return .data(data(slot))
        case .uuid: return .uuid(uuid(slot))
        case .decimal: return .decimal(decimal(slot))
        }
    }
}

/// Builds one snapshot: sizes first, then a value for every slot, then `finish`.
///
/// Slots that are never set are null. The caller adds up the bytes of all strings, blobs, UUIDs (16) and decimals
/// (`SnapshotBuilder.decimalSize`) beforehand; writing more than was announced stops the process.
package struct SnapshotBuilder {
    package static let decimalSize = MemoryLayout<Decimal>.size

    private let snapshot: Snapshot
    private let words: UnsafeMutablePointer<UInt64>
    private let slots: UnsafeMutablePointer<UInt64>
    private var tail: Int
    private let end: Int

    @inline(__always)
    package init(layout: EntityLayout, key: Int64, version: Int32, tailBytes: Int) {
        let nullWords = layout.nullWords
        let fixed = nullWords + layout.slots.count
        let total = fixed + (tailBytes + 7) / 8
        layout.noteRow(ofBytes: total * 8)
        let buffer = Snapshot.create(minimumCapacity: total) { _ in
            SnapshotHeader(
                key: key, version: version, layoutIndex: UInt16(layout.index), nullWords: UInt16(nullWords))
        }
        snapshot = unsafeDowncast(buffer, to: Snapshot.self)
        words = snapshot.withUnsafeMutablePointerToElements { $0 }
        slots = words + nullWords
        for word in 0..<nullWords { words[word] = ~0 }
        tail = fixed * 8
        end = tail + tailBytes
    }

    /// Begins with all values of another row of the layout, copied at once. For changes of values that are stored in
    /// the slots themselves.
    @inline(__always)
    package init(copying row: Snapshot, layout: EntityLayout, key: Int64, version: Int32) {
        let fixed = (layout.nullWords + layout.slots.count) * 8
        var end = fixed
        for slot in layout.longSlots { end = max(end, row.end(of: slot)) }
        self.init(layout: layout, key: key, version: version, tailBytes: end - fixed)
        row.withUnsafeMutablePointerToElements { [words] in
            UnsafeMutableRawPointer(words).copyMemory(from: UnsafeRawPointer($0), byteCount: end)
        }
        tail = end
    }

    /// Clears the value of a slot that has one.
    @inline(__always)
    package func setNull(_ slot: Int) { words[slot >> 6] |= 1 << UInt64(slot & 63) }

    @inline(__always)
    private func markPresent(_ slot: Int) {
        words[slot >> 6] &= ~(1 << UInt64(slot & 63))
    }

    @inline(__always)
    package func set(_ slot: Int, int value: Int64) {
        slots[slot] = UInt64(bitPattern: value)
        markPresent(slot)
    }

    @inline(__always)
    package func set(_ slot: Int, double value: Double) {
        slots[slot] = value.bitPattern
        markPresent(slot)
    }

    @inline(__always)
    package mutating func set(_ slot: Int, bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        require(tail + count <= end, "More bytes than announced for a row")
        if count > 0, let source = bytes.baseAddress {
            UnsafeMutableRawPointer(words).advanced(by: tail).copyMemory(from: source, byteCount: count)
        }
        slots[slot] = UInt64(tail) << 32 | UInt64(count)
        tail += count
        markPresent(slot)
    }

    @inline(__always)
    package mutating func set(_ slot: Int, string value: String) {
        var value = value
        value.withUTF8 { set(slot, bytes: UnsafeRawBufferPointer($0)) }
    }

    package mutating func set(_ slot: Int, uuid value: UUID) {
        withUnsafeBytes(of: value.uuid) { set(slot, bytes: $0) }
    }

    package mutating func set(_ slot: Int, decimal value: Decimal) {
        withUnsafeBytes(of: value) { set(slot, bytes: $0) }
    }

    /// Copies a slot of another snapshot of the same layout (or of a sub-entity's).
    @inline(__always)
    package mutating func copy(_ slot: Int, kind: SlotKind, from other: Snapshot) {
        copy(slot, kind: kind, from: other, slot)
    }

    /// Copies a slot of the same kind of any snapshot.
    @inline(__always)
    package mutating func copy(_ slot: Int, kind: SlotKind, from other: Snapshot, _ origin: Int) {
        if other.isNull(origin) { return }
        if kind.isInline {
            set(slot, int: other.int(origin))
        } else {
            withExtendedLifetime(other) { set(slot, bytes: other.bytes(origin)) }
        }
    }

    /// The finished row of a store, with the default values of transient attributes, which a store does not have.
    @inline(__always)
    package consuming func finish(withTransientsOf layout: EntityLayout) -> Snapshot {
        if layout.hasTransientSlots {
            for (slot, value) in layout.transientDefaults { set(slot, value: value) }
        }
        return snapshot
    }

    /// The finished, from now on immutable, row.
    @inline(__always)
    package consuming func finish() -> Snapshot { snapshot }
}

extension Snapshot {
    /// The row with another version.
    func copy(version: Int32, _ layout: EntityLayout) -> Snapshot {
        let slots = layout.slots.indices
        let tailBytes = slots.reduce(0) { $0 + (layout.slots[$1].kind.isInline || isNull($1) ? 0 : bytes($1).count) }
        var builder = SnapshotBuilder(layout: layout, key: key, version: version, tailBytes: tailBytes)
        for slot in slots { builder.copy(slot, kind: layout.slots[slot].kind, from: self) }
        return builder.finish()
    }

    /// A row whose values come from the given slots of a row of another layout, and otherwise from a row of its own
    /// layout.
    package static func copy(of row: Snapshot, slots: [Int?], over other: Snapshot, _ layout: EntityLayout) -> Snapshot
    {
        var tailBytes = 0
        for (slot, description) in layout.slots.enumerated() where !description.kind.isInline {
            let (origin, source) = slots[slot].map { (row, $0) } ?? (other, slot)
            if !origin.isNull(source) { tailBytes += origin.bytes(source).count }
        }
        var builder = SnapshotBuilder(layout: layout, key: other.key, version: other.version, tailBytes: tailBytes)
        for (slot, description) in layout.slots.enumerated() {
            if let source = slots[slot] {
                builder.copy(slot, kind: description.kind, from: row, source)
            } else {
                builder.copy(slot, kind: description.kind, from: other)
            }
        }
        return builder.finish()
    }
}
