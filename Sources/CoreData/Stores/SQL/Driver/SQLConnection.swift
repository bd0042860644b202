// Implementation notes: Stores/SQL/Driver.
//
// - A call takes many rows. SQLite loops over them; another engine may send them in a pipeline. The results of all rows
//   are returned together (`SQLOutcome`), so no caller depends on continuing after a row that broke a constraint.
// - A connection also reads the catalog of the database (`StoreCatalog`) and the number of steps of a statement for a
//   row, and it can stop a statement. Migrations need that.
// - A caller that reads by one statement calls `readOnce`. On a server a transaction around it would take two more
//   round trips.
// - If a list of keys can be one parameter (`takesLists`), one statement reads all rows. Members are read together with
//   their rows while the row cache has few of them. SQLite's statements have places for 20, 100 or 500 keys. Delete
//   rules read by such lists with both engines (`readAhead`).
// - The abilities of an engine are a value (`SQLCapabilities`).

import Foundation

/// One connection to a database, with its prepared statements.
///
/// It has no lock of its own: its owner uses it on one thread at a time.
package protocol SQLConnection: AnyObject {
    /// A moment of the row cache before the state that is read was fixed; nil if each statement fixes its own state.
    var readSince: RowCache.Moment? { get set }

    /// Prepares a statement that is not cached.
    func prepare(_ statement: SQLStatement) throws -> any SQLPreparedStatement
    /// The statement of a plan, which is printed and prepared once, then cached.
    func statement(_ plan: SQLPlan, _ make: () throws -> SQLStatement) throws -> any SQLPreparedStatement
    /// A SELECT with its values bound. One with the same text is prepared once, then cached.
    func statement(_ select: SQLSelect) throws -> any SQLPreparedStatement
    /// The statement that reads one row of a root entity. It is cached where it is found without a search.
    func rowStatement(root: Int, _ make: () throws -> SQLStatement) throws -> any SQLPreparedStatement

    /// The names of all tables, and of the columns of one table in their order; empty if there is no such table.
    func tableNames() throws -> Set<String>
    func columnNames(of table: String) throws -> [String]

    /// Whether a column is the primary key of a table, alone and with whole numbers. It always is in a database in
    /// which only the store creates tables.
    func isKey(_ column: String, of table: String) throws -> Bool

    /// The catalog of the database. The columns and the numbers of rows are those of some tables, or of all.
    func catalog(ofTables names: Set<String>?) throws -> StoreCatalog
    /// Runs a body that changes tables. Objects of the database that depend on their columns are changed accordingly.
    func changingTables(_ body: () throws -> Void) throws
    var dialect: any SQLDialect { get }
    /// The names of tables and columns in the database.
    var style: any SQLSchemaStyle { get }
    /// The type of a store whose metadata do not name it.
    var assumedStoreType: String? { get }
    /// Takes a number of keys of a table from the database; nil if the database gives no keys, and the store counts
    /// them.
    func nextKeys(_ count: Int, of table: String) throws -> [Range<Int64>]?
    /// Sets the names of entities by their numbers, for rows that contain the names.
    func nameEntities(_ names: [Int: String])

    /// Releases the memory of pages that were read, unless they must be kept.
    func forgetPages()

    /// The reason why a row of a table was refused, for the values of its columns; nil if the failure does not concern
    /// a row.
    func refusal(of failure: any SQLFailure, in table: String, _ values: [String: SlotValue]) throws -> SQLRefusal?

    /// A number that changes as soon as any process has changed tables or indexes.
    func schemaVersion() throws -> Int64

    /// Whether programs may continue to use the store as a version with these hashes, although its metadata name
    /// another one.
    func serves(_ hashes: [String: Data]) throws -> Bool

    /// Runs a body, and ends its running statement by a failure of the kind `stopped` as soon as a condition is true.
    /// The condition is checked each time the database has executed a number of steps.
    func interruptible<Result>(
        every steps: Int, by question: @escaping () -> Bool, _ body: () throws -> Result
    ) rethrows -> Result
    /// Runs a body of one statement. If it throws, the open transaction can still be used.
    func trying<Result>(_ body: () throws -> Result) throws -> Result
    /// Estimates the steps of a statement for one row; 0 if the database does not report them.
    func stepsPerRow(of statement: SQLStatement) -> Int
    /// The text of a SELECT, the values that are bound to it, and the plan of the database for it. The SELECT is not
    /// run.
    func explain(_ select: SQLSelect) throws -> (text: String, values: [SlotValue], plan: [FetchExplanation.Step])
    #if DEBUG
    /// The greatest number of rows that one statement scanned without an index since the last call; 0 if the
    /// database does not report it.
    func takeScannedRows() -> Int
    #endif
    /// The bytes of tables, with their indexes. Tables whose size the database does not report are left out.
    func sizes(ofTables names: [String]) throws -> [String: Int64]
    /// A report of damage with a limited number of lines; nil if the database cannot check for damage.
    func damage(atMost lines: Int) throws -> [String]?
    /// Runs a body that sorts many rows, in pieces. The work can be stopped after each piece.
    func sortingInPieces(_ body: () throws -> Void) throws

    /// Begins a transaction in which no other connection can write, or a part of the transaction that is held.
    func begin() throws
    /// Begins the transaction of a save. Other saves may run at the same time if the database locks rows, unless the
    /// save must be alone.
    func beginSave(alone: Bool) throws
    /// Runs a body whose statements are sent in a pipeline, without waiting for their results, until the body reads.
    ///
    /// A row that is tried is assumed to be written. The results are checked when the body has returned. Throws
    /// `PipelineMismatch` if a tried row had no effect; the transaction can then only be rolled back.
    func together<Result>(_ body: () throws -> Result) throws -> Result
    /// Whether pipelining is on: a body of `together` is running.
    var isPipelining: Bool { get }
    /// The number that the database has given to the transaction of the last save, if it numbers history.
    var transactionNumber: Int64? { get }
    func commit() throws
    /// Ends an open transaction without its changes. Does nothing if none is open.
    func rollback()
}

extension SQLConnection {
    #if DEBUG
    package func takeScannedRows() -> Int { 0 }
    #endif

    package var style: any SQLSchemaStyle { CoreDataFileStyle() }

    package var assumedStoreType: String? { nil }

    package func isKey(_ column: String, of table: String) throws -> Bool { true }

    package func serves(_ hashes: [String: Data]) throws -> Bool { false }

    package func nextKeys(_ count: Int, of table: String) throws -> [Range<Int64>]? { nil }

    package func nameEntities(_ names: [Int: String]) {}

    package func forgetPages() {}

    package func damage(atMost lines: Int) throws -> [String]? { nil }

    package func refusal(
        of failure: any SQLFailure, in table: String, _ values: [String: SlotValue]
    ) throws -> SQLRefusal? { nil }

    package func trying<Result>(_ body: () throws -> Result) throws -> Result { try body() }

    package func beginSave(alone: Bool) throws { try begin() }

    /// Runs a body that only reads, and stops its statement after about the given number of the database's steps.
    ///
    /// - Returns: nil if the statement was stopped.
    package func readBriefly<Result>(steps: Int, _ body: () throws -> Result) throws -> Result? {
        do {
            return try trying { try interruptible(every: steps, by: { true }, body) }
        } catch let failure as any SQLFailure where failure.isOfStopping {
            return nil
        }
    }

    package func together<Result>(_ body: () throws -> Result) throws -> Result { try body() }

    package var isPipelining: Bool { false }

    package var transactionNumber: Int64? { nil }

    /// Runs a statement that has no parameters.
    @discardableResult
    package func run(_ statement: SQLStatement) throws -> SQLOutcome { try prepare(statement).run() }

    /// The first value of the first row as an integer; nil if there is no row or the value is NULL.
    package func integer(_ select: SQLSelect) throws -> Int64? {
        try prepare(.select(select)).first { $0.isNull(0) ? nil : $0.int64(0) } ?? nil
    }

    /// Runs a body in a transaction, which is committed when the body returns and rolled back when it throws.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try begin()
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }
}

/// A prepared statement of a connection. It is used on the thread that uses the connection.
package protocol SQLPreparedStatement: AnyObject {
    /// Runs a statement that returns no rows, once for each of `count` rows.
    ///
    /// A parameter that is not bound for a row keeps the value of the row before. Values that are bound by address must
    /// stay in place until the call returns. If `isTried` is set, a row that breaks a uniqueness constraint changes
    /// nothing, and the remaining rows are written. Otherwise the first failure is thrown.
    func run(
        _ count: Int, isTried: Bool, _ bind: (_ row: Int, _ parameters: any SQLParameters) throws -> Void
    ) throws -> SQLOutcome

    /// Calls a body with the rows of a SELECT. In a pipeline the body is called later, before the pipeline ends.
    func inspect(
        _ bind: (any SQLParameters) throws -> Void, _ body: @escaping (any SQLRow) throws -> Void
    ) throws

    /// Calls a body with the rows of a SELECT, until the body returns false.
    func select(
        _ bind: (any SQLParameters) throws -> Void, _ body: (any SQLRow) throws -> Bool
    ) throws

    /// Calls a body with all rows of a SELECT, in a read transaction. However many rows there are, only a few are in
    /// memory at a time. The body must not use the connection.
    func stream(
        _ bind: (any SQLParameters) throws -> Void, _ body: (any SQLRow) throws -> Void
    ) throws

    /// Calls a body with the rows of a SELECT of the columns of a shape, some hundred at a time.
    ///
    /// - Parameters:
    ///   - cache: takes the rows; its rows of the same version are used instead.
    ///   - refreshing: whether rows are read although the cache has them.
    func snapshots(
        of shape: RowShape, into cache: RowCache, refreshing: Bool, bind: (any SQLParameters) throws -> Void,
        body: ([Snapshot]) throws -> Void
    ) throws

    /// The only row of a SELECT by a key; nil if there is none, or if the shape does not have its entity. Within a
    /// transaction that may be rolled back no cache is used.
    func snapshot(_ shape: RowShape, _ cache: RowCache?, refreshing: Bool, key: Int64) throws -> Snapshot?
}

extension SQLPreparedStatement {
    package func inspect(
        _ bind: (any SQLParameters) throws -> Void, _ body: @escaping (any SQLRow) throws -> Void
    ) throws {
        try rows(bind, body)
    }

    package func stream(
        _ bind: (any SQLParameters) throws -> Void, _ body: (any SQLRow) throws -> Void
    ) throws {
        try rows(bind, body)
    }

    /// Runs the statement once.
    @discardableResult
    package func run(_ bind: (any SQLParameters) throws -> Void = { _ in }) throws -> SQLOutcome {
        try run(1, isTried: false) { try bind($1) }
    }

    /// Runs the statement once for each of `count` rows.
    @discardableResult
    package func run(_ count: Int, _ bind: (Int, any SQLParameters) throws -> Void) throws -> SQLOutcome {
        try run(count, isTried: false, bind)
    }

    /// Calls a body with all rows of a SELECT.
    package func rows(_ bind: (any SQLParameters) throws -> Void = { _ in }, _ body: (any SQLRow) throws -> Void) throws
    {
        try select(bind) { row in
            try body(row)
            return true
        }
    }

    /// The value that a body returns for the first row of a SELECT; nil if there is no row.
    package func first<Result>(
        _ bind: (any SQLParameters) throws -> Void = { _ in }, _ body: (any SQLRow) throws -> Result
    ) throws -> Result? {
        var result: Result?
        try select(bind) { row in
            result = try body(row)
            return false
        }
        return result
    }
}

/// Receives the parameters of a row, by their numbers from 1.
package protocol SQLParameters: AnyObject {
    func bindNull(_ number: Int)
    func bind(_ number: Int, _ value: Int64)
    /// - Returns: false if the database cannot store the value; `refusal` has the reason.
    @discardableResult
    func bind(_ number: Int, _ value: Double) -> Bool
    func bind(_ number: Int, _ value: String)
    func bind(_ number: Int, _ value: Data)
    func bind(_ number: Int, decimal: Decimal)
    /// Binds bytes that stay in place until the statement has run.
    ///
    /// - Returns: false if the database cannot store the value; `refusal` has the reason.
    @discardableResult
    func bindText(_ number: Int, at bytes: UnsafeRawBufferPointer) -> Bool
    @discardableResult
    func bindBlob(_ number: Int, at bytes: UnsafeRawBufferPointer) -> Bool
    /// Binds a list of keys, for `SQLExpression.isInParameter`.
    func bind(_ number: Int, list: [Int64])
    /// The reason why the database cannot store a value that was bound; nil if it can store all of them.
    var refusal: NSError? { get }
}

extension SQLParameters {
    package var refusal: NSError? { nil }

    /// Binds a value in the form of a column of its type.
    package func bind(_ number: Int, _ value: SlotValue) {
        switch value {
        case .null: bindNull(number)
        case .int(let value): bind(number, value)
        case .double(let value): bind(number, value)
        case .string(let value): bind(number, value)
        case .data(let value): bind(number, value)
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { bind(number, Data($0)) }
        case .decimal(let value): bind(number, decimal: value)
        }
    }
}

/// A row of a SELECT: its values by their places from 0, valid until the body that received the row returns.
package protocol SQLRow: FetchedColumns {
    func data(_ place: Int) -> Data
    /// The value in the form in which the database has it.
    func slotValue(_ place: Int) -> SlotValue
}

/// The results of a statement that ran for several rows.
package struct SQLOutcome {
    /// The number of rows of the table that were changed.
    package var changed = 0
    /// The places of the rows that changed nothing, without those that broke a constraint.
    package var withoutEffect: [Int] = []
    /// The places of the rows that broke a uniqueness constraint. A row that the database refuses comes last, because
    /// no row after it is written.
    package var violations: [(row: Int, failure: any SQLFailure)] = []

    package init() {}

    /// Whether the database has refused a row.
    package var isRefused: Bool { violations.contains { $0.failure.isRefusal } }
}
