import CoreData
import CoreDataManager
import TestSupport
import Testing

@Suite("Launching where no store is")
struct LaunchPlacesTests {
    private static let adapters: [any MigrationAdapter] = [
        MeasuredMigrationAdapter(), InferredMigrationAdapter(), MappingModelAdapter(),
    ]

    private func manager(_ url: URL, _ adapter: any MigrationAdapter) -> CoreDataManager {
        var configuration = CoreDataManager.Configuration()
        configuration.adapter = adapter
        return CoreDataManager(model: NoteModel.second(), storeURL: url, configuration: configuration)
    }

    @Test("A store that was destroyed is launched as a new one, and asking changes none of its files")
    func destroyed() async throws {
        for adapter in Self.adapters {
            try await withTemporaryFolder { folder in
                let url = folder.appendingPathComponent("n.sqlite")
                try NoteModel.makeStore(at: url, notes: 3)
                try NSPersistentStoreCoordinator(managedObjectModel: NoteModel.first()).destroyPersistentStore(
                    at: url, ofType: NSSQLiteStoreType)
                let manager = manager(url, adapter)
                #expect(try await manager.forecast().isMigrationRequired == false)
                for suffix in ["", "-wal", "-shm"] {
                    #expect(try Data(contentsOf: URL(fileURLWithPath: url.path + suffix)).isEmpty)
                }
                try await manager.launch()
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(names.allSatisfy { $0.hasPrefix("n.sqlite") })
            }
        }
    }

    @Test("A program is launched in memory, at /dev/null and at a name below it")
    func memory() async throws {
        for adapter in Self.adapters {
            for path in ["/dev/null", "/dev/null/\(UUID().uuidString)"] {
                let manager = manager(URL(fileURLWithPath: path), adapter)
                #expect(try await manager.forecast().isMigrationRequired == false)
                try await manager.launch()
                let context = manager.newBackgroundContext()
                try await context.perform {
                    context.make("Note", ["text": "a"])
                    try context.save()
                    #expect(try context.all("Note").count == 1)
                }
            }
        }
    }
}
