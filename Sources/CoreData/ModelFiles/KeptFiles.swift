import Foundation

/// A cache of values that are made of files. A value is kept until its file changes, or until the cache is full. Any
/// thread may use it.
///
/// A file is the same as long as its path, its number on the disk, its size and its times are the same. Times have a
/// limited resolution. So a file that was written just before it was read is compared byte by byte, until the next
/// change is sure to get another time.
// @unchecked Sendable: `slots`, `total` and `clock` are used under `lock`, the content of a slot under that slot's
// lock.
final class KeptFiles<Value>: @unchecked Sendable {
    private final class Slot {
        let lock = NSLock()
        var state: FileState?
        var value: Value?
        /// The content of the file, as long as a change might not change its times.
        var contents: Data?
        /// `weight` and `lastUse` are used under the lock of the table.
        var weight = 0
        var lastUse = 0
    }

    private let limit: Int
    private let lock = NSLock()
    private var slots: [String: Slot] = [:]
    private var total = 0
    private var clock = 0

    /// - Parameter limit: the greatest total weight of all values. The least recently used values are dropped first.
    init(limit: Int) { self.limit = limit }

    /// Calls `body` with the value of a file, which is made if it is not kept. The cache keeps the value, so `body`
    /// must not change it. One thread at a time uses it.
    func use<Result>(
        _ file: URL, read: (URL) throws -> Data, make: (Data) throws -> (value: Value, weight: Int),
        _ body: (Value) throws -> Result
    ) throws -> Result {
        let path = file.path
        let slot = slot(at: path)
        return try slot.lock.withLock {
            let state = FileState(file)
            let isSame = state != nil && state == slot.state
            if isSame, slot.contents == nil, let value = slot.value { return try body(value) }
            do {
                let data = try read(file)
                let contents = state?.hasDistinctTime == true ? nil : data
                if isSame, let value = slot.value, slot.contents == data {
                    slot.contents = contents
                    return try body(value)
                }
                let (value, weight) = try make(data)
                (slot.value, slot.state, slot.contents) = (value, state, contents)
                weigh(slot, weight + (contents?.count ?? 0))
                return try body(value)
            } catch {
                forget(slot, at: path)
                throw error
            }
        }
    }

    private func slot(at path: String) -> Slot {
        lock.withLock {
            let slot = slots[path] ?? Slot()
            slots[path] = slot
            clock += 1
            slot.lastUse = clock
            return slot
        }
    }

    /// Sets a slot's weight. A slot that was dropped since does not count. Callers that still use it hold the last
    /// reference.
    private func weigh(_ slot: Slot, _ weight: Int) {
        lock.withLock {
            guard slots.contains(where: { $0.value === slot }) else { return }
            total += weight - slot.weight
            slot.weight = weight
            while total > limit, let oldest = slots.min(by: { $0.value.lastUse < $1.value.lastUse }) {
                total -= oldest.value.weight
                slots[oldest.key] = nil
            }
        }
    }

    private func forget(_ slot: Slot, at path: String) {
        lock.withLock {
            guard slots[path] === slot else { return }
            total -= slot.weight
            slots[path] = nil
        }
    }
}
