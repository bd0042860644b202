#if PostgreSQL
import CoreData
import CoreDataManager
import CoreDataPostgreSQL
import Foundation
import MigrationTestKit
import TestSupport
import Testing

/// Several processes, each a program of its own, and one database.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLLaunchTests {
    private static let type = NSPostgreSQLStoreType
    private static var options: [AnyHashable: Any] {
        [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            NSMigrationAllowedLossesOption: CrashModels.removed,
        ]
    }

    /// Books as `CrashModels` has them.
    static func fill(_ url: URL, books count: Int) throws {
        try withStore(url, ModelText.model(CrashModels.older), type: type) { context in
            let shelves = (0..<10).map { context.make("Shelf", ["room": "room \($0)"]) }
            let tags = (0..<5).map { context.make("Tag", ["label": "tag \($0)"]) }
            for number in 0..<count {
                let book = context.make("Book", ["title": "title \(number)", "pages": number % 700])
                book.setValue("of no use", forKey: "obsolete")
                book.setValue(shelves[number % 10], forKey: "shelf")
                book.setValue(NSSet(array: [tags[number % 5], tags[(number + 2) % 5]]), forKey: "tags")
            }
            context.make("Draft", ["text": "a draft"])
            try context.save()
        }
    }

    @Test("One of eight processes that begin at once migrates, and all open the store")
    func manyProcesses() throws {
        try withDatabase { url, _ in
            try Self.fill(url, books: 2_000)
            let children = try (0..<8).map { _ in
                try ChildProgram(
                    "migration-crash-child", [url.absoluteString], environment: ["OPENCOREDATA_TRIAL_TRACE": "1"])
            }
            let outcomes = children.map { $0.wait() }
            #expect(outcomes.allSatisfy { $0.output.hasSuffix("done\n") }, "\(outcomes)")
            #expect(outcomes.filter { $0.output.contains("moment committed") }.count == 1)
            try withStore(url, ModelText.model(CrashModels.newer), type: Self.type) { context in
                let count = try context.all("Volume").count
                #expect(count == 2_000)
            }
        }
    }

    @Test(
        "A process that has the older version open is waited for, and named; when it has ended the store is migrated"
    )
    func olderProcess() throws {
        try withDatabase { url, _ in
            try Self.fill(url, books: 5)
            let child = try ChildProgram("migration-crash-child", [url.absoluteString, "hold"])
            defer { child.kill() }
            child.wait(for: "open")
            let newer = ModelText.model(CrashModels.newer)
            var options = Self.options
            options[NSPersistentStoreTimeoutOption] = 0.1
            let error = #expect(throws: NSError.self) {
                try withStore(url, newer, type: Self.type, options: options) { _ in }
            }
            #expect(error?.code == NSPersistentStoreTimeoutError)
            #expect(error?.localizedDescription.contains("“migration-crash-child”") == true, "\(error as Any)")
            // Waiting can be cancelled.
            let progress = Progress(totalUnitCount: -1)
            options[NSPersistentStoreTimeoutOption] = 60
            options[NSMigrationProgressOption] = progress
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { progress.cancel() }
            let cancelled = #expect(throws: NSError.self) {
                try withStore(url, newer, type: Self.type, options: options) { _ in }
            }
            #expect(cancelled?.code == NSMigrationCancelledError)
            child.kill()
            _ = child.wait()
            try withStore(url, newer, type: Self.type, options: Self.options) { context in
                let count = try context.all("Volume").count
                #expect(count == 5)
            }
        }
    }

    @Test("An older program on a newer store is refused like one on a file, with a count of the losses")
    func olderProgram() throws {
        try withDatabase { url, _ in
            let older = "entity Note\n  name string\nentity Label : Note\n  color string"
            let newer = older + "\n  size int32! = 5\n  text string"
            try withStore(url, ModelText.model(newer), type: Self.type) { context in
                for number in 0..<3 { context.make("Label", ["name": "\(number)", "text": "text"]) }
                context.make("Label", ["size": 9])
                try context.save()
            }
            let options: [AnyHashable: Any] = [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            ]
            let error = #expect(throws: NSError.self) {
                try withStore(url, ModelText.model(older), type: Self.type, options: options) { _ in }
            }
            #expect(error?.code == NSMigrationMissingSourceModelError)
            let losses = error?.userInfo[NSMigrationLossesErrorKey] as? [MigrationLoss] ?? []
            #expect(Set(losses.map { "\($0.name) \($0.count)" }) == ["Label.text 3", "Label.size 1"])
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: url, to: ModelText.model(older), options: options)
            #expect(forecast.losses.map(\.name).sorted() == ["Label.size", "Label.text"])
            #expect(!forecast.isPossible)
            try withStore(url, ModelText.model(newer), type: Self.type) { context in
                let count = try context.all("Label", "text == %@", "text").count
                #expect(count == 3)
            }
        }
    }

    @Test("History, the program's metadata and the versions that the store has left survive")
    func kept() throws {
        try withDatabase { url, _ in
            let first = "entity Note\n  name string"
            let tracked: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
            let migrating = tracked.merging(Self.options) { $1 }
            func transactions(_ context: NSManagedObjectContext) throws -> [NSPersistentHistoryTransaction] {
                let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
                let result = try context.execute(request) as? NSPersistentHistoryResult
                return result?.result as? [NSPersistentHistoryTransaction] ?? []
            }
            try withStore(url, ModelText.model(first), type: Self.type, options: tracked) { context in
                context.transactionAuthor = "first"
                let note = context.make("Note", ["name": "a"])
                try context.save()
                note.setValue("b", forKey: "name")
                let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
                store.metadata["Mine"] = "kept"
                try context.save()
            }
            let identifier =
                try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: Self.type, at: url)[NSStoreUUIDKey] as? String
            let second = "entity Memo was Note\n  title string was name\n  size int32"
            try withStore(url, ModelText.model(second), type: Self.type, options: migrating) { context in
                let found = try transactions(context)
                #expect(found.map(\.author) == ["first", "first"])
                let changes = found.flatMap { $0.changes ?? [] }
                #expect(changes.map(\.changeType) == [.insert, .update])
                #expect(changes.map { $0.changedObjectID.entity.name } == ["Memo", "Memo"])
                context.make("Memo", ["title": "c"])
                try context.save()
                #expect(try transactions(context).count == 3)
            }
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: Self.type, at: url)
            #expect(metadata["Mine"] as? String == "kept")
            #expect(metadata[NSStoreUUIDKey] as? String == identifier)
            #expect((metadata["OpenCoreDataVersions"] as? [String])?.count == 1)
        }
    }

    @Test(
        "A manager that launches while another process migrates shows how far that is, and opens the store afterwards"
    )
    func manager() async throws {
        try await withDatabase { url, _ in
            try Self.fill(url, books: 200)
            let child = try ChildProgram(
                "migration-crash-child", [url.absoluteString],
                environment: ["OPENCOREDATA_TRIAL_HOLD": "stepDone:12"])
            defer { child.kill() }
            child.wait(for: "held")
            var configuration = CoreDataManager.Configuration()
            configuration.storeType = Self.type
            configuration.allowedLosses = CrashModels.removed
            configuration.graceDelay = 0
            let manager = CoreDataManager(
                model: ModelText.model(CrashModels.newer), storeURL: url, configuration: configuration)
            let states = manager.states
            let launched = Task { try await manager.launch() }
            var seen = 0.0
            for await state in states {
                guard case .migrating(let status) = state, status.fractionCompleted > 0 else { continue }
                seen = status.fractionCompleted
                break
            }
            #expect(seen > 0 && seen < 1)
            kill(child.processIdentifier, SIGUSR1)
            try await launched.value
            #expect(manager.state.isReady)
            #expect(child.wait().output.hasSuffix("done\n"))
            let count = try await manager.performBackground { context in
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Volume"))
            }
            #expect(count == 200)
        }
    }

    @Test(
        "A manager migrates a store in a database on its way to ready, with a progress, and makes one where none is"
    )
    func managerMigrates() async throws {
        try await withDatabase { url, _ in
            var configuration = CoreDataManager.Configuration()
            configuration.storeType = Self.type
            configuration.allowedLosses = CrashModels.removed
            do {
                let first = CoreDataManager(
                    model: ModelText.model(CrashModels.older), storeURL: url, configuration: configuration)
                try await first.launch()
                #expect(first.state.isReady)
            }
            try Self.fill(url, books: 50)
            let manager = CoreDataManager(
                model: ModelText.model(CrashModels.newer), storeURL: url, configuration: configuration)
            let forecast = try await manager.forecast()
            #expect(forecast.isMigrationRequired && (forecast.seconds ?? 0) > 0)
            #expect(forecast.report.contains("locks"))
            let states = manager.states
            try await manager.launch()
            var sawMigration = false
            for await state in states { sawMigration = sawMigration || state.isMigrating }
            #expect(sawMigration)
            let count = try await manager.performBackground { context in
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Volume"))
            }
            #expect(count == 50)
        }
    }
}
#endif
