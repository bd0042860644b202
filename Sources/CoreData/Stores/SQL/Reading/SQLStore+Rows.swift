import Foundation

// Reads rows by their keys.
extension SQLStore {
    /// The numbers of keys in one statement. With a few fixed sizes the statements stay cached. Short batches repeat
    /// their last key.
    package static let batchSizes = [20, 100, 500]

    package func rows(for keys: [Int64], rootIndex: Int, refreshing: Bool) throws -> [Snapshot] {
        guard let shape = rootShapes[rootIndex] else { return [] }
        if keys.count == 1 {
            let row = try row(for: keys[0], rootIndex: rootIndex, refreshing: refreshing)
            return row.map { [$0] } ?? []
        }
        var rows: [Snapshot] = []
        rows.reserveCapacity(keys.count)
        var missing: [Int64] = []
        if refreshing {
            missing = keys
        } else {
            rowCache.batch { cache in
                for key in keys {
                    if let row = cache.row(for: key, rootIndex: rootIndex) {
                        rows.append(row)
                    } else {
                        missing.append(key)
                    }
                }
            }
        }
        if missing.isEmpty { return rows }
        let primaryKeys = missing.map { $0 & ObjectKey.primaryKeyMask }.sorted()
        func gather(_ connection: any SQLConnection) throws {
            try read(primaryKeys, rootIndex: rootIndex, shape: shape, refreshing: refreshing, on: connection) {
                rows += $0
            }
        }
        if capabilities.takesLists { try readingOnce(gather) } else { try reading(gather) }
        return rows
    }

    /// The rows as a connection reads them. Cached rows are used if they have the same version.
    func rows(for keys: [Int64], rootIndex: Int, on connection: any SQLConnection) throws -> [Snapshot] {
        guard let shape = rootShapes[rootIndex] else { return [] }
        var rows: [Snapshot] = []
        rows.reserveCapacity(keys.count)
        let primaryKeys = keys.map { $0 & ObjectKey.primaryKeyMask }.sorted()
        try read(primaryKeys, rootIndex: rootIndex, shape: shape, refreshing: false, on: connection) { rows += $0 }
        return rows
    }

    private func read(
        _ primaryKeys: [Int64], rootIndex: Int, shape: RowShape, refreshing: Bool, on connection: any SQLConnection,
        body: ([Snapshot]) throws -> Void
    ) throws {
        try inBatches(primaryKeys) { size, bind in
            try connection.statement(.rows(root: rootIndex, count: size)) {
                rowSelect(rootIndex) { Self.isAmong(size, $0) }
            }.snapshots(of: shape, into: rowCache, refreshing: refreshing, bind: bind, body: body)
        }
    }

    /// Reads one row. Firing a fault is the hot path.
    package func row(for key: Int64, rootIndex: Int, refreshing: Bool) throws -> Snapshot? {
        if !refreshing, let cached = rowCache.row(for: key, rootIndex: rootIndex) { return cached }
        return try readRow(key, rootIndex: rootIndex, refreshing: refreshing, cache: rowCache)
    }

    @inline(__always)
    func readRow(_ key: Int64, rootIndex: Int, refreshing: Bool, cache: RowCache?) throws -> Snapshot? {
        guard let shape = rootShapes[rootIndex] else { return nil }
        return try readingOnce { connection in
            try connection.rowStatement(root: rootIndex) {
                rowSelect(rootIndex) { .binary(.equal, $0, .parameter(1)) }
            }.snapshot(shape, cache, refreshing: refreshing, key: key & ObjectKey.primaryKeyMask)
        }
    }

    /// The column of a SELECT for the entity of rows of a root entity's table. It is NULL if the table has rows of one
    /// entity only, and the database would send a name with each row.
    func entity(ofRoot rootIndex: Int, _ column: SQLExpression) -> SQLExpression {
        soleLayouts[rootIndex] != nil && schema.namesEntities ? .null : column
    }

    /// A SELECT of whole rows of a root entity's table, by their key.
    package func rowSelect(_ rootIndex: Int, where condition: (SQLExpression) -> SQLExpression) -> SQLStatement {
        let table = schema.table(ofRoot: rootIndex)?.name ?? ""
        return .select(
            SQLSelect(
                results: rootShapes[rootIndex]?.results(alias: "t0") ?? [], table: table, alias: "t0",
                condition: condition(.column(alias: "t0", name: SQLSchema.keyColumn))))
    }

    /// Whether a column is among this number of parameters. The size 0 means one parameter that is a list.
    static func isAmong(_ size: Int, _ column: SQLExpression) -> SQLExpression {
        size == 0 ? .isInParameter(column, 1) : .isIn(column, (1...size).map { .parameter($0) })
    }

    /// Calls a body for all keys, in batches with the number of parameters to bind. A short batch repeats its last key,
    /// for at most half of its size. If a list can be a parameter, the body is called once.
    func inBatches(
        _ keys: [Int64], _ body: (_ size: Int, _ bind: @escaping (any SQLParameters) -> Void) throws -> Void
    ) throws {
        if capabilities.takesLists { return try body(0) { $0.bind(1, list: keys) } }
        var start = 0
        while start < keys.count {
            let left = keys.count - start
            let size =
                Self.batchSizes.first { $0 >= left && $0 < 2 * left } ?? Self.batchSizes.last { $0 <= left }
                ?? Self.batchSizes[0]
            let (begin, end) = (start, min(start + size, keys.count))
            try body(size) { parameters in
                for place in 0..<size { parameters.bind(place + 1, keys[min(begin + place, end - 1)]) }
            }
            start = end
        }
    }

    /// The key of an object from the key of its row. Throws if no object can have the key in the table: its upper bits
    /// would be the number of another store.
    @inline(__always)
    package func key(_ primaryKey: Int64, rootIndex: Int) throws -> Int64 {
        try key(primaryKey, in: schema.table(ofRoot: rootIndex)?.name ?? "")
    }

    /// The key of an object from a primary key that a table holds. Throws if no object can have the key.
    @inline(__always)
    package func key(_ primaryKey: Int64, in table: @autoclosure () -> String) throws -> Int64 {
        guard ObjectKey.isPrimaryKey(primaryKey) else { throw ObjectKey.refusal(of: primaryKey, in: table()) }
        return ObjectKey.key(storeNumber: storeNumber, primaryKey: primaryKey)
    }
}
