import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("The container", .leavesNothingBehind)
struct NSPersistentContainerTests {
    private func container(_ folder: TemporaryFolder) -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: LibraryModel.make())
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.url.appendingPathComponent("below/Library.sqlite"))
        ]
        return container
    }

    @Test("loadPersistentStores opens the store before it returns, and makes its folder")
    func opensAtOnce() throws {
        let folder = try TemporaryFolder()
        let container = container(folder)
        let outcomes = Outcomes()
        container.loadPersistentStores { outcomes.append($1) }
        #expect(outcomes.errors.count == 1)
        #expect(outcomes.errors[0] == nil)
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
        #expect(FileManager.default.fileExists(atPath: folder.url.appendingPathComponent("below/Library.sqlite").path))
    }

    @Test("A description that asks for it opens its store in the background")
    func opensInBackground() async throws {
        let folder = try TemporaryFolder()
        let container = container(folder)
        container.persistentStoreDescriptions[0].shouldAddStoreAsynchronously = true
        let error = await withCheckedContinuation { continuation in
            container.loadPersistentStores { continuation.resume(returning: $1) }
        }
        #expect(error == nil)
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }

    @Test("An error comes to the handler with the description, and names the file")
    func reportsErrors() throws {
        let folder = try TemporaryFolder()
        let container = container(folder)
        let url = folder.url.appendingPathComponent("no.sqlite")
        try Data("this is not a database, and it is longer than a header".utf8).write(to: url)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        let outcomes = Outcomes()
        container.loadPersistentStores { outcomes.append($1) }
        #expect(outcomes.errors.first??.localizedDescription.contains("no.sqlite") == true)
    }

    @Test("Pragmas that are no dictionary are error 134080, as they are without a description")
    func wrongPragmas() throws {
        let folder = try TemporaryFolder()
        let container = container(folder)
        let description = container.persistentStoreDescriptions[0]
        description.setValue(NSString("DELETE"), forPragmaNamed: "journal_mode")
        description.setOption(NSString("WAL"), forKey: NSSQLitePragmasOption)
        #expect(description.sqlitePragmas.isEmpty)
        let outcomes = Outcomes()
        container.loadPersistentStores { outcomes.append($1) }
        let error = try #require(outcomes.errors.first as? NSError)
        #expect(error.code == NSPersistentStoreOpenError)
        #expect(error.localizedDescription.contains("NSSQLitePragmasOption"))
        description.setOption(NSDictionary(dictionary: ["journal_mode": "DELETE"]), forKey: NSSQLitePragmasOption)
        #expect(description.sqlitePragmas["journal_mode"] == NSString("DELETE"))
        container.loadPersistentStores { outcomes.append($1) }
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }

    @Test("A background task has a context of its own, and the view context sees its save")
    func backgroundTask() async throws {
        let folder = try TemporaryFolder()
        let container = container(folder)
        container.loadPersistentStores { _, _ in }
        try await container.performBackgroundTask { context in
            #expect(context.concurrencyType == .privateQueueConcurrencyType)
            context.make("Book", ["title": "T"])
            try context.save()
        }
        let viewContext = container.viewContext
        #expect(viewContext.concurrencyType == .mainQueueConcurrencyType)
        let titles = try await viewContext.perform {
            try viewContext.all("Book").map { $0.value(forKey: "title") as? String }
        }
        #expect(titles == ["T"])
        #expect(container.newBackgroundContext() !== container.newBackgroundContext())
    }

    @Test("A store in memory needs no file")
    func inMemory() async throws {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: LibraryModel.make())
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        let outcomes = Outcomes()
        container.loadPersistentStores { outcomes.append($1) }
        #expect(outcomes.errors.count == 1 && outcomes.errors[0] == nil)
        let counts = try await container.performBackgroundTask { context in
            context.make("Book")
            try context.save()
            return try context.all("Book").count
        }
        #expect(counts == 1)
    }

    /// The errors a completion handler was called with, one for each call.
    private final class Outcomes: @unchecked Sendable {  // filled before loadPersistentStores returns
        private(set) var errors: [(any Error)?] = []
        func append(_ error: (any Error)?) { errors.append(error) }
    }
}
