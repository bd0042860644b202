import Foundation
import MacCheckKit
import TestSupport

/// The tables, indexes and triggers of a SQLite file.
enum SchemaText {
    /// A line for each of them, with its statement.
    static func lines(of url: URL) throws -> [String] {
        // A copy: SQLite writes beside a file with a log, also for reading.
        try withTemporaryFolder { folder in
            let copy = folder.appendingPathComponent(url.lastPathComponent)
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
                try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.path + suffix)
            }
            let rows = try RawDatabase(copy).rows("SELECT type, name, sql FROM sqlite_master WHERE sql NOT NULL")
            return rows.compactMap { row in
                guard case .text(let type) = row[0], case .text(let name) = row[1], case .text(let sql) = row[2] else {
                    return nil
                }
                return "\(type) \(name): \(sql.split(whereSeparator: \.isWhitespace).joined(separator: " "))"
            }.sorted()
        }
    }
}
