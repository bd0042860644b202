// Implementation notes: Stores/SQL/Schema.
//
// - `SQLSchema` has the tables of a model, `IntrospectedSchema` the introspected tables of a database, and
//   `SQLBookkeeping` the tables of a store's bookkeeping.
// - `NewStore` is the content of a new store of any engine. `StoredModel` is the model that a store keeps.

/// The declared type of a column. The names are those of Apple's stores; a dialect may print other names.
package enum SQLColumnType: String, Sendable {
    case integer = "INTEGER"
    case float = "FLOAT"
    case timestamp = "TIMESTAMP"
    case decimal = "DECIMAL"
    case varchar = "VARCHAR"
    case blob = "BLOB"
    /// Text of at most 255 characters, as the identifier of a store.
    case identifier = "VARCHAR(255)"
    /// Types that Apple's files do not have, because one integer, float or blob type holds all such values.
    case boolean, smallInteger, mediumInteger, real, uuid
    /// The name of an entity.
    case label
}

/// A column of a table.
package struct SQLColumn: Equatable, Sendable {
    package var name: String
    package var type: SQLColumnType
    /// Whether the column alone is the table's primary key.
    package var isPrimaryKey = false
}

/// A table: columns in their order, and a primary key over several of them if it has one.
package struct SQLTable: Equatable, Sendable {
    package var name: String
    package var columns: [SQLColumn]
    /// The columns of a primary key of more than one column (join tables); empty otherwise.
    package var compositeKey: [String] = []
    /// Whether the table is the store's bookkeeping. In Apple's files the definitions of such tables lack the blanks
    /// that those of entities have.
    package var isBookkeeping = false
    /// Whether rows are stored in the order of the composite key, if the database can do that.
    package var liesInKeyOrder = false

    package func hasColumn(_ name: String) -> Bool { columns.contains { $0.name == name } }
}

/// A column of an index. A nil direction prints neither collation nor direction, as in the indexes of relationships.
package struct SQLIndexColumn: Equatable, Sendable {
    package enum Direction: Equatable, Sendable {
        case ascending
        case descending
    }
    package var name: String
    package var direction: Direction?

    package init(name: String, direction: Direction? = nil) {
        self.name = name
        self.direction = direction
    }
}

/// An index of a table.
package struct SQLIndex: Equatable, Sendable {
    package var name: String
    package var table: String
    package var columns: [SQLIndexColumn]
    package var isUnique = false
    /// The condition of a partial index.
    package var condition: SQLExpression?
}

/// A join table of a many-to-many relationship, with its two ends.
package struct SQLJoinTable: Equatable, Sendable {
    package var table: String
    /// Holds keys of the entity that declares the naming relationship: the owners of the naming side.
    package var ownerColumn: String
    /// Holds keys of the naming relationship's destination: the members of the naming side.
    package var memberColumn: String
    /// The position of a member in its owner's list, if the naming relationship is ordered.
    package var memberOrderColumn: String?
    /// The position of an owner in its member's list, if the inverse is ordered.
    package var ownerOrderColumn: String?
    /// Whether both columns hold keys of one relationship that is its own inverse. Each pair is then written in both
    /// directions.
    package var isReflexive = false

    package init(
        table: String, ownerColumn: String, memberColumn: String, memberOrderColumn: String? = nil,
        ownerOrderColumn: String? = nil, isReflexive: Bool = false
    ) {
        self.table = table
        self.ownerColumn = ownerColumn
        self.memberColumn = memberColumn
        self.memberOrderColumn = memberOrderColumn
        self.ownerOrderColumn = ownerOrderColumn
        self.isReflexive = isReflexive
    }
}

/// One end of a join table: which column holds the owner and which the members.
package struct SQLJoinEnd: Equatable, Sendable {
    /// Index into `SQLSchema.joins`.
    package var joinIndex: Int
    package var table: String
    package var ownerColumn: String
    package var memberColumn: String
    /// The position of the members in the owner's list.
    package var orderColumn: String?
    /// The position of the owner in each member's list.
    package var inverseOrderColumn: String?
    package var isReflexive: Bool
    /// Whether this is the end that did not name the table.
    package var isFlipped: Bool
}

/// The tables, columns and indexes that hold the objects of a model, and the place of each slot and relationship.
///
/// It is a value: two schemas can be compared table by table (migrations do), and nothing in it depends on a
/// connection. Layout indexes are those of the `ModelLayout` from which it was made.
package struct SQLSchema: Equatable, Sendable {
    /// One table for each root entity, in the order of the numbers.
    package var entityTables: [SQLTable] = []
    package var joins: [SQLJoinTable] = []
    package var joinTables: [SQLTable] = []
    package var indexes: [SQLIndex] = []

    /// The number of each entity in the store (Z_ENT); nil for entities that the store does not hold.
    package var numbers: [Int?]
    /// The place in `entityTables` of each root, by layout index.
    package var tableOfRoot: [Int: Int] = [:]
    /// For every layout, the column of every slot; nil if a slot is not stored.
    package var columns: [[String?]]
    /// For every layout, the end of a join table of every to-many; nil if the relationship has none.
    package var joinEnds: [[SQLJoinEnd?]]

    /// The links of other versions that raise row versions; nil if there are none.
    package var versionedLinks: VersionedLinks?

    /// Whether values that may be in external files have a tag in front of their bytes.
    package var tagsExternalValues = true

    /// The layout index of each number in the store.
    package var layoutOfNumber: [Int: Int] = [:]
    /// The mark of an entity's changes in history, by layout index, if it is not the mark that the names of the
    /// properties give.
    package var historyMarks: [Int: Int64] = [:]

    package static let keyColumn = "Z_PK"
    package static let entityColumn = "Z_ENT"
    package static let versionColumn = "Z_OPT"

    package func table(ofRoot root: Int) -> SQLTable? { tableOfRoot[root].map { entityTables[$0] } }

    /// The only entity whose rows the table of a root holds; nil if there are several, or none.
    package func soleLayout(ofRoot root: Int, in model: ModelLayout) -> Int? {
        let stored = model.entities[root].subtree.filter { numbers[$0] != nil }
        return stored.count == 1 ? stored[0] : nil
    }

    package func column(layout: Int, slot: Int) -> String? { columns[layout][slot] }

    /// Whether rows contain the names of their entities; otherwise they contain the numbers.
    package var namesEntities: Bool {
        entityTables.first?.columns.contains { $0.name == Self.entityColumn && $0.type == .label } ?? false
    }

    /// Every table.
    package var allTables: [SQLTable] { entityTables + joinTables }
}

// Conditions on the rows of the only table of a statement.
extension SQLExpression {
    /// Whether a row belongs to one of some entities, by their numbers.
    package static func isEntity(_ numbers: [Int]) -> SQLExpression {
        .isIn(.column(SQLSchema.entityColumn), numbers.map { .number($0) })
    }

    /// Whether a row has the key in a parameter.
    package static func hasKey(parameter: Int = 1) -> SQLExpression {
        .binary(.equal, .column(SQLSchema.keyColumn), .parameter(parameter))
    }

    /// Whether a row has a key, and still a version, which are consecutive parameters.
    package static func isUnchanged(key: Int) -> SQLExpression {
        .and([
            hasKey(parameter: key), .binary(.equal, .column(SQLSchema.versionColumn), .parameter(key + 1)),
        ])
    }
}
