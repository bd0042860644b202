import CoreData
import Foundation

/// Makes the source of a model from the tables of a database that another program has made.
///
/// Primary and foreign keys become relationships, join tables many-to-many relationships, unique indexes constraints.
/// Whatever has no place in the model is noted.
struct ModelOfTables {
    private let database: DatabaseTables
    /// Whether a store can lie over the tables (PostgreSQL). Then the user info names tables and columns, and a table
    /// that no store can use is left out.
    private let isOverTables: Bool
    private(set) var notes: [String] = []
    private var entities: [String: Entity] = [:]

    /// The entity of a table, while it is made.
    private struct Entity {
        var name: String
        /// The column of the key of an object; nil if the objects get keys of their own.
        var key: String?
        var attributes: [ModelSourceElement] = []
        var relationships: [ModelSourceElement] = []
        var others: [ModelSourceElement] = []
        /// The names of attributes and to-one relationships, by column.
        var properties: [String: String] = [:]
        var attributesOfColumns: Set<String> = []
        var taken: Set<String> = []
    }

    init(_ database: DatabaseTables, isOverTables: Bool) {
        (self.database, self.isOverTables) = (database, isOverTables)
    }

    /// The entities, by name.
    mutating func elements() -> [ModelSourceElement] {
        let tables = database.tables.filter { !$0.isView && !$0.isVirtual }
        for view in database.tables where view.isView { notes.append("the view '\(view.name)' is left out") }
        for table in database.tables where table.isVirtual {
            notes.append("the virtual table '\(table.name)' is left out")
        }
        let joins = tables.filter { isJoin($0) }
        for table in tables where !isJoin(table) { addEntity(of: table) }
        for table in tables where entities[table.name] != nil { addColumns(of: table) }
        for table in tables where entities[table.name] != nil { addForeignKeys(of: table) }
        for table in joins { addManyToMany(of: table) }
        for table in tables where entities[table.name] != nil { addIndexes(of: table) }
        return entities.sorted { ModelSourceOrder.areSorted($0.value.name, $1.value.name) }.map { table, entity in
            var element = ModelEdit.newEntity(entity.name)
            element.children = entity.attributes.sorted {
                ModelSourceOrder.areSorted($0["name"] ?? "", $1["name"] ?? "")
            }
            element.children += entity.relationships.sorted {
                ModelSourceOrder.areSorted($0["name"] ?? "", $1["name"] ?? "")
            }
            element.children += entity.others
            var info = [("PostgreSQLName", table)]
            if let schema = database.schema { info.append(("PostgreSQLSchema", schema)) }
            if let key = entity.key, key != "id" { info.append(("PostgreSQLKey", key)) }
            element.children += userInfo(info)
            return element
        }
    }

    private func userInfo(_ entries: [(String, String)]) -> [ModelSourceElement] {
        guard isOverTables else { return [] }
        return [
            ModelSourceElement(
                "userInfo", [],
                entries.sorted { $0.0 < $1.0 }.map { ModelSourceElement("entry", [("key", $0.0), ("value", $0.1)]) })
        ]
    }

    // MARK: Tables

    private func table(_ name: String) -> DatabaseTables.Table? {
        // SQLite compares names without regard to case.
        database.tables.first { $0.name == name }
            ?? (isOverTables ? nil : database.tables.first { $0.name.lowercased() == name.lowercased() })
    }

    /// Whether a table has pairs of rows of two tables, and no more that a program must write.
    private func isJoin(_ table: DatabaseTables.Table) -> Bool {
        let keys = table.foreignKeys
        guard keys.count == 2, keys.allSatisfy({ $0.columns.count == 1 && leadsToKey($0) }),
            Set(keys.flatMap(\.columns)).count == 2
        else { return false }
        let pair = Set(keys.flatMap(\.columns))
        let isPair =
            Set(table.primaryKey) == pair
            || table.indexes.contains { $0.isUnique && !$0.isPartial && Set($0.columns.map(\.name)) == pair }
        let rest = table.columns.filter { !pair.contains($0.name) }
        // Rows with a key and values of their own are objects. Those of a file would lose their values.
        let key = wholeKey(of: table)
        if key != nil || !isOverTables, rest.contains(where: { $0.name != key && !$0.isGenerated }) { return false }
        return isPair && rest.allSatisfy { !$0.isMandatory || $0.defaultText != nil || $0.isGenerated }
    }

    /// Whether a foreign key leads to the key of objects.
    private func leadsToKey(_ key: DatabaseTables.ForeignKey) -> Bool {
        guard key.columns.count == 1, let target = table(key.table) else { return false }
        // A store over the tables has whole numbers as keys.
        let column = isOverTables ? wholeKey(of: target) : target.primaryKey.count == 1 ? target.primaryKey[0] : nil
        return column != nil && (key.targets.isEmpty || key.targets == [column])
    }

    /// The one column of whole numbers that is the primary key; nil if the key is another one.
    private func wholeKey(of table: DatabaseTables.Table) -> String? {
        guard table.primaryKey.count == 1, let column = table.columns.first(where: { $0.name == table.primaryKey[0] })
        else { return nil }
        return ["Integer 16", "Integer 32", "Integer 64"].contains(type(of: column)?.name ?? "") ? column.name : nil
    }

    private mutating func addEntity(of table: DatabaseTables.Table) {
        let key = wholeKey(of: table)
        if key == nil, isOverTables {
            let shown =
                table.primaryKey.isEmpty ? "no primary key" : "the key (\(table.primaryKey.joined(separator: ", ")))"
            return notes.append(
                "the table '\(table.name)' is left out: it has \(shown), and objects need one column of whole numbers")
        }
        if !isOverTables, key == nil, !table.primaryKey.isEmpty {
            notes.append("the key (\(table.primaryKey.joined(separator: ", "))) of '\(table.name)' became a constraint")
        }
        var name = TableNames.entity(table.name)
        let taken = Set(entities.values.map(\.name))
        while taken.contains(name) { name += "2" }
        entities[table.name] = Entity(name: name, key: key)
    }

    // MARK: Columns

    private mutating func addColumns(of table: DatabaseTables.Table) {
        let references = Set(table.foreignKeys.filter { isRelationship($0) }.flatMap(\.columns))
        for column in table.columns where column.name != entities[table.name]?.key && !references.contains(column.name)
        {
            let place = "'\(table.name).\(column.name)'"
            guard let type = type(of: column) else {
                let advice = column.isMandatory && column.defaultText == nil && isOverTables
                notes.append(
                    "the column \(place) is left out: no attribute has the type \(column.type)"
                        + (advice ? "; give it a default value, or open the store read-only" : ""))
                continue
            }
            if column.isGenerated {
                notes.append("the column \(place) is left out: the database computes its values")
                continue
            }
            add(column, type, to: table.name, place)
        }
    }

    private mutating func add(
        _ column: DatabaseTables.Column, _ type: (name: String, length: String?), to table: String, _ place: String
    ) {
        let name = freeName(TableNames.property(column.name), of: table)
        var attribute = ModelSourceElement("attribute", [("name", name)])
        if !column.isMandatory { attribute.set("optional", "YES") }
        attribute.set("attributeType", type.name)
        if let length = type.length { attribute.set("maxValueString", length) }
        if let text = column.defaultText, text.uppercased() != "NULL", !text.uppercased().hasPrefix("NULL::") {
            if let value = TableNames.literal(text, type.name) {
                attribute.set("defaultValueString", value)
            } else {
                notes.append("the default value of \(place) has no place in a model: \(text)")
            }
        }
        if ["Boolean", "Integer 16", "Integer 32", "Integer 64", "Double", "Float"].contains(type.name) {
            attribute.set("usesScalarValueType", column.isMandatory ? "YES" : "NO")
        } else if ["Date", "UUID"].contains(type.name) {
            attribute.set("usesScalarValueType", "NO")
        }
        attribute.children = userInfo([("PostgreSQLName", column.name)])
        entities[table]?.attributes.append(attribute)
        entities[table]?.properties[column.name] = name
        entities[table]?.attributesOfColumns.insert(column.name)
    }

    private mutating func freeName(_ wanted: String, of table: String) -> String {
        var name = wanted
        if TableNames.isReserved(name) { name += "Value" }
        // The rule about getters called new… or init… is about the beginning of a name.
        if TableNames.isReserved(name) { name = "the" + wanted.prefix(1).uppercased() + wanted.dropFirst() }
        while entities[table]?.taken.contains(name) ?? false { name += "Value" }
        entities[table]?.taken.insert(name)
        return name
    }

    private func type(of column: DatabaseTables.Column) -> (name: String, length: String?)? {
        isOverTables ? TableNames.serverType(column.type) : TableNames.fileType(column.type)
    }

    // MARK: Foreign keys

    private func isRelationship(_ key: DatabaseTables.ForeignKey) -> Bool {
        leadsToKey(key) && table(key.table).map { entities[$0.name] != nil } ?? false
    }

    private mutating func addForeignKeys(of table: DatabaseTables.Table) {
        for key in table.foreignKeys {
            guard isRelationship(key), let target = self.table(key.table)?.name else {
                notes.append(
                    "the foreign key (\(key.columns.joined(separator: ", "))) of '\(table.name)' to '\(key.table)' has "
                        + "no place in the model")
                continue
            }
            add(key, of: table, to: target)
        }
    }

    private mutating func add(_ key: DatabaseTables.ForeignKey, of table: DatabaseTables.Table, to target: String) {
        guard let column = table.columns.first(where: { $0.name == key.columns[0] }),
            entities[table.name]?.properties[column.name] == nil,
            let destination = entities[target]?.name, let own = entities[table.name]?.name
        else { return }
        let name = freeName(TableNames.reference(column.name, target), of: table.name)
        let keys = table.foreignKeys.filter { $0.table == key.table && isRelationship($0) }
        let many = TableNames.plural(of: own)
        let inverseName = freeName(
            keys.count == 1 ? many : many + "As" + name.prefix(1).uppercased() + name.dropFirst(), of: target)
        var toOne = ModelSourceElement("relationship", [("name", name)])
        if !column.isMandatory { toOne.set("optional", "YES") }
        toOne.set("maxCount", "1")
        toOne.set("deletionRule", "Nullify")
        toOne.set("destinationEntity", destination)
        toOne.set("inverseName", inverseName)
        toOne.set("inverseEntity", destination)
        toOne.children = userInfo([("PostgreSQLName", column.name)])
        var toMany = ModelEdit.newRelationship(inverseName, to: own, isToMany: true, inverse: name)
        toMany.set("deletionRule", Self.rule(key.action, isMandatory: column.isMandatory))
        if table.indexes.contains(where: { $0.isUnique && !$0.isPartial && $0.columns.map(\.name) == [column.name] }) {
            notes.append("'\(destination).\(inverseName)' leads to one object at most, because the column is unique")
        }
        if key.action == .setDefault {
            notes.append("ON DELETE SET DEFAULT of '\(table.name).\(column.name)' has no place in the model")
        }
        entities[table.name]?.relationships.append(toOne)
        entities[table.name]?.properties[column.name] = name
        entities[target]?.relationships.append(toMany)
    }

    /// The delete rule that has the effect of the foreign key.
    private static func rule(_ action: DatabaseTables.ForeignKey.Action, isMandatory: Bool) -> String {
        switch action {
        case .cascade: "Cascade"
        case .restrict: "Deny"
        case .setNull, .setDefault, .noAction: isMandatory ? "Deny" : "Nullify"
        }
    }

    private mutating func addManyToMany(of table: DatabaseTables.Table) {
        let (first, second) = (table.foreignKeys[0], table.foreignKeys[1])
        guard let owner = self.table(first.table)?.name, let member = self.table(second.table)?.name,
            let ownerName = entities[owner]?.name, let memberName = entities[member]?.name
        else {
            return notes.append("the join table '\(table.name)' is left out, because a table of it is")
        }
        let isReflexive = owner == member
        func plural(_ entity: String, _ column: String) -> String {
            isReflexive ? TableNames.plural(of: TableNames.entity(column)) : TableNames.plural(of: entity)
        }
        let forwards = freeName(plural(memberName, TableNames.reference(second.columns[0], member)), of: owner)
        let backwards = freeName(plural(ownerName, TableNames.reference(first.columns[0], owner)), of: member)
        var relationship = ModelEdit.newRelationship(forwards, to: memberName, isToMany: true, inverse: backwards)
        var info = [
            ("PostgreSQLName", table.name), ("PostgreSQLOwnerColumn", first.columns[0]),
            ("PostgreSQLMemberColumn", second.columns[0]),
        ]
        if let schema = database.schema { info.append(("PostgreSQLSchema", schema)) }
        relationship.children = userInfo(info)
        entities[owner]?.relationships.append(relationship)
        entities[member]?.relationships.append(
            ModelEdit.newRelationship(backwards, to: ownerName, isToMany: true, inverse: forwards))
        for column in table.columns where !(first.columns + second.columns).contains(column.name) {
            notes.append("the column '\(table.name).\(column.name)' of a join table has no place in the model")
        }
    }

    // MARK: Indexes

    private mutating func addIndexes(of table: DatabaseTables.Table) {
        guard let entity = entities[table.name] else { return }
        var constraints: [[String]] = []
        var indexes: [ModelSourceElement] = []
        var uniques = table.indexes.filter(\.isUnique).map { ($0.columns.map(\.name), $0.isPartial, $0.name) }
        if entity.key == nil, !table.primaryKey.isEmpty { uniques.append((table.primaryKey, false, "its key")) }
        for (columns, isPartial, name) in uniques {
            guard !isPartial, columns.allSatisfy({ entity.attributesOfColumns.contains($0) }) else {
                let reason = isPartial ? "it covers some rows, or an expression" : "a column of it is no attribute"
                notes.append("the unique index '\(name)' of '\(table.name)' has no place in the model: \(reason)")
                continue
            }
            constraints.append(columns.compactMap { entity.properties[$0] })
        }
        for index in table.indexes where !index.isUnique {
            guard !index.isPartial, index.columns.allSatisfy({ entity.properties[$0.name] != nil }) else {
                notes.append("the index '\(index.name)' of '\(table.name)' has no place in the model")
                continue
            }
            // A relationship has its index already.
            if index.columns.count == 1, !entity.attributesOfColumns.contains(index.columns[0].name) { continue }
            indexes.append(
                ModelSourceElement(
                    "fetchIndex", [("name", index.name)],
                    index.columns.map { column in
                        ModelSourceElement(
                            "fetchIndexElement",
                            [
                                ("property", entity.properties[column.name]), ("type", "Binary"),
                                ("order", column.isDescending ? "descending" : "ascending"),
                            ])
                    }))
        }
        let lists = constraints.map { keys in
            ModelSourceElement(
                "uniquenessConstraint", [], keys.map { ModelSourceElement("constraint", [("value", $0)]) })
        }
        entities[table.name]?.others =
            indexes + (lists.isEmpty ? [] : [ModelSourceElement("uniquenessConstraints", [], lists)])
    }
}
