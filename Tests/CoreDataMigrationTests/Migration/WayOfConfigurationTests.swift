import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Ways of several hops for a store of a configuration", .leavesNothingBehind)
struct WayOfConfigurationTests {
    /// A model whose configuration “One” has the items only.
    private static func model(_ text: String, isConfigured: Bool) -> NSManagedObjectModel {
        let model = ModelText.model(text)
        if isConfigured {
            model.setEntities(
                model.entities.filter { $0.name?.hasPrefix("Item") ?? false }, forConfigurationName: "One")
        }
        return model
    }

    private static var options: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    /// A store of the first model with one item, brought to the last through the one between.
    private func migrate(
        _ models: [NSManagedObjectModel], startingWith configuration: String?,
        _ staged: NSStagedMigrationManager? = nil,
        _ check: (MigrationForecast, [String]) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("store.sqlite")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: models[0])
            try coordinator.remove(
                coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: configuration, at: url, options: nil))
            try SQLiteConnection(path: url.path, access: .readWrite)
                .execute(
                    "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'kept'); UPDATE Z_PRIMARYKEY SET Z_MAX = 1"
                )
            var options = Self.options
            options[NSPersistentStoreStagedMigrationManagerOptionKey] = staged
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: url, to: models[2], configuration: "One", through: [models[1]], options: options)
            if staged != nil {
                try StoreMigration(MigrationRequest(at: url, to: models[2], configuration: "One", options: options))
                    .prepare()
            } else {
                try StoreMigration(
                    MigrationRequest(
                        at: url, to: models[2], configuration: "One", options: options, through: [models[1]],
                        bundles: [])
                ).prepare()
            }
            let newer = NSPersistentStoreCoordinator(managedObjectModel: models[2])
            try newer.remove(
                newer.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: "One", at: url, options: nil))
            let statement = try SQLiteConnection(path: url.path, access: .readOnly).prepare(
                "SELECT ZHEADLINE FROM ZITEM")
            var values: [String] = []
            while try statement.step() { values.append(statement.string(0)) }
            try check(forecast, values)
        }
    }

    @Test("a configuration that is new in the last version is no obstacle")
    func newConfiguration() throws {
        let models = [
            Self.model("entity Item\n  name string\nentity Note\n  text string", isConfigured: false),
            Self.model("entity Item\n  title string was name\nentity Note\n  text string", isConfigured: false),
            Self.model("entity Item\n  headline string was title\nentity Note\n  text string", isConfigured: true),
        ]
        try migrate(models, startingWith: nil) { forecast, values in
            #expect(forecast.isPossible && forecast.hops.count == 2, "\(forecast)")
            #expect(values == ["kept"])
        }
    }

    @Test("Another configuration's entities do not matter to the store, with or without the configuration between")
    func otherEntities() throws {
        for isConfigured in [true, false] {
            // Nothing leads from a text to a date.
            let models = [
                Self.model("entity Item\n  name string\nentity Note\n  text string", isConfigured: true),
                Self.model(
                    "entity Item\n  title string was name\nentity Note\n  text date", isConfigured: isConfigured),
                Self.model("entity Item\n  headline string was title\nentity Note\n  text data", isConfigured: true),
            ]
            try migrate(models, startingWith: "One") { forecast, values in
                #expect(forecast.isPossible && forecast.hops.count == 2, "\(forecast)")
                #expect(values == ["kept"])
            }
        }
    }

    @Test("stages with code of the program's own go through a version without the configuration")
    func staged() throws {
        let models = [
            Self.model("entity Item\n  name string", isConfigured: true),
            Self.model("entity Item\n  title string was name", isConfigured: false),
            Self.model("entity Item\n  headline string was title", isConfigured: true),
        ]
        let references = models.map { NSManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum) }
        let stages = zip(references, references.dropFirst()).map { NSCustomMigrationStage(migratingFrom: $0, to: $1) }
        let counts = Counts()
        for stage in stages {
            stage.willMigrateHandler = { manager, _ in counts.add(try Self.count(manager)) }
            stage.didMigrateHandler = { manager, _ in counts.add(try Self.count(manager)) }
        }
        try migrate(models, startingWith: "One", NSStagedMigrationManager(stages)) { forecast, values in
            #expect(forecast.isPossible && forecast.hops.count == 2, "\(forecast)")
            #expect(values == ["kept"])
        }
        #expect(counts.all == [1, 1, 1, 1])
    }

    @Test("a store whose configuration lost its only entity is migrated on, and gets one again")
    func emptied() throws {
        let last = Self.model("entity Item\n  title string\nentity Note\n  text string", isConfigured: true)
        let models = [
            Self.model("entity Item\n  name string\nentity Note\n  text string", isConfigured: true),
            Self.model("entity Note\n  text string", isConfigured: true), last,
        ]
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("store.sqlite")
            for model in models {
                let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                    forPersistentStoreAt: url, to: model, configuration: "One")
                #expect(forecast.isPossible)
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                try coordinator.remove(
                    coordinator.addPersistentStore(
                        ofType: NSSQLiteStoreType, configurationName: "One", at: url, options: Self.options))
            }
            let names = try SQLiteStoreMetadata.metadata(at: url)[NSStoreModelVersionHashesKey] as? [String: Data]
            #expect(names.map { Array($0.keys) } == ["Item"])
            let columns = try SQLiteConnection(path: url.path, access: .readOnly).prepare("SELECT ZTITLE FROM ZITEM")
            #expect(try !columns.step())
        }
    }

    // @unchecked Sendable: handlers run on the thread that adds the store.
    private final class Counts: @unchecked Sendable {
        var all: [Int] = []
        func add(_ count: Int) { all.append(count) }
    }

    private static func count(_ manager: NSStagedMigrationManager) throws -> Int {
        let context = try #require(manager.container).newBackgroundContext()
        return try context.performAndWait {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item"))
        }
    }
}
