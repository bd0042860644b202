import Foundation

/// One end of a transfer: a connection, and the tables of a model on it.
package struct TransferEnd {
    package let connection: any SQLConnection
    package let layout: ModelLayout
    package let schema: SQLSchema
    /// The folder of large values; nil if they are in the rows.
    package let externalData: ExternalData?
    /// The name of the store in errors.
    package let name: String

    package init(
        _ connection: any SQLConnection, _ layout: ModelLayout, _ schema: SQLSchema,
        externalData: ExternalData? = nil, name: String
    ) {
        self.connection = connection
        self.layout = layout
        self.schema = schema
        self.externalData = externalData
        self.name = name
    }

    /// The root entities that have a table.
    package var roots: [EntityLayout] {
        layout.entities.filter { $0.superIndex == nil && schema.table(ofRoot: $0.index) != nil }
    }

    /// The number of rows of a table.
    package func count(_ table: String) throws -> Int64 {
        try connection.integer(SQLSelect([.countAll], of: table)) ?? 0
    }

    /// The number of rows of all tables together.
    package func count() throws -> Int64 { try schema.allTables.reduce(0) { try $0 + count($1.name) } }

    /// The many-to-many relationships, each once, from the side that gave the join table its name.
    package var relationships: [ToManySlot] {
        var done: Set<Int> = []
        var result: [ToManySlot] = []
        for entity in layout.entities {
            for toMany in entity.toManys where toMany.declaringIndex == entity.index {
                guard let end = schema.joinEnds[entity.index][toMany.index], !end.isFlipped,
                    done.insert(end.joinIndex).inserted
                else { continue }
                result.append(toMany)
            }
        }
        return result
    }

    /// The join table of a relationship, from the relationship's side.
    package func join(_ toMany: ToManySlot) -> SQLJoinEnd? { schema.joinEnds[toMany.declaringIndex][toMany.index] }
}

/// A pair of a join table, with its places in both lists.
package struct TransferPair: Equatable {
    package var owner: Int64
    package var member: Int64
    package var place: Int64?
    package var inversePlace: Int64?
}

/// Reads the tables of one end in the order of their keys, a limited number of rows at a time. No statement stays open
/// in between, and memory does not grow.
package final class TransferReader {
    private let end: TransferEnd
    private let cache: RowCache
    private var shapes: [Int: RowShape] = [:]
    private var statements: [Statement: any SQLPreparedStatement] = [:]

    private struct Statement: Hashable {
        var table: String
        var limit: Int
    }

    package init(_ end: TransferEnd) {
        self.end = end
        cache = RowCache(rootCount: end.layout.entities.count, isOff: true)
    }

    /// The rows of a root entity's table after a key, up to a limit; empty if there are no more.
    package func rows(of root: EntityLayout, after key: Int64, limit: Int) throws -> [Snapshot] {
        guard let table = end.schema.table(ofRoot: root.index)?.name else { return [] }
        let shape =
            shapes[root.index]
            ?? RowShape(
                layout: root, schema: end.schema, storeNumber: 1, externalData: end.externalData, fileName: end.name)
        shapes[root.index] = shape
        let column = SQLExpression.column(alias: "t0", name: SQLSchema.keyColumn)
        let statement = try statement(table, limit) {
            SQLSelect(
                results: shape.results(alias: "t0"), table: table, alias: "t0",
                condition: .binary(.greater, column, .parameter(1)), order: SQLSelect.Order.keys([column]),
                limit: limit)
        }
        var rows: [Snapshot] = []
        try statement.snapshots(of: shape, into: cache, refreshing: true) {
            $0.bind(1, key)
        } body: {
            rows += $0
        }
        return rows
    }

    /// The pairs of a join table after a given pair, up to a limit.
    package func pairs(of toMany: ToManySlot, after last: TransferPair?, limit: Int) throws -> [TransferPair] {
        guard let join = end.join(toMany) else { return [] }
        let key = [SQLExpression.column(join.ownerColumn), .column(join.memberColumn)]
        let places = [join.orderColumn, join.inverseOrderColumn].map { $0.map { SQLExpression.column($0) } ?? .null }
        let statement = try statement(join.table, limit) {
            var select = SQLSelect(
                key + places, of: join.table,
                where: .binary(.greater, .row(key), .row([.parameter(1), .parameter(2)])), limit: limit)
            select.order = SQLSelect.Order.keys(key)
            return select
        }
        var pairs: [TransferPair] = []
        try statement.rows({
            $0.bind(1, last?.owner ?? -1)
            $0.bind(2, last?.member ?? -1)
        }) { pairs.append(Self.pair($0)) }
        return pairs
    }

    private static func pair(_ row: any SQLRow) -> TransferPair {
        TransferPair(
            owner: row.int64(0), member: row.int64(1), place: row.isNull(2) ? nil : row.int64(2),
            inversePlace: row.isNull(3) ? nil : row.int64(3))
    }

    private func statement(
        _ table: String, _ limit: Int, _ make: () -> SQLSelect
    ) throws -> any SQLPreparedStatement {
        let place = Statement(table: table, limit: limit)
        if let known = statements[place] { return known }
        let new = try end.connection.prepare(.select(make()))
        statements[place] = new
        return new
    }

    /// The highest key in the table, or 0.
    package func lastKey(of root: EntityLayout) throws -> Int64 {
        guard let table = end.schema.table(ofRoot: root.index)?.name else { return 0 }
        return try end.connection.integer(SQLSelect([.function(.max, [.column(SQLSchema.keyColumn)])], of: table)) ?? 0
    }

    /// The last pair in the join table; nil if it has none.
    package func lastPair(of toMany: ToManySlot) throws -> TransferPair? {
        guard let join = end.join(toMany) else { return nil }
        let key = [SQLExpression.column(join.ownerColumn), .column(join.memberColumn)]
        var select = SQLSelect(key + [.null, .null], of: join.table, limit: 1)
        select.order = SQLSelect.Order.keys(key, isAscending: false)
        return try end.connection.prepare(.select(select)).first { Self.pair($0) }
    }
}

/// The number of rows that are read together: as many as memory allows, estimated from the last rows.
package struct TransferPages {
    package private(set) var limit = Self.smallest
    private static let smallest = 16
    private static let largest = 1_000
    private static let bytes = 4 << 20

    package init() {}

    package mutating func adapt(to rows: [Snapshot]) {
        let average = max(1, rows.reduce(1) { $0 + $1.byteCount } / max(1, rows.count))
        // The number takes few different values, so that there are few statements.
        if Self.bytes / average < limit {
            limit = max(1, limit / 4)
        } else if limit < Self.largest, Self.bytes / average >= limit * 4 {
            limit = min(max(Self.smallest, limit) * 4, Self.largest)
        }
    }
}
