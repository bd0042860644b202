import Foundation

// Compares two databases that should be the same.
extension SQLiteConnection {
    /// The differences of another database from this one: in its definitions, and the first one in each table.
    ///
    /// - Parameters:
    ///   - columns: The names of columns to leave out, each as table and column with a point between.
    ///   - isSame: Decides whether two blobs of a table's column mean the same although their bytes differ.
    func differences(
        to other: SQLiteConnection, leavingOut columns: Set<String>,
        _ isSame: (_ table: String, _ mine: Data, _ others: Data) -> Bool
    ) throws -> [String] {
        let (mine, others) = (Set(try definitions()), Set(try other.definitions()))
        var differences =
            mine.subtracting(others).sorted().map { "- \($0)" } + others.subtracting(mine).sorted().map { "+ \($0)" }
        if !differences.isEmpty { return differences }
        for table in try tables() {
            if let difference = try difference(of: table, to: other, leavingOut: columns, isSame) {
                differences.append(difference)
            }
        }
        return differences
    }

    private func lines(_ sql: String) throws -> [String] {
        let statement = try prepare(sql)
        var lines: [String] = []
        while try statement.step() { lines.append(statement.string(0)) }
        return lines
    }

    private func definitions() throws -> [String] {
        try lines("SELECT type || ' ' || name || coalesce(': ' || sql, '') FROM sqlite_master")
    }

    private func tables() throws -> [String] {
        try lines("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name")
    }

    private func difference(
        of table: String, to other: SQLiteConnection, leavingOut columns: Set<String>,
        _ isSame: (_ table: String, _ mine: Data, _ others: Data) -> Bool
    ) throws -> String? {
        let select = "SELECT * FROM \(dialect.quoted(table))"
        let (mine, others) = (try prepare(select), try other.prepare(select))
        var row = 0
        while true {
            let (isThere, isThereToo) = (try mine.step(), try others.step())
            if isThere != isThereToo { return "\(table): \(isThere ? "fewer" : "more") rows than \(row)" }
            if !isThere { return nil }
            row += 1
            for column in 0..<mine.columnCount {
                let name = mine.columnName(column)
                let (value, other) = (mine.slotValue(column), others.slotValue(column))
                if value == other || columns.contains("\(table).\(name)") { continue }
                if case .data(let value) = value, case .data(let other) = other, isSame(table, value, other) {
                    continue
                }
                return "\(table), row \(row), \(name): \(other) instead of \(value)"
            }
        }
    }
}
