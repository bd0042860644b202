import CSQLite
import Foundation

// SQLite's query plan of a SELECT, and its count of the pages of a file.
extension SQLiteConnection {
    func explain(_ select: SQLSelect) throws -> (text: String, values: [SlotValue], plan: [FetchExplanation.Step]) {
        let printed = SQLPrinter.print(.select(select), in: dialect)
        let statement = try prepare("EXPLAIN QUERY PLAN \(printed.text)")
        // Values may decide which index SQLite chooses.
        statement.set(constants: printed.values, behind: printed.parameterCount)
        var depths: [Int64: Int] = [:]
        var steps: [FetchExplanation.Step] = []
        try statement.rows { row in
            let depth = depths[row.int64(1)].map { $0 + 1 } ?? 0
            depths[row.int64(0)] = depth
            let text = row.string(3)
            steps.append(.init(depth: depth, text: text, readsWholeTable: Self.isTableScan(text)))
        }
        return (printed.text, printed.values, steps)
    }

    /// Whether a step of a plan scans a table. `SCAN` also stands for subqueries, and for the order of an index.
    private static func isTableScan(_ step: String) -> Bool {
        step.hasPrefix("SCAN ") && !step.contains("INDEX") && !step.hasPrefix("SCAN (")
            && !step.contains("CONSTANT ROW")
    }

    #if DEBUG
    /// Returns the greatest number of rows that one statement scanned without an index since the last call.
    func takeScannedRows() -> Int {
        defer { scannedRows = 0 }
        return scannedRows
    }
    #endif

    /// The pages of tables are counted by the module `dbstat`, which some builds of SQLite lack.
    func sizes(ofTables names: [String]) throws -> [String: Int64] {
        guard
            let statement = try? prepare(
                """
                SELECT m.tbl_name, SUM(s.pgsize) FROM dbstat s JOIN sqlite_master m ON m.name = s.name \
                WHERE s.aggregate = TRUE GROUP BY m.tbl_name
                """)
        else { return [:] }
        var sizes: [String: Int64] = [:]
        let wanted = Set(names)
        try statement.rows { row in
            let name = row.string(0)
            if wanted.contains(name) { sizes[name] = row.int64(1) }
        }
        return sizes
    }

    func damage(atMost lines: Int) throws -> [String]? {
        var found: [String] = []
        try prepare("PRAGMA quick_check(\(lines))").rows { found.append($0.string(0)) }
        if found == ["ok"] { found = [] }
        if access != .memory, access != .sharedMemory {
            found += SQLiteFault.faultsOfLog(of: SQLiteStoreFiles(URL(fileURLWithPath: path)))
        }
        return found
    }
}
