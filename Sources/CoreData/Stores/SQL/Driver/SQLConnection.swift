// About the room Stores/SQL/Driver.
//
// - A call takes many rows. SQLite loops over them; another engine may send them together. The results of all rows come
//   back at once (`SQLOutcome`), so no caller depends on continuing after a row that broke a constraint.
// - A connection also says which tables are really there (`StoreFacts`), and how many steps a statement takes for a
//   row, and it can be asked to stop a statement. Migrations need that.
// - A caller that reads by one statement says so (`readOnce`). On a server the transaction around it would take two
//   more round trips.
// - Where a list of keys is one parameter (`takesLists`), one statement asks for all rows. Members come together with
//   their rows while the row cache has few of them. SQLite's statements have places for 20, 100 or 500 keys. Delete
//   rules read by such lists from both engines (`readAhead`).
// - The abilities of an engine are a value (`SQLCapabilities`).

import Foundation

/// One connection to a database, with its prepared statements.
///
/// It has no lock of its own: its owner uses it from one thread at a time.
package protocol SQLConnection: AnyObject {
    /// A moment of the row cache before the state was fixed that is read from; nil where a statement fixes it itself.
    var readSince: RowCache.Moment? { get set }

    /// A statement of its own, prepared anew.
    func prepare(_ statement: SQLStatement) throws -> any SQLPreparedStatement
    /// The statement of a plan: printed and prepared once, then kept.
    func statement(_ plan: SQLPlan, _ make: () throws -> SQLStatement) throws -> any SQLPreparedStatement
    /// A SELECT with its values bound. One with the same text is prepared once, then kept.
    func statement(_ select: SQLSelect) throws -> any SQLPreparedStatement
    /// The statement that reads one row of a root entity, kept where it is found without a search.
    func rowStatement(root: Int, _ make: () throws -> SQLStatement) throws -> any SQLPreparedStatement

    /// The names of the tables that there are, and of the columns of one, in their order; none where it is not there.
    func tableNames() throws -> Set<String>
    func columnNames(of table: String) throws -> [String]

    /// Whether a column of whole numbers alone is the primary key of a table. Where nobody else makes tables, it is.
    func isKey(_ column: String, of table: String) throws -> Bool

    /// The real content of the database. The columns and the numbers of rows are those of some tables, or of all.
    func facts(ofTables names: Set<String>?) throws -> StoreFacts
    /// Runs a body that changes tables. Objects of the database that depend on their columns follow the changes.
    func changingTables(_ body: () throws -> Void) throws
    var dialect: any SQLDialect { get }
    /// The names of tables and columns in the database.
    var style: any SQLSchemaStyle { get }
    /// The type of a store whose metadata do not say it.
    var assumedStoreType: String? { get }
    /// Takes so many keys of a table from the database; nil where it gives none, and the store counts itself.
    func nextKeys(_ count: Int, of table: String) throws -> [Range<Int64>]?
    /// Sets the names of entities in rows that name them, by their numbers.
    func nameEntities(_ names: [Int: String])

    /// Releases the memory of pages that were read, as far as they need not be kept.
    func forgetPages()

    /// The reason why a row of a table was refused, for the values of its columns; nil where the failure is none of a
    /// row's.
    func refusal(of failure: any SQLFailure, in table: String, _ values: [String: SlotValue]) throws -> SQLRefusal?

    /// A number that is another one as soon as anybody has changed tables or indexes.
    func schemaVersion() throws -> Int64

    /// Whether programs continue to use the store as a version of these hashes, although its metadata name another one.
    func serves(_ hashes: [String: Data]) throws -> Bool

    /// Runs a body, and ends the statement that it runs by a failure of the kind `stopped` when a question is answered
    /// with true. The question is asked each time that the database has gone through so many steps.
    func interruptible<Result>(
        every steps: Int, by question: @escaping () -> Bool, _ body: () throws -> Result
    ) rethrows -> Result
    /// Runs a body of one statement. Where it throws, the transaction that is open can still be used.
    func trying<Result>(_ body: () throws -> Result) throws -> Result
    /// About how many steps a statement takes for one row; 0 where the database does not tell.
    func stepsPerRow(of statement: SQLStatement) -> Int
    /// The text of a SELECT, the values that are bound to it, and the plan that the database has for it. It is not run.
    func explain(_ select: SQLSelect) throws -> (text: String, values: [SlotValue], plan: [FetchExplanation.Step])
    #if DEBUG
        /// The greatest number of rows through which a statement went without an index, since this was last asked for;
        /// 0 where the database does not tell.
        func takeScannedRows() -> Int
    #endif
    /// The number of bytes that tables take, with their indexes; without those of which the database does not tell it.
    func sizes(ofTables names: [String]) throws -> [String: Int64]
    /// The damage, in so many lines at most; nil if the database cannot look for it.
    func damage(atMost lines: Int) throws -> [String]?
    /// Runs a body that sorts many rows, in pieces after each of which it can be stopped.
    func sortingInPieces(_ body: () throws -> Void) throws

    /// Begins a transaction that nobody else can write in, or a part of the one that is held.
    func begin() throws
    /// Begins the transaction of a save. Other saves may run at the same time where the database keeps rows apart,
    /// unless it has to be alone.
    func beginSave(alone: Bool) throws
    /// Runs a body whose statements are sent without waiting for their results, until it reads something.
    ///
    /// A row that is tried is taken to be written. The results are looked at when the body has returned. Throws
    /// `SQLSurprise` if a tried row had no effect; the transaction is of no use then.
    func together<Result>(_ body: () throws -> Result) throws -> Result
    /// Whether a body of `together` runs.
    var isTogether: Bool { get }
    /// The number that the database has given to the transaction of the last save, where it numbers history.
    var transactionNumber: Int64? { get }
    func commit() throws
    /// Ends an open transaction without its changes; without one nothing happens.
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

    /// Runs a body that only reads, and stops its statement after about so many of the database's steps.
    ///
    /// - Returns: nil where it was stopped.
    package func readBriefly<Result>(steps: Int, _ body: () throws -> Result) throws -> Result? {
        do {
            return try trying { try interruptible(every: steps, by: { true }, body) }
        } catch let failure as any SQLFailure where failure.isOfStopping {
            return nil
        }
    }

    package func together<Result>(_ body: () throws -> Result) throws -> Result { try body() }

    package var isTogether: Bool { false }

    package var transactionNumber: Int64? { nil }

    /// Runs a statement that has no parameters.
    @discardableResult
    package func run(_ statement: SQLStatement) throws -> SQLOutcome { try prepare(statement).run() }

    /// The first value of the first row as an integer; nil without a row or when it is NULL.
    package func integer(_ select: SQLSelect) throws -> Int64? {
        try prepare(.select(select)).first { $0.isNull(0) ? nil : $0.int64(0) } ?? nil
    }

    /// Runs a body in a transaction: committed when it returns, rolled back when it throws.
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

/// A prepared statement of a connection. It belongs to the thread that uses the connection.
package protocol SQLPreparedStatement: AnyObject {
    /// Runs a statement that gives no rows, once for each of so many rows.
    ///
    /// A parameter that is not bound for a row keeps the value of the row before. Values that are bound by address stay
    /// in place until the call returns. If `isTried` is set, a row that breaks a uniqueness constraint changes nothing,
    /// and the others are written. Otherwise the first failure is thrown.
    func run(
        _ count: Int, isTried: Bool, _ bind: (_ row: Int, _ parameters: any SQLParameters) throws -> Void
    ) throws -> SQLOutcome

    /// Calls a body with the rows that a SELECT gives; where statements are sent together, later, before that ends.
    func look(
        _ bind: (any SQLParameters) throws -> Void, _ body: @escaping (any SQLRow) throws -> Void
    ) throws

    /// Calls a body with the rows that a SELECT gives, until it says that it wants no more.
    func select(
        _ bind: (any SQLParameters) throws -> Void, _ body: (any SQLRow) throws -> Bool
    ) throws

    /// Calls a body with all rows of a SELECT, in a transaction of reading. However many there are, few of them are in
    /// memory at a time. The body does not use the connection.
    func stream(
        _ bind: (any SQLParameters) throws -> Void, _ body: (any SQLRow) throws -> Void
    ) throws

    /// Calls a body with the rows that a SELECT of the columns of a shape gives, some hundred at a time.
    ///
    /// - Parameters:
    ///   - cache: takes the rows, and gives those of the same version that it has.
    ///   - refreshing: whether rows are read although the cache has them.
    func snapshots(
        _ shape: RowShape, _ cache: RowCache, refreshing: Bool, _ bind: (any SQLParameters) throws -> Void,
        _ body: ([Snapshot]) throws -> Void
    ) throws

    /// The only row of a SELECT by a key; nil without one, and when its entity is none of the shape's. Within a
    /// transaction that may be rolled back there is no cache.
    func snapshot(_ shape: RowShape, _ cache: RowCache?, refreshing: Bool, key: Int64) throws -> Snapshot?
}

extension SQLPreparedStatement {
    package func look(
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

    /// Runs the statement for each of so many rows.
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

    /// The value that a body makes of the first row of a SELECT; nil without a row.
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

/// The receiver of a row's parameters, by their numbers from 1.
package protocol SQLParameters: AnyObject {
    func bindNull(_ number: Int)
    func bind(_ number: Int, _ value: Int64)
    /// - Returns: false where the database cannot keep the value; `refusal` says why.
    @discardableResult
    func bind(_ number: Int, _ value: Double) -> Bool
    func bind(_ number: Int, _ value: String)
    func bind(_ number: Int, _ value: Data)
    func bind(_ number: Int, decimal: Decimal)
    /// Bytes that stay in place until the statement has run.
    ///
    /// - Returns: false where the database cannot keep the value; `refusal` says why.
    @discardableResult
    func bindText(_ number: Int, at bytes: UnsafeRawBufferPointer) -> Bool
    @discardableResult
    func bindBlob(_ number: Int, at bytes: UnsafeRawBufferPointer) -> Bool
    /// A list of keys, for `SQLExpression.isInParameter`.
    func bind(_ number: Int, list: [Int64])
    /// The reason why the database cannot keep a value that was bound; nil where it can keep all of them.
    var refusal: NSError? { get }
}

extension SQLParameters {
    package var refusal: NSError? { nil }

    /// A value in the form that a column of its type has.
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

/// A row that a SELECT gives: its values by their places from 0, until the body returns that got it.
package protocol SQLRow: AnyObject {
    func isNull(_ place: Int) -> Bool
    func int64(_ place: Int) -> Int64
    func double(_ place: Int) -> Double
    func string(_ place: Int) -> String
    func data(_ place: Int) -> Data
    /// The value in the form that the database has it in.
    func slotValue(_ place: Int) -> SlotValue
}

/// The results for the rows that a statement ran over.
package struct SQLOutcome {
    /// The number of rows of the table that were changed.
    package var changed = 0
    /// The rows, by their places, that changed nothing, unless they broke a constraint.
    package var withoutEffect: [Int] = []
    /// The rows, by their places, that broke a uniqueness constraint. One that the database refuses is the last: no
    /// other row is written behind it.
    package var violations: [(row: Int, failure: any SQLFailure)] = []

    package init() {}

    /// Whether the database has refused a row.
    package var isRefused: Bool { violations.contains { $0.failure.isRefusal } }
}
