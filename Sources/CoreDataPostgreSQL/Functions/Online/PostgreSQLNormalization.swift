#if PostgreSQL
import CoreData
import Foundation

/// Gives a store that has come to its version by online migrations the form of a store that was made as that
/// version, in the transaction that is open: without columns of older versions, and with the names of tables,
/// columns, indexes and entities that the model gives. No other program has the store open in this transaction.
struct PostgreSQLNormalization {
    private let connection: PostgreSQLConnection
    private let newest: PostgreSQLVersion
    private let dialect = PostgreSQLDialect()

    /// - Returns: nil where the store was never migrated online.
    init?(_ connection: PostgreSQLConnection) throws {
        guard let newest = try connection.newestVersion() else { return nil }
        self.connection = connection
        self.newest = newest
    }

    func normalize() throws {
        let contraction = PostgreSQLContraction(connection, timeout: 0, isWithin: true)
        for version in try PostgreSQLVersion.all(on: connection) where version.lock != newest.lock {
            if [.served, .ended].contains(version.state) {
                try contraction.requireNoLoss(of: version, keeping: newest)
            }
            if version.state != .removed { try contraction.remove(version, keeping: newest) }
        }
        let (model, layout, schema) = try newest.schema(of: connection.address.shown)
        defer { withExtendedLifetime(model) {} }
        let held = (newest.metadata[NSStoreModelVersionHashesKey] as? [String: Data]).map { Set($0.keys) }
        let natural = SQLSchemaBuilder.schema(
            of: layout, entities: held, numbers: newest.places.numbers, style: PostgreSQLStyle())
        try forgetBits(layout, schema)
        try nameRows(layout, schema)
        try nameColumns(layout, schema, natural)
        try nameIndexes(schema, natural)
        try nameTables(zip(schema.allTables, natural.allTables).map { ($0.name, $1.name) })
        connection.labels = EntityLabels(natural, layout)
        try connection.forgetVersions()
    }

    /// History keeps the bits of the newest version, under the mark that its names give. The bits of other versions
    /// become null, because afterwards the properties that they stand for are recorded nowhere.
    private func forgetBits(_ layout: ModelLayout, _ schema: SQLSchema) throws {
        let marks = layout.entities.compactMap { entity in
            schema.numbers[entity.index].map { number in
                let own = HistoryProperties(entity, mark: schema.historyMarks[entity.index])
                return "(\(number), \(own.mark), \(HistoryProperties(entity).mark))"
            }
        }
        guard !marks.isEmpty, try connection.isThere("coredata.changes") else { return }
        try connection.execute(
            """
            UPDATE coredata.changes c SET columns = CASE WHEN c.version = m.own THEN c.columns END, \
            version = m.given FROM (VALUES \(marks.joined(separator: ", "))) m (number, own, given) \
            WHERE c.of_entity = m.number AND c.version IS NOT NULL AND (c.version <> m.own OR m.own <> m.given)
            """)
    }

    /// Rows call entities what the model calls them.
    private func nameRows(_ layout: ModelLayout, _ schema: SQLSchema) throws {
        let others = newest.places.labels.filter { $0.key != $0.value && newest.places.numbers[$0.key] != nil }
        if others.isEmpty { return }
        func literal(_ text: String) -> String { dialect.literal(.string(text)) }
        let cases = others.sorted { $0.key < $1.key }
            .map { "WHEN \(literal($0.value)) THEN \(literal($0.key))" }.joined(separator: " ")
        let labels = others.values.sorted().map(literal).joined(separator: ", ")
        func renaming(_ table: String, _ column: String) -> String {
            "UPDATE \(table) SET \(column) = CASE \(column) \(cases) END WHERE \(column) IN (\(labels))"
        }
        var statements = [renaming("coredata.entities", "name")]
        for table in schema.entityTables {
            for column in table.columns where column.type == .label {
                statements.append(renaming(dialect.quoted(table.name), dialect.quoted(column.name)))
            }
        }
        try connection.execute(statements)
    }

    private func nameColumns(_ layout: ModelLayout, _ schema: SQLSchema, _ natural: SQLSchema) throws {
        for entity in layout.entities where schema.numbers[entity.index] != nil && entity.superIndex == nil {
            guard let table = schema.table(ofRoot: entity.index)?.name else { continue }
            var renamings: [(String, String)] = []
            for index in entity.subtree {
                for (number, slot) in layout.entities[index].slots.enumerated() where slot.declaringIndex == index {
                    guard let old = schema.columns[index][number], let new = natural.columns[index][number] else {
                        continue
                    }
                    renamings.append((old, new))
                }
            }
            try name(columnsOf: table, renamings)
        }
        for (join, other) in zip(schema.joins, natural.joins) {
            let pairs = zip(join.definition.columns, other.definition.columns).map { ($0.name, $1.name) }
            try name(columnsOf: join.table, pairs)
        }
    }

    /// Names may be exchanged: first they all step aside.
    private func name(columnsOf table: String, _ renamings: [(String, String)]) throws {
        let others = renamings.filter { $0.0 != $0.1 }
        for (number, renaming) in others.enumerated() {
            try connection.run(.define(.renameColumn(renaming.0, to: Self.aside(number), table: table)))
        }
        for (number, renaming) in others.enumerated() {
            try connection.run(.define(.renameColumn(Self.aside(number), to: renaming.1, table: table)))
        }
    }

    private static func aside(_ number: Int) -> String { "coredata_aside_\(number)" }

    private func nameTables(_ renamings: [(String, String)]) throws {
        let others = renamings.filter { $0.0 != $0.1 }
        for (number, renaming) in others.enumerated() {
            try connection.run(.define(.renameTable(renaming.0, to: Self.aside(number))))
        }
        for (number, renaming) in others.enumerated() {
            try connection.run(.define(.renameTable(Self.aside(number), to: renaming.1)))
        }
    }

    /// Before tables and columns have their names: indexes follow them.
    private func nameIndexes(_ schema: SQLSchema, _ natural: SQLSchema) throws {
        let catalog = try connection.catalog(ofTables: Set(schema.allTables.map(\.name)))
        var renamings: [(String, String)] = []
        var wanted: [SQLIndex] = []
        for index in schema.indexes {
            var index = index
            // The columns have their new names already.
            if let place = schema.indexes.firstIndex(of: index) {
                index.columns = natural.indexes[place].columns
            }
            wanted.append(index)
        }
        for (index, other) in zip(wanted, natural.indexes) {
            guard let present = catalog.indexes.first(where: { PostgreSQLStep.isSame($0, index) }) else { continue }
            renamings.append((present.name, other.name))
        }
        let others = renamings.filter { $0.0 != $0.1 }
        func rename(_ index: String, _ name: String) -> String {
            "ALTER INDEX \(dialect.quoted(index)) RENAME TO \(dialect.quoted(name))"
        }
        try connection.execute(
            others.enumerated().map { rename($1.0, Self.aside($0)) }
                + others.enumerated().map { rename(Self.aside($0), $1.1) })
    }
}

extension PostgreSQLConnection {
    /// The newest version that the store serves; nil where the store was never migrated online.
    func newestVersion() throws -> PostgreSQLVersion? {
        let versions = try PostgreSQLVersion.served(on: self)
        if versions.isEmpty { return nil }
        let metadata = try SQLStoreMetadata.read(from: self, url: address.shown)
        let lock = Self.versionLock(of: metadata)
        return versions.first { $0.lock == lock }
    }

    /// The newest version that the store serves; nil as well where there is no store, or a damaged one.
    func newestVersionIfThere() throws -> PostgreSQLVersion? {
        do {
            return try newestVersion()
        } catch let error as NSError where error.isOfMissingOrDamagedStore {
            return nil
        }
    }

    /// The locks of the versions that a store serves besides one.
    func locksOfVersions(besides lock: Int64) throws -> [Int64] {
        try PostgreSQLVersion.served(on: self).map(\.lock).filter { $0 != lock }
    }

    /// Has the store serve none of the versions that it has served: it becomes another one.
    func forgetVersions() throws {
        guard try isThere("coredata.model_versions") else { return }
        try execute(
            "UPDATE coredata.model_versions SET state = 'removed', model = ''; DELETE FROM coredata.leases; "
                + "DELETE FROM coredata.moves")
    }
}
#endif
