#if PostgreSQL
import CoreData
import Foundation

/// Names that people like to read, and PostgreSQL's own types.
struct PostgreSQLStyle: SQLSchemaStyle {
    /// The names that a database has already.
    let names: PostgreSQLNames

    init(_ names: PostgreSQLNames? = nil) { self.names = names ?? PostgreSQLNames() }

    /// Converts a name to snake case: `firstName` is `first_name`, `URLText` is `url_text`. PostgreSQL cuts names
    /// at 63 bytes; longer names are cut here, so that a number can follow.
    static func words(_ name: String) -> String {
        var result = ""
        let letters = Array(name)
        for (place, letter) in letters.enumerated() {
            let follows = place + 1 < letters.count && letters[place + 1].isLowercase
            if letter.isUppercase, place > 0, result.last != "_",
                !letters[place - 1].isUppercase || follows
            {
                result += "_"
            }
            result += letter.lowercased()
        }
        while result.utf8.count > 55 { result.removeLast() }
        return result
    }

    func tables(
        ofRoots roots: [String], given: [String: String]
    ) -> (byRoot: [String: String], names: SQLNames) {
        var names = SQLNames { PostgreSQLDialect.fitting($0) }
        for name in given.values { names.take(name) }
        var result = given
        for root in roots where given[root] == nil { result[root] = names.own(Self.words(root)) }
        return (result, names)
    }

    func givenTable(of entity: NSEntityDescription) -> String? {
        names.tables[entity.name ?? ""] ?? PostgreSQLNames.given(entity.userInfo)
    }

    func givenColumn(of slot: Slot, in entity: EntityLayout) -> String? {
        if let known = names.columns[PostgreSQLNames.part(of: slot, in: entity)] { return known }
        return PostgreSQLNames.given(slot.property?.userInfo)
            .flatMap { fixedColumns.contains($0) ? nil : PostgreSQLDialect.column(given: $0) }
    }

    var fixedColumns: [String] { ["id", "entity", "version"] + Self.systemColumns }

    /// The columns that PostgreSQL gives to every table.
    private static let systemColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    var entityType: SQLColumnType { .label }

    /// There are no files: machines share no disk.
    var tagsExternalValues: Bool { false }

    func type(of attribute: NSAttributeDescription, kind: SlotKind) -> SQLColumnType {
        switch attribute.attributeType {
        case .integer16AttributeType: .smallInteger
        case .integer32AttributeType: .mediumInteger
        case .booleanAttributeType: .boolean
        case .floatAttributeType: .real
        case .UUIDAttributeType: .uuid
        default:
            switch kind {
            case .boolean: .boolean
            case .entityNumber: .label
            case .float: .real
            case .uuid: .uuid
            default: CoreDataFileStyle().type(of: attribute, kind: kind)
            }
        }
    }

    func column(ofAttribute name: String) -> String { Self.words(name) }
    func column(ofReference name: String) -> String { Self.words(name) + "_id" }
    func column(ofEntityOf name: String, number: Int) -> String { Self.words(name) + "_entity" }
    func column(ofPlaceIn name: String, owner: Int?) -> String { Self.words(name) + "_place" }
    func column(ofOwner entity: String, number: Int, _ relationship: String) -> String {
        Self.words("\(entity)_\(relationship)") + "_id"
    }

    func join(_ sides: SQLJoinSides, _ tables: inout SQLNames, _ columns: inout SQLNames) -> SQLJoinTable {
        typealias Names = PostgreSQLNames
        let (naming, inverse) = (sides.naming, sides.inverse)
        func given(_ key: String, ofInverse inverseKey: String) -> String? {
            let names = [Names.given(naming.userInfo, key), Names.given(inverse.userInfo, inverseKey)]
            if key == Names.key { return names.compactMap(\.self).first }
            return names.compactMap(\.self).first { !Self.systemColumns.contains($0) }
                .map(PostgreSQLDialect.column(given:))
        }
        func known(_ side: SQLJoinSides.Side) -> String? {
            names.columns[Names.PropertyPart(entity: side.entity, property: side.relationship, role: "members")]
        }
        func place(_ column: String) -> String {
            var name = PostgreSQLDialect.asGiven(column) + "_place"
            while name.utf8.count > 63 { name.removeLast() }
            // The name to which the server cuts a longer one, unless that is the name of the other column.
            if name == PostgreSQLDialect.asGiven(column) { name = PostgreSQLDialect.name(name, endingIn: "_place") }
            return PostgreSQLDialect.column(given: name)
        }
        var own = SQLNames()
        let givenOwner = known(naming) ?? given(Names.ownerKey, ofInverse: Names.memberKey)
        let givenMember =
            (sides.isReflexive ? nil : known(inverse)) ?? given(Names.memberKey, ofInverse: Names.ownerKey)
        for name in [givenOwner, givenMember] { if let name { own.take(name) } }
        let owner = givenOwner ?? own.own(Self.words(naming.entity) + "_id")
        let member =
            givenMember
            ?? (sides.isReflexive || inverse.entity == naming.entity
                ? own.own(Self.words(naming.relationship) + "_id") : own.own(Self.words(inverse.entity) + "_id"))
        return SQLJoinTable(
            table: names.joins[naming.entity + "." + naming.relationship]
                ?? given(Names.key, ofInverse: Names.key)
                ?? tables.own(Self.words("\(naming.entity)_\(naming.relationship)")),
            ownerColumn: owner, memberColumn: member,
            memberOrderColumn: sides.naming.isOrdered ? place(member) : nil,
            ownerOrderColumn: sides.inverse.isOrdered && !sides.isReflexive ? place(owner) : nil,
            isReflexive: sides.isReflexive)
    }

    /// Programs of an older version keep one of the links in the owner's row, or what is in the row in another one.
    func isVersioned(_ relationship: String, of entity: String) -> Bool {
        names.columns[.formerKey(relationship, of: entity)] != nil
    }

    func historyMark(of entity: String) -> Int64? { names.marks[entity] }

    func index(ofKey column: String, in table: String) -> String {
        Self.words("\(table)_\(column == SQLSchema.entityColumn ? "entity" : column)") + "_idx"
    }

    func index(_ name: String, of entity: String) -> String { Self.words("\(entity)_\(name)") + "_idx" }
}
#endif
