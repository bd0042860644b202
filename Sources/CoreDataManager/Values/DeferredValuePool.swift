import Foundation

/// The list of the deferred values in memory, with their costs and the order of their last uses.
///
/// The pool exists as long as the cache or any of its values, and receives reports of memory pressure as long.
// @unchecked Sendable: all mutable state is guarded by `lock`; values are dropped after it is released.
final class DeferredValuePool: @unchecked Sendable {
    /// The key of one loading of a value. A value that was dropped and loaded again has another generation.
    struct Key: Hashable {
        var value: ObjectIdentifier
        var generation: Int
    }

    private struct Entry {
        var cost: Int
        var lastUse: Int
        var drop: @Sendable () -> Void
    }

    private let lock = NSLock()
    private let costLimit: Int
    private var entries: [Key: Entry] = [:]
    private var total = 0
    private var clock = 0
    private let pressure: MemoryPressure?

    init(costLimit: Int, pressure: MemoryPressure?) {
        self.costLimit = costLimit
        self.pressure = pressure
        pressure?.add(ObjectIdentifier(self)) { [weak self] in self?.dropAll() }
    }

    deinit {
        pressure?.remove(ObjectIdentifier(self))
    }

    var cost: Int { lock.withLock { total } }

    /// Adds a loaded value. The least recently used values are dropped until the rest fits. The new one is dropped too
    /// if it alone is beyond the limit.
    func add(_ id: Key, cost: Int, drop: @escaping @Sendable () -> Void) {
        let victims = lock.withLock { () -> [Entry] in
            clock += 1
            total += cost - (entries[id]?.cost ?? 0)
            entries[id] = Entry(cost: cost, lastUse: clock, drop: drop)
            guard total > costLimit else { return [] }
            var victims: [Entry] = []
            for (id, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
                guard total > costLimit else { break }
                entries[id] = nil
                total -= entry.cost
                victims.append(entry)
            }
            return victims
        }
        for victim in victims {
            victim.drop()
        }
    }

    func touch(_ id: Key) {
        lock.withLock {
            clock += 1
            entries[id]?.lastUse = clock
        }
    }

    func forget(_ id: Key) {
        lock.withLock {
            if let entry = entries.removeValue(forKey: id) {
                total -= entry.cost
            }
        }
    }

    func dropAll() {
        let all = lock.withLock {
            defer {
                entries = [:]
                total = 0
            }
            return Array(entries.values)
        }
        for entry in all {
            entry.drop()
        }
    }
}
