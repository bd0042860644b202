import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A store of one model, to be filled by SQL and migrated to another model.
struct MigrationFixture {
    let url: URL

    /// Makes an empty store of a model and runs SQL on it.
    init(_ folder: URL, _ model: String, rows sql: String = "", options: [AnyHashable: Any]? = nil) throws {
        url = folder.appendingPathComponent("store.sqlite")
        let model = ModelText.model(model)
        try withExtendedLifetime(model) {
            try SQLiteStore(layout: model.layout, storeNumber: 1, at: url, options: options).close()
        }
        try run(sql)
    }

    func run(_ sql: String) throws {
        let connection = try SQLiteConnection(path: url.path, access: .readWrite)
        SQLiteFunctions.register(on: connection)
        try connection.execute(sql)
    }

    /// Writes rows that stay in the -wal as long as the connection is open.
    func log(_ sql: String) throws -> SQLiteConnection {
        let writer = try SQLiteConnection(path: url.path, access: .readWrite)
        try writer.execute("PRAGMA wal_autocheckpoint = 0")
        try writer.execute(sql)
        return writer
    }

    /// The store as a kill would leave it now: the main file and its -wal under another name.
    func copyAsKilled() throws -> URL {
        let copy = url.deletingLastPathComponent().appendingPathComponent("copy.sqlite")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
        }
        return copy
    }

    /// The results of a query, columns joined by "|" and "-" for NULL.
    func query(_ sql: String) throws -> [String] {
        let connection = try SQLiteConnection(path: url.path, access: .readOnly)
        let statement = try connection.prepare(sql)
        var lines: [String] = []
        while try statement.step() {
            let values = (0..<statement.columnCount).map { statement.isNull($0) ? "-" : statement.string($0) }
            lines.append(values.joined(separator: "|"))
        }
        return lines
    }

    @discardableResult
    func migrate(to text: String, options: [AnyHashable: Any]? = nil, progress: Progress? = nil) throws -> Bool {
        try LightweightMigrator(MigrationRequest(at: url, to: ModelText.model(text), options: options)).apply(progress)
    }

    func plan(to text: String) throws -> MigrationPlan {
        let migrator = LightweightMigrator(MigrationRequest(at: url, to: ModelText.model(text)))
        return try #require(try migrator.plan())
    }

    /// Migrates, opens the result, and checks that its tables are those of a new store.
    func migrateAndVerify(to text: String, _ location: SourceLocation = #_sourceLocation) throws {
        #expect(try migrate(to: text), "nothing was migrated", sourceLocation: location)
        try verify(text, location)
    }

    func verify(_ text: String, _ location: SourceLocation = #_sourceLocation) throws {
        let model = ModelText.model(text)
        try withExtendedLifetime(model) {
            try SQLiteStore(layout: model.layout, storeNumber: 1, at: url).close()
        }
        #expect(try query("PRAGMA integrity_check") == ["ok"], sourceLocation: location)
        try withTemporaryFolder { folder in
            let fresh = try MigrationFixture(folder, text)
            #expect(
                try query(Self.keysQuery) == fresh.query(Self.keysQuery), "numbers of entities",
                sourceLocation: location)
            let (mine, theirs) = (try schema(), try fresh.schema())
            #expect(mine == theirs, "schema", sourceLocation: location)
        }
        #expect(
            try LightweightMigrator(MigrationRequest(at: url, to: ModelText.model(text))).apply() == false,
            sourceLocation: location)
    }

    private static let keysQuery = "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT"

    /// Tables with columns and types, and indexes: everything but the order of columns.
    func schema() throws -> [String] {
        let connection = try SQLiteConnection(path: url.path, access: .readOnly)
        let catalog = try StoreCatalog(connection)
        var lines = catalog.tables.values.map { table in
            "table \(table.name): "
                + table.columns.map { "\($0.name) \($0.type) \($0.keyPosition)" }.sorted().joined(separator: ", ")
        }
        lines += catalog.indexes.map { index in
            "\(index.isUnique ? "unique " : "")index \(index.name) on \(index.table): "
                + index.columns.map { "\($0.name) \($0.direction == .descending ? "down" : "up")" }.joined(
                    separator: ", ")
                + (index.condition.map { " where \($0)" } ?? "")
        }
        lines += catalog.triggers.map { "trigger \($0.name)" }
        return lines.sorted()
    }

    /// Migrates and gives the error it ends with; the store must be as it was.
    func failure(to text: String, _ location: SourceLocation = #_sourceLocation) throws -> NSError {
        let before = try dump()
        do {
            try migrate(to: text)
        } catch {
            #expect(try dump() == before, "the store changed", sourceLocation: location)
            return error as NSError
        }
        Issue.record("The migration did not fail.", sourceLocation: location)
        return NSError(domain: "none", code: 0)
    }

    /// Everything in the store as text.
    func dump() throws -> [String] {
        var lines = try query("SELECT type, name, sql FROM sqlite_master ORDER BY name")
        for table in try query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") {
            lines += try query("SELECT quote(t.rowid), * FROM \"\(table)\" t")
        }
        return lines
    }
}
