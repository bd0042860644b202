#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

/// A statement of a connection. The server prepares it at its first run: in one form for one row, and in another
/// one for many rows at a time, which come as arrays.
final class PostgreSQLStatement: SQLPreparedStatement {
    private let statement: SQLStatement
    unowned let connection: PostgreSQLConnection
    private let doomed: PostgreSQLConnection.Doomed
    private let printed: SQLPrinter
    /// The values that every run has, as they are printed.
    var values: [SlotValue] { printed.values }
    /// Values that every run has, after the parameters.
    private var constants: [SlotValue]
    /// The prepared statements for one row, and for many.
    var single: Prepared?
    private var many: Prepared?
    /// The types of parameters whose values did not fit into those that the server chose.
    private var chosen: [Int: Oid] = [:]

    struct Prepared {
        var name: String
        var types: [Oid]
        /// The types of the columns that it gives, once it has given some.
        var columns: [Oid] = []
    }

    var text: String { printed.text }

    /// - Parameter prefix: the text before the statement.
    init(_ statement: SQLStatement, on connection: PostgreSQLConnection, prefix: String = "") {
        self.statement = statement.inWordsOfPostgreSQL
        self.connection = connection
        doomed = connection.doomed
        var printed = SQLPrinter.print(self.statement, in: PostgreSQLDialect())
        if !prefix.isEmpty { printed.text = prefix + printed.text }
        self.printed = printed
        constants = printed.values
    }

    deinit {
        for prepared in [single, many] { if let prepared { doomed.names.append(prepared.name) } }
    }

    /// Takes the values of a statement with the same text.
    func take(valuesOf other: PostgreSQLStatement) { constants = other.constants }

    // MARK: One row

    func prepared() throws -> Prepared {
        if let single { return single }
        let name = connection.newName()
        let count = (chosen.keys.max() ?? 0)
        let types = (0..<count).map { chosen[$0 + 1] ?? 0 }
        let new = Prepared(name: name, types: try connection.prepare(printed.text, as: name, types: types))
        single = new
        return new
    }

    /// Binds the values of one execution, in the types of the parameters or, where they do not fit, in the types
    /// that the values need.
    func parameters(
        _ bind: (PostgreSQLParameters) throws -> Void
    ) throws -> (Prepared, PostgreSQLParameters) {
        for _ in 0...3 {
            let prepared = try prepared()
            let parameters = PostgreSQLParameters(types: prepared.types, labels: connection.labels)
            for (place, value) in constants.enumerated() {
                parameters.bind(prepared.types.count - constants.count + place + 1, value)
            }
            try bind(parameters)
            try parameters.requireFit()
            if parameters.misfits.isEmpty { return (prepared, parameters) }
            chosen.merge(parameters.misfits) { _, new in new }
            doomed.names.append(prepared.name)
            single = nil
        }
        throw PostgreSQLError(
            state: "42804", message: "A value has no type that the statement can take: \(text)",
            address: connection.address.description)
    }

    private func execute(_ bind: (PostgreSQLParameters) throws -> Void) throws -> OpaquePointer {
        do {
            let (prepared, parameters) = try parameters(bind)
            return try connection.run(prepared.name, parameters.values())
        } catch let error as PostgreSQLError where error.state == PostgreSQLError.cachedPlan && single != nil {
            // Another session has changed the table, so the plan returns other columns.
            guard connection.transactionState == PQTRANS_IDLE else { throw error }
            if let single { doomed.names.append(single.name) }
            single = nil
            let (prepared, parameters) = try parameters(bind)
            return try connection.run(prepared.name, parameters.values())
        }
    }

    // MARK: Many rows

    func run(
        _ count: Int, isTried: Bool, _ bind: (_ row: Int, _ parameters: any SQLParameters) throws -> Void
    ) throws -> SQLOutcome {
        var outcome = SQLOutcome()
        if count == 0 { return outcome }
        try run(0..<count, isTried: isTried, bind, &outcome)
        outcome.withoutEffect.sort()
        outcome.violations.sort { $0.row < $1.row }
        return outcome
    }

    /// Rows in one array, and about the bytes of one: both sides have them in memory.
    private static let rowsTogether = 1_000
    private static let bytesTogether = 1 << 25

    private func run(
        _ rows: Range<Int>, isTried: Bool, _ bind: (Int, any SQLParameters) throws -> Void,
        _ outcome: inout SQLOutcome
    ) throws {
        if rows.count > 1, let setStatement = PostgreSQLSetStatement(statement) {
            var start = rows.lowerBound
            while start < rows.upperBound {
                let part = start..<min(start + Self.rowsTogether, rows.upperBound)
                do {
                    start += try runTogether(part, with: setStatement, isTried: isTried, bind: bind, into: &outcome)
                } catch let error as PostgreSQLError where isTried && isOfRow(error) {
                    start = part.upperBound
                    // One of the rows breaks a constraint: each half runs by itself, down to the row.
                    let middle = part.lowerBound + part.count / 2
                    try run(part.lowerBound..<middle, isTried: true, bind, &outcome)
                    if outcome.isRefused { return }
                    try run(middle..<part.upperBound, isTried: true, bind, &outcome)
                    if outcome.isRefused { return }
                }
            }
            return
        }
        for row in rows {
            if connection.pipeline.isOn {
                let (prepared, parameters) = try parameters { try bind(row, $0) }
                let expected = isTried ? 1 : nil
                try connection.queue(
                    prepared.name, parameters.values(), .rows(expected: expected, givesPlaces: false))
                outcome.changed += 1
                continue
            }
            do {
                let changed = try tried(isTried) {
                    let result = try execute { try bind(row, $0) }
                    defer { PQclear(result) }
                    return Int(String(cString: PQcmdTuples(result))) ?? 0
                }
                outcome.changed += changed
                if changed == 0 { outcome.withoutEffect.append(row) }
            } catch let error as PostgreSQLError where isTried && isOfRow(error) {
                outcome.violations.append((row, error))
                if error.isRefusal { return }
            }
        }
    }

    /// Whether one of the rows is at fault. In a pipeline a failure may be another statement's.
    private func isOfRow(_ error: PostgreSQLError) -> Bool { error.isOfRow && !connection.pipeline.isOn }

    /// Runs as many of the first rows as fit into one statement, and returns their number.
    private func runTogether(
        _ part: Range<Int>, with setStatement: PostgreSQLSetStatement, isTried: Bool,
        bind: (Int, any SQLParameters) throws -> Void, into outcome: inout SQLOutcome
    ) throws -> Int {
        let types = try prepared().types
        let count = types.count - constants.count
        // A value that does not fit into its type shows here, before anything is sent.
        let parameters = PostgreSQLParameters(
            types: types.prefix(count), labels: connection.labels, rows: part.count)
        var rows = part.lowerBound..<part.lowerBound
        for (place, row) in part.enumerated() where parameters.byteCount < Self.bytesTogether {
            try bind(row, parameters)
            parameters.endRow(place)
            rows = part.lowerBound..<row + 1
        }
        try parameters.requireFit()
        if !parameters.misfits.isEmpty {
            chosen.merge(parameters.misfits) { _, new in new }
            for prepared in [single, many] { if let prepared { doomed.names.append(prepared.name) } }
            (single, many) = (nil, nil)
            return try runTogether(part, with: setStatement, isTried: isTried, bind: bind, into: &outcome)
        }
        let prepared = try preparedForMany(setStatement, types, count)
        let values = PostgreSQLParameters(types: prepared.types.dropFirst(count), labels: connection.labels)
        for (place, value) in setStatement.print(types: Array(types.prefix(count))).values.enumerated() {
            values.bind(place + 1, value)
        }
        let sent = parameters.arrays(rows.count) + values.values()
        if connection.pipeline.isOn {
            let expected = isTried ? rows.count : nil
            outcome.changed += rows.count
            try connection.queue(
                prepared.name, sent, .rows(expected: expected, givesPlaces: setStatement.givesPlaces))
            return rows.count
        }
        let result = try tried(isTried) { try connection.run(prepared.name, sent) }
        defer { PQclear(result) }
        if setStatement.givesPlaces {
            var missing = Set(rows)
            for row in 0..<PQntuples(result) {
                guard let value = PQgetvalue(result, row, 0) else { continue }
                let bytes = UnsafeRawBufferPointer(start: value, count: 8)
                missing.remove(rows.lowerBound + Int(bytes.bigEndianWord) - 1)
            }
            outcome.changed += Int(PQntuples(result))
            outcome.withoutEffect += missing
        } else {
            outcome.changed += Int(String(cString: PQcmdTuples(result))) ?? 0
        }
        return rows.count
    }

    private func preparedForMany(
        _ setStatement: PostgreSQLSetStatement, _ types: [Oid], _ count: Int
    ) throws -> Prepared {
        if let many { return many }
        let name = connection.newName()
        let text = setStatement.print(types: Array(types.prefix(count))).text
        let new = Prepared(name: name, types: try connection.prepare(text, as: name, types: []))
        many = new
        return new
    }

    /// Runs a body, within a savepoint if `isTried` is true. A statement that breaks a constraint then leaves the
    /// transaction as it was, and the error names the columns.
    private func tried<Result>(_ isTried: Bool, _ body: () throws -> Result) throws -> Result {
        do {
            return try isTried ? connection.trying(body) : body()
        } catch var error as PostgreSQLError where error.isUniqueness {
            if isTried, let name = error.constraint {
                error.columns = connection.columns(ofIndex: name, in: error.schema)
            }
            throw error
        }
    }

    // MARK: Rows

    func rows(_ bind: (PostgreSQLParameters) throws -> Void) throws -> PostgreSQLRow {
        try given(execute(bind))
    }

    func inspect(
        _ bind: (any SQLParameters) throws -> Void, _ body: @escaping (any SQLRow) throws -> Void
    ) throws {
        if !connection.pipeline.isOn { return try rows(bind, body) }
        let (prepared, parameters) = try parameters { try bind($0) }
        try connection.queue(prepared.name, parameters.values(), .inspect(body))
    }

    func select(
        _ bind: (any SQLParameters) throws -> Void, _ body: (any SQLRow) throws -> Bool
    ) throws {
        let rows = try rows { try bind($0) }
        for row in 0..<rows.count {
            rows.row = row
            guard try body(rows) else { return }
        }
    }
}
#endif
