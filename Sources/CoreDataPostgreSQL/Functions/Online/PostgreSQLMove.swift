#if PostgreSQL
@_spi(MigrationTesting) import CoreData
import Foundation

/// Has the trigger of a table give its rows the values of the newer version, slice by slice in the order of their
/// keys; or makes pairs of one of its columns so. The database keeps its position, and the next process resumes
/// there.
struct PostgreSQLMove {
    let shortLockTransaction: PostgreSQLShortLockTransaction
    let table: String
    /// The column and the pairs of a relationship to move; nil to move rows.
    var link: OnlinePlan.Link?
    /// The lock of the newer version.
    let version: Int64

    private var connection: PostgreSQLConnection { shortLockTransaction.connection }
    private var name: String { PostgreSQLDialect().quoted(table) }
    /// By which table it is noted how far it is.
    private var filled: String { link?.pairs ?? table }

    /// How long a slice takes at best, in seconds; and how many rows it has at first and at most.
    private static let (aim, first, most) = (0.04, 500, 20_000)

    /// - Parameter moved: is called with the number of rows of each slice.
    func moveRows(_ moved: (Int) throws -> Void) throws {
        var (position, bound) = try begin()
        var count = Self.first
        while position < bound {
            let start = ContinuousClock.now
            let slice = try shortLockTransaction.transaction { try move(after: position, upTo: bound, count) }
            guard let slice else { return }
            position = slice.position
            try moved(slice.rows)
            MigrationMoment.reach(.stepDone)
            let (seconds, attoseconds) = (ContinuousClock.now - start).components
            let time = Double(seconds) + Double(attoseconds) * 1e-18
            // Where other programs keep the server busy a slice takes longer: then slices get smaller, and pauses
            // longer.
            count = min(Self.most, max(50, Int(Double(count) * min(2, max(0.5, Self.aim / max(time, 0.001))))))
            Thread.sleep(forTimeInterval: min(1, time))
        }
    }

    /// The key to begin after, and the last key of a row that the trigger has not seen.
    private func begin() throws -> (position: Int64, bound: Int64) {
        let insert = """
            INSERT INTO coredata.moves ("table", version, position, bound) \
            SELECT $1, $2::bigint, 0, coalesce(max(id), 0) FROM \(name) ON CONFLICT ("table") DO UPDATE \
            SET version = excluded.version, position = 0, bound = excluded.bound \
            WHERE coredata.moves.version <> excluded.version
            """
        return try shortLockTransaction.transaction {
            _ = try connection.rows(insert + " RETURNING 1", [filled, "\(version)"])
            let row = try connection.rows(
                "SELECT position, bound FROM coredata.moves WHERE \"table\" = $1", [filled]
            ).first
            return (row?[0].flatMap { Int64($0) } ?? 0, row?[1].flatMap { Int64($0) } ?? 0)
        }
    }

    /// Moves so many rows, in the order in which saves lock them; nil where there are no more.
    private func move(after position: Int64, upTo bound: Int64, _ count: Int) throws -> (
        position: Int64, rows: Int
    )? {
        // A slice that is lost with the server is moved once more, so the commit need not wait for the disk.
        try connection.execute(
            "SET LOCAL synchronous_commit = off; SELECT set_config('coredata.writer', 'framework', true), "
                + "set_config('coredata.moving', 'on', true), set_config('coredata.linking', 'on', true)")
        let statement = """
            WITH slice AS (SELECT \(columns) FROM \(name) WHERE id > $1::bigint AND id <= $2::bigint \
            ORDER BY id LIMIT $3::bigint FOR NO KEY UPDATE), moved AS (\(moving)) \
            SELECT count(*), max(id) FROM slice
            """
        let row = try connection.rows(statement, ["\(position)", "\(bound)", "\(count)"]).first
        guard let rows = row?[0].flatMap({ Int($0) }), let last = row?[1].flatMap({ Int64($0) }) else {
            try note(bound)
            return nil
        }
        try note(last)
        return (last, rows)
    }

    private var columns: String { "id" + (link.map { ", \(PostgreSQLDialect().quoted($0.key))" } ?? "") }

    /// The statement for the rows of a slice.
    private var moving: String {
        guard let link else {
            return "UPDATE \(name) t SET version = t.version FROM slice WHERE t.id = slice.id"
        }
        let dialect = PostgreSQLDialect()
        let key = dialect.quoted(link.key)
        return "INSERT INTO \(dialect.quoted(link.pairs)) (\(dialect.quoted(link.owner)), "
            + "\(dialect.quoted(link.member))) SELECT id, \(key) FROM slice WHERE \(key) IS NOT NULL "
            + "ON CONFLICT DO NOTHING"
    }

    private func note(_ position: Int64) throws {
        _ = try connection.rows(
            "UPDATE coredata.moves SET position = $1::bigint WHERE \"table\" = $2 RETURNING 1",
            ["\(position)", filled])
    }

    /// The statement that has a table's rows be moved anew: it gets columns that none of them has a value in.
    static func beginningAnew(_ table: String) -> String {
        "DELETE FROM coredata.moves WHERE \"table\" = \(PostgreSQLDialect().literal(.string(table)))"
    }

    /// Removes the positions in all tables: no process resumes the move.
    static func forget(on connection: PostgreSQLConnection) throws {
        try connection.execute("DELETE FROM coredata.moves")
    }
}
#endif
