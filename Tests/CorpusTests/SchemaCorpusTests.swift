import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The tables, columns, join tables and indexes that a model is given here are the ones in the real stores of that
/// model.
@Suite("Schemas of real stores", .enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct SchemaCorpusTests {
    /// A real store's tables and indexes, and the schema computed from the model it archived.
    struct Comparison {
        let path: String
        let framework: Int
        let model: NSManagedObjectModel
        let layout: ModelLayout
        let predicted: SQLSchema
        /// Columns by table, in order.
        let tables: [String: [String]]
        /// The text of every index.
        let indexes: [String: String]
        let isMigrated: Bool

        init?(path: String) throws {
            guard let store = try StoreArchive(path: path), let cache = store.modelCache else { return nil }
            let model = try ModelArchive.decode(deflated: cache)
            model.freeze()
            self.path = path
            framework = (store.metadata["NSPersistenceFrameworkVersion"] as? NSNumber)?.intValue ?? 0
            isMigrated = store.metadata["migrationManagerClass"] != nil
            self.model = model
            layout = model.layout
            predicted = SQLSchemaBuilder.schema(of: layout)
            (tables, indexes) = try withTemporaryFolder { folder in
                let copy = try Corpus.copyStore(path, to: folder)
                let connection = try SQLiteConnection(path: copy.path, access: .readWrite)
                let actual = try IntrospectedSchema(connection)
                var tables: [String: [String]] = [:]
                for table in actual.tables { tables[table] = try actual.columns(of: table) }
                var indexes: [String: String] = [:]
                let statement = try connection.prepare(
                    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL")
                while try statement.step() { indexes[statement.string(0)] = statement.string(1) }
                return (tables, indexes)
            }
        }
    }

    private static func comparisons() throws -> [Comparison] {
        try Corpus.stores.compactMap { try Comparison(path: $0) }
    }

    @Test("every entity's table has exactly the columns that are predicted")
    func tables() throws {
        var count = 0
        for store in try Self.comparisons() {
            for table in store.predicted.entityTables {
                count += 1
                let actual = try #require(store.tables[table.name], "\(store.path): no table \(table.name)")
                #expect(Set(actual) == Set(table.columns.map(\.name)), "\(store.path) \(table.name)")
            }
        }
        #expect(count >= 180)
    }

    @Test("every join table has the predicted name and columns")
    func joinTables() throws {
        var count = 0
        for store in try Self.comparisons() {
            for table in store.predicted.joinTables {
                count += 1
                let actual = store.tables[table.name]
                #expect(
                    actual.map(Set.init) == Set(table.columns.map(\.name)),
                    "\(store.path) \(store.framework) \(table.name)")
            }
        }
        #expect(count >= 10)
    }

    @Test("the indexes of stores since 2018 are the predicted ones")
    func indexes() throws {
        var count = 0
        for store in try Self.comparisons() where store.framework >= 866 {
            let predicted = Dictionary(
                store.predicted.indexes.map { ($0.name, SQLDefinition.createIndex($0).text) },
                uniquingKeysWith: { a, _ in a })
            for (name, text) in predicted where !Self.doublesLeftOut(store, name) {
                count += 1
                let actual = store.indexes[name]?.replacingOccurrences(of: "\"", with: "")
                #expect(actual == text, "\(store.path) \(store.framework)")
            }
            let tables = Set(store.predicted.allTables.map(\.name))
            for (name, text) in store.indexes where predicted[name] == nil {
                let table = text.components(separatedBy: " ON ").dropFirst().first?.split(separator: " ").first
                let isOurs = table.map { tables.contains($0.replacingOccurrences(of: "\"", with: "")) } ?? false
                #expect(!isOurs, "\(store.path) \(store.framework): \(text)")
            }
        }
        #expect(count > 300)
    }

    /// One store of Apple's own (2018), and the stores of SwiftData, which makes its models in code, have no second
    /// index for attributes that a fetch index covers already. An index more does no harm: every other store of that
    /// year and later has it.
    private static func doublesLeftOut(_ store: Comparison, _ index: String) -> Bool {
        let parts = index.split(separator: "_", maxSplits: 2)
        if parts.count == 3, store.indexes["Z_\(parts[1])_SwiftDataIndexOnBinary\(parts[2])"] != nil { return true }
        return store.path.hasSuffix("knowledgec-10.14.db")
            && [
                "Z_Event_valueString", "Z_Event_startDate", "Z_Event_endDate", "Z_Event_streamName",
                "Z_CustomMetadata_name",
            ].contains(index)
    }

    @Test("Every store with a model opens, under any names of its tables, and all of its rows are read")
    func rows() throws {
        var count = 0
        for path in Corpus.stores {
            guard let archive = try StoreArchive(path: path), let cache = archive.modelCache else { continue }
            let model = try ModelArchive.decode(deflated: cache)
            model.freeze()
            try withTemporaryFolder { folder in
                let copy = try Corpus.copyStore(path, to: folder)
                let store = try SQLiteStore(layout: model.layout, storeNumber: 1, at: copy)
                let connection = try SQLiteConnection(path: copy.path, access: .readOnly)
                for entity in model.layout.entities where entity.superIndex == nil {
                    let table = try #require(store.schema.table(ofRoot: entity.index)).name
                    let expected = try connection.integer("SELECT COUNT(*) FROM \(table)") ?? 0
                    var rows: [Snapshot] = []
                    try store.fetchRows(StoreFetch(layout: entity)) { rows += $0 }
                    #expect(rows.count == Int(expected), "\(path) \(table)")
                    count += rows.count
                    for toMany in entity.toManys {
                        let owners = rows.prefix(50).filter { $0.layoutIndex == entity.index }
                            .map { ObjectKey(layoutIndex: $0.layoutIndex, key: $0.key) }
                        let members = try store.members(of: toMany, owners: owners)
                        for owner in owners {
                            #expect(try store.members(of: toMany, owner: owner) == members[owner.key] ?? [])
                        }
                    }
                }
                store.close()
            }
            withExtendedLifetime(model) {}
        }
        #expect(count > 30_000)
    }
}
