#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Stores of which a part is lost are damaged, and never "no store": nothing is made over them.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct DamagedDatabasesTests {
    enum Damage: String, CaseIterable, Sendable {
        case list = "UPDATE coredata.metadata SET list = 'x'"
        case noList = "UPDATE coredata.metadata SET list = NULL"
        case noRow = "DELETE FROM coredata.metadata"
        case noMetadata = "DROP TABLE coredata.metadata"
        case noListColumn = "ALTER TABLE coredata.metadata DROP COLUMN list"
        case noIdentifierColumn = "ALTER TABLE coredata.metadata DROP COLUMN identifier"
        case noEntities = "DROP TABLE coredata.entities"
        case noNameColumn = "ALTER TABLE coredata.entities DROP COLUMN name"
        case noTables = "DROP TABLE coredata.tables"
        case noRoleColumn = "ALTER TABLE coredata.columns DROP COLUMN role"

        /// Whether the metadata of the store are damaged, and not one of its other tables.
        var isOfMetadata: Bool {
            ![.noEntities, .noNameColumn, .noTables, .noRoleColumn].contains(self)
        }
        /// The part that errors name.
        var part: String? {
            switch self {
            case .list, .noList, .noRow, .noMetadata, .noEntities: nil
            case .noListColumn: "list"
            case .noIdentifierColumn: "identifier"
            case .noNameColumn: "name"
            case .noTables: "coredata.tables"
            case .noRoleColumn: "role"
            }
        }
        /// Those of stores over existing tables, which keep no map of names.
        static let overExistingTables = allCases.filter { ![.noTables, .noRoleColumn].contains($0) }
    }

    private static let type = NSPostgreSQLStoreType
    private static let corrupt = CocoaError.Code.fileReadCorruptFile.rawValue
    private let database: TestDatabase
    private var url: URL { database.url }

    init() throws { database = try TestDatabase() }

    private func psql(_ statement: String) -> String? { database.psql(statement) }

    /// Makes a store with two tags, which no program has open.
    private func fill(_ url: URL, type: String = type) throws {
        try withStore(url, LibraryModel.make(), type: type) { context in
            for name in ["a", "b"] { context.make("Tag", ["name": name]) }
            try context.save()
        }
    }

    private func tags(_ url: URL) throws -> [String] {
        try withStore(url, LibraryModel.make(), type: Self.type) { context in
            try context.all("Tag").compactMap { $0.value(forKey: "name") as? String }.sorted()
        }
    }

    @discardableResult
    private func expectDamaged(_ what: String, _ body: () throws -> Void) -> NSError? {
        let error = #expect(throws: NSError.self, "\(what)") { try body() }
        #expect(error?.code == Self.corrupt, "\(what): \(error.map { "\($0)" } ?? "")")
        #expect(error?.localizedDescription.contains("damaged") == true, "\(what)")
        return error
    }

    /// Expects that a damaged store is refused: with the error for damaged metadata, or, where those are whole,
    /// with an error for the missing part.
    private func expectRefused(_ what: String, _ damage: Damage, _ body: () throws -> Void) {
        if damage.isOfMetadata {
            expectDamaged(what, body)
        } else {
            #expect(throws: NSError.self, "\(what)") { try body() }
        }
    }

    @Test(
        "A store with damaged metadata is not opened, forecast or filled, and its rows stay",
        arguments: Sample.slice(Damage.allCases, oneIn: 2, "refused"))
    func refused(damage: Damage) throws {
        try fill(url)
        #expect(psql(damage.rawValue) != nil)
        let facts = "SELECT (SELECT count(*) FROM tag), (SELECT count(*) FROM pg_class)"
        let before = psql(facts)
        #expect(before?.hasPrefix("2|") == true)
        let migrating: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        for options in [nil, migrating, [NSReadOnlyPersistentStoreOption: true]] {
            let error = expectDamaged("opening") {
                try withStore(url, LibraryModel.make(), type: Self.type, options: options) { _ in }
            }
            if let part = damage.part { #expect(error?.localizedDescription.contains(part) == true) }
        }
        let file = database.folder.url.appendingPathComponent("Other.sqlite")
        try fill(file, type: NSSQLiteStoreType)
        expectRefused("moving", damage) {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: file)
            try coordinator.migratePersistentStore(store, to: url, options: nil, withType: Self.type)
        }
        if Damage.overExistingTables.contains(damage) {
            let target = database.server.url(ofDatabase: database.name + "-2")
            expectRefused("replacing by it", damage) {
                try NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make()).replacePersistentStore(
                    at: target, withPersistentStoreFrom: url, ofType: Self.type)
            }
        }
        if damage.isOfMetadata {
            expectDamaged("metadata") {
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: Self.type, at: url)
            }
            expectDamaged("setting metadata") {
                try NSPersistentStoreCoordinator.setMetadata([:], forPersistentStoreOfType: Self.type, at: url)
            }
            expectDamaged("forecast") {
                _ = try NSPersistentStoreCoordinator.migrationForecast(
                    forPersistentStoreAt: url, to: ModelText.model("entity Tag\n  label string"))
            }
        }
        #expect(psql(facts) == before)
    }

    @Test(
        "A damaged store is destroyed, or replaced by a whole one, when that is asked for",
        arguments: Sample.slice(Damage.allCases, oneIn: 3, "removed"))
    func removed(damage: Damage) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try fill(url)
        #expect(psql(damage.rawValue) != nil)
        try coordinator.destroyPersistentStore(at: url, ofType: Self.type)
        #expect(psql("SELECT count(*) FROM pg_tables WHERE schemaname IN ('public', 'coredata')") == "0")
        try fill(url)
        #expect(try tags(url) == ["a", "b"])
        #expect(psql(damage.rawValue) != nil)
        let source = database.server.url(ofDatabase: database.name + "-2")
        try withStore(source, LibraryModel.make(), type: Self.type) { context in
            context.make("Tag", ["name": "c"])
            try context.save()
        }
        try coordinator.replacePersistentStore(at: url, withPersistentStoreFrom: source, ofType: Self.type)
        #expect(try tags(url) == ["c"])
    }

    @Test(
        "A store whose kept model cannot be read, nor the map of its names, is destroyed with its tables",
        arguments: [
            "UPDATE coredata.model SET content = 'x'", "ALTER TABLE coredata.model DROP COLUMN content",
            "DROP TABLE coredata.model, coredata.columns",
            "ALTER TABLE coredata.model DROP COLUMN content; ALTER TABLE coredata.tables DROP COLUMN parent",
        ])
    func model(damage: String) throws {
        try fill(url)
        #expect(psql(damage) != nil)
        try NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make()).destroyPersistentStore(
            at: url, ofType: Self.type)
        #expect(psql("SELECT count(*) FROM pg_tables WHERE schemaname IN ('public', 'coredata')") == "0")
    }

    @Test("A schema of another program with the framework's name is left alone when a store is destroyed")
    func foreign() throws {
        #expect(psql("CREATE SCHEMA coredata; CREATE TABLE coredata.model (name text)") != nil)
        try NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make()).destroyPersistentStore(
            at: url, ofType: Self.type)
        #expect(psql("SELECT count(*) FROM coredata.model") == "0")
    }

    @Test(
        "Damaged metadata over existing tables are an error, too; destroying leaves the tables",
        arguments: Sample.slice(Damage.overExistingTables, oneIn: 3, "existing"))
    func existing(damage: Damage) throws {
        let model = ModelText.model("entity Tag\n  name string")
        let options = [NSPostgreSQLExistingTablesOption: true]
        #expect(
            psql("CREATE TABLE tag (id integer PRIMARY KEY, name text); INSERT INTO tag VALUES (1, 'a')") != nil)
        try withStore(url, model, type: Self.type, options: options) { _ in }
        #expect(psql(damage.rawValue) != nil)
        expectDamaged("opening") { try withStore(url, model, type: Self.type, options: options) { _ in } }
        try NSPersistentStoreCoordinator(managedObjectModel: model).destroyPersistentStore(
            at: url, ofType: Self.type)
        #expect(psql("SELECT name FROM tag") == "a")
        let count = try withStore(url, model, type: Self.type, options: options) { try $0.all("Tag").count }
        #expect(count == 1)
    }
}
#endif
