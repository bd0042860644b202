import Foundation

/// A connection that records the statements of a migration instead of running them.
///
/// The code that migrates a store runs on it unchanged, so a forecast has the statements of that code. The metadata of
/// the store are read; every other SELECT is a check of rows, which is recorded, too, and finds none.
package final class StatementRecorder: SQLConnection {
    package enum Recorded {
        case check(String)
        case definition(SQLDefinition, String)
        case change(String)
    }

    private let base: any SQLConnection
    private var literals = SQLLiterals()
    private var recorded: [Recorded] = []
    /// All definitions of the attempt so far, in their order.
    private(set) var definitions: [SQLDefinition] = []
    package var readSince: RowCache.Moment?

    /// - Parameter base: A connection that reads the store.
    package init(_ base: any SQLConnection) { self.base = base }

    package var dialect: any SQLDialect { base.dialect }
    package var style: any SQLSchemaStyle { base.style }
    package var assumedStoreType: String? { base.assumedStoreType }

    /// Begins the statements of an attempt. Those of an attempt before it do not run.
    func beginAttempt() {
        recorded = []
        definitions = []
    }

    /// Begins the statements of a hop, whose tables these are.
    func begin(_ tables: [SQLTable]) {
        literals.types = Dictionary(tables.map { ($0.name, SQLLiterals.types(of: $0)) }) { first, _ in first }
    }

    package func nameEntities(_ names: [Int: String]) {
        literals.labels = Dictionary(uniqueKeysWithValues: names.map { (Int64($0), $1) })
    }

    /// The statements since the last call.
    package func take() -> [Recorded] {
        defer { recorded = [] }
        return recorded
    }

    fileprivate func record(_ statement: SQLStatement, _ parameters: [SlotValue]) {
        literals.parameters = parameters.map(Self.ordered)
        let text = SQLPrinter.text(of: statement, with: literals, in: dialect)
        switch statement {
        case .select: recorded.append(.check(text))
        case .define(let definition):
            recorded.append(.definition(definition, text))
            definitions.append(definition)
            literals.follow(definition)
        case .insert, .update, .delete: recorded.append(.change(text))
        }
    }

    /// Property lists with their entries in the order of the keys, so that two forecasts give the same text.
    private static func ordered(_ value: SlotValue) -> SlotValue {
        guard case .data(let data) = value, let list = try? BinaryPropertyListReader.read(data) else { return value }
        return .data(BinaryPropertyListWriter.write(list))
    }

    // MARK: Statements

    package func prepare(_ statement: SQLStatement) throws -> any SQLPreparedStatement {
        if case .select(let select) = statement, select.source == .table(SQLBookkeeping.Metadata.table) {
            return try base.prepare(statement)
        }
        return RecordedStatement(statement, self)
    }

    package func statement(_ plan: SQLPlan, _ make: () throws -> SQLStatement) throws -> any SQLPreparedStatement {
        try prepare(make())
    }

    package func statement(_ select: SQLSelect) throws -> any SQLPreparedStatement { try prepare(.select(select)) }

    package func rowStatement(root: Int, _ make: () throws -> SQLStatement) throws -> any SQLPreparedStatement {
        try prepare(make())
    }

    // MARK: The database

    package func tableNames() throws -> Set<String> { try base.tableNames() }
    package func columnNames(of table: String) throws -> [String] { try base.columnNames(of: table) }
    package func catalog(ofTables names: Set<String>?) throws -> StoreCatalog { try base.catalog(ofTables: names) }
    package func schemaVersion() throws -> Int64 { try base.schemaVersion() }
    package func sizes(ofTables names: [String]) throws -> [String: Int64] { try base.sizes(ofTables: names) }
    package func stepsPerRow(of statement: SQLStatement) -> Int { 0 }
    package func explain(
        _ select: SQLSelect
    ) throws -> (text: String, values: [SlotValue], plan: [FetchExplanation.Step]) { try base.explain(select) }

    package func changingTables(_ body: () throws -> Void) throws { try body() }
    package func sortingInPieces(_ body: () throws -> Void) throws { try body() }
    package func interruptible<Result>(
        every steps: Int, by question: @escaping () -> Bool, _ body: () throws -> Result
    ) rethrows -> Result { try body() }

    package func begin() throws {}
    package func commit() throws {}
    package func rollback() {}
}

/// A statement that is recorded each time that it would run.
private final class RecordedStatement: SQLPreparedStatement {
    private let statement: SQLStatement
    private let recorder: StatementRecorder

    init(_ statement: SQLStatement, _ recorder: StatementRecorder) {
        self.statement = statement
        self.recorder = recorder
    }

    func run(
        _ count: Int, isTried: Bool, _ bind: (_ row: Int, _ parameters: any SQLParameters) throws -> Void
    ) throws -> SQLOutcome {
        let parameters = RecordedParameters()
        for row in 0..<count {
            try bind(row, parameters)
            recorder.record(statement, parameters.values)
        }
        return SQLOutcome()
    }

    func select(_ bind: (any SQLParameters) throws -> Void, _ body: (any SQLRow) throws -> Bool) throws {
        let parameters = RecordedParameters()
        try bind(parameters)
        recorder.record(statement, parameters.values)
    }

    func snapshots(
        of shape: RowShape, into cache: RowCache, refreshing: Bool, bind: (any SQLParameters) throws -> Void,
        body: ([Snapshot]) throws -> Void
    ) throws {}

    func snapshot(_ shape: RowShape, _ cache: RowCache?, refreshing: Bool, key: Int64) throws -> Snapshot? { nil }
}

/// The values of a row's parameters. A parameter that is not bound keeps the value of the row before.
private final class RecordedParameters: SQLParameters {
    private(set) var values: [SlotValue] = []

    private func set(_ number: Int, _ value: SlotValue) {
        while values.count < number { values.append(.null) }
        values[number - 1] = value
    }

    func bindNull(_ number: Int) { set(number, .null) }
    func bind(_ number: Int, _ value: Int64) { set(number, .int(value)) }
    func bind(_ number: Int, _ value: Double) -> Bool {
        set(number, .double(value))
        return true
    }
    func bind(_ number: Int, _ value: String) { set(number, .string(value)) }
    func bind(_ number: Int, _ value: Data) { set(number, .data(value)) }
    func bind(_ number: Int, decimal: Decimal) { set(number, .decimal(decimal)) }
    func bindText(_ number: Int, at bytes: UnsafeRawBufferPointer) -> Bool {
        set(number, .string(String(decoding: bytes, as: UTF8.self)))
        return true
    }
    func bindBlob(_ number: Int, at bytes: UnsafeRawBufferPointer) -> Bool {
        set(number, .data(Data(bytes)))
        return true
    }
    func bind(_ number: Int, list: [Int64]) {}
}
