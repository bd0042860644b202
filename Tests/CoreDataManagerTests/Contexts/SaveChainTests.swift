import CoreData
import CoreDataManager
import TestSupport
import Testing

@Suite("Save chain")
struct SaveChainTests {
    private func withManager(
        unattended: (@Sendable (any Error) -> Void)? = nil, _ body: (CoreDataManager) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            var configuration = CoreDataManager.Configuration()
            if let unattended {
                configuration.unattendedErrorHandler = unattended
            }
            let manager = CoreDataManager(
                model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"),
                configuration: configuration)
            try await manager.launch()
            try await body(manager)
        }
    }

    @Test("A change in the main context is in the store when the save has been waited for")
    func mainToStore() async throws {
        try await withManager { manager in
            try await manager.performMain { NoteModel.insert("kept", into: $0) }
            try await manager.saveMain()
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL) == ["kept"])
        }
    }

    @Test("A save that is not waited for reports its end")
    func unwaitedSave() async throws {
        try await withManager { manager in
            try await manager.performMain { NoteModel.insert("later", into: $0) }
            let outcome = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Result<Void, any Error>, any Error>) in
                do {
                    try manager.save(wait: false) { continuation.resume(returning: $0) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
            try outcome.get()
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL) == ["later"])
        }
    }

    @Test("A background context saves through the main one into the store")
    func backgroundToStore() async throws {
        try await withManager { manager in
            let context = manager.newBackgroundContext()
            let main = await manager.mainContext
            #expect(context.parent === main)
            await context.perform { NoteModel.insert("from below", into: context) }
            try await manager.saveBackground(context)
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL) == ["from below"])
        }
    }

    @Test("Background work is saved when its block has returned")
    func performBackgroundSaves() async throws {
        try await withManager { manager in
            let answer = try await manager.performBackground { context in
                NoteModel.insert("one", into: context)
                try context.save()
                NoteModel.insert("two", into: context)
                return 42
            }
            #expect(answer == 42)
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL) == ["one", "two"])
        }
    }

    @Test("Background work that throws saves nothing")
    func performBackgroundThrows() async throws {
        struct Stopped: Error {}
        try await withManager { manager in
            await #expect(throws: Stopped.self) {
                try await manager.performBackground { context in
                    NoteModel.insert("lost", into: context)
                    throw Stopped()
                }
            }
            let texts = try NoteModel.texts(inStoreAt: manager.storeURL)
            #expect(texts.isEmpty)
        }
    }

    @Test("Background work before the launch waits for it")
    func performBackgroundWaits() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: 5)
            let manager = CoreDataManager(model: NoteModel.second(), storeURL: url)
            let count = try await manager.performBackground { context in
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
            }
            #expect(count == 5)
        }
    }

    @Test("A value that the model forbids fails the save with the validation error")
    func validationError() async throws {
        try await withManager { manager in
            try await manager.performMain { NoteModel.insert(nil, into: $0) }
            let error = await #expect(throws: (any Error).self) { try await manager.saveMain() }
            #expect((error as NSError?)?.code == NSValidationMissingMandatoryPropertyError)
            #expect(try await manager.performMain { $0.hasChanges })
        }
    }

    @Test("An unfinished edit in the main context holds background work up, which is kept and written once, with it")
    func heldUp() async throws {
        try await withManager { manager in
            let edit = try await manager.performMain { main in
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: main)
                return try ObjectReference(note)
            }
            let error = await #expect(throws: CoreDataManagerError.self) {
                try await manager.performBackground { NoteModel.insert("imported", into: $0) }
            }
            guard case .notWritten(let cause)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect((cause as NSError).code == NSValidationMissingMandatoryPropertyError)
            #expect(error?.description.contains("do not repeat the work") == true)
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL) == [])
            try await manager.performMain { try edit.object(in: $0).setValue("edited", forKey: "text") }
            try await manager.saveMain()
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL) == ["edited", "imported"])
        }
    }

    @Test(
        "The handler of a save is called on the caller's thread when the store is waited for, else on the root's queue")
    func handlersQueue() async throws {
        try await withManager { manager in
            let root = try #require(await manager.mainContext.parent)
            try await manager.performMain { main in
                NoteModel.insert("one", into: main)
                let isCalled = Box(false)
                try manager.save(wait: true) { _ in
                    MainActor.assertIsolated()
                    isCalled.value = true
                }
                #expect(isCalled.value)
                NoteModel.insert("two", into: main)
            }
            let hasChanges = try await withCheckedThrowingContinuation { continuation in
                do {
                    // Reading the root anywhere but on its queue would stop the process.
                    try manager.save(wait: false) { _ in continuation.resume(returning: root.hasChanges) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
            #expect(!hasChanges)
        }
    }

    @Test("Saving before the launch throws instead of waiting")
    func saveTooEarly() throws {
        try withTemporaryFolder { folder in
            let manager = CoreDataManager(
                model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
            #expect(throws: CoreDataManagerError.self) { try manager.save(wait: true) }
        }
    }
}
