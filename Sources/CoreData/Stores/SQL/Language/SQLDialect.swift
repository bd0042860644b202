/// The differences between databases in printed SQL.
package protocol SQLDialect: Sendable {
    /// The names of functions, operators and collations. That of a collation follows an ORDER BY term; empty for none.
    func name(of function: SQLExpression.Function) -> String
    /// The functions that the database does not compute.
    var missingFunctions: Set<SQLExpression.Function> { get }
    func name(of op: SQLExpression.Operator) -> String
    func suffix(for collation: SQLSelect.Order.Collation) -> String
    /// The text after an ORDER BY term that puts missing values first or last; empty if the database puts them there
    /// anyway.
    func suffix(isAscending: Bool, putsNullsLast: Bool) -> String
    /// The text of the placeholder with a number, from 1. Several placeholders may have one number.
    func placeholder(_ number: Int) -> String
    /// The text of the placeholder with a number, in a statement in which each number occurs once.
    func nextPlaceholder(_ number: Int) -> String
    /// A name within a statement, and a name within the definition of a table or an index.
    func quoted(_ identifier: String) -> String
    func defined(_ identifier: String) -> String
    func name(of type: SQLColumnType) -> String
    /// Whether the database changes the type of a column, and drops columns, better than a copy of the rows would.
    var changesTypes: Bool { get }
    /// The value of a column of a type, converted to another type; empty if the value needs no conversion.
    func conversion(of column: String, from type: String, to new: SQLColumnType) -> String
    /// The text after a table whose rows are stored in the order of its key; empty if there is no such option.
    var keyOrder: String { get }
    func truth(_ value: Bool) -> String
    /// The text after a value for its membership in a list that is bound to a placeholder, and that list as one value.
    func isIn(listAt placeholder: String, like values: [SlotValue]) -> String
    func list(_ values: [SlotValue]) -> SlotValue
    /// A text that sorts after all texts with a prefix.
    func end(ofPrefix prefix: String) -> String
    /// The text after a SELECT that is a source without a name.
    var sourceAlias: String { get }
    /// A LIMIT that includes all rows, for an OFFSET without a limit; nil if no LIMIT is necessary.
    var noLimit: Int? { get }
    /// The text before a term of GROUP BY that prevents the use of an index; empty if the database itself chooses the
    /// faster way.
    var groupingWithoutIndex: String { get }
    /// The greatest number of bytes of a row's values in an index, as they are stored; nil if there is no limit.
    var largestIndexed: Int? { get }
    /// The text after a column of an index.
    func suffix(for direction: SQLIndexColumn.Direction) -> String
    /// The triggers by which Apple's files keep derived attributes, as far as they are known; none in other databases.
    func derivedAttributeTriggers(_ layout: ModelLayout, _ schema: SQLSchema) -> [StoreCatalog.Trigger]
    /// A value as a literal in the text of a definition.
    func literal(ofBytes bytes: [UInt8]) -> String
    /// A value as a literal in a statement, as the value would be bound for a column of a type.
    func literal(_ value: SlotValue, as type: SQLColumnType?) -> String
    /// A statement in the words of the database, where these are not only names.
    func adapted(_ statement: SQLStatement) -> SQLStatement
    /// The texts that begin and end a transaction in which the store's tables change.
    var transaction: (begin: String, commit: String) { get }
    func literal(of uuid: UUID) -> String
    /// The text before INTO, and the text after the values, for an insertion that ignores keys that already exist.
    func insertion(_ conflict: SQLInsert.Conflict) -> (verb: String, tail: String)
}

extension SQLDialect {
    package var missingFunctions: Set<SQLExpression.Function> { [] }

    package var largestIndexed: Int? { nil }

    package func adapted(_ statement: SQLStatement) -> SQLStatement { statement }

    package func literal(_ value: SlotValue, as type: SQLColumnType?) -> String { literal(value) }

    package var transaction: (begin: String, commit: String) { ("BEGIN", "COMMIT") }

    package func literal(_ value: SlotValue) -> String {
        switch value {
        case .null: "NULL"
        case .int(let number): "\(number)"
        // No dialect has a literal for NaN, and none for infinity that all its types accept.
        case .double(let number): number.isFinite ? "\(number)" : "NULL"
        case .string(let text): "'" + text.replacingOccurrences(of: "'", with: "''") + "'"
        case .data(let data): literal(ofBytes: Array(data))
        case .uuid(let uuid): literal(of: uuid)
        case .decimal(let number): "\(number)"
        }
    }

    /// Bytes as hexadecimal digits.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
