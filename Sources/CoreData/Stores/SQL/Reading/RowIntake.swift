/// Puts the rows that a statement reads into the row cache.
///
/// Rows are stepped and built without the cache's lock, so that threads that read do not wait for each other. The rows
/// are put into the cache together. If another thread has put a row in before, that row is used instead.
package struct RowIntake {
    /// The number of rows that are put into the cache together.
    package static let rowsAtOnce = 256

    private let shape: RowShape
    private let cache: RowCache
    private let refreshing: Bool
    /// The time at which the reading of the rows began.
    private let moment: RowCache.Moment
    private var rows: [Snapshot] = []
    /// The places of the rows that were taken from the cache.
    private var found: [Int] = []
    /// Whether the cache is searched for a row before the row is built. That takes the lock for each row, which saves
    /// time only if many rows are cached, or if building a row reads files.
    private var looks: Bool

    /// - Parameters:
    ///   - moment: a moment before the state that is read was fixed.
    ///   - refreshing: whether each row is read and replaces the cached one.
    package init(_ shape: RowShape, _ cache: RowCache, since moment: RowCache.Moment, refreshing: Bool) {
        self.shape = shape
        self.cache = cache
        self.moment = moment
        self.refreshing = refreshing
        looks = !refreshing
    }

    package var isEmpty: Bool { rows.isEmpty }
    package var isFull: Bool { rows.count >= Self.rowsAtOnce }

    /// Takes the cached row of a version, or builds the row.
    @inline(__always)
    package mutating func take(
        _ key: Int64, version: Int32, _ plan: RowShape.Plan, _ build: () throws -> Snapshot
    ) rethrows {
        if looks, plan.isCacheable {
            let cached = cache.row(
                for: key, rootIndex: shape.rootIndex, version: version, layoutIndex: plan.layout.index,
                waits: shape.mayReadFiles)
            if let cached {
                found.append(rows.count)
                rows.append(cached)
                return
            }
            // After some misses the cache is not searched again until the rows are put into it.
            if rows.count - found.count >= found.count + 8, !shape.mayReadFiles { looks = false }
        }
        rows.append(try build())
    }

    /// Puts the rows into the cache, and passes them to a body.
    package mutating func handOn(_ body: ([Snapshot]) throws -> Void) rethrows {
        var shared = found.count
        if shared < rows.count {
            cache.batch(readSince: moment, rootIndex: shape.rootIndex) { cache in
                if rows.count > 1 { cache.prepare(for: rows, rootIndex: shape.rootIndex) }
                var next = 0
                for place in rows.indices {
                    // The cache may have dropped the row since, and the row is not put back.
                    if next < found.count, found[next] == place {
                        next += 1
                        continue
                    }
                    if let kept = shape.put(rows[place], into: cache, refreshing: refreshing) {
                        rows[place] = kept
                        shared += 1
                    }
                }
            }
        }
        looks = !refreshing && (shared * 2 > rows.count || shape.mayReadFiles)
        found.removeAll(keepingCapacity: true)
        try body(rows)
        rows.removeAll(keepingCapacity: true)
    }
}

extension RowShape {
    /// Puts a row that was read into the cache.
    ///
    /// - Returns: The cached row of the same version, which takes the row's place; nil if there is none. With
    ///   `refreshing` the row replaces the cached one.
    @inline(__always)
    package func put(_ row: Snapshot, into cache: RowCache.Batch, refreshing: Bool) -> Snapshot? {
        if !refreshing, isCacheable(row) { return cache.equalRow(orInserting: row, rootIndex: rootIndex) }
        cache.insert(row, rootIndex: rootIndex)
        return nil
    }
}
