/// The names of a model's tables, columns and indexes in a kind of database, and the types of its columns.
package protocol SQLSchemaStyle: Sendable {
    /// The table of every root entity by its name, and the names that are used by then.
    ///
    /// - Parameter given: the tables of roots that already have names.
    func tables(ofRoots roots: [String], given: [String: String]) -> (byRoot: [String: String], names: SQLNames)

    /// The name that the table of a root entity already has, or that the model gives it; nil if the style chooses one.
    func givenTable(of entity: NSEntityDescription) -> String?
    /// The name that the column of a slot already has, or that the model gives it; nil if the style chooses one.
    func givenColumn(of slot: Slot, in entity: EntityLayout) -> String?

    /// Throws if the model gives one name to two objects of the database.
    func requireOwnNames(of schema: SQLSchema, _ layout: ModelLayout) throws

    /// The names of the columns that every table has, and that no other column gets.
    var fixedColumns: [String] { get }
    /// The type of the column of a row's entity, and of the column of the entity to which a relationship leads.
    var entityType: SQLColumnType { get }
    func type(of attribute: NSAttributeDescription, kind: SlotKind) -> SQLColumnType
    /// Whether values that may be in external files have a tag in front of their bytes.
    var tagsExternalValues: Bool { get }

    /// The column of an attribute, or of the element of a composite one.
    func column(ofAttribute name: String) -> String
    func column(ofReference name: String) -> String
    /// The column of the entity to which a relationship leads; `number` is that of the relationship's destination.
    func column(ofEntityOf name: String, number: Int) -> String
    /// The column of the place in an ordered relationship. `owner` is the number of the entity that declares it, if the
    /// column of the key contains it, too.
    func column(ofPlaceIn name: String, owner: Int?) -> String
    /// The column of the owner's key for a to-many relationship without inverse.
    func column(ofOwner entity: String, number: Int, _ relationship: String) -> String

    /// The names of a join table and of its columns.
    func join(_ sides: SQLJoinSides, _ tables: inout SQLNames, _ columns: inout SQLNames) -> SQLJoinTable

    /// Whether a change of an entity's to-many relationship raises the version of the owner's row, or a change of its
    /// row raises the version of the row to which a to-one relationship leads (`VersionedLinks`).
    func isVersioned(_ relationship: String, of entity: String) -> Bool

    /// The mark that a store has given to the changes of an entity in history; nil if the names of its properties
    /// determine the mark.
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

/// The two sides of a many-to-many relationship: the side that names the table, and its inverse.
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

/// The names and types in Apple's files.
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
