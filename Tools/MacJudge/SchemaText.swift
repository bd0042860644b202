import Foundation
import MacCheckKit
import TestSupport

/// The tables, indexes and triggers of a SQLite file.
enum SchemaText {
    /// A line for each index and trigger, with its statement, and for each column and constraint of a table.
    ///
    /// So a table to which another version of the framework adds columns, as to those of history, has all former lines.
    static func lines(of url: URL) throws -> [String] {
        // A copy: SQLite writes beside a file with a log, also for reading.
        try withTemporaryFolder { folder in
            let copy = folder.appendingPathComponent(url.lastPathComponent)
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
                try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.path + suffix)
            }
            let rows = try RawDatabase(copy).rows("SELECT type, name, sql FROM sqlite_master WHERE sql NOT NULL")
            return rows.flatMap { row -> [String] in
                guard case .text(let type) = row[0], case .text(let name) = row[1], case .text(let sql) = row[2] else {
                    return []
                }
                let text = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                let parts = type == "table" ? columns(text) : [text]
                return parts.map { "\(type) \(name): \($0)" }
            }.sorted()
        }
    }

    private static func columns(_ statement: String) -> [String] {
        guard let start = statement.firstIndex(of: "("), let end = statement.lastIndex(of: ")") else {
            return [statement]
        }
        return statement[statement.index(after: start)..<end].split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }
}
