import CoreData
import CoreDataManager
import TestSupport
import Testing

@Suite("A launch of an older program")
struct DowngradedLaunchTests {
    private static func makeNewerStore(_ url: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NoteModel.second())
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("text", forKey: "text")
            note.setValue("of the newer version", forKey: "extra3")
            try context.save()
        }
        try coordinator.remove(store)
    }

    @Test("An older program fails as incompatible and changes nothing, unless the configuration allows the losses")
    func launch() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try Self.makeNewerStore(url)
            func bytes() -> [Data?] { ["", "-wal"].map { try? Data(contentsOf: URL(fileURLWithPath: url.path + $0)) } }
            let before = bytes()
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: url)
            let forecast = try await manager.forecast()
            #expect(
                forecast.losses == [.init(entity: "Note", property: "extra3", count: 1, isAllowed: false)])
            #expect(forecast.obstacles.count == 1 && forecast.report.contains("Note.extra3"))
            let error = await #expect(throws: NSError.self) { try await manager.launch() }
            let failure = LaunchFailure(try #require(error))
            #expect(failure.kind == .incompatible && failure.retryLabel == nil)
            #expect(bytes() == before)

            var configuration = CoreDataManager.Configuration()
            configuration.allowedLosses = ["Note.extra3"]
            let allowing = CoreDataManager(model: NoteModel.first(), storeURL: url, configuration: configuration)
            let known = try await allowing.forecast()
            #expect(known.obstacles.isEmpty && known.losses.map(\.isAllowed) == [true])
            try await allowing.launch()
        }
    }
}
