import Foundation

#if PostgreSQL
import CBaseline
import CPostgreSQLBaseline

/// The databases of the benchmark's server: one that is empty and one that is filled, of which measurements get
/// copies.
struct PostgreSQLDatabases {
    private static let empty = "bench_empty"
    private static let filled = "bench_filled"

    /// Lets the library make the tables, and fills them by plain C.
    /// - Throws: `BenchmarkFailure` where no server was started.
    init(_ data: SourceData) throws {
        guard ProcessInfo.processInfo.environment["PGHOST"] != nil else {
            throw BenchmarkFailure(description: "bin/bench postgresql starts a server; this program needs one")
        }
        try Self.create(Self.empty)
        try Library.close(Library.openedPostgreSQL(Self.empty))
        try Self.copy(Self.empty, as: Self.filled)
        try PlainC.measurement(of: postgresql_insert(Self.filled, data.rows, 1))
        try Self.execute("VACUUM ANALYZE", in: Self.filled)
    }

    /// Makes an empty database.
    static func create(_ name: String) throws { try execute("CREATE DATABASE \(name)") }

    /// A fresh copy for one measurement, which goes afterwards.
    func withCopy<Result>(isFilled: Bool, _ body: (String) throws -> Result) throws -> Result {
        let name = "bench_\(UInt32.random(in: 0...UInt32.max))"
        try Self.copy(isFilled ? Self.filled : Self.empty, as: name)
        defer { try? Self.execute("DROP DATABASE \(name) WITH (FORCE)") }
        // Pages that are not yet on the disk would be written during a measurement.
        try Self.execute("CHECKPOINT")
        return try body(name)
    }

    private static func copy(_ name: String, as other: String) throws {
        try execute("CREATE DATABASE \(other) TEMPLATE \(name)")
    }

    private static func execute(_ statement: String, in database: String = "postgres") throws {
        try PlainC.measurement(of: postgresql_execute(database, statement))
    }
}
#else
/// There are none: the benchmark was built without libpq.
struct PostgreSQLDatabases {
    private static let absence = BenchmarkFailure(
        description: "this was built without libpq: bin/setup --postgresql, then again")

    init(_ data: SourceData) throws { throw Self.absence }

    static func create(_ name: String) throws { throw absence }

    func withCopy<Result>(isFilled: Bool, _ body: (String) throws -> Result) throws -> Result { try body("") }
}
#endif
