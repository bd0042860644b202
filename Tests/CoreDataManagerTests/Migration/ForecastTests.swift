import CoreData
import CoreDataManager
import TestSupport
import Testing

@Suite("Forecast of a launch")
struct ForecastTests {
    @Test("Twelve added columns are instant, and asking changes nothing")
    func twelveColumns() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: 10)
            let bytes = try Data(contentsOf: url)
            let manager = CoreDataManager(model: NoteModel.second(), storeURL: url)
            let forecast = try await manager.forecast()
            #expect(forecast.isMigrationRequired)
            #expect(forecast.isInstant == true)
            #expect(forecast.obstacles.isEmpty)
            #expect(!forecast.lacksDiskSpace)
            #expect(forecast.report.contains("needs a migration"))
            #expect(try Data(contentsOf: url) == bytes)
            try await manager.launch()
            #expect(try await manager.forecast().isMigrationRequired == false)
        }
    }

    @Test("A migration that rewrites tables is announced with its rows, and its progress counts them")
    func rewriting() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try LaunchStores.make(at: url, books: 2_000)
            var configuration = CoreDataManager.Configuration()
            configuration.allowedLosses = CrashModels.removed
            let manager = CoreDataManager(
                model: ModelText.model(CrashModels.newer), storeURL: url, configuration: configuration)
            let forecast = try await manager.forecast()
            #expect(forecast.isInstant == false)
            #expect((forecast.rows ?? 0) >= 2_000)
            #expect((forecast.seconds ?? 0) > 0)
            let known = Box<LaunchForecast?>(nil)
            try await manager.migrate { known.value = $0.forecast }
            #expect(known.value?.rows == forecast.rows)
        }
    }

    @Test("A forecast has the obstacles of a migration before it is tried")
    func obstacles() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: 1)
            let model = ModelText.model(
                """
                entity Note
                  text date!
                """)
            let manager = CoreDataManager(model: model, storeURL: url)
            let forecast = try await manager.forecast()
            #expect(forecast.isMigrationRequired)
            #expect(forecast.obstacles.contains { $0.contains("text") }, "\(forecast.obstacles)")
            await #expect(throws: (any Error).self) { try await manager.launch() }
            #expect(manager.failure?.kind == .incompleteProgram)
            #expect(try NoteModel.texts(inStoreAt: url) == ["note 0"])
        }
    }

    @Test(
        "A forecast says that the model of a version is missing before a store of another type is migrated",
        arguments: ["XML", "Binary"])
    func otherTypes(type: String) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.store")
            var configuration = CoreDataManager.Configuration()
            configuration.storeType = type
            let first = CoreDataManager(model: NoteModel.first(), storeURL: url, configuration: configuration)
            try await first.performBackground { context in NoteModel.insert("kept", into: context) }
            #expect(try await !first.forecast().isMigrationRequired)
            let manager = CoreDataManager(model: NoteModel.second(), storeURL: url, configuration: configuration)
            let forecast = try await manager.forecast()
            #expect(forecast.isMigrationRequired)
            #expect(!forecast.obstacles.isEmpty && !forecast.report.isEmpty)
            await #expect(throws: (any Error).self) { try await manager.launch() }
            #expect(manager.failure?.kind == .incompatible)
        }
    }

    @Test("A store is migrated with Core Data's public interface alone, too, without figures")
    func publicInterfaceOnly() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: 4)
            var configuration = CoreDataManager.Configuration()
            configuration.adapter = InferredMigrationAdapter()
            let manager = CoreDataManager(model: NoteModel.second(), storeURL: url, configuration: configuration)
            let forecast = try await manager.forecast()
            #expect(forecast == LaunchForecast(isMigrationRequired: true))
            try await manager.launch()
            let count = try await manager.performMain { context in
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
            }
            #expect(count == 4)
        }
    }
}
