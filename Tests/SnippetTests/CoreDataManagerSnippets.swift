import CoreData
import CoreDataManager

// Code of the articles of CoreDataManager.
enum CoreDataManagerSnippets {
    static func launch(
        model: NSManagedObjectModel, url: URL,
        showProgress: @escaping @MainActor @Sendable (any MigrationProgressReporting) -> Void,
        showFirstScreen: @escaping @MainActor @Sendable (Result<Void, any Error>) -> Void
    ) -> CoreDataManager {
        // snippet: launch
        let manager = CoreDataManager(model: model, storeURL: url)
        manager.launch(
            progressScreen: { migration in showProgress(migration) },
            completion: { result in showFirstScreen(result) })
        // snippet end
        return manager
    }

    static func importNote(manager: CoreDataManager) async throws {
        // snippet: background work
        try await manager.performBackground { context in
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("Imported", forKey: "text")
        }
        // snippet end
    }
}
