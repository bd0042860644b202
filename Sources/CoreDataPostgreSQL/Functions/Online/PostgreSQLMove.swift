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
        if let script = connection.script { return try record(in: script) }
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

    /// The statement that notes where the rows begin, and where those end that the trigger has not seen.
    private var beginning: String {
        """
        INSERT INTO coredata.moves ("table", version, position, bound) \
        SELECT \(literal), \(version), 0, coalesce(max(id), 0) FROM \(name) ON CONFLICT ("table") DO UPDATE \
        SET version = excluded.version, position = 0, bound = excluded.bound \
        WHERE coredata.moves.version <> excluded.version
        """
    }

    private var literal: String { PostgreSQLDialect().literal(.string(filled)) }

    /// Records the statements. The one for a slice finds by itself how far the move is.
    private func record(in script: PostgreSQLScript) throws {
        try shortLockTransaction.run([beginning])
        func noted(_ column: String) -> String {
            "(SELECT \(column) FROM coredata.moves WHERE \"table\" = \(literal))"
        }
        script.add(PostgreSQLConnection.beginning)
        script.add(Self.settings)
        script.addRepeated(slice(after: noted("position"), upTo: noted("bound"), "\(Self.first)"))
        script.add(PostgreSQLDialect().transaction.commit)
    }

    /// A slice that is lost with the server is moved once more, so the commit need not wait for the disk.
    private static let settings =
        "SET LOCAL synchronous_commit = off; SELECT set_config('coredata.writer', 'framework', true), "
        + "set_config('coredata.moving', 'on', true), set_config('coredata.linking', 'on', true)"

    /// The statement that moves a slice, and notes how far the move is. It returns the number of rows and the last key.
    private func slice(after position: String, upTo bound: String, _ count: String) -> String {
        """
        WITH slice AS (SELECT \(columns) FROM \(name) WHERE id > \(position) AND id <= \(bound) \
        ORDER BY id LIMIT \(count) FOR NO KEY UPDATE), moved AS (\(moving)), noted AS (UPDATE coredata.moves \
        SET position = coalesce((SELECT max(id) FROM slice), \(bound)) WHERE "table" = \(literal)) \
        SELECT count(*), max(id) FROM slice
        """
    }

    /// The key to begin after, and the last key of a row that the trigger has not seen.
    private func begin() throws -> (position: Int64, bound: Int64) {
        return try shortLockTransaction.transaction {
            _ = try connection.rows(beginning + " RETURNING 1")
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
        try connection.execute(Self.settings)
        let statement = slice(after: "$1::bigint", upTo: "$2::bigint", "$3::bigint")
        let row = try connection.rows(statement, ["\(position)", "\(bound)", "\(count)"]).first
        guard let rows = row?[0].flatMap({ Int($0) }), let last = row?[1].flatMap({ Int64($0) }) else { return nil }
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
