import CoreData
import CoreDataManager
import Foundation
import TestSupport
import Testing

/// The German article: a private root on the coordinator, a main-queue child that the program shows, background
/// children, and a save that has to go down the whole chain.
@Suite("Article: Multithread-Kerndaten")
struct MultithreadingArticleTests {
    private func withManager(
        _ configuration: CoreDataManager.Configuration = .init(), _ body: (CoreDataManager, URL) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(
                model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"),
                configuration: configuration)
            try await manager.launch()
            try await body(manager, folder)
        }
    }

    @Test("The situation: a father without a view, a daughter on the main queue, children in the background")
    func hierarchy() async throws {
        try await withManager { manager, _ in
            let background = manager.newBackgroundContext()
            let main = await manager.mainContext
            let father = try #require(main.parent)
            #expect(main.concurrencyType == .mainQueueConcurrencyType)
            #expect(father.concurrencyType == .privateQueueConcurrencyType)
            #expect(father.parent == nil)
            #expect(background.parent === main)
            #expect(background.concurrencyType == .privateQueueConcurrencyType)
        }
    }

    @Test("The failure: a child that saves by itself has changed its parent, and the store has nothing")
    func forgottenChain() async throws {
        try await withManager { manager, _ in
            let background = manager.newBackgroundContext()
            try await background.perform {
                NoteModel.insert("half saved", into: background)
                try background.save()
            }
            #expect(try await manager.performMain { try $0.count(for: Self.request) } == 1)
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL) == [])
        }
    }

    private static var request: NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: "Note") }

    @Test("The remedy: saving through the manager goes down to the store")
    func chain() async throws {
        try await withManager { manager, _ in
            let background = manager.newBackgroundContext()
            await background.perform { NoteModel.insert("saved", into: background) }
            try await manager.saveBackground(background)
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL) == ["saved"])
        }
    }

    @Test("The article drops the errors of its saves; here each is thrown, handed over, or written down")
    func errors() async throws {
        let reported = Box<[Int]>([])
        var configuration = CoreDataManager.Configuration()
        configuration.unattendedErrorHandler = { error in reported.update { $0.append((error as NSError).code) } }
        try await withManager(configuration) { manager, _ in
            try await manager.performMain { NoteModel.insert(nil, into: $0) }
            await #expect(throws: (any Error).self) { try await manager.saveMain(wait: false) }
            try await manager.performMain { $0.rollback() }

            // The root alone is invalid: a caller that does not wait gets the error by the handler.
            let root = try #require(await manager.mainContext.parent)
            await root.perform { NoteModel.insert(nil, into: root) }
            try await manager.saveMain(wait: false)
            await root.perform {}
            #expect(reported.value == [NSValidationMissingMandatoryPropertyError])
        }
    }
}
