#if PostgreSQL
import CoreData
import Foundation

/// The parts of tables that serve other programs: default keys, NOT NULL constraints, foreign keys, and comments
/// with the names in the model.
struct PostgreSQLTables {
    let connection: PostgreSQLConnection
    let schema: SQLSchema
    let layout: ModelLayout
    /// The labels of entities in rows, where these differ from the present names.
    private let labels: [String: String]
    /// The tables as they will be at the time of the statements; nil where they are read from the database.
    private let expected: PostgreSQLExpectedTables?

    private let dialect = PostgreSQLDialect()

    /// How many keys a call of a sequence takes. Each call begins a block of its own.
    static let keysTogether: Int64 = 64

    /// The largest key from which a sequence continues. Above a larger key, which another program has chosen,
    /// hardly any keys may be left; a sequence steps over such a key when it reaches it.
    static let farthestKey = ObjectKey.primaryKeyMask / 2

    init(
        _ connection: PostgreSQLConnection, _ schema: SQLSchema, _ layout: ModelLayout,
        labels: [String: String] = [:], expecting expected: PostgreSQLExpectedTables? = nil
    ) {
        self.expected = expected
        self.connection = connection
        self.schema = schema
        self.layout = layout
        self.labels = labels
    }

    /// Adds to tables that were just made what the model calls for, except foreign keys, in the transaction that is
    /// open.
    func install(newTables names: Set<String>) throws {
        try connection.execute(try statements(ofTables: names))
    }

    /// Adds the tables, columns and constraints that the database lacks. Existing ones stay unchanged.
    func install() throws {
        let statements = try statements()
        do {
            try connection.trying { try connection.execute(statements) }
        } catch let error as PostgreSQLError where error.state == PostgreSQLError.foreignKeyViolation {
            try forgetDangling()
            try connection.execute(statements)
        } catch let error as PostgreSQLError where error.state == PostgreSQLError.checkViolation {
            throw try refusedRow { $0 == error.constraint } ?? error
        }
    }

    /// The statements that add them.
    func statements() throws -> [String] {
        try PostgreSQLNames.statements(for: schema, layout) + PostgreSQLTriggers.functions
            + statements(ofTables: Set(schema.allTables.map(\.name))) + foreignKeyStatements()
    }

    /// The statements for each table by itself.
    private func statements(ofTables names: Set<String>) throws -> [String] {
        var statements: [String] = []
        for root in layout.entities where root.superIndex == nil {
            guard let table = schema.table(ofRoot: root.index), names.contains(table.name) else { continue }
            let present = try columns(of: table.name)
            statements += keyStatements(table.name, present) + fixedStatements(table.name, root, present)
            let wanted = Dictionary(meanings(of: root, table), uniquingKeysWith: { $0.merged(with: $1) })
            for (column, meaning) in wanted.sorted(by: { $0.key < $1.key }) {
                statements += columnStatements(
                    table.name, column: column, meaning: meaning, present: present[dialect.quoted(column)])
            }
            statements += PostgreSQLTriggers.statements(ofTable: table.name)
            let name =
                "Objects of the entity \(root.subtree.map { layout.entities[$0].name }.joined(separator: ", "))."
            if try comment(of: table.name) != name {
                statements.append(PostgreSQLChange.comment(name, onTable: dialect.quoted(table.name)))
            }
        }
        for join in schema.joins where names.contains(join.table) {
            statements += PostgreSQLTriggers.statements(ofJoinTable: join.table)
        }
        return statements
    }

    /// The error of the first row that a check of ours will refuse. Older tables let it in, and so do tables that
    /// lost the check. Nil where the search takes long, too.
    func refusedRow() throws -> NSError? {
        let present = try connection.checksOfEntities().map { $0[1] }
        return try connection.readBriefly(steps: 1) { try refusedRow { !present.contains($0) } } ?? nil
    }

    /// Returns the error for a row that breaks one of the checks whose names satisfy a condition; nil where there
    /// is none.
    private func refusedRow(byCheck isMeant: (_ name: String) -> Bool) throws -> NSError? {
        for root in layout.entities where root.superIndex == nil {
            guard let name = schema.table(ofRoot: root.index)?.name, isMeant(Self.name(name, Self.checkSuffix)),
                !entities(of: root).isEmpty,
                let row = try connection.rowBeyond(check(of: root), ofTable: dialect.quoted(name)),
                let key = Int64(row[0] ?? "")
            else { continue }
            if !ObjectKey.isPrimaryKey(key) { return ObjectKey.refusal(of: key, in: name) }
            return .coreData(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                reason: "The table “\(name)” holds a row, with the key \(key), of “\(row[1] ?? "")”, "
                    + "which is no entity of the table.")
        }
        return nil
    }

    // MARK: What is there

    struct Column {
        var isMandatory: Bool
        var isIdentity: Bool
        var hasDefault: Bool
        var comment: String?
    }

    private func columns(of table: String) throws -> [String: Column] {
        try expected.map { $0.columns[table] ?? [:] } ?? Self.columns(of: table, on: connection)
    }

    static func columns(of table: String, on connection: PostgreSQLConnection) throws -> [String: Column] {
        Dictionary(
            try connection.columnsWithComments(ofTable: PostgreSQLDialect().quoted(table)).map { row in
                (
                    PostgreSQLDialect.inQuotes(row[0] ?? ""),
                    Column(
                        isMandatory: row[1] == "t", isIdentity: row[2] == "t", hasDefault: row[3] == "t",
                        comment: row[4])
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    private func comment(of table: String) throws -> String? {
        try expected.map { $0.comments[table] } ?? connection.comment(ofTable: dialect.quoted(table))
    }

    // MARK: Keys

    private func keyStatements(_ table: String, _ present: [String: Column]) -> [String] {
        let key = dialect.quoted(SQLSchema.keyColumn)
        if present[key]?.isIdentity == true { return [] }
        let name = dialect.quoted(table)
        return [
            PostgreSQLChange.statement(
                [.identity(column: key, step: Self.keysTogether, maximum: ObjectKey.primaryKeyMask)], of: name),
            PostgreSQLChange.goOn(
                behindKeysOf: name, in: key, upTo: Self.farthestKey, step: Self.keysTogether),
        ]
    }

    // MARK: Entity and version

    /// Gives tables of an older version of the framework the default value of this version, if no other session
    /// locks them. The first version of their rows was 1.
    static func renewDefaults(on connection: PostgreSQLConnection) throws {
        let version = PostgreSQLDialect().quoted(SQLSchema.versionColumn)
        for name in try connection.tables(withDefault: "1", of: version.filter { $0 != "\"" }) {
            do {
                try connection.changeSoon(name, .firstVersion(column: version))
            } catch let error as PostgreSQLError where error.isPassing {
                // The next opening of the store does it.
                connection.rollback()
            }
        }
    }

    /// Returns the statements that give the version a default value, and the entity, too, where a table has only
    /// one: programs without this framework can leave both out. Checks refuse the name of an entity that is not one
    /// of the table's, and a key that no object can have: no fetch would ever return such a row.
    private func fixedStatements(_ table: String, _ root: EntityLayout, _ present: [String: Column]) -> [String] {
        let (name, entity) = (dialect.quoted(table), dialect.quoted(SQLSchema.entityColumn))
        let version = dialect.quoted(SQLSchema.versionColumn)
        let entities = entities(of: root)
        var changes = [PostgreSQLChange.firstVersion(column: version)]
        for column in [version, entity] where present[column]?.isMandatory == false {
            changes.append(.mandatory(true, column: column))
        }
        changes.append(.defaultValue(entities.count == 1 ? entities[0] : nil, column: entity))
        let check = dialect.quoted(Self.name(table, Self.checkSuffix))
        changes.append(.dropConstraint(check, ifThere: true))
        if !entities.isEmpty {
            changes.append(.check(name: check, self.check(of: root)))
        }
        return [PostgreSQLChange.statement(changes, of: name)]
    }

    /// The entities of a table, as literals.
    private func entities(of root: EntityLayout) -> [String] {
        root.subtree.filter { schema.numbers[$0] != nil }
            .map { index in
                let name = layout.entities[index].name
                return dialect.literal(.string(labels[name] ?? name))
            }
    }

    private func check(of root: EntityLayout) -> PostgreSQLChange.Check {
        PostgreSQLChange.Check(
            column: dialect.quoted(SQLSchema.entityColumn), values: entities(of: root),
            key: dialect.quoted(SQLSchema.keyColumn), maximum: ObjectKey.primaryKeyMask)
    }

    private static let checkSuffix = "_entity_check"
    private static let keySuffix = "_fkey"

    /// The name of a constraint that a table has once, not longer than the server has them.
    private static func name(_ what: String, _ suffix: String) -> String {
        var name = what
        while name.utf8.count > PostgreSQLDialect.longest - suffix.utf8.count { name.removeLast() }
        return name + suffix
    }

    // MARK: Columns

    /// The model's description of a column: its comment, whether it is mandatory, and its default value.
    private struct Meaning {
        var comment: String
        /// Whether every row has a value.
        var isMandatory = false
        /// The default value of the column; nil for none.
        var defaultValue: String?

        /// One column for properties of several entities.
        func merged(with other: Meaning) -> Meaning {
            Meaning(
                comment: comment == other.comment ? comment : "\(comment) \(other.comment)",
                isMandatory: isMandatory && other.isMandatory, defaultValue: defaultValue ?? other.defaultValue)
        }
    }

    private func meanings(of root: EntityLayout, _ table: SQLTable) -> [(String, Meaning)] {
        let types = Dictionary(table.columns.map { ($0.name, $0.type) }) { first, _ in first }
        let unique = Set(
            root.subtree.flatMap { layout.entities[$0].entity.uniquenessConstraintNames.flatMap { $0 } })
        return root.subtree.flatMap { index -> [(String, Meaning)] in
            let entity = layout.entities[index]
            return entity.slots.enumerated().compactMap { number, slot -> (String, Meaning)? in
                guard slot.declaringIndex == index, let column = schema.columns[index][number] else { return nil }
                let name = "\(entity.name).\(slot.name)"
                switch slot.role {
                case .attribute(let attribute):
                    // A save that exchanges unique values writes NULL between.
                    let isMandatory =
                        !attribute.isOptional && index == root.index && slot.composite == nil
                        && !(attribute is NSDerivedAttributeDescription) && !unique.contains(slot.name)
                    // Rows of other entities have no value in the columns of a subentity.
                    let value =
                        index == root.index && slot.composite == nil
                        ? types[column].flatMap { dialect.defaultValue(of: attribute, in: $0) } : nil
                    return (column, Meaning(comment: "\(name).", isMandatory: isMandatory, defaultValue: value))
                case .toOne(let relationship, _):
                    return (
                        column,
                        Meaning(comment: "\(name): the id of a \(relationship.destinationEntity?.name ?? "").")
                    )
                case .companion: return (column, Meaning(comment: "\(name): the entity that it leads to."))
                case .order: return (column, Meaning(comment: "\(name): the place in the list."))
                case .owner(let relationship):
                    let owner = relationship.entity.name ?? ""
                    return (
                        column, Meaning(comment: "\(owner).\(relationship.name): the id of the owner of the row.")
                    )
                }
            }
        }
    }

    private func columnStatements(
        _ table: String, column: String, meaning: Meaning, present: Column?
    ) -> [String] {
        guard let present else { return [] }
        let (table, column) = (dialect.quoted(table), dialect.quoted(column))
        var statements: [String] = []
        if meaning.comment != present.comment {
            statements.append(PostgreSQLChange.comment(meaning.comment, onTable: table, column: column))
        }
        if meaning.defaultValue != nil || present.hasDefault {
            statements.append(
                PostgreSQLChange.statement([.defaultValue(meaning.defaultValue, column: column)], of: table))
        }
        if meaning.isMandatory != present.isMandatory {
            statements.append(
                PostgreSQLChange.statement([.mandatory(meaning.isMandatory, column: column)], of: table))
        }
        return statements
    }

    /// Returns the statement that gives the columns of a table the default values of this version, where another
    /// version that the store has served has different values or none. The result is empty where there are no such
    /// columns.
    func renewingDefaults(ofTable name: String, unlike other: PostgreSQLTables) -> [String] {
        let former = other.defaultValues(ofTable: name)
        let changes = defaultValues(ofTable: name).sorted { $0.key < $1.key }.compactMap { column, value in
            (former[column] ?? nil) == value
                ? nil : PostgreSQLChange.defaultValue(value, column: dialect.quoted(column))
        }
        return changes.isEmpty ? [] : [PostgreSQLChange.statement(changes, of: dialect.quoted(name))]
    }

    /// The default values of a table's columns.
    private func defaultValues(ofTable name: String) -> [String: String?] {
        for root in layout.entities where root.superIndex == nil {
            guard let table = schema.table(ofRoot: root.index), table.name == name else { continue }
            return Dictionary(meanings(of: root, table), uniquingKeysWith: { $0.merged(with: $1) })
                .mapValues(\.defaultValue)
        }
        return [:]
    }

    // MARK: Foreign keys

    typealias ForeignKey = TransferReference

    /// The foreign keys that every save respects. Not among them are those of relationships whose column a deletion
    /// may leave with the key of the deleted object, because the inverse has the rule No Action or there is no
    /// inverse.
    static func wanted(_ schema: SQLSchema, _ layout: ModelLayout) -> Set<ForeignKey> {
        var keys: Set<ForeignKey> = []
        func add(_ table: String, _ column: String?, _ destination: NSEntityDescription?) {
            guard let column, let destination = destination.flatMap({ layout.layout(of: $0) }),
                let target = schema.table(ofRoot: destination.rootIndex)?.name
            else { return }
            keys.insert(ForeignKey(table: table, column: column, target: target))
        }
        func isKept(_ leadingBack: NSRelationshipDescription?) -> Bool {
            leadingBack.map { $0.deleteRule != .noActionDeleteRule } ?? false
        }
        for entity in layout.entities where schema.numbers[entity.index] != nil {
            guard let table = schema.table(ofRoot: entity.rootIndex)?.name else { continue }
            for (number, slot) in entity.slots.enumerated() where slot.declaringIndex == entity.index {
                let column = schema.columns[entity.index][number]
                switch slot.role {
                case .toOne(let relationship, _) where isKept(relationship.inverseRelationship):
                    add(table, column, relationship.destinationEntity)
                case .owner(let relationship) where isKept(relationship):
                    add(table, column, relationship.entity)
                default: continue
                }
            }
            for toMany in entity.toManys {
                guard let end = schema.joinEnds[entity.index][toMany.index] else { continue }
                let inverse = toMany.relationship.inverseRelationship
                if isKept(toMany.relationship) { add(end.table, end.ownerColumn, toMany.relationship.entity) }
                if isKept(inverse) { add(end.table, end.memberColumn, toMany.relationship.destinationEntity) }
            }
        }
        return keys
    }

    /// Drops the constraints that could refuse a migration: all foreign keys of ours, and the checks of entities.
    static func dropConstraints(on connection: PostgreSQLConnection) throws {
        try connection.execute(droppingConstraints(on: connection))
    }

    /// The statements that drop these constraints.
    static func droppingConstraints(on connection: PostgreSQLConnection) throws -> [String] {
        let own = try PostgreSQLOpening.tables(on: connection)
        // A store over existing tables, or no store, has no constraints of ours.
        if own.isEmpty { return [] }
        return try droppingForeignKeys(of: own, on: connection)
            + connection.checksOfEntities().map { drop($0[1] ?? "", of: $0[0] ?? "") }.sorted()
    }

    /// Drops the foreign keys between tables, which would keep the server from dropping the tables one by one.
    static func dropForeignKeys(of tables: [String], on connection: PostgreSQLConnection) throws {
        try connection.execute(droppingForeignKeys(of: tables, on: connection))
    }

    private static func droppingForeignKeys(
        of tables: [String], on connection: PostgreSQLConnection
    ) throws -> [String] {
        let own = Set(tables)
        return try presentForeignKeys(on: connection).filter { own.contains($0.key.table) }
            .map { drop($1, of: $0.table) }.sorted()
    }

    private static func drop(_ constraint: String, of table: String) -> String {
        let dialect = PostgreSQLDialect()
        return PostgreSQLChange.statement([.dropConstraint(dialect.quoted(constraint))], of: dialect.quoted(table))
    }

    /// The names of foreign keys of ours by what they are.
    static func presentForeignKeys(on connection: PostgreSQLConnection) throws -> [ForeignKey: String] {
        return Dictionary(
            try connection.foreignKeys().map { row in
                (
                    ForeignKey(
                        table: row[0] ?? "", column: PostgreSQLDialect.logical(row[1] ?? "", in: row[0] ?? ""),
                        target: row[2] ?? ""), row[3] ?? ""
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The name of a foreign key; with a number where another one has it.
    static func nameOfForeignKey(_ key: ForeignKey, number: Int? = nil) -> String {
        let name = "\(key.table)_\(key.column)" + (number.map { "_\($0)" } ?? "")
        return PostgreSQLDialect.fitting(name, PostgreSQLDialect.longest - keySuffix.utf8.count) + keySuffix
    }

    private func foreignKeyStatements() throws -> [String] {
        let wanted = Self.wanted(schema, layout)
        let present = try expected?.foreignKeys ?? Self.presentForeignKeys(on: connection)
        let tables = Set(schema.allTables.map(\.name))
        let gone = present.filter { !wanted.contains($0.key) && tables.contains($0.key.table) }.map { key, name in
            PostgreSQLChange.statement([.dropConstraint(dialect.quoted(name))], of: dialect.quoted(key.table))
        }
        let new = wanted.filter { present[$0] == nil }.map { key in
            let name = Self.nameOfForeignKey(key)
            let foreignKey = PostgreSQLChange.foreignKey(
                name: dialect.quoted(name), column: dialect.quoted(key.column), table: dialect.quoted(key.target),
                key: dialect.quoted(SQLSchema.keyColumn))
            return PostgreSQLChange.statement([foreignKey], of: dialect.quoted(key.table))
        }
        return gone.sorted() + new.sorted()
    }

    /// Forgets what leads to no row, where a foreign key is to come: a version without the inverse, or with another
    /// rule, left it leading to what was deleted.
    private func forgetDangling() throws {
        let present = try Self.presentForeignKeys(on: connection)
        let joins = Set(schema.joins.map(\.table))
        let statements = Self.wanted(schema, layout).filter { present[$0] == nil }.map { key in
            PostgreSQLChange.forgetDangling(
                in: dialect.quoted(key.column), of: dialect.quoted(key.table),
                isOfPairs: joins.contains(key.table), to: dialect.quoted(key.target),
                key: dialect.quoted(SQLSchema.keyColumn))
        }
        try connection.execute(statements.sorted().joined(separator: ";\n"))
    }
}
#endif
