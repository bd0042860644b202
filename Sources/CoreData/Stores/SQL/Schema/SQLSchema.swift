// About the room Stores/SQL/Schema.
//
// - `SQLSchema` has the tables of a model, `ActualSchema` those that a database really has, and `SQLBookkeeping` those
//   that a store keeps for itself.
// - `NewStore` is the content of a new store of any engine. `StoredModel` is the model that a store keeps.

/// The declared type of a column. The names are the ones Core Data's stores use; a dialect may print others.
package enum SQLColumnType: String, Sendable {
    case integer = "INTEGER"
    case float = "FLOAT"
    case timestamp = "TIMESTAMP"
    case decimal = "DECIMAL"
    case varchar = "VARCHAR"
    case blob = "BLOB"
    /// Text of at most 255 characters, as the identifier of a store.
    case identifier = "VARCHAR(255)"
    /// Types that Core Data's own files have not, where one integer, float or blob holds them all.
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

/// A table: columns in their order, and a primary key over several of them where it has one.
package struct SQLTable: Equatable, Sendable {
    package var name: String
    package var columns: [SQLColumn]
    /// The columns of a primary key of more than one column (join tables); empty otherwise.
    package var compositeKey: [String] = []
    /// Whether the store keeps the table for itself. Core Data's own files write the definitions of such tables without
    /// the blanks that those of entities have.
    package var isBookkeeping = false
    /// Whether rows lie in the order of the composite key, where the database can have them so.
    package var liesInKeyOrder = false

    package func hasColumn(_ name: String) -> Bool { columns.contains { $0.name == name } }
}

/// A column of an index. A nil direction prints neither collation nor direction, as the indexes of relationships have
/// it.
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

/// A join table of a many-to-many relationship, seen from both of its ends.
package struct SQLJoinTable: Equatable, Sendable {
    package var table: String
    /// Holds keys of the entity that declares the naming relationship: the owners of the naming side.
    package var ownerColumn: String
    /// Holds keys of the naming relationship's destination: the members of the naming side.
    package var memberColumn: String
    /// Position of a member within its owner's list, when the naming relationship is ordered.
    package var memberOrderColumn: String?
    /// Position of an owner within its member's list, when the inverse is ordered.
    package var ownerOrderColumn: String?
    /// Both columns hold keys of one relationship that is its own inverse: each pair is written both ways round.
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
    /// Position of the members in the owner's list.
    package var orderColumn: String?
    /// Position of the owner in each member's list.
    package var inverseOrderColumn: String?
    package var isReflexive: Bool
    /// Whether this is the end that did not name the table.
    package var isFlipped: Bool
}

/// The tables, columns and indexes that hold the objects of a model, and the place of each slot and relationship.
///
/// A value: two schemas can be compared table by table (migration does), and nothing in it depends on a connection.
/// Layout indexes are those of the `ModelLayout` it was made from.
package struct SQLSchema: Equatable, Sendable {
    /// One table per root entity, in the order of the numbering; each is followed by its join tables in `allTables`.
    package var entityTables: [SQLTable] = []
    package var joins: [SQLJoinTable] = []
    package var joinTables: [SQLTable] = []
    package var indexes: [SQLIndex] = []

    /// The number of each entity in the store (Z_ENT); nil for entities that the store does not hold.
    package var numbers: [Int?]
    /// Root layout index → place in `entityTables`.
    package var tableOfRoot: [Int: Int] = [:]
    /// For every layout, the column of every slot; nil where a slot is not stored.
    package var columns: [[String?]]
    /// For every layout, the end of a join table of every to-many; nil where the relationship has none.
    package var joinEnds: [[SQLJoinEnd?]]

    /// Nil where there are none.
    package var versionedLinks: VersionedLinks?

    /// Whether values that may lie in files have a tag in front of their bytes.
    package var tagsExternalValues = true

    /// Number in the store → layout index.
    package var layoutOfNumber: [Int: Int] = [:]
    /// Layout index → the mark of its changes in history, where it is another one than the names of its properties
    /// give.
    package var historyMarks: [Int: Int64] = [:]

    package static let keyColumn = "Z_PK"
    package static let entityColumn = "Z_ENT"
    package static let versionColumn = "Z_OPT"

    package func table(ofRoot root: Int) -> SQLTable? { tableOfRoot[root].map { entityTables[$0] } }

    /// The only entity that the table of a root holds rows of; nil when there are several, or none.
    package func soleLayout(ofRoot root: Int, in model: ModelLayout) -> Int? {
        let stored = model.entities[root].subtree.filter { numbers[$0] != nil }
        return stored.count == 1 ? stored[0] : nil
    }

    package func column(layout: Int, slot: Int) -> String? { columns[layout][slot] }

    /// Whether rows name their entities; otherwise they have the numbers.
    package var namesEntities: Bool {
        entityTables.first?.columns.contains { $0.name == Self.entityColumn && $0.type == .label } ?? false
    }

    /// Every table in the order in which a new store gets them.
    package var allTables: [SQLTable] { entityTables + joinTables }
}

// Conditions on the rows of the only table of a statement.
extension SQLExpression {
    /// Whether a row is one of some entities, by their numbers.
    package static func isEntity(_ numbers: [Int]) -> SQLExpression {
        .isIn(.column(SQLSchema.entityColumn), numbers.map { .number($0) })
    }

    /// Whether a row has the key that is a parameter.
    package static func hasKey(parameter: Int = 1) -> SQLExpression {
        .binary(.equal, .column(SQLSchema.keyColumn), .parameter(parameter))
    }

    /// Whether a row has a key, and still a version, which are parameters behind each other.
    package static func isUnchanged(key: Int) -> SQLExpression {
        .and([
            hasKey(parameter: key), .binary(.equal, .column(SQLSchema.versionColumn), .parameter(key + 1)),
        ])
    }
}
