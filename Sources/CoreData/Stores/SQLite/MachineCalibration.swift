import Foundation

/// How long SQLite takes on this machine for the kinds of work that migrations consist of.
///
/// Measured once in a process on a small table in the temporary folder, which takes some milliseconds.
struct MachineCalibration: Sendable {
    /// Seconds per row.
    var scan: Double
    var rewrite: Double
    var index: Double
    /// Seconds per byte that is written, beyond the rows' own cost.
    var byte: Double
    /// Seconds for an open, a commit and a close.
    var transaction: Double

    /// The machine at hand. Where nothing can be measured (no temporary folder), the figures of an ordinary computer.
    static let current =
        (try? measured())
        ?? MachineCalibration(
            scan: 1e-7, rewrite: 1e-6, index: 1.5e-6, byte: 4e-9, transaction: 0.005)

    private static let sampleRows = 6000

    static func measured() throws -> MachineCalibration {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("calibration-\(UUID().uuidString)")
        defer { for suffix in ["", "-wal", "-shm"] { unlink(file.path + suffix) } }
        let connection = try SQLiteConnection(path: file.path, access: .create)
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        try connection.execute("CREATE TABLE T (Z_PK INTEGER PRIMARY KEY, A INTEGER, B TEXT)")
        // SQLite has its files open now and needs their names no more. A kill leaves nothing.
        for suffix in ["", "-wal", "-shm"] { unlink(file.path + suffix) }
        let series = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(sampleRows))"
        try connection.execute("\(series) INSERT INTO T SELECT i, i, 'a text of some forty characters, ' || i FROM n")
        func seconds(_ sql: String) throws -> Double {
            let start = ContinuousClock.now
            try connection.execute(sql)
            return (ContinuousClock.now - start) / .seconds(1)
        }
        // An empty commit first: what is left of the others is the rows' own.
        let commit = try seconds("CREATE TABLE E (Z_PK INTEGER)")
        let rows = Double(sampleRows)
        func perRow(_ time: Double) -> Double { max(time - commit, time / 10) / rows }
        let scan = try perRow(seconds("SELECT COUNT(*) FROM T WHERE A IS NULL") + commit)
        let copy = try perRow(seconds("CREATE TABLE U AS SELECT * FROM T ORDER BY Z_PK"))
        let index = try perRow(seconds("CREATE INDEX I ON T (A)"))
        // The sample's rows are about 50 bytes: half of a row's cost is counted by the byte.
        return MachineCalibration(
            scan: scan, rewrite: copy / 2, index: index, byte: copy / 2 / 50, transaction: max(commit, 0.001))
    }
}
