extension SQLiteConnection {
    private static let probes = 32
    /// The bytes of a row's header and key, and of a column's entry in the header.
    private static let rowOverhead = 8.0
    private static let columnOverhead = 1.0

    /// Estimates the bytes of an average row of a table from a sample, so that the time does not depend on the number
    /// of rows. Nil for an empty table.
    func bytesPerRow(of table: StoreCatalog.Table) throws -> Double? {
        guard table.rows > 0, !table.columns.isEmpty else { return nil }
        let sizes = table.columns.map { column -> String in
            let name = dialect.quoted(column.name)
            return "CASE typeof(\(name)) WHEN 'null' THEN 0 WHEN 'integer' THEN 3 WHEN 'real' THEN 8 "
                + "ELSE LENGTH(\(name)) END"
        }
        let statement = try prepare(
            "SELECT \(sizes.joined(separator: " + ")) FROM \(dialect.quoted(table.name)) "
                + "WHERE _rowid_ >= ? ORDER BY _rowid_ LIMIT 1")
        var total = 0.0
        var count = 0.0
        for probe in 0..<Self.probes {
            statement.bind(1, Int64(1 + probe * table.rows / Self.probes))
            if try statement.step() {
                total += statement.double(0)
                count += 1
            }
            statement.reset()
        }
        guard count > 0 else { return nil }
        return total / count + Self.rowOverhead + Double(table.columns.count) * Self.columnOverhead
    }
}
