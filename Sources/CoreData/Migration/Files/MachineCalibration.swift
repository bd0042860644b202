import Foundation

/// The time that SQLite takes on this machine for the kinds of work that migrations consist of.
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

    /// The machine at hand. Where no measurement is possible (no temporary folder), the figures of an ordinary
    /// computer.
    static let current =
        (try? measured())
        ?? MachineCalibration(
            scan: 1e-7, rewrite: 1e-6, index: 1.5e-6, byte: 4e-9, transaction: 0.005)

    private static let sampleRows = 6000

    static func measured() throws -> MachineCalibration {
        let connection = try SQLiteConnection.nameless(in: FileManager.default.temporaryDirectory)
        let sample = table("T", "A", "B")
        try connection.run(.define(.createTable(sample)))
        let insertion = try connection.prepare(.insert(SQLInsert(into: sample.name, sample.columns.map(\.name))))
        try connection.transaction {
            _ = try insertion.run(sampleRows) { row, parameters in
                parameters.bind(1, Int64(row + 1))
                parameters.bind(2, Int64(row + 1))
                parameters.bind(3, "a text of some forty characters, \(row + 1)")
            }
        }
        func seconds(_ statements: SQLStatement...) throws -> Double {
            let start = ContinuousClock.now
            try connection.transaction { for statement in statements { try connection.run(statement) } }
            return (ContinuousClock.now - start) / .seconds(1)
        }
        // The time of an empty commit comes first: the other times less this one are those of the rows.
        let commit = try seconds(.define(.createTable(table("E"))))
        let rows = Double(sampleRows)
        func perRow(_ time: Double) -> Double { max(time - commit, time / 10) / rows }
        let start = ContinuousClock.now
        _ = try connection.integer(SQLSelect([.countAll], of: sample.name, where: .isNull(.column("A"))))
        let scan = perRow((ContinuousClock.now - start) / .seconds(1) + commit)
        let copied = table("U", "A", "B")
        let columns = copied.columns.map(\.name)
        let content = SQLSelect(
            columns.map { .column($0) }, of: sample.name, orderedBy: [.column(SQLSchema.keyColumn)])
        let copy = try perRow(
            seconds(
                .define(.createTable(copied)), .insert(SQLInsert(into: copied.name, columns, .select(content)))))
        let key = SQLIndex(name: "I", table: sample.name, columns: [SQLIndexColumn(name: "A")])
        let index = try perRow(seconds(.define(.createIndex(key))))
        // The sample's rows are about 50 bytes: half of a row's cost is counted by the byte.
        return MachineCalibration(
            scan: scan, rewrite: copy / 2, index: index, byte: copy / 2 / 50, transaction: max(commit, 0.001))
    }

    /// A table with a key and, where their names are given, a column of numbers and one of texts.
    private static func table(_ name: String, _ number: String? = nil, _ text: String? = nil) -> SQLTable {
        var columns = [SQLColumn(name: SQLSchema.keyColumn, type: .integer, isPrimaryKey: true)]
        if let number { columns.append(SQLColumn(name: number, type: .integer)) }
        if let text { columns.append(SQLColumn(name: text, type: .varchar)) }
        return SQLTable(name: name, columns: columns)
    }
}
