import CSQLite
import Foundation

// SQLite's plan of a SELECT before it runs, and its account of the pages of a file.
extension SQLiteConnection {
    func explain(_ select: SQLSelect) throws -> (text: String, values: [SlotValue], plan: [FetchExplanation.Step]) {
        let printed = SQLPrinter.print(.select(select), in: dialect)
        let statement = try prepare("EXPLAIN QUERY PLAN \(printed.text)")
        // Values may decide which index is taken.
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

    /// Whether a step of a plan goes through a table. `SCAN` also stands for subqueries, and for the order of an index.
    private static func isTableScan(_ step: String) -> Bool {
        step.hasPrefix("SCAN ") && !step.contains("INDEX") && !step.hasPrefix("SCAN (")
            && !step.contains("CONSTANT ROW")
    }

    #if DEBUG
        /// The greatest number of rows through which a statement went without an index since it was last asked for.
        func takeScannedRows() -> Int {
            defer { scannedRows = 0 }
            return scannedRows
        }
    #endif

    /// The pages of tables are counted by a module that not every build of SQLite has.
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
