// Implementation notes: Stores/SQLite/Driver.
//
// - All statements in SQLite's own syntax stand in this folder, as methods with plain names
//   (`SQLiteConnection+Settings`). Callers name the settings.
// - A SQLite file holds programs: triggers, views and indexes. Each connection restricts what they can execute
//   (`SQLiteConnection+Distrust`). The framework's functions are for statements only, so a schema can call only
//   SQLite's harmless functions.
// - SQLite counts FTS and R-tree tables as parts of a trusted schema. So the writer of a file with such indexes keeps
//   that switch on (`trustIndexTables`).
// - A request may have a limit of processor time (`ProcessorDeadline`). SQLite checks the limit between its steps.
//   Regular expressions and wildcard patterns check it within theirs.
// - Values are bound and read through existentials of the module, which costs up to two percent of a work's
//   instructions. Whole rows become snapshots within the driver (`SQLiteStatement+Snapshots`).
// - `SQLiteConnection` opens no file that has something other than a regular file beside it (`FileKind`).

import CSQLite
import Foundation

/// One connection to a SQLite file, with its prepared statements.
///
/// The connection has no lock of its own (SQLITE_OPEN_NOMUTEX): its owner uses it from one thread at a time. Only
/// `interrupt()` may be called from any thread.
// @unchecked Sendable: used by one thread at a time; its owner holds a lock around it.
final class SQLiteConnection: SQLConnection, @unchecked Sendable {
    enum Access {
        /// Reads only. Fails if the file is missing.
        case readOnly
        /// Reads a file that no process changes, without locks, -wal and -shm.
        case immutable
        /// Reads a file with a -wal and a -shm that no process may write. The -shm stays unchanged, too.
        case readOnlySharedMemory
        /// Reads and writes. Fails if the file is missing.
        case readWrite
        /// Reads and writes, and creates the file if it is missing.
        case create
        /// A private store in memory.
        case memory
        /// A store in memory that all connections of the process to this path share.
        case sharedMemory
    }

    let handle: OpaquePointer
    let path: String
    let access: Access
    /// The time for which statements wait for the locks of other connections.
    private let busyMilliseconds: Int32
    // Unchecked, as the statements: each fetch uses them, on the only thread that uses the connection.
    @exclusivity(unchecked) var readSince: RowCache.Moment?
    #if DEBUG
    /// The greatest number of rows that one statement scanned without an index; `takeScannedRows` resets it.
    var scannedRows = 0
    #endif
    @exclusivity(unchecked) private var statementsByPlan: [SQLPlan: SQLiteStatement] = [:]
    /// The statement of the latest fetch, by its number in `KnownFetches`.
    @exclusivity(unchecked) private var latestFetch: (number: Int, statement: SQLiteStatement)?
    /// Single-row statements by root index, because firing one fault is the hot path.
    @exclusivity(unchecked) private var rowStatements: [SQLiteStatement?] = []
    @exclusivity(unchecked) private var schemaVersionStatement: SQLiteStatement?
    /// Each save begins and commits a transaction, so these statements are parsed once.
    @exclusivity(unchecked) private var beginStatement: SQLiteStatement?
    @exclusivity(unchecked) private var commitStatement: SQLiteStatement?

    /// Opens the connection. Opening does not read or write a regular file.
    ///
    /// - Parameter isOneMore: Whether another connection has the file open. The files beside it belong to that
    ///   connection, even if a process has given them a second name since.
    init(path: String, access: Access, busyTimeout: TimeInterval = 240, isOneMore: Bool = false) throws {
        // Opening a pipe waits for its other end, and beside an empty database SQLite removes a file that has the name
        // of its -wal.
        let isFile = access != .memory && access != .sharedMemory
        let url = URL(fileURLWithPath: path)
        let isNew = access == .create && FileKind(at: url, followsLinks: true) == nil
        if isFile {
            // A file that is read as it is needs no lock either.
            let isWritten = access != .immutable && access != .readOnlySharedMemory && !isOneMore
            try SQLiteStoreFiles(url).requireOwnFiles(.fileReadCorruptFile, isWritten: isWritten)
        }
        if access == .create || access == .readWrite { WriteFailure.survivesSizeLimit }
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var name = path
        switch access {
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .immutable:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            name = Self.uri(path: path) + "?immutable=1"
        case .readOnlySharedMemory:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            name = Self.uri(path: path) + "?readonly_shm=1"
        case .readWrite: flags |= SQLITE_OPEN_READWRITE
        case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .memory:
            flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
            name = ":memory:"
        case .sharedMemory:
            flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
            name = Self.uri(path: path) + "?vfs=memdb"
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags, isFile ? SQLiteFileGuard.name : nil)
        guard code == SQLITE_OK, let opened else {
            var message = String(cString: sqlite3_errstr(code))
            var extended = code
            var systemError: Int32 = 0
            if let opened {
                message = String(cString: sqlite3_errmsg(opened))
                extended = sqlite3_extended_errcode(opened)
                systemError = sqlite3_system_errno(opened)
                sqlite3_close_v2(opened)
            }
            throw SQLiteError(code: extended, message: message, path: path, systemError: systemError)
        }
        handle = opened
        self.path = path
        self.access = access
        busyMilliseconds = Int32(clamping: Int(busyTimeout.boundedTime * 1000))
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, busyMilliseconds)
        distrustFile()
        if isNew { FilePermissions.limit(url) }
    }

    deinit {
        finalizeStatements()
        sqlite3_close_v2(handle)
    }

    /// A `file:` URI that SQLite decodes to exactly this path.
    private static func uri(path: String) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "/-_.~")
        return "file:" + (path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path)
    }

    /// Runs a body that waits for the locks of other connections at most this long.
    func waiting<Result>(milliseconds: Int32, _ body: () throws -> Result) rethrows -> Result {
        sqlite3_busy_timeout(handle, milliseconds)
        defer { sqlite3_busy_timeout(handle, busyMilliseconds) }
        return try body()
    }

    /// Throws if the file can only be read. SQLite opens such a file read-only without an error.
    func requireWritable(at url: URL) throws {
        if sqlite3_db_readonly(handle, "main") == 1 {
            throw NSError.coreData(
                CocoaError.Code.fileWriteNoPermission.rawValue,
                reason: "The file “\(url.lastPathComponent)” couldn’t be opened because you don’t have permission to "
                    + "write it. Open it with NSReadOnlyPersistentStoreOption to read it.", url: url)
        }
    }

    /// Finalises all cached statements: before the schema changes, and before closing.
    func finalizeStatements() {
        statementsByPlan = [:]
        latestFetch = nil
        rowStatements = []
        schemaVersionStatement = nil
        beginStatement = nil
        commitStatement = nil
    }

    // MARK: Running

    /// Runs one or more statements without values and without results.
    func execute(_ sql: String) throws {
        try requireTransaction()
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code, sql: sql) }
    }

    /// Prepares a statement that is not cached.
    func prepare(_ sql: String, persistent: Bool = false) throws -> SQLiteStatement {
        var statement: OpaquePointer?
        let flags: UInt32 = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let code = sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code, sql: sql) }
        return SQLiteStatement(handle: statement, connection: self)
    }

    /// Returns the statement of a plan, which is prepared once and then cached.
    func statement(_ plan: SQLPlan, _ make: () throws -> SQLStatement) throws -> any SQLPreparedStatement {
        guard case .fetch(let number) = plan else { return try known(plan, make) }
        // A program often repeats one fetch, whose statement is found without a hash.
        if let latestFetch, latestFetch.number == number { return latestFetch.statement }
        let statement = try known(plan, make)
        latestFetch = (number, statement)
        return statement
    }

    private func known(_ plan: SQLPlan, _ make: () throws -> SQLStatement) throws -> SQLiteStatement {
        if let statement = statementsByPlan[plan] { return statement }
        let printed = SQLPrinter.print(try make(), in: SQLiteDialect())
        return try keep(plan, printed)
    }

    func statement(_ select: SQLSelect) throws -> any SQLPreparedStatement {
        var printed = SQLPrinter(dialect: SQLiteDialect())
        printed.print(select)
        let plan = SQLPlan.text(printed.text)
        let known = try statementsByPlan[plan] ?? keep(plan, printed)
        known.set(constants: printed.values, behind: 0, isForOneRun: true)
        return known
    }

    func rowStatement(root: Int, _ make: () throws -> SQLStatement) throws -> any SQLPreparedStatement {
        if root < rowStatements.count, let statement = rowStatements[root] { return statement }
        while rowStatements.count <= root { rowStatements.append(nil) }
        let statement = try prepare(SQLPrinter.print(try make(), in: SQLiteDialect()).text, persistent: true)
        rowStatements[root] = statement
        return statement
    }

    func prepare(_ statement: SQLStatement) throws -> any SQLPreparedStatement {
        let printed = SQLPrinter.print(statement, in: SQLiteDialect())
        let prepared = try prepare(printed.text)
        prepared.set(constants: printed.values, behind: printed.parameterCount)
        return prepared
    }

    func tableNames() throws -> Set<String> {
        var names: Set<String> = []
        // Virtual tables have no root page. Their rows come from a module.
        let statement = try prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
        try statement.rows { names.insert($0.string(0)) }
        return names
    }

    /// The names of the virtual tables, whose rows a SQLite module keeps.
    func virtualTableNames() throws -> [String] {
        var names: [String] = []
        let statement = try prepare(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'")
        try statement.rows { names.append($0.string(0)) }
        return names
    }

    func columnNames(of table: String) throws -> [String] {
        var names: [String] = []
        try prepare("SELECT name FROM pragma_table_info(?)").rows({ $0.bind(1, table) }) { names.append($0.string(0)) }
        return names
    }

    func isKey(_ column: String, of table: String) throws -> Bool {
        let statement = try prepare("SELECT name, type FROM pragma_table_info(?) WHERE pk > 0")
        var columns: [(name: String, type: String)] = []
        try statement.rows({ $0.bind(1, table) }) { columns.append(($0.string(0), $0.string(1).uppercased())) }
        guard columns.count == 1 else { return false }
        return columns[0].name.caseInsensitiveCompare(column) == .orderedSame && columns[0].type.contains("INT")
    }

    /// Whether a column is the row id by which SQLite finds a table's rows, so that a record does not hold it among its
    /// values.
    func isRowNumber(_ column: String, of table: String) throws -> Bool {
        let statement = try prepare(
            "SELECT upper(type) = 'INTEGER' AND pk = 1 AND (SELECT count(*) FROM pragma_table_info(?1) WHERE pk > 0) = 1 "
                + "AND (SELECT NOT wr FROM pragma_table_list(?1) LIMIT 1) FROM pragma_table_info(?1) "
                + "WHERE name = ?2 COLLATE NOCASE")
        return try statement.first({
            $0.bind(1, table)
            $0.bind(2, column)
        }) { $0.int64(0) != 0 } ?? false
    }

    /// Whether the rows of a table have no row ids (WITHOUT ROWID). Such rows lie in a tree of index pages.
    func hasNoRowNumbers(_ table: String) throws -> Bool {
        try prepare("SELECT wr FROM pragma_table_list(?) LIMIT 1").first({ $0.bind(1, table) }) { $0.int64(0) != 0 }
            ?? false
    }

    func schemaVersion() throws -> Int64 {
        if schemaVersionStatement == nil {
            schemaVersionStatement = try prepare("PRAGMA schema_version", persistent: true)
        }
        return try schemaVersionStatement?.first { $0.int64(0) } ?? 0
    }

    private func keep(_ plan: SQLPlan, _ printed: SQLPrinter) throws -> SQLiteStatement {
        // Plans come from a few shapes for each entity, but the texts of fetches could grow without end.
        if statementsByPlan.count >= 512 {
            latestFetch = nil
            statementsByPlan = statementsByPlan.filter { !$0.key.isText }
            if statementsByPlan.count >= 2048 { statementsByPlan = [:] }
        }
        let statement = try prepare(printed.text, persistent: true)
        statement.set(constants: printed.values, behind: printed.parameterCount)
        statementsByPlan[plan] = statement
        return statement
    }

    /// The first column of the first row as an integer; nil if there is no row or the value is NULL.
    func integer(_ sql: String) throws -> Int64? {
        let statement = try prepare(sql)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.int64(0)
    }

    /// The first column of the first row as text; nil if there is no row or the value is NULL.
    func text(_ sql: String) throws -> String? {
        let statement = try prepare(sql)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.string(0)
    }

    // MARK: State

    /// Whether all transactions are parts of one, which `commitHeldTransaction` ends. This is for a file that no other
    /// connection opens yet, and that is of no use before it is complete. Each commit would write the inner pages of
    /// the tables' trees once more.
    var holdsTransaction = false

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Interrupts the work of the connection, from any thread. The work then throws SQLITE_INTERRUPT.
    func interrupt() { sqlite3_interrupt(handle) }

    /// Runs a body that a condition can interrupt. The steps are instructions of SQLite's virtual machine.
    func interruptible<Result>(
        every instructions: Int, by condition: @escaping () -> Bool, _ body: () throws -> Result
    ) rethrows -> Result {
        let outer = interruption
        // If this call is nested in another one, both conditions are checked.
        let either = outer.map { outer in { condition() || outer.condition() } } ?? condition
        setInterruption(Interruption(instructions: Int32(instructions), condition: either))
        defer { setInterruption(outer) }
        return try body()
    }

    /// SQLite keeps a pointer to this object, so only `setInterruption` sets it.
    private var interruption: Interruption?

    private final class Interruption {
        let instructions: Int32
        let condition: () -> Bool
        init(instructions: Int32, condition: @escaping () -> Bool) {
            self.instructions = instructions
            self.condition = condition
        }
    }

    private func setInterruption(_ new: Interruption?) {
        if let new {
            sqlite3_progress_handler(
                handle, new.instructions,
                { pointer in
                    guard let pointer else { return 0 }
                    return Unmanaged<Interruption>.fromOpaque(pointer).takeUnretainedValue().condition() ? 1 : 0
                }, Unmanaged.passUnretained(new).toOpaque())
        } else {
            sqlite3_progress_handler(handle, 0, nil, nil)
        }
        interruption = new
    }

    /// Keeps SQLite from copying the -wal into the main file when the connection closes.
    func disableCheckpointOnClose() {
        _ = opencoredata_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }

    /// Lets SQLite copy the -wal into the main file again when the connection closes.
    func enableCheckpointOnClose() {
        _ = opencoredata_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    }

    func begin() throws {
        expectsTransaction = false
        if !holdsTransaction || !isInTransaction {
            let statement = try beginStatement ?? prepare(dialect.transaction.begin, persistent: true)
            beginStatement = statement
            try run(statement)
        }
        if holdsTransaction { try execute("SAVEPOINT part") }
        expectsTransaction = true
    }

    func commit() throws {
        if holdsTransaction {
            try execute("RELEASE part")
        } else {
            let statement = try commitStatement ?? prepare("COMMIT", persistent: true)
            commitStatement = statement
            try run(statement)
        }
        expectsTransaction = false
    }

    /// Runs a statement without values and without results.
    private func run(_ statement: SQLiteStatement) throws {
        try requireTransaction()
        defer { statement.reset() }
        _ = try statement.step()
    }

    /// Whether `begin` was called and neither `commit` nor `rollback` has followed.
    private var expectsTransaction = false

    /// Throws if SQLite has rolled the transaction back by itself, as it may after an error of memory, disk or reading.
    /// The statements after that would be committed one by one.
    @inline(__always)
    func requireTransaction() throws {
        if expectsTransaction, !isInTransaction { throw rolledBack() }
    }

    private func rolledBack() -> SQLiteError {
        SQLiteError(
            code: SQLITE_ABORT | 2 << 8, message: "SQLite has rolled the transaction back after a failure", path: path,
            sql: nil, systemError: 0)
    }

    /// Commits everything since the transaction was first held.
    func commitHeldTransaction() throws {
        guard holdsTransaction else { return }
        holdsTransaction = false
        if isInTransaction { try execute("COMMIT") }
    }

    /// Commits the changes since the transaction was held, and writes a number into the file. Later changes are held
    /// again.
    func commitHeldTransaction(as number: Int) throws {
        if !isInTransaction { try execute("BEGIN IMMEDIATE") }
        try execute("PRAGMA user_version = \(number); COMMIT")
    }

    /// The number under which the file was committed; 0 if it has none.
    func heldNumber() throws -> Int { Int(try integer("PRAGMA user_version") ?? 0) }

    /// Copies one consistent state of the whole database into the database of another connection.
    ///
    /// - Parameter following: Is called from time to time with the copied part, from 0 to 1, and may end the copy by
    ///   throwing. Only for a source that no process writes during the copy. Nil copies everything at once.
    func backUp(to target: SQLiteConnection, following: ((Double) throws -> Void)? = nil) throws {
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.error(SQLITE_ERROR)
        }
        let pages: Int32 = following == nil ? -1 : 512
        var code = SQLITE_OK
        do {
            repeat {
                code = sqlite3_backup_step(backup, pages)
                if code == SQLITE_BUSY || code == SQLITE_LOCKED { sqlite3_sleep(5) }
                if code != SQLITE_DONE, let following {
                    let total = Double(max(1, sqlite3_backup_pagecount(backup)))
                    try following(1 - Double(sqlite3_backup_remaining(backup)) / total)
                }
            } while code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED
        } catch {
            sqlite3_backup_finish(backup)
            throw error
        }
        let end = sqlite3_backup_finish(backup)
        if code != SQLITE_DONE || end != SQLITE_OK { throw target.error(end == SQLITE_OK ? code : end) }
    }

    /// Writes the changed pages of a transaction that are not in use, so that less is left for the commit. The commit
    /// writes the remaining pages.
    func flushCache() { sqlite3_db_cacheflush(handle) }

    /// Ends an open transaction without its changes. Does nothing if SQLite has already rolled it back (full disk).
    func rollback() {
        expectsTransaction = false
        guard isInTransaction else { return }
        // Without an open savepoint there is nothing to roll back, and SQLite reports an error.
        sqlite3_exec(handle, holdsTransaction ? "ROLLBACK TO part; RELEASE part" : "ROLLBACK", nil, nil, nil)
    }

    func error(_ code: Int32, sql: String? = nil) -> SQLiteError {
        SQLiteError(
            code: sqlite3_extended_errcode(handle) == SQLITE_OK ? code : sqlite3_extended_errcode(handle),
            message: String(cString: sqlite3_errmsg(handle)), path: path, sql: sql,
            systemError: sqlite3_system_errno(handle))
    }
}
