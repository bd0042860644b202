import Foundation

/// Counts the rows of each entity that a migration has written to its new store: insertions minus deletions.
///
/// The store counts the effects of all statements: those of mappings, those of a policy's own objects, and batches. So
/// the finished file can be checked against these numbers.
final class RowCounters: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private let layout: ModelLayout
    private var counts: [Int: Int] = [:]

    init(_ layout: ModelLayout) { self.layout = layout }

    /// The number of rows by the names of the entities. Entities that never had a row are left out.
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

    /// Counts rows. Most of the time rows of one entity follow each other, so the rows are counted in runs.
    func add(_ rows: [Snapshot]) {
        for run in rows.runs(by: { $0.layoutIndex == $1.layoutIndex }) {
            add(run.count, ofEntity: rows[run.lowerBound].layoutIndex)
        }
    }
}
