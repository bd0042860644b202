/// The differences between databases in printed SQL.
package protocol SQLDialect: Sendable {
    /// The name of a function or an operator, and how a collation is written behind an ORDER BY term (empty for none).
    func name(of function: SQLExpression.Function) -> String
    /// The functions that the database does not compute.
    var missingFunctions: Set<SQLExpression.Function> { get }
    func name(of op: SQLExpression.Operator) -> String
    func suffix(for collation: SQLSelect.Order.Collation) -> String
    /// The text behind an ORDER BY term that puts missing values first or last; empty if they are there by themselves.
    func suffix(isAscending: Bool, putsNullsLast: Bool) -> String
    /// The text of the placeholder with the given number, from 1. Several may have one number.
    func placeholder(_ number: Int) -> String
    /// The same where no two of a statement have one number.
    func nextPlaceholder(_ number: Int) -> String
    /// A name within a statement, and within the definition of a table or an index.
    func quoted(_ identifier: String) -> String
    func defined(_ identifier: String) -> String
    func name(of type: SQLColumnType) -> String
    /// Whether the database gives a column another type, and drops columns, better than a copy of the rows does.
    var changesTypes: Bool { get }
    /// The value of a column, which is of a type by its name, as one of another type; empty where it needs no words.
    func conversion(of column: String, from type: String, to new: SQLColumnType) -> String
    /// The text behind a table whose rows lie in the order of its key; empty if there is no such thing.
    var keyOrder: String { get }
    func truth(_ value: Bool) -> String
    /// The text behind a value for its membership in a list that is bound to a placeholder, and that list as one value.
    func isIn(listAt placeholder: String, like values: [SlotValue]) -> String
    func list(_ values: [SlotValue]) -> SlotValue
    /// The least text behind all that begin with a prefix.
    func end(ofPrefix prefix: String) -> String
    /// The text behind a SELECT that is a source without a name.
    var sourceAlias: String { get }
    /// A LIMIT that lets all rows pass, for an OFFSET without one; nil where it needs none.
    var noLimit: Int? { get }
    /// The text before a term of GROUP BY that keeps it from using an index; empty if the database knows from the rows
    /// which way is faster.
    var groupingWithoutIndex: String { get }
    /// The number of bytes that the values of a row take at most in an index, as they are stored; nil for any number.
    var largestIndexed: Int? { get }
    /// The text behind a column of an index.
    func suffix(for direction: SQLIndexColumn.Direction) -> String
    /// A value in the text of a definition.
    func literal(ofBytes bytes: [UInt8]) -> String
    func literal(of uuid: UUID) -> String
    /// The text before INTO, and behind the values, if keys that are there already are no failure.
    func insertion(_ conflict: SQLInsert.Conflict) -> (verb: String, tail: String)
}

extension SQLDialect {
    package var missingFunctions: Set<SQLExpression.Function> { [] }

    package var largestIndexed: Int? { nil }

    package func literal(_ value: SlotValue) -> String {
        switch value {
        case .null: "NULL"
        case .int(let number): "\(number)"
        // No dialect has a word for NaN, and none for infinity that all its types take.
        case .double(let number): number.isFinite ? "\(number)" : "NULL"
        case .string(let text): "'" + text.replacingOccurrences(of: "'", with: "''") + "'"
        case .data(let data): literal(ofBytes: Array(data))
        case .uuid(let uuid): literal(of: uuid)
        case .decimal(let number): "\(number)"
        }
    }

    /// Bytes in hexadecimal digits.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
