import Foundation

extension SQLiteConnection {
    /// Returns the names of the external files that the values of a column refer to.
    func externalFileNames(in column: String, of table: String) throws -> Set<String> {
        Set(try externalFiles(in: column, of: table).map(\.name))
    }

    /// Returns the names of the external files that the values of a column refer to, with the keys of the rows.
    func externalFiles(in column: String, of table: String) throws -> [(key: Int64, name: String)] {
        let dialect = SQLiteDialect()
        let (table, column) = (dialect.quoted(table), dialect.quoted(column))
        let statement = try prepare(
            "SELECT _rowid_, CAST(substr(\(column), 2, 36) AS TEXT) FROM \(table) "
                + "WHERE typeof(\(column)) = 'blob' AND substr(\(column), 1, 1) = x'02'")
        var files: [(key: Int64, name: String)] = []
        try statement.rows { files.append(($0.int64(0), $0.string(1))) }
        return files
    }
}
