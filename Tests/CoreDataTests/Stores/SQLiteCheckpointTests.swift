import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("The -wal of a SQLite store", .leavesNothingBehind)
struct SQLiteCheckpointTests {
    private func model() -> NSManagedObjectModel {
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = [text]
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    /// Opens a store and saves some 6 MB into it.
    private func filledStore(at url: URL, options: [AnyHashable: Any]? = nil) throws -> (
        NSPersistentStoreCoordinator, SQLiteStore
    ) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        let added = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let store = try #require(added as? SQLiteStore)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for number in 0..<1_500 {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue(String(repeating: "\(number % 10)", count: 4_000), forKey: "text")
            }
            try context.save()
        }
        return (coordinator, store)
    }

    private func size(of url: URL) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber).intValue
    }

    @Test("a -wal that has grown is copied into the main file in the background")
    func copied() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            let (coordinator, store) = try filledStore(at: url)
            try #require(store.connections.checkpointer).waitUntilIdle()
            #expect(try size(of: url) > 5_000_000)
            try coordinator.remove(store)
        }
    }

    @Test("a store that is closed at once leaves its rows in the main file and no -wal")
    func closedAtOnce() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            let (coordinator, store) = try filledStore(at: url)
            try coordinator.remove(store)
            #expect(try size(of: url) > 5_000_000)
            #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
        }
    }

    @Test("a program that chooses wal_autocheckpoint gets what it chose")
    func chosenByTheProgram() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            let (coordinator, store) = try filledStore(
                at: url, options: [NSSQLitePragmasOption: ["wal_autocheckpoint": "0"]])
            #expect(store.connections.checkpointer == nil)
            #expect(try size(of: url) < 1_000_000)
            try coordinator.remove(store)
        }
    }
}
