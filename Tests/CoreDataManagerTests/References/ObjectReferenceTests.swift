import CoreData
import CoreDataManager
import TestSupport
import Testing

@Suite("Object references")
struct ObjectReferenceTests {
    private func withManager(_ body: (CoreDataManager) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
            try await manager.launch()
            try await body(manager)
        }
    }

    private static func insert(_ text: String, into context: NSManagedObjectContext) -> NSManagedObject {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue(text, forKey: "text")
        return note
    }

    @Test("A reference to a new object becomes the object of another context")
    func acrossContexts() async throws {
        try await withManager { manager in
            let reference = try await manager.performMain { context in
                let reference = try ObjectReference(Self.insert("carried", into: context))
                try manager.save(wait: false)
                return reference
            }
            #expect(!reference.objectID.isTemporaryID)
            let text = try await manager.performBackground { context in
                let note = try reference.object(in: context)
                #expect(note.managedObjectContext === context)
                return note.value(forKey: "text") as? String
            }
            #expect(text == "carried")
        }
    }

    @Test("A reference to an object of another store of the same model is no object here")
    func anotherStore() async throws {
        try await withTemporaryFolder { folder in
            let model = NoteModel.first()
            var references: [ObjectReference<NSManagedObject>] = []
            var managers: [CoreDataManager] = []
            for name in ["a", "b"] {
                let manager = CoreDataManager(model: model, storeURL: folder.appendingPathComponent("\(name).sqlite"))
                try await manager.launch()
                references.append(
                    try await manager.performBackground { context in
                        try ObjectReference(Self.insert(name, into: context))
                    })
                managers.append(manager)
            }
            let foreign = references[0]
            await #expect(throws: (any Error).self) {
                try await managers[1].performBackground { context in
                    _ = try foreign.object(in: context)
                }
            }
        }
    }

    @Test("A reference is kept as a URI")
    func uri() async throws {
        try await withManager { manager in
            let uri = try await manager.performBackground { context in
                try ObjectReference(Self.insert("by name", into: context)).uri
            }
            let text = try await manager.performMain { context in
                try ObjectReference<NSManagedObject>(uri: uri, in: context).object(in: context).value(forKey: "text")
                    as? String
            }
            #expect(text == "by name")
            // A link that starts the program: this manager is not launched yet.
            let next = CoreDataManager(model: NoteModel.first(), storeURL: manager.storeURL)
            let found = try await next.reference(to: NSManagedObject.self, uri: uri)
            #expect(next.state.isReady)
            #expect(found.uri == uri)
            let stranger = try #require(URL(string: "x-coredata://00000000-0000-0000-0000-000000000000/Note/p1"))
            await #expect(throws: ObjectReferenceError.unknown(uri: stranger)) {
                try await manager.performMain { context in
                    _ = try ObjectReference<NSManagedObject>(uri: stranger, in: context)
                }
            }
        }
    }

    @Test("A reference to an object that was deleted leads nowhere")
    func deleted() async throws {
        try await withManager { manager in
            let reference = try await manager.performBackground { context in
                try ObjectReference(Self.insert("short-lived", into: context))
            }
            try await manager.performBackground { context in
                context.delete(try reference.object(in: context))
            }
            await #expect(throws: (any Error).self) {
                try await manager.performBackground { context in _ = try reference.object(in: context) }
            }
        }
    }

    private final class Other: NSManagedObject {}

    @Test("A reference of the wrong class says which one it found")
    func otherClass() async throws {
        try await withManager { manager in
            let uri = try await manager.performBackground { context in
                try ObjectReference(Self.insert("a note", into: context)).uri
            }
            let error = await #expect(throws: ObjectReferenceError.self) {
                try await manager.performMain { context in _ = try ObjectReference<Other>(uri: uri, in: context) }
            }
            #expect(error?.description.contains("not Other") == true)
        }
    }

    @Test("An object without a context cannot be referred to")
    func withoutContext() throws {
        let model = NoteModel.first()
        let entity = try #require(model.entitiesByName["Note"])
        let note = NSManagedObject(entity: entity, insertInto: nil)
        #expect(throws: ObjectReferenceError.withoutContext(entity: "Note")) { try ObjectReference(note) }
    }
}
