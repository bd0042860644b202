#if PostgreSQL
import CoreData
import Foundation

/// The existing tables that a model lies over, and the views in the schema `coredata` that present them to the
/// framework as tables of a store: with a key, an entity and a version.
struct ExistingTables {
    /// The keys of `userInfo`, besides those of `PostgreSQLNames`.
    static let schemaKey = "PostgreSQLSchema"
    static let keyKey = "PostgreSQLKey"
    static let versionKey = "PostgreSQLVersion"
    static let entityKey = "PostgreSQLEntity"

    /// The option of a store.
    static func isWanted(_ options: [AnyHashable: Any]?) -> Bool {
        (options?[NSPostgreSQLExistingTablesOption] as? NSNumber)?.boolValue ?? false
    }

    private let connection: PostgreSQLConnection
    private let layout: ModelLayout
    private let isReadOnly: Bool
    private(set) var schema: SQLSchema
    private(set) var views: [ExistingView] = []
    private var mismatches: [String] = []

    /// - Throws: an error with all differences between the tables and the model.
    init(
        _ connection: PostgreSQLConnection, _ layout: ModelLayout, entities: Set<String>?, numbers: [String: Int]?,
        isReadOnly: Bool, url: URL
    ) throws {
        self.connection = connection
        self.layout = layout
        self.isReadOnly = isReadOnly
        schema = SQLSchemaBuilder.schema(
            of: layout, entities: entities, numbers: numbers, style: PostgreSQLStyle(Self.names(layout)))
        for root in layout.entities where root.superIndex == nil && schema.tableOfRoot[root.index] != nil {
            try add(root)
        }
        for (index, join) in schema.joins.enumerated() { try add(join, index) }
        if mismatches.isEmpty { return }
        throw NSError.coreData(
            NSPersistentStoreIncompatibleSchemaError,
            reason:
                "The tables of the database are not what the model says: \(mismatches.joined(separator: "; ")).",
            url: url, userInfo: [NSPostgreSQLMismatchesKey: mismatches])
    }

    /// The foreign keys of the tables that every statement checks.
    func referencesCheckedAtOnce(on connection: PostgreSQLConnection) throws -> Set<SQLReference> {
        var references: Set<SQLReference> = []
        for view in views {
            for column in try connection.columnsCheckedAtOnce(ofTable: view.table.quoted) {
                let own = view.columns.first { $0.of == column }?.name ?? column
                references.insert(SQLReference(table: view.name, column: own))
            }
        }
        return references
    }

    /// The names of the views.
    private static func names(_ layout: ModelLayout) -> PostgreSQLNames {
        var names = PostgreSQLNames()
        var taken = SQLNames()
        for root in layout.entities where root.superIndex == nil {
            let view = taken.own("of_" + PostgreSQLStyle.words(root.name))
            names.tables[root.name] = PostgreSQLDialect.table(ofView: view)
        }
        for entity in layout.entities {
            for toMany in entity.toManys where toMany.declaringIndex == entity.index {
                guard case .join(_, true) = toMany.kind else { continue }
                let view = taken.own("of_" + PostgreSQLStyle.words("\(entity.name)_\(toMany.relationship.name)"))
                names.joins["\(entity.name).\(toMany.relationship.name)"] = PostgreSQLDialect.table(ofView: view)
            }
        }
        return names
    }

    private static func text(_ userInfo: [AnyHashable: Any]?, _ key: String) -> String? {
        PostgreSQLNames.given(userInfo, key)
    }

    // MARK: Entities

    private mutating func add(_ root: EntityLayout) throws {
        guard let place = schema.tableOfRoot[root.index] else { return }
        let info = root.entity.userInfo
        let table = try ExistingTable(
            Self.text(info, Self.schemaKey),
            Self.text(info, PostgreSQLNames.key) ?? PostgreSQLStyle.words(root.name),
            on: connection)
        guard table.isThere else {
            return mismatches.append("the entity “\(root.name)” has no table “\(table.shown)”")
        }
        let rights = PostgreSQLConnection.rightsToRead + (isReadOnly ? [] : PostgreSQLConnection.rightsToWrite)
        for right in try table.missingRights(rights, on: connection) {
            mismatches.append("the role has no right to \(right) in “\(table.shown)”")
        }
        if !isReadOnly, !table.isTable { mismatches.append("“\(table.shown)” is no table, and can only be read") }
        var view = ExistingView(schema.entityTables[place].name, table)
        try addKey(of: root, to: &view)
        addEntity(of: root, to: &view)
        addVersion(of: root, to: &view)
        let types = Dictionary(schema.entityTables[place].columns.map { ($0.name, $0.type) }) { first, _ in first }
        var owners: [String: String] = [:]
        for index in root.subtree where schema.numbers[index] != nil {
            let entity = layout.entities[index]
            for (number, slot) in entity.slots.enumerated() where slot.declaringIndex == index {
                guard let column = schema.columns[index][number], let type = types[column] else { continue }
                let (name, what) = (name(of: slot, in: entity), "“\(entity.name).\(slot.name)”")
                if let other = owners.updateValue(what, forKey: name) {
                    mismatches.append("\(other) and \(what) have the column “\(table.shown).\(name)”")
                }
                add(slot, column: column, type: type, of: entity, isOfAll: index == root.index, to: &view)
            }
        }
        addOthers(to: view)
        views.append(view)
    }

    /// The column of a name, if it is there with one of some types. Faults are noted.
    private mutating func find(
        _ name: String, _ types: [String], of what: String, in table: ExistingTable
    ) -> ExistingTable.Column? {
        guard let column = table.columns[name] else {
            mismatches.append("\(what) has no column “\(table.shown).\(name)”")
            return nil
        }
        if !types.contains(column.type) {
            mismatches.append(
                "\(what) needs the type \(types[0]), and “\(table.shown).\(name)” is of the type \(column.type)")
            return nil
        }
        return column
    }

    private mutating func addKey(of root: EntityLayout, to view: inout ExistingView) throws {
        let name = Self.text(root.entity.userInfo, Self.keyKey) ?? "id"
        let table = view.table
        guard let column = table.columns[name] else {
            return mismatches.append("the entity “\(root.name)” has no key “\(table.shown).\(name)”")
        }
        view.key = name
        guard ExistingTable.integers.contains(column.type) else {
            return mismatches.append(
                "the key “\(table.shown).\(name)” is of the type \(column.type), and only whole numbers can be keys"
            )
        }
        if table.isTable, !column.isUnique {
            mismatches.append(
                "the key “\(table.shown).\(name)” is not unique by itself, and keys of several columns cannot be used"
            )
        }
        if table.isTable, !column.isMandatory {
            mismatches.append("the key “\(table.shown).\(name)” may be missing")
        }
        view.sequence = try table.sequence(of: name, on: connection)
        let quoted = PostgreSQLDialect.inQuotes(name)
        if let row = try connection.keysOutOfRange(ofTable: table.quoted, in: quoted) {
            mismatches.append(
                "the keys “\(table.shown).\(name)” go from \(row[0] ?? "") to \(row[1] ?? ""), "
                    + "and keys go from 1 to \(ObjectKey.primaryKeyMask)")
        }
    }

    private mutating func addEntity(of root: EntityLayout, to view: inout ExistingView) {
        guard root.hasSubentities else {
            view.entity = .only(root.name)
            return
        }
        guard let name = Self.text(root.entity.userInfo, Self.entityKey) else {
            return mismatches.append(
                "the entity “\(root.name)” has subentities, and no \(Self.entityKey) names the column of their names"
            )
        }
        guard find(name, ExistingTable.types(for: .label), of: "the entity “\(root.name)”", in: view.table) != nil
        else { return }
        view.entity = .column(name)
    }

    private mutating func addVersion(of root: EntityLayout, to view: inout ExistingView) {
        guard let name = Self.text(root.entity.userInfo, Self.versionKey) else {
            if view.table.isPartitioned, !isReadOnly {
                mismatches.append(
                    "“\(view.table.shown)” is partitioned, and no \(Self.versionKey) names a column for versions")
            }
            return
        }
        let what = "the version of “\(root.name)”"
        guard let column = find(name, ["integer", "bigint", "smallint"], of: what, in: view.table) else { return }
        if !column.isMandatory { mismatches.append("\(what) may be missing in “\(view.table.shown).\(name)”") }
        view.version = name
    }

    /// The name of a slot's column in the table.
    private func name(of slot: Slot, in entity: EntityLayout) -> String {
        let style = PostgreSQLStyle()
        if let given = PostgreSQLNames.given(slot.property?.userInfo) { return given }
        let name = slot.elementPath.last ?? slot.name
        return switch slot.role {
        case .attribute: style.column(ofAttribute: name)
        case .toOne: style.column(ofReference: name)
        case .companion: style.column(ofEntityOf: name, number: 0)
        case .order: style.column(ofPlaceIn: name, owner: nil)
        case .owner(let relationship):
            style.column(ofOwner: relationship.entity.name ?? "", number: 0, relationship.name)
        }
    }

    private mutating func add(
        _ slot: Slot, column: String, type: SQLColumnType, of entity: EntityLayout, isOfAll: Bool,
        to view: inout ExistingView
    ) {
        let name = name(of: slot, in: entity)
        let what = "“\(entity.name).\(slot.name)”"
        guard let found = find(name, ExistingTable.types(for: type), of: what, in: view.table) else { return }
        let place = "“\(view.table.shown).\(name)”"
        view.columns.append(
            ExistingView.Column(
                name: column, of: name, sortsByBytes: type == .varchar && !found.isSortedByBytes,
                isLimited: found.type == "character varying"))
        let isOptional =
            switch slot.role {
            case .attribute(let attribute): attribute.isOptional
            case .toOne(let relationship, _): relationship.isOptional
            case .companion, .order, .owner: true
            }
        if !isOptional, !found.isMandatory, case .attribute = slot.role {
            mismatches.append("\(what) is mandatory, and \(place) may be missing")
        }
        if isReadOnly { return }
        if found.isMandatory, isOptional || !isOfAll {
            mismatches.append("\(what) may be missing, and \(place) is mandatory")
        }
        if found.isGenerated { mismatches.append("\(what) cannot be written: \(place) is generated") }
    }

    /// Reports mandatory columns that are not in the model, unless the database gives them their values.
    private mutating func addOthers(to view: ExistingView) {
        if isReadOnly { return }
        let known = view.namesInTable
        for (name, column) in view.table.columns.sorted(by: { $0.key < $1.key })
        where column.isMandatory && !column.hasDefault && !column.isGenerated && !known.contains(name) {
            mismatches.append("“\(view.table.shown).\(name)” is mandatory, and not in the model")
        }
    }

    // MARK: Join tables

    private mutating func add(_ join: SQLJoinTable, _ index: Int) throws {
        var naming: NSRelationshipDescription?
        for entity in layout.entities {
            for toMany in entity.toManys where toMany.declaringIndex == entity.index {
                guard let end = schema.joinEnds[entity.index][toMany.index], end.joinIndex == index else {
                    continue
                }
                if !end.isFlipped { naming = toMany.relationship }
            }
        }
        let inverse = naming?.inverseRelationship
        func given(_ key: String) -> String? {
            Self.text(naming?.userInfo, key) ?? Self.text(inverse?.userInfo, key)
        }
        let what = "the relationship “\(naming?.entity.name ?? "").\(naming?.name ?? "")”"
        let table = try ExistingTable(
            given(Self.schemaKey),
            given(PostgreSQLNames.key)
                ?? PostgreSQLStyle.words("\(naming?.entity.name ?? "")_\(naming?.name ?? "")"),
            on: connection)
        guard table.isThere else { return mismatches.append("\(what) has no table “\(table.shown)”") }
        let rights = PostgreSQLConnection.rightsToRead + (isReadOnly ? [] : PostgreSQLConnection.rightsToWrite)
        for right in try table.missingRights(rights, on: connection) {
            mismatches.append("the role has no right to \(right) in “\(table.shown)”")
        }
        var view = ExistingView(join.table, table)
        for column in [
            join.ownerColumn, join.memberColumn, join.memberOrderColumn, join.ownerOrderColumn,
        ].compactMap({ $0 }) {
            let name = PostgreSQLDialect.asGiven(column)
            guard find(name, ExistingTable.types(for: .integer), of: what, in: table) != nil else { continue }
            view.columns.append(ExistingView.Column(name: column, of: name, sortsByBytes: false))
        }
        addOthers(to: view)
        views.append(view)
    }
}
#endif
