import CSQLite
import Foundation

/// A connection to a SQLite file of the tests' own, which sees the file's real content without the library.
///
/// Used by one thread at a time.
public final class RawDatabase {
    private let handle: OpaquePointer
    /// The names of all tables.
    public private(set) var tables: Set<String> = []
    private var columnsByTable: [String: [String]] = [:]

    /// The error, in SQLite's words.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// A value of a column in the form in which the file holds it.
    public enum Value: Hashable, Sendable {
        case null
        case int(Int64)
        case double(Double)
        case text(String)
        case blob(Data)

        public var int: Int64? {
            if case .int(let value) = self { value } else { nil }
        }

        public var isNull: Bool { self == .null }
    }

    /// Opens a file that exists.
    public init(_ url: URL) throws {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(url.path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw Failure(description: "\(url.path): \(String(cString: sqlite3_errstr(code)))")
        }
        handle = opened
        sqlite3_busy_timeout(handle, 60_000)
        tables = Set(try column("SELECT name FROM sqlite_master WHERE type = 'table'").compactMap(Self.text))
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements without results.
    public func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    /// The rows of a statement.
    public func rows(_ sql: String, _ arguments: [Value] = []) throws -> [[Value]] {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK, let statement = prepared else {
            throw failure(sql)
        }
        defer { sqlite3_finalize(statement) }
        for (place, argument) in arguments.enumerated() { bind(argument, Int32(place + 1), statement) }
        var rows: [[Value]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { value(statement, $0) })
            case SQLITE_DONE: return rows
            default: throw failure(sql)
            }
        }
    }

    /// The first column of the rows of a statement.
    public func column(_ sql: String, _ arguments: [Value] = []) throws -> [Value] {
        try rows(sql, arguments).map { $0[0] }
    }

    /// The first value of the first row, as an integer.
    public func integer(_ sql: String, _ arguments: [Value] = []) throws -> Int64? {
        try column(sql, arguments).first?.int
    }

    /// The names of a table's columns.
    public func columns(of table: String) throws -> [String] {
        if let known = columnsByTable[table] { return known }
        let names = try column("SELECT name FROM pragma_table_info(?)", [.text(table)]).compactMap(Self.text)
        columnsByTable[table] = names
        return names
    }

    /// The result of SQLite's own check of the whole file; "ok" when all is well.
    public func integrityCheck() throws -> [String] {
        try column("PRAGMA integrity_check").compactMap(Self.text)
    }

    private static func text(_ value: Value) -> String? {
        if case .text(let text) = value { text } else { nil }
    }

    private func value(_ statement: OpaquePointer, _ column: Int32) -> Value {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .int(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .double(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            let bytes = sqlite3_column_text(statement, column)
            let count = Int(sqlite3_column_bytes(statement, column))
            return .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, column))
            guard count > 0, let bytes = sqlite3_column_blob(statement, column) else { return .blob(Data()) }
            return .blob(Data(bytes: bytes, count: count))
        default: return .null
        }
    }

    private func bind(_ value: Value, _ place: Int32, _ statement: OpaquePointer) {
        // SQLite's own name for "copy the bytes" is a cast that Swift cannot import.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_bind_null(statement, place)
        case .int(let number): sqlite3_bind_int64(statement, place, number)
        case .double(let number): sqlite3_bind_double(statement, place, number)
        case .text(let text): sqlite3_bind_text(statement, place, text, -1, transient)
        case .blob(let data):
            _ = data.withUnsafeBytes { sqlite3_bind_blob(statement, place, $0.baseAddress, Int32($0.count), transient) }
        }
    }

    private func failure(_ sql: String) -> Failure {
        Failure(description: "\(String(cString: sqlite3_errmsg(handle))) in \(sql)")
    }
}
