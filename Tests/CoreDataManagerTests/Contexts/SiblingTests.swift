import CoreData
import CoreDataManager
import TestSupport
import Testing

@Suite("Sibling contexts")
struct SiblingTests {
    private func withManager(_ body: (CoreDataManager) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            var configuration = CoreDataManager.Configuration()
            configuration.layout = .siblings
            let manager = CoreDataManager(
                model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"),
                configuration: configuration)
            try await manager.launch()
            try await body(manager)
        }
    }

    @Test("No context is above another")
    func layout() async throws {
        try await withManager { manager in
            let background = manager.newBackgroundContext()
            let main = await manager.mainContext
            #expect(main.parent == nil)
            #expect(background.parent == nil)
            #expect(background.persistentStoreCoordinator === main.persistentStoreCoordinator)
        }
    }

    @Test("A background context saves into the store, and the main context merges that save")
    func merging() async throws {
        try await withManager { manager in
            let reference = try await manager.performBackground { context in
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue("before", forKey: "text")
                return try ObjectReference(note)
            }
            let before = try await manager.performMain { context in
                try reference.object(in: context).value(forKey: "text") as? String
            }
            #expect(before == "before")
            try await manager.performBackground { context in
                try reference.object(in: context).setValue("after", forKey: "text")
            }
            let after = try await manager.performMain { context in
                try reference.object(in: context).value(forKey: "text") as? String
            }
            #expect(after == "after")
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL) == ["after"])
        }
    }

    @Test("Saving the main context writes at once, waited for or not")
    func mainWrites() async throws {
        try await withManager { manager in
            try await manager.performMain { NoteModel.insert("one", into: $0) }
            try await manager.saveMain(wait: false)
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL) == ["one"])
            try await manager.performMain { context in
                NoteModel.insert("two", into: context)
                try manager.save(wait: true)
            }
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL) == ["one", "two"])
        }
    }
}
