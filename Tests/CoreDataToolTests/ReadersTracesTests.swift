import CoreData
import Foundation
import TestSupport
import Testing

@Suite("A reader of a store that nobody has open leaves no files beside it")
struct ReadersTracesTests {
    private func names(in folder: URL) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    }

    private static let commands = [
        ["info", "@"], ["fetch", "@", "Book"], ["count", "@", "Book"], ["history", "@"], ["verify", "@"],
        ["export", "@"], ["show", "@", "Book/1"], ["sql", "@", "Book"],
    ]

    @Test("A command that reads", arguments: commands)
    func command(_ words: [String]) throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder)
            let before = try names(in: folder)
            try #require(!before.contains("Library.sqlite-shm"))
            let run = try ToolRun(words.map { $0 == "@" ? store.path : $0 })
            #expect([0, 1].contains(run.status) || words[0] == "history", "\(run.status) \(run.errors)")
            #expect(try names(in: folder) == before)
        }
    }

    @Test("A program that lets go of its coordinator without removing the store")
    func abandoned() throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder)
            let before = try names(in: folder)
            do {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: store,
                    options: [NSReadOnlyPersistentStoreOption: true])
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                try context.performAndWait {
                    context.persistentStoreCoordinator = coordinator
                    let tags = try context.all("Tag")
                    #expect(tags.count == 12)
                }
            }
            #expect(try names(in: folder) == before)
        }
    }
}
