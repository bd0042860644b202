/// The names that a kind of database gives to the tables, columns and indexes of a model, and the types of its columns.
package protocol SQLSchemaStyle: Sendable {
    /// The table of every root entity by its name, and the names that nothing else can have any more.
    ///
    /// - Parameter given: the tables of roots that have names already.
    func tables(ofRoots roots: [String], given: [String: String]) -> (byRoot: [String: String], names: SQLNames)

    /// The name that the table of a root entity has already, or that the model gives it; nil where the style chooses
    /// one.
    func givenTable(of entity: NSEntityDescription) -> String?
    /// The name that the column of a slot has already, or that the model gives it; nil where the style chooses one.
    func givenColumn(of slot: Slot, in entity: EntityLayout) -> String?

    /// Throws where the model gives one name to two things of the database.
    func requireOwnNames(of schema: SQLSchema, _ layout: ModelLayout) throws

    /// The names of the columns that every table has: no other column gets them.
    var fixedColumns: [String] { get }
    /// The types of the column of a row's entity, and of the one of the entity that a relationship leads to.
    var entityType: SQLColumnType { get }
    func type(of attribute: NSAttributeDescription, kind: SlotKind) -> SQLColumnType
    /// Whether values that may lie in files have a tag in front of their bytes.
    var tagsExternalValues: Bool { get }

    /// The column of an attribute, or of the element of a composite one.
    func column(ofAttribute name: String) -> String
    func column(ofReference name: String) -> String
    /// The column of the entity that a relationship leads to; `number` is that of the relationship's destination.
    func column(ofEntityOf name: String, number: Int) -> String
    /// The column of the place in an ordered relationship. `owner` is the number of the entity that declares it where
    /// the column of the key names it, too.
    func column(ofPlaceIn name: String, owner: Int?) -> String
    /// The column of the owner's key where a to-many relationship has no inverse.
    func column(ofOwner entity: String, number: Int, _ relationship: String) -> String

    /// The names of a join table and of its columns.
    func join(_ sides: SQLJoinSides, _ tables: inout SQLNames, _ columns: inout SQLNames) -> SQLJoinTable

    /// Whether a change of an entity's to-many relationship raises the version of the owner's row, or one of its row
    /// the version of the one that a to-one relationship leads to (`VersionedLinks`).
    func isVersioned(_ relationship: String, of entity: String) -> Bool

    /// The mark that a store has given to the changes of an entity in history; nil where the names of its properties
    /// give it.
    func historyMark(of entity: String) -> Int64?

    func index(ofKey column: String, in table: String) -> String
    func index(_ name: String, of entity: String) -> String
}

extension SQLSchemaStyle {
    package func givenTable(of entity: NSEntityDescription) -> String? { nil }
    package func givenColumn(of slot: Slot, in entity: EntityLayout) -> String? { nil }
    package func requireOwnNames(of schema: SQLSchema, _ layout: ModelLayout) throws {}
    package func isVersioned(_ relationship: String, of entity: String) -> Bool { false }
    package func historyMark(of entity: String) -> Int64? { nil }
}

/// The two sides of a many-to-many relationship: the one that names the table, and its inverse.
package struct SQLJoinSides {
    package struct Side {
        package var entity: String
        package var number: Int
        package var relationship: String
        package var isOrdered: Bool
        package var userInfo: [AnyHashable: Any]?
    }

    package var naming: Side
    package var inverse: Side
    /// Whether the relationship is its own inverse.
    package var isReflexive: Bool
}

/// The names and types that Core Data's own files have.
package struct CoreDataFileStyle: SQLSchemaStyle {
    package init() {}

    package func tables(
        ofRoots roots: [String], given: [String: String]
    ) -> (byRoot: [String: String], names: SQLNames) {
        SQLNames.tables(ofRoots: roots)
    }

    package var fixedColumns: [String] { [SQLSchema.keyColumn, SQLSchema.entityColumn, SQLSchema.versionColumn] }

    package var entityType: SQLColumnType { .integer }

    package var tagsExternalValues: Bool { true }

    package func type(of attribute: NSAttributeDescription, kind: SlotKind) -> SQLColumnType {
        switch kind {
        case .integer, .boolean, .reference, .entityNumber, .order: .integer
        case .double, .float: .float
        case .date: .timestamp
        case .decimal: .decimal
        case .string: .varchar
        case .uri: attribute.attributeType == .objectIDAttributeType ? .integer : .varchar
        case .uuid, .transformable, .data: .blob
        }
    }

    package func column(ofAttribute name: String) -> String { "Z" + SQLNames.upper(name) }

    package func column(ofReference name: String) -> String { "Z" + SQLNames.upper(name) }

    package func column(ofEntityOf name: String, number: Int) -> String { "Z\(number)_\(SQLNames.upper(name))" }

    package func column(ofPlaceIn name: String, owner: Int?) -> String {
        "Z_FOK_" + (owner.map { "\($0)" } ?? "") + SQLNames.upper(name)
    }

    package func column(ofOwner entity: String, number: Int, _ relationship: String) -> String {
        "Z\(number)\(SQLNames.upper(relationship))"
    }

    package func join(_ sides: SQLJoinSides, _ tables: inout SQLNames, _ columns: inout SQLNames) -> SQLJoinTable {
        let namingName = SQLNames.upper(sides.naming.relationship)
        let inverseName = SQLNames.upper(sides.inverse.relationship)
        let isReflexive = sides.isReflexive
        let table = tables.own("Z_\(sides.naming.number)\(namingName)")
        let ownerColumn = columns.own("Z_\(sides.naming.number)\(inverseName)")
        let memberColumn = isReflexive ? "REFLEXIVE" : columns.own("Z_\(sides.inverse.number)\(namingName)")
        return SQLJoinTable(
            table: table, ownerColumn: ownerColumn, memberColumn: memberColumn,
            memberOrderColumn: sides.naming.isOrdered ? "Z_FOK_" + memberColumn.dropFirst(isReflexive ? 0 : 2) : nil,
            ownerOrderColumn: sides.inverse.isOrdered && !isReflexive ? "Z_FOK_" + ownerColumn.dropFirst(2) : nil,
            isReflexive: isReflexive)
    }

    package func index(ofKey column: String, in table: String) -> String { "\(table)_\(column)_INDEX" }

    package func index(_ name: String, of entity: String) -> String { "Z_\(entity)_\(name)" }
}
