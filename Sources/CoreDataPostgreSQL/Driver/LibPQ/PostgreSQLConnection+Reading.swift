#if PostgreSQL
import CPostgreSQL
import CoreData

// The most frequent reads have functions of their own.
extension PostgreSQLConnection {
    /// Runs a prepared statement whose only parameter is a key; the result is the caller's.
    func run(_ name: String, key: Int64) throws -> OpaquePointer {
        // Anything that must be sent first, or checked while the statement runs, takes the way of all statements.
        if question != nil || pipeline.isOn || !usesNamedStatements || isReadingWanted {
            let parameters = PostgreSQLParameters(types: [PostgreSQLType.int8], labels: labels)
            parameters.bind(1, key)
            return try run(name, parameters.values())
        }
        drainUnreadResult()
        roundTrips += 1
        let result = withUnsafeBytes(of: key.bigEndian) { bytes in
            var value = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            var (length, format) = (Int32(bytes.count), Int32(1))
            return PQexecPrepared(handle, name, 1, &value, &length, &format, 1)
        }
        return try tuples(result)
    }

    /// Returns a result that has rows; throws the server's error where it has none.
    func tuples(_ result: OpaquePointer?) throws -> OpaquePointer {
        guard let result, PQresultStatus(result) == PGRES_TUPLES_OK else {
            let error = error(result)
            PQclear(result)
            throw error
        }
        answers += 1
        return result
    }
}
#endif
