#if PostgreSQL
import CoreData
import Foundation

/// The dialect of PostgreSQL. The framework's own tables are in the schema `coredata`; the tables of entities are
/// in the first schema of the connection's search path.
struct PostgreSQLDialect: SQLDialect {
    static let schema = "coredata"

    /// The functions that the program computes: its texts, numbers and dates are Foundation's.
    static let missingFunctions: Set<SQLExpression.Function> = [
        .lower, .upper, .length, .contains, .beginsWith, .endsWith, .like, .matches, .equalText, .canonical, .fold,
        .power, .squareRoot, .floor, .ceiling, .truncate, .naturalLog, .log, .exponential, .random, .now,
        .tagExternal, .untagExternal,
    ]

    var missingFunctions: Set<SQLExpression.Function> { Self.missingFunctions }

    /// A third of a page of the server, minus the header of a value.
    var largestIndexed: Int? { 2_692 }

    func name(of function: SQLExpression.Function) -> String {
        switch function {
        case .count: "COUNT"
        case .sum: "SUM"
        case .min: "MIN"
        case .max: "MAX"
        case .average: "AVG"
        case .abs: "ABS"
        case .coalesce: "COALESCE"
        case .greatest: "GREATEST"
        // The program computes it for fetches; a migration finds whole numbers with it.
        case .truncate: "TRUNC"
        case .historyTransaction: "coredata.transaction_number"
        case .historyName: "coredata.history_name"
        case .historyBound: "coredata.history_bound"
        case .historyEnd: "coredata.history_end"
        case .octets: "OCTET_LENGTH"
        case .characters: "CHAR_LENGTH"
        case .small: "LOWER"
        case .place: "STRPOS"
        case .ending: "RIGHT"
        case .storedSize: "PG_COLUMN_SIZE"
        // The program has computed them before: see `missingFunctions`.
        default: "coredata.\(function.rawValue)"
        }
    }

    func name(of op: SQLExpression.Operator) -> String {
        switch op {
        case .same: "IS NOT DISTINCT FROM"
        case .notSame: "IS DISTINCT FROM"
        default: op.rawValue
        }
    }

    /// The collations of Foundation's comparisons, as near as ICU comes to them.
    func suffix(for collation: SQLSelect.Order.Collation) -> String {
        switch collation {
        case .binary: ""
        case .caseInsensitive, .localized, .localizedCaseInsensitive, .localizedStandard: " COLLATE \"und-x-icu\""
        }
    }

    /// NULL is greater than everything here, and less in Core Data.
    func suffix(isAscending: Bool, putsNullsLast: Bool) -> String {
        if !isAscending { return " NULLS LAST" }
        return putsNullsLast ? "" : " NULLS FIRST"
    }

    func placeholder(_ number: Int) -> String { "$\(number)" }
    func nextPlaceholder(_ number: Int) -> String { "$\(number)" }
    func truth(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }
    var keyOrder: String { "" }
    var sourceAlias: String { " AS source" }
    var noLimit: Int? { nil }
    var groupingWithoutIndex: String { "" }
    func end(ofPrefix prefix: String) -> String { prefix + "\u{10FFFF}\u{10FFFF}" }
    func suffix(for direction: SQLIndexColumn.Direction) -> String {
        switch direction {
        case .ascending: " ASC NULLS FIRST"
        case .descending: " DESC NULLS LAST"
        }
    }

    func derivedAttributeTriggers(_ layout: ModelLayout, _ schema: SQLSchema) -> [StoreCatalog.Trigger] { [] }

    func name(of type: SQLColumnType) -> String {
        switch type {
        case .integer: "bigint"
        case .mediumInteger: "integer"
        case .smallInteger: "smallint"
        case .boolean: "boolean"
        case .float: "double precision"
        case .real: "real"
        case .timestamp: "timestamptz"
        case .decimal: "numeric"
        case .varchar, .identifier, .label: "text COLLATE \"C\""
        case .blob: "bytea"
        case .uuid: "uuid"
        }
    }

    var changesTypes: Bool { true }

    func conversion(of column: String, from type: String, to new: SQLColumnType) -> String {
        let former = [SQLColumnType.boolean, .real, .float].first { type == name(of: $0) }
        return Self.conversion(of: quoted(column), from: former, to: new)
    }

    /// A value of a column in the type of another one. `from` may be unknown where it is no truth value and no
    /// number with fractions.
    static func conversion(of value: String, from: SQLColumnType?, to: SQLColumnType) -> String {
        let name = PostgreSQLDialect().name(of: to)
        // The server's own cast keeps six digits of a `real`, and fifteen of a double. As a text, a double has as
        // many digits as distinguish it from every other double: Swift writes it like this, and so do files.
        // `Decimal` has no digits after the 128th place.
        if to == .decimal, from == .real || from == .float {
            return "trim_scale(round(\(value)::float8::text::\(name), 128))"
        }
        // A truth value has casts to and from `integer` alone.
        return "\(value)\(from == .boolean || to == .boolean ? "::integer" : "")::\(name)"
    }

    func insertion(_ conflict: SQLInsert.Conflict) -> (verb: String, tail: String) {
        ("INSERT", conflict == .keepsStored ? " ON CONFLICT DO NOTHING" : "")
    }

    // MARK: Lists

    func isIn(listAt placeholder: String, like values: [SlotValue]) -> String {
        let type =
            switch values.first {
            case .string: "text"
            case .double: "float8"
            case .uuid: "uuid"
            case .data: "bytea"
            case .decimal: "numeric"
            default: "int8"
            }
        return " = ANY(\(placeholder)::\(type)[])"
    }

    /// A list as an array in its written form, which the parameter's type reads.
    func list(_ values: [SlotValue]) -> SlotValue {
        let texts = values.map { value -> String in
            switch value {
            case .null: "NULL"
            case .int(let number): "\(number)"
            case .double(let number): "\(number)"
            case .string(let text):
                "\""
                    + text.replacingOccurrences(of: "\\", with: "\\\\")
                    .replacingOccurrences(of: "\"", with: "\\\"") + "\""
            case .data(let data): "\"\\\\x" + Self.hex(data) + "\""
            case .uuid(let uuid): uuid.uuidString
            case .decimal(let number): "\(number)"
            }
        }
        return .string("{" + texts.joined(separator: ",") + "}")
    }

    func literal(ofBytes bytes: [UInt8]) -> String { "'\\x\(Self.hex(bytes))'" }

    func literal(of uuid: UUID) -> String { "'\(uuid.uuidString)'" }

    // MARK: Values in the text

    /// The server finds the type of a literal in quotation marks as it finds that of a parameter. Dates are seconds
    /// from 2001, to the microsecond.
    func literal(_ value: SlotValue, as type: SQLColumnType?) -> String {
        switch (value, type) {
        case (.null, _): return "NULL"
        case (.int(let number), .timestamp): return literal(ofSeconds: Double(number))
        case (.double(let number), .timestamp): return literal(ofSeconds: number)
        case (.data(let data), .uuid) where data.count == 16:
            return literal(of: data.withUnsafeBytes { UUID(uuid: $0.load(as: uuid_t.self)) })
        case (.int(let number), _): return "'\(number)'"
        case (.double(let number), _):
            if number.isNaN { return "'NaN'" }
            return number.isInfinite ? "'\(number < 0 ? "-" : "")Infinity'" : "'\(number)'"
        case (.decimal(let number), _): return number.isNaN ? "'NaN'" : "'\(number)'"
        default: return literal(value)
        }
    }

    private func literal(ofSeconds seconds: Double) -> String {
        let microseconds = Int64(exactly: (seconds * 1_000_000).rounded()) ?? 0
        return "(timestamptz '2001-01-01 00:00:00+00' + \(microseconds) * interval '1 microsecond')"
    }

    func adapted(_ statement: SQLStatement) -> SQLStatement { statement.inWordsOfPostgreSQL }

    // MARK: Names

    func quoted(_ identifier: String) -> String {
        if identifier.utf8.first == Self.sign { return Self.inQuotes(Self.asGiven(identifier)) }
        if let table = Self.tables[identifier] { return "\"\(Self.schema)\".\"\(table)\"" }
        if let view = Self.view(identifier) { return "\"\(Self.schema)\".\(quoted(view))" }
        return Self.inQuotes(Self.columns[identifier] ?? identifier)
    }

    /// Quotes a name of the database, without a translation from the names of the SQL layer.
    static func inQuotes(_ name: String) -> String {
        "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }

    /// The text of a function, between marks that no name and no value in it has.
    static func inDollars(_ body: String) -> String {
        var tag = "$body"
        while body.contains(tag) { tag += "_" }
        return "\(tag)$\(body)\(tag)$"
    }

    /// How many bytes a name has at most; the server cuts off the rest.
    static let longest = 63

    /// A name of the SQL layer with a suffix that is kept when the name is cut.
    static func name(_ name: String, endingIn end: String) -> String {
        let given = asGiven(name)
        let sign = name.prefix(name.utf8.count - given.utf8.count)
        var start = given
        while start.utf8.count + end.utf8.count > longest { start.removeLast() }
        return sign + start + end
    }

    /// Cuts a name to the longest that the server allows, or to a number of bytes. A name that is cut ends in a
    /// hash of the whole name, so that names with different ends stay different.
    static func fitting(_ name: String, _ count: Int = longest) -> String {
        if name.utf8.count <= count { return name }
        let digest = name.utf8.reduce(into: UInt32(2_166_136_261)) { $0 = ($0 ^ UInt32($1)) &* 16_777_619 }
        let end = "_" + String(digest, radix: 36)
        var start = name
        while start.utf8.count + end.utf8.count > count { start.removeLast() }
        return start + end
    }

    func defined(_ identifier: String) -> String { quoted(identifier) }

    /// The framework's own tables and columns, by their names in the SQL layer.
    private static let tables = [
        "Z_PRIMARYKEY": "entities", "Z_METADATA": "metadata", "Z_MODELCACHE": "model",
        "ATRANSACTION": "transactions",
        "ACHANGE": "changes", "ATRANSACTIONSTRING": "names",
    ]
    private static let columns = [
        SQLSchema.keyColumn: "id", SQLSchema.entityColumn: "entity", SQLSchema.versionColumn: "version",
        "Z_NAME": "name", "Z_SUPER": "parent", "Z_MAX": "highest", "Z_VERSION": "row", "Z_UUID": "identifier",
        "Z_PLIST": "list", "Z_CONTENT": "content", "ZCHANGETYPE": "type", "ZENTITY": "of_entity",
        "ZENTITYPK": "of_id", "ZTRANSACTIONID": "transaction", "ZCOLUMNS": "columns", "ZTIMESTAMP": "time",
        "ZQUERYGEN": "generation", "ZNAME": "value", "ZAUTHORTS": "author_name", "ZAUTHOR": "author",
        "ZBUNDLEIDTS": "bundle_name", "ZBUNDLEID": "bundle", "ZCONTEXTNAMETS": "context_name",
        "ZCONTEXTNAME": "context", "ZPROCESSIDTS": "process_name", "ZPROCESSID": "process",
    ]
    /// The prefix, in the SQL layer, of a column name in the database that the SQL layer uses for something else.
    private static let sign = UInt8(ascii: "=")

    /// The name in the SQL layer of a column that has a given name in the database.
    static func column(given name: String) -> String {
        let isOfFloor = columns[name] != nil || place(of: name).schema != nil || name.utf8.first == sign
        return isOfFloor ? "=" + name : name
    }

    /// The name that a column of the SQL layer has in the database.
    static func asGiven(_ column: String) -> String {
        column.utf8.first == sign ? String(column.dropFirst()) : column
    }

    private static let logicalTables = Dictionary(tables.map { ($1, $0) }) { first, _ in first }
    private static let logicalColumns = Dictionary(columns.map { ($1, $0) }) { first, _ in first }
    private static let fixed = [
        "id": SQLSchema.keyColumn, "entity": SQLSchema.entityColumn, "version": SQLSchema.versionColumn,
    ]

    /// The schema and the name of a table; no schema for those of entities.
    static func place(of table: String) -> (schema: String?, name: String) {
        (tables[table] ?? view(table)).map { (schema, $0) } ?? (nil, table)
    }

    /// The name in the SQL layer of a view over an existing table (`ExistingTables`).
    static func table(ofView view: String) -> String { "\(schema).\(view)" }

    private static func view(_ table: String) -> String? {
        table.hasPrefix(schema + ".") ? String(table.dropFirst(schema.count + 1)) : nil
    }

    /// The name in the SQL layer of a table of the framework's own; nil for a table that the SQL layer does not
    /// use.
    static func logical(table: String) -> String? { logicalTables[table] }

    /// The name in the SQL layer of a column of a table; without a table, of a column of an entity's table.
    static func logical(_ column: String, in table: String = "") -> String {
        if tables[table] != nil { return logicalColumns[column] ?? column }
        return fixed[column] ?? Self.column(given: column)
    }
}
#endif
