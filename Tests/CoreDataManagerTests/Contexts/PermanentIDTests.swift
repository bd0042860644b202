import CoreData
import CoreDataManager
import TestSupport
import Testing

@Suite("Permanent ids")
struct PermanentIDTests {
    @Test("A new object of a background context has the same permanent id in every context when it is saved")
    func background() async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
            try await manager.launch()
            let context = manager.newBackgroundContext()
            await context.perform { NoteModel.insert("new", into: context) }
            try await manager.saveBackground(context, wait: false)
            let below = try await context.perform { try Self.onlyID(in: context) }
            let above = try await manager.performMain { try Self.onlyID(in: $0) }
            #expect(!below.isTemporaryID)
            #expect(below == above)
        }
    }

    @Test("A new object of the main context keeps no temporary id after a save without waiting")
    func main() async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
            try await manager.launch()
            let id = try await manager.performMain { context in
                NoteModel.insert("new", into: context)
                try manager.save(wait: false)
                return try Self.onlyID(in: context)
            }
            #expect(!id.isTemporaryID)
            try await manager.saveMain()
            let inStore = try await manager.performBackground { try Self.onlyID(in: $0) }
            #expect(inStore == id)
        }
    }

    private static func onlyID(in context: NSManagedObjectContext) throws -> NSManagedObjectID {
        let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
        return try #require(notes.first).objectID
    }
}
