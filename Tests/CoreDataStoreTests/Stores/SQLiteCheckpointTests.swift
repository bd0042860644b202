import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

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
            let text = String(repeating: "0", count: 40_000)
            for _ in 0..<150 {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue(text, forKey: "text")
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

    /// Reads again and again, without a pause, until `end()` is called.
    private final class Reading: @unchecked Sendable {  // under the lock
        private let lock = NSLock()
        private var isOver = false
        private let ended = DispatchSemaphore(value: 0)
        private let begun = DispatchSemaphore(value: 0)

        init(_ coordinator: NSPersistentStoreCoordinator) {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.performAndWait { context.persistentStoreCoordinator = coordinator }
            Thread {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
                repeat {
                    _ = try? context.performAndWait { try context.count(for: request) }
                    self.begun.signal()
                } while !self.lock.withLock { self.isOver }
                self.ended.signal()
            }.start()
            begun.wait()
        }

        func end() {
            lock.withLock { isOver = true }
            ended.wait()
        }
    }

    @Test("the -wal stays bounded while two other coordinators read without a pause")
    func bounded() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            let (coordinator, store) = try filledStore(at: url)
            var others: [NSPersistentStoreCoordinator] = []
            for _ in 0..<2 {
                let other = NSPersistentStoreCoordinator(managedObjectModel: model())
                try other.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
                others.append(other)
            }
            let readings = others.map { Reading($0) }
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            try context.performAndWait {
                context.persistentStoreCoordinator = coordinator
                let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
                // Some 180 MB.
                for round in 0..<30 {
                    let text = String(repeating: "\((round + 1) % 10)", count: 40_000)
                    for note in notes { note.setValue(text, forKey: "text") }
                    try context.save()
                }
            }
            for reading in readings { reading.end() }
            // 16,000 pages, the pages that two saves add, and those that a checkpoint which came too early has left for
            // the next time.
            #expect(try size(of: URL(fileURLWithPath: url.path + "-wal")) < 140_000_000)
            for other in others { for store in other.persistentStores { try other.remove(store) } }
            try coordinator.remove(store)
        }
    }

    @Test("A program that chooses wal_autocheckpoint gets its choice")
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

    @Test("A coordinator that is released with its store leaves the main file alone, also after a read")
    func releasedAfterRead() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Notes.sqlite")
        func use() throws -> Int {
            let (coordinator, _) = try filledStore(at: url)
            let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            reader.persistentStoreCoordinator = coordinator
            return try reader.performAndWait {
                try reader.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
            }
        }
        #expect(try use() == 150)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["Notes.sqlite"])
    }
}
