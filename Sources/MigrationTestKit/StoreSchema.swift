import CSQLite
import Foundation

/// What a store's file looks like, apart from its rows: tables, indexes, triggers, the numbers of entities.
///
/// The order of columns is left out: a migration adds columns at the end.
public struct StoreSchema: Equatable, CustomStringConvertible, Sendable {
    /// One line for each thing, sorted.
    public let lines: [String]

    /// Reads the schema of a store that nobody has open.
    public init(of url: URL) throws {
        let database = try TrialDatabase(url)
        var lines: [String] = []
        let tables = try database.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ).map { $0[0] }
        for table in tables {
            let columns = try database.rows("PRAGMA table_info(\"\(table)\")").map { "\($0[1]) \($0[2]) \($0[5])" }
            lines.append("table \(table): \(columns.sorted().joined(separator: ", "))")
            for index in try database.rows("PRAGMA index_list(\"\(table)\")") where !index[1].hasPrefix("sqlite_") {
                let columns = try database.rows("PRAGMA index_info(\"\(index[1])\")").map { $0[2] }
                lines.append("index \(index[1]) unique \(index[2]): \(columns.joined(separator: ", "))")
            }
        }
        lines += try database.rows("SELECT name FROM sqlite_master WHERE type = 'trigger'").map { "trigger \($0[0])" }
        if tables.contains("Z_PRIMARYKEY") {
            lines += try database.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY").map {
                "entity \($0.joined(separator: " "))"
            }
        }
        self.lines = lines.sorted()
    }

    /// The schema that a new store of a version has, made for a moment in a folder.
    init(ofNewStoreOf version: ModelVersion, in folder: URL) throws {
        let url = folder.appendingPathComponent("Fresh.sqlite")
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        }
        try TrialStore.open(url, version.freshModel()) { _ in }
        try self.init(of: url)
    }

    /// What differs from another schema: a minus for what only this one has, a plus for what only the other has.
    public func difference(from other: StoreSchema) -> [String] {
        let (mine, theirs) = (Set(lines), Set(other.lines))
        return lines.filter { !theirs.contains($0) }.map { "- \($0)" }
            + other.lines.filter { !mine.contains($0) }.map { "+ \($0)" }
    }

    public var description: String { lines.joined(separator: "\n") }
}

/// SQL on a store that nobody has open, for reading.
final class TrialDatabase {
    private var handle: OpaquePointer?
    private let path: String

    init(_ url: URL) throws {
        path = url.path
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { throw failure() }
        sqlite3_busy_timeout(handle, 10_000)
    }

    deinit { sqlite3_close_v2(handle) }

    /// All rows as text; NULL is "-".
    func rows(_ sql: String) throws -> [[String]] {
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
