import CoreData
import CoreDataManager
import Foundation
import TestSupport
import Testing

/// The Japanese article of February 2011: a manager that first checks whether a migration is required, migrates with a
/// coordinator of its own on a screen of its own, and opens without migration options.
@Suite("Article: マイグレーションを考慮した CoreDataManager パターン")
struct ManagerPatternArticleTests {
    private func withOldStore(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            // The article's table of times: 240 rows took 28 seconds.
            try NoteModel.makeStore(at: url, notes: 240)
            try await body(url)
        }
    }

    @Test("Code that touches the ordinary stack first meets a store of another version")
    func failure() async throws {
        try await withOldStore { url in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NoteModel.second())
            let error = #expect(throws: (any Error).self) {
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            }
            #expect((error as NSError?)?.code == NSPersistentStoreIncompatibleVersionHashError)
            let count = try NoteModel.texts(inStoreAt: url).count
            #expect(count == 240)
        }
    }

    @Test("The remedy: check, migrate with a coordinator that is thrown away, open with one that may not migrate")
    func remedy() async throws {
        try await withOldStore { url in
            var configuration = CoreDataManager.Configuration()
            // The options for migrating are for the coordinator that is thrown away.
            configuration.storeOptions = [
                NSPersistentStoreDeferredLightweightMigrationOptionKey: true, NSPersistentStoreTimeoutOption: 5,
            ]
            let manager = CoreDataManager(model: NoteModel.second(), storeURL: url, configuration: configuration)
            #expect(try manager.isMigrationRequired())
            try await manager.migrate()
            #expect(try !manager.isMigrationRequired())
            try await manager.launch()
            let options = try await manager.performMain { context in
                context.parent?.persistentStoreCoordinator?.persistentStores.first?.options?.keys
                    .compactMap { $0 as? String } ?? []
            }
            #expect(options.contains(NSPersistentStoreTimeoutOption))
            #expect(!options.contains(NSPersistentStoreDeferredLightweightMigrationOptionKey))
            #expect(!options.contains(NSMigratePersistentStoresAutomaticallyOption))
            #expect(!options.contains(NSInferMappingModelAutomaticallyOption))
            #expect(try NoteModel.texts(inStoreAt: url, model: NoteModel.second()).count == 240)
        }
    }

    @Test("The remedy's screen has a message, then an OK button, in the user's language")
    @MainActor
    func screen() async throws {
        try await withMigratingManager(WaitingAdapter(), notes: 240) {
            $0.graceDelay = 0
            $0.minimumScreenTime = 0
            $0.texts = LaunchTexts(language: "ja")
            $0.texts.replace([.updated: "バージョンアップが完了しました"], in: "ja")
        } body: { manager in
            let screen = Screen()
            try await manager.launch(display: screen)
            #expect(screen.messages == ["データを更新しています。この処理はアップデート後に一度だけ行われます。", "バージョンアップが完了しました"])
            #expect(screen.isOver)
            #expect(manager.configuration.texts[.ok] == "OK")
        }
    }

    /// The article's view controller, without its views.
    @MainActor
    private final class Screen: LaunchDisplay {
        var messages: [String] = []
        var isOver = false

        func begin(_ migration: any MigrationProgressReporting, message: String) {
            messages.append(message)
            (migration as? ProgressAdapter)?.progress.completedUnitCount = 1
        }

        func update(_ status: MigrationStatus, text: String) {}

        func end(message: String, failure: LaunchFailure?) {
            messages.append(message)
            isOver = failure == nil
        }
    }

    /// Migrates when its screen is up.
    private struct WaitingAdapter: MigrationAdapter {
        func forecast(_ job: MigrationJob) throws -> LaunchForecast {
            LaunchForecast(isMigrationRequired: try job.isMigrationRequired())
        }

        func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
            let progress = Progress(totalUnitCount: 1)
            begun(ProgressAdapter(progress))
            while progress.completedUnitCount == 0 { sched_yield() }
            try job.migrateByOpening()
        }
    }
}
