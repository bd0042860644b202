import CSQLite
import Foundation

/// SQLite's constant for "the bytes stay where they are until the statement is reset".
private let staticBytes: sqlite3_destructor_type? = nil
/// SQLite's constant for "copy the bytes now".
private let transientBytes = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// A prepared statement: bind values by number (from 1), step, read columns by number (from 0).
///
/// It is used on the thread that uses its connection. A statement that is finalised late keeps its connection open.
final class SQLiteStatement: SQLPreparedStatement, SQLParameters, SQLRow {
    let handle: OpaquePointer
    unowned(unsafe) let connection: SQLiteConnection
    /// Values that every run binds, the number of parameters before them, and whether they are replaced after one run.
    @exclusivity(unchecked) private var constants: [SlotValue] = []
    private var parameterCount = 0
    private var isForOneRun = false
    /// SQLite's error for a value that it did not accept, because memory is short or the value is too long. Without
    /// this check the statement would run with NULL instead of the value.
    private var refusedValue: Int32 = SQLITE_OK

    /// A value of a row whose bytes go behind the slots of a snapshot. It is found when the bytes are counted, and used
    /// when they are copied. Its type is SQLite's; NULL if there is no value.
    struct TailValue {
        var value: OpaquePointer?
        var type: Int32
        var count: Int32
    }
    /// Memory for such values of one row: one for each column, allocated at first use. A statement is used by one
    /// thread at a time, and no row is read during the reading of another one.
    var tailValues: UnsafeMutablePointer<TailValue> {
        if let madeTailValues { return madeTailValues }
        let made = UnsafeMutablePointer<TailValue>.allocate(capacity: max(1, columnCount))
        madeTailValues = made
        return made
    }
    @exclusivity(unchecked) private var madeTailValues: UnsafeMutablePointer<TailValue>?

    init(handle: OpaquePointer, connection: SQLiteConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit {
        madeTailValues?.deallocate()
        sqlite3_finalize(handle)
    }

    var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }
    var columnCount: Int { Int(sqlite3_column_count(handle)) }

    func columnName(_ column: Int) -> String {
        sqlite3_column_name(handle, Int32(column)).map { String(cString: $0) } ?? ""
    }

    // MARK: Running

    /// Steps to the next row; returns false if there is none. After an error the statement is reset.
    @inline(__always)
    func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw failure(code)
    }

    func set(constants: [SlotValue], behind parameterCount: Int, isForOneRun: Bool = false) {
        self.constants = constants
        self.parameterCount = parameterCount
        self.isForOneRun = isForOneRun
    }

    private func bindConstants() {
        for (place, value) in constants.enumerated() { bind(parameterCount + place + 1, value) }
    }

    func run(
        _ count: Int, isTried: Bool, _ bind: (_ row: Int, _ parameters: any SQLParameters) throws -> Void
    ) throws -> SQLOutcome {
        var outcome = SQLOutcome()
        try connection.requireTransaction()
        if !constants.isEmpty { bindConstants() }
        // Pointers that were bound without a copy must not outlive their bytes.
        defer { sqlite3_clear_bindings(handle) }
        for row in 0..<count {
            try bind(row, self)
            try requireValues()
            let code = sqlite3_step(handle)
            if code == SQLITE_DONE || code == SQLITE_ROW {
                sqlite3_reset(handle)
                let changed = Int(sqlite3_changes(connection.handle))
                outcome.changed += changed
                if changed == 0 { outcome.withoutEffect.append(row) }
            } else {
                let failure = failure(code)
                guard isTried, failure.isUniqueness else { throw failure }
                outcome.violations.append((row, failure))
            }
        }
        return outcome
    }

    func select(_ bind: (any SQLParameters) throws -> Void, _ body: (any SQLRow) throws -> Bool) throws {
        try reading(bind) {
            while try step() {
                guard try body(self) else { return }
            }
        }
    }

    /// Runs a body that steps through the rows, then resets the statement. A cached statement keeps no large values of
    /// a fetch that is over.
    @inline(__always)
    func reading(_ bind: (any SQLParameters) throws -> Void, _ body: () throws -> Void) throws {
        if !constants.isEmpty { bindConstants() }
        defer {
            reset()
            if isForOneRun, !constants.isEmpty {
                sqlite3_clear_bindings(handle)
                constants = []
            }
        }
        try bind(self)
        try requireValues()
        try body()
    }

    @inline(__always)
    private func note(_ code: Int32) {
        if code == SQLITE_NOMEM || code == SQLITE_TOOBIG { refusedValue = code }
    }

    /// Throws if SQLite did not accept a value.
    @inline(__always)
    private func requireValues() throws {
        if refusedValue != SQLITE_OK { throw refusal() }
    }

    private func refusal() -> SQLiteError {
        let error = connection.error(refusedValue, sql: sql)
        refusedValue = SQLITE_OK
        sqlite3_clear_bindings(handle)
        return error
    }

    private func failure(_ code: Int32) -> SQLiteError {
        let error = connection.error(code, sql: sql)
        sqlite3_reset(handle)
        return error
    }

    /// Makes the statement ready to run again and ends its implicit read transaction. Bound values stay.
    @inline(__always)
    func reset() {
        sqlite3_reset(handle)
        #if DEBUG
        let rows = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1)
        connection.scannedRows = max(connection.scannedRows, Int(rows))
        #endif
    }

    // MARK: Binding

    @inline(__always)
    func bindNull(_ position: Int) { sqlite3_bind_null(handle, Int32(position)) }

    @inline(__always)
    func bind(_ position: Int, _ value: Int64) { sqlite3_bind_int64(handle, Int32(position), value) }

    @inline(__always)
    @discardableResult
    func bind(_ position: Int, _ value: Double) -> Bool {
        sqlite3_bind_double(handle, Int32(position), value)
        return true
    }

    /// Binds text that stays in place until the statement is reset.
    @inline(__always)
    @discardableResult
    func bindText(_ position: Int, at bytes: UnsafeRawBufferPointer) -> Bool {
        if let base = bytes.baseAddress {
            note(
                sqlite3_bind_text64(
                    handle, Int32(position), base.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), staticBytes,
                    UInt8(SQLITE_UTF8)))
        } else {
            sqlite3_bind_text(handle, Int32(position), "", 0, transientBytes)
        }
        return true
    }

    /// Binds bytes that stay in place until the statement is reset.
    @inline(__always)
    @discardableResult
    func bindBlob(_ position: Int, at bytes: UnsafeRawBufferPointer) -> Bool {
        if let base = bytes.baseAddress, bytes.count > 0 {
            note(sqlite3_bind_blob64(handle, Int32(position), base, UInt64(bytes.count), staticBytes))
        } else {
            sqlite3_bind_zeroblob(handle, Int32(position), 0)
        }
        return true
    }

    func bind(_ position: Int, _ value: String) {
        var value = value
        value.withUTF8 { bytes in
            if let base = bytes.baseAddress {
                base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    note(
                        sqlite3_bind_text64(
                            handle, Int32(position), $0, UInt64(bytes.count), transientBytes, UInt8(SQLITE_UTF8)))
                }
            } else {
                note(sqlite3_bind_text(handle, Int32(position), "", 0, transientBytes))
            }
        }
    }

    func bind(_ position: Int, _ value: Data) {
        value.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress, bytes.count > 0 {
                note(
                    sqlite3_bind_blob64(
                        handle, Int32(position), base, UInt64(bytes.count), transientBytes))
            } else {
                sqlite3_bind_zeroblob(handle, Int32(position), 0)
            }
        }
    }

    func bind(_ position: Int, list: [Int64]) { bind(position, list.jsonArray) }

    /// Binds a decimal as a number: as an integer if it is one, otherwise as the nearest double. NaN is bound as text.
    func bind(_ position: Int, decimal: Decimal) {
        let number = DecimalStorage.number(decimal)
        switch number {
        case .integer(let integer): bind(position, integer)
        case .real(let real): bind(position, real)
        case .notANumber: bind(position, DecimalStorage.notANumber)
        }
    }

    // MARK: Reading

    /// The column's value, which is valid until the next step. Reading through it skips the checks of
    /// `sqlite3_column_…`, which is allowed because only one thread at a time uses the connection.
    @inline(__always)
    func value(_ column: Int32) -> OpaquePointer? { sqlite3_column_value(handle, column) }

    @inline(__always)
    func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

    @inline(__always)
    func type(_ column: Int) -> Int32 { sqlite3_column_type(handle, Int32(column)) }

    @inline(__always)
    func int64(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

    @inline(__always)
    func double(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

    func string(_ column: Int) -> String {
        let value = sqlite3_column_value(handle, Int32(column))
        let type = sqlite3_value_type(value)
        // The count is requested first, which converts a text to UTF-8. A text is then read as a blob, so that SQLite
        // does not copy it to add a zero byte.
        if type == SQLITE_TEXT {
            let count = Int(sqlite3_value_bytes(value))
            guard count > 0, let text = sqlite3_value_blob(value) else { return "" }
            return String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)
        }
        guard let text = sqlite3_value_text(value) else { return "" }
        let count = Int(sqlite3_value_bytes(value))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    func data(_ column: Int) -> Data {
        guard let bytes = sqlite3_column_blob(handle, Int32(column)) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, Int32(column))))
    }

    func slotValue(_ column: Int) -> SlotValue {
        switch type(column) {
        case SQLITE_INTEGER: .int(int64(column))
        case SQLITE_FLOAT: .double(double(column))
        case SQLITE_TEXT: .string(string(column))
        case SQLITE_BLOB: .data(data(column))
        default: .null
        }
    }
}
