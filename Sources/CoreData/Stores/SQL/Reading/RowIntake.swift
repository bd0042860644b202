/// Rows that a statement reads, on their way through the row cache.
///
/// Rows are stepped and built without the cache's lock: threads that read would wait for one another there. They go
/// into the cache together, and a row that another thread has put in meanwhile is taken instead.
package struct RowIntake {
    /// The number of rows that go into the cache together.
    package static let rowsAtOnce = 256

    private let shape: RowShape
    private let cache: RowCache
    private let refreshing: Bool
    /// When the rows began to be read.
    private let moment: RowCache.Moment
    private var rows: [Snapshot] = []
    /// The places of the rows that the cache had.
    private var found: [Int] = []
    /// Whether a row is looked for before it is built. That takes the lock for each row, which saves time only where
    /// many rows are there, or where building a row reads files.
    private var looks: Bool

    /// - Parameters:
    ///   - moment: a moment before the state was fixed that is read from.
    ///   - refreshing: whether each row is read and takes the place of the cached one.
    package init(_ shape: RowShape, _ cache: RowCache, since moment: RowCache.Moment, refreshing: Bool) {
        self.shape = shape
        self.cache = cache
        self.moment = moment
        self.refreshing = refreshing
        looks = !refreshing
        rows.reserveCapacity(Self.rowsAtOnce)
    }

    package var isEmpty: Bool { rows.isEmpty }
    package var isFull: Bool { rows.count >= Self.rowsAtOnce }

    /// Takes the cached row of a version, or the row as it is built.
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
            // Some misses are enough to stop looking until the rows go into the cache.
            if rows.count - found.count >= found.count + 8, !shape.mayReadFiles { looks = false }
        }
        rows.append(try build())
    }

    /// Puts the rows into the cache, and hands them on.
    package mutating func handOn(_ body: ([Snapshot]) throws -> Void) rethrows {
        var shared = found.count
        if shared < rows.count {
            cache.batch(readSince: moment, rootIndex: shape.rootIndex) { cache in
                var next = 0
                for place in rows.indices {
                    // The cache may have dropped the row meanwhile, and it is not put back.
                    if next < found.count, found[next] == place {
                        next += 1
                        continue
                    }
                    let row = rows[place]
                    let kept = shape.put(row, into: cache, refreshing: refreshing)
                    if kept !== row {
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
    /// - Returns: the row, or the cached one of the same version. With `refreshing` the row takes its place.
    @inline(__always)
    package func put(_ row: Snapshot, into cache: RowCache.Batch, refreshing: Bool) -> Snapshot {
        if !refreshing, isCacheable(row) { return cache.shared(row, rootIndex: rootIndex) }
        cache.insert(row, rootIndex: rootIndex)
        return row
    }
}
