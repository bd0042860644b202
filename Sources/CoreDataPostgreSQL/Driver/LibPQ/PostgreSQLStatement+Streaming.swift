#if PostgreSQL
import CPostgreSQL
import CoreData

// libpq has all rows of a result in memory before it gives the first one. Many rows come by a cursor in the server,
// some hundred at a time: the cursor keeps the state in which it was declared. None of its statements runs for
// long, whatever the program does with the rows. Few rows take one round trip, as without a cursor.
extension PostgreSQLStatement {
    func stream(
        _ bind: (any SQLParameters) throws -> Void, _ body: (any SQLRow) throws -> Void
    ) throws {
        guard connection.canKeepPlaces else { return try rows(bind, body) }
        let (prepared, parameters) = try parameters { try bind($0) }
        let cursor = connection.newName()
        var size = RowsPerFetch()
        var rows = PostgreSQLRow(
            try connection.declare(cursor, for: text, prepared.types, parameters.values(), rows: size.count),
            labels: connection.labels)
        while true {
            for row in 0..<rows.count {
                rows.row = row
                try body(rows)
            }
            if rows.count < size.count { break }
            size.adapt(to: rows)
            rows = PostgreSQLRow(
                try connection.fetch(size.count, from: cursor), types: rows.types, labels: connection.labels)
        }
        try connection.close(cursor)
    }
}

/// The number of rows in one FETCH: as many as memory allows, estimated from the last ones.
private struct RowsPerFetch {
    private(set) var count = 1_024

    mutating func adapt(to rows: PostgreSQLRow) {
        let bytes = PQresultMemorySize(rows.result)
        if bytes < 1 << 18, count < 16_384 { count *= 4 }
        if bytes > 1 << 22, count > 4 { count /= 4 }
    }
}

extension PostgreSQLConnection {
    /// Whether the server can keep places in the rows of a SELECT: it does until a transaction ends.
    fileprivate var canKeepPlaces: Bool {
        !pipeline.isOn && question == nil && (isReadingWanted || transactionState == PQTRANS_INTRANS)
    }

    /// Has the server keep a place in the rows of a SELECT, and gives the first of them. The caller frees the
    /// result.
    fileprivate func declare(
        _ cursor: String, for select: String, _ types: [Oid], _ values: PostgreSQLValues, rows: Int
    ) throws -> OpaquePointer {
        try enterPipeline()
        defer { PQexitPipelineMode(handle) }
        try queuePendingBegin()
        // All rows are read. A plan for the first ones would take longer for them.
        try queue("SET LOCAL cursor_tuple_fraction = 1")
        let isSent = values.passed { count, pointers, lengths, formats in
            let text = "DECLARE \(cursor) NO SCROLL CURSOR FOR \(select)"
            return PQsendQueryParams(handle, text, count, types, pointers, lengths, formats, 1)
        }
        guard isSent == 1 else { throw error(nil) }
        pipeline.results.append(.ignored)
        try queue(Self.fetching(rows, cursor), .wanted)
        guard let result = try flush() else { throw error(nil) }
        return result
    }

    private static func fetching(_ rows: Int, _ cursor: String) -> String { "FETCH \(rows) FROM \(cursor)" }

    fileprivate func fetch(_ rows: Int, from cursor: String) throws -> OpaquePointer {
        roundTrips += 1
        return try tuples(PQexecParams(handle, Self.fetching(rows, cursor), 0, nil, nil, nil, nil, 1))
    }

    /// Closes a cursor, because a table with an open cursor cannot be altered. In a transaction that only reads,
    /// the end of the transaction, which comes soon, closes the cursor without a round trip.
    fileprivate func close(_ cursor: String) throws {
        if reading == .none { try execute("CLOSE \(cursor)") }
    }
}
#endif
