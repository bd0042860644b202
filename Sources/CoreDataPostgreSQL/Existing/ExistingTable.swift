#if PostgreSQL
import CoreData
import Foundation

/// A table that another program has made: its place, and its columns as the catalog describes them.
struct ExistingTable {
    struct Column {
        var type: String
        var isMandatory: Bool
        /// Whether a row that is inserted without a value gets one.
        var hasDefault: Bool
        var isGenerated: Bool
        var isSortedByBytes: Bool
        /// Whether no two rows have the same value.
        var isUnique: Bool
    }

    let schema: String?
    let name: String
    private(set) var kind: String?
    private(set) var columns: [String: Column] = [:]

    /// The name with its schema, for statements.
    var quoted: String {
        (schema.map { PostgreSQLDialect.inQuotes($0) + "." } ?? "") + PostgreSQLDialect.inQuotes(name)
    }

    /// For messages.
    var shown: String { (schema.map { $0 + "." } ?? "") + name }

    /// Whether there is a table or a view of the name.
    var isThere: Bool { kind != nil }

    /// Whether it is a table, whose rows have versions of their own.
    var isTable: Bool { kind == "r" || kind == "p" }

    init(_ schema: String?, _ name: String, on connection: PostgreSQLConnection) throws {
        (self.schema, self.name) = (schema, name)
        kind = try connection.kind(ofTable: quoted)
        if kind == nil { return }
        for row in try connection.columnsToWrite(ofTable: quoted) {
            columns[row[0] ?? ""] = Column(
                type: row[1] ?? "", isMandatory: row[2] == "t", hasDefault: row[3] == "t",
                isGenerated: row[4] == "t",
                isSortedByBytes: row[5] == "t", isUnique: row[6] == "t")
        }
    }

    /// Whether the table is partitioned: a statement that writes a row into it cannot return the `xmin` of the row.
    var isPartitioned: Bool { kind == "p" }

    /// The rights to the table, of a list, that the role lacks.
    func missingRights(_ rights: [String], on connection: PostgreSQLConnection) throws -> [String] {
        try rights.filter { try !connection.hasRight($0, toTable: quoted) }
    }

    /// The sequence that gives keys to rows that other programs insert; nil where there is none.
    func sequence(of column: String, on connection: PostgreSQLConnection) throws -> String? {
        isTable ? try connection.sequence(ofTable: quoted, column: column) : nil
    }

    static let integers: Set<String> = ["smallint", "integer", "bigint"]

    /// The types that a column may have for values of a type; the first one is what a new store has.
    static func types(for type: SQLColumnType) -> [String] {
        switch type {
        case .integer: ["bigint", "integer", "smallint"]
        case .mediumInteger: ["integer", "smallint", "bigint"]
        case .smallInteger: ["smallint", "integer", "bigint"]
        case .boolean: ["boolean"]
        case .float, .real: ["double precision", "real"]
        case .timestamp: ["timestamp with time zone", "timestamp without time zone"]
        case .decimal: ["numeric"]
        case .varchar, .identifier, .label: ["text", "character varying"]
        case .blob: ["bytea"]
        case .uuid: ["uuid"]
        }
    }
}
#endif
