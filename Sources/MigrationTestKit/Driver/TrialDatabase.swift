import CSQLite
import Foundation

/// Reads a store that no process has open by SQL.
final class TrialDatabase {
    private var handle: OpaquePointer?
    private let path: String

    init(_ url: URL) throws {
        path = url.path
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { throw failure() }
        sqlite3_busy_timeout(handle, 10_000)
    }

    deinit { sqlite3_close_v2(handle) }

    /// The damage of a store's file in SQLite's words; empty for a whole file, and for a database.
    static func damage(in url: URL) throws -> [String] { url.isFileURL ? try Self(url).damage() : [] }

    private func damage() throws -> [String] {
        let found = try rows("PRAGMA integrity_check").map { $0[0] }
        return found == ["ok"] ? [] : found
    }

    /// A line for each table, index, trigger and number of an entity.
    func schema() throws -> [String] {
        var lines: [String] = []
        let tables = try rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ).map { $0[0] }
        for table in tables {
            let columns = try rows("PRAGMA table_info(\"\(table)\")").map { "\($0[1]) \($0[2]) \($0[5])" }
            lines.append("table \(table): \(columns.sorted().joined(separator: ", "))")
            for index in try rows("PRAGMA index_list(\"\(table)\")") where !index[1].hasPrefix("sqlite_") {
                let columns = try rows("PRAGMA index_info(\"\(index[1])\")").map { $0[2] }
                lines.append("index \(index[1]) unique \(index[2]): \(columns.joined(separator: ", "))")
            }
        }
        lines += try rows("SELECT name FROM sqlite_master WHERE type = 'trigger'").map { "trigger \($0[0])" }
        if tables.contains("Z_PRIMARYKEY") {
            // The tables of the history get their numbers with the first change, not with the store.
            let numbers = "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT NOT BETWEEN 16001 AND 16003"
            lines += try rows(numbers).map {
                "entity \($0.joined(separator: " "))"
            }
        }
        return lines
    }

    /// All rows as text; NULL is "-".
    private func rows(_ sql: String) throws -> [[String]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure() }
        defer { sqlite3_finalize(statement) }
        var rows: [[String]] = []
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return rows }
            guard code == SQLITE_ROW else { throw failure() }
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "-"
                })
        }
    }

    private func failure() -> any Error {
        let text = handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "cannot be opened"
        return CocoaError(
            .fileReadCorruptFile, userInfo: [NSFilePathErrorKey: path, NSLocalizedDescriptionKey: "\(path): \(text)"])
    }
}
