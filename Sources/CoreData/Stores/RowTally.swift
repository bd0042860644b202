import Foundation

/// The number of rows of each entity that a migration has written to its new store: insertions less deletions.
///
/// The store counts the effects of all statements: those of the mappings, a policy's own objects, batches. So the
/// finished file can be checked for these rows.
final class RowTally: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private let layout: ModelLayout
    private var counts: [Int: Int] = [:]

    init(_ layout: ModelLayout) { self.layout = layout }

    /// By the names of the entities; only those of which there ever was a row.
    var rows: [String: Int] {
        get {
            lock.withLock {
                Dictionary(uniqueKeysWithValues: counts.map { (layout.entities[$0.key].name, $0.value) })
            }
        }
        set {
            lock.withLock {
                counts = [:]
                for (name, count) in newValue {
                    if let entity = layout.layout(named: name) { counts[entity.index] = count }
                }
            }
        }
    }

    func add(_ count: Int, ofEntity index: Int) {
        if count != 0 { lock.withLock { counts[index, default: 0] += count } }
    }

    /// Rows of one entity come one after another, most of the time.
    func add(_ rows: [Snapshot]) {
        for run in rows.runs(by: { $0.layoutIndex == $1.layoutIndex }) {
            add(run.count, ofEntity: rows[run.lowerBound].layoutIndex)
        }
    }
}
