import CoreData
import Foundation
import TestSupport
import Testing

@Suite("A reader of a store that no other program has open leaves no files beside it")
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

    /// How the files lie beside a store whose program has ended in the middle of its work.
    private static let remains = ["a filled -wal and its index", "an empty -wal and an index", "an index alone"]

    @Test(
        "Files that a killed program has left beside a store stay as they are, to the byte",
        arguments: remains.indices)
    func killed(_ number: Int) throws {
        try withTemporaryFolder { folder in
            let (used, left) = (folder.appendingPathComponent("Used"), folder.appendingPathComponent("Left"))
            for folder in [used, left] {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            }
            let names = ["Library.sqlite", "Library.sqlite-wal", "Library.sqlite-shm"]
            do {
                let database = try RawDatabase(try SampleStore.make(in: used))
                try database.execute("UPDATE ZTAG SET ZNAME = 'late' WHERE Z_PK = 1")
                if number > 0 { try database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
                for name in names where number < 2 || !name.hasSuffix("-wal") {
                    try FileManager.default.copyItem(
                        at: used.appendingPathComponent(name), to: left.appendingPathComponent(name))
                }
            }
            let before = try FolderContents(left)
            let store = left.appendingPathComponent(names[0])
            // All commands read in the ways of these three.
            let few = [["info", "@"], ["fetch", "@", "Book"], ["copy", "@", ">"]]
            for words in number == 0 ? Self.commands + Self.furtherCommands : few {
                let out = folder.appendingPathComponent("Out \(words[0])")
                let run = try ToolRun(words.map { $0 == "@" ? store.path : $0 == ">" ? out.path : $0 })
                #expect(
                    [0, 1].contains(run.status) || words[0] == "history",
                    "\(Self.remains[number]), \(words): \(run.status) \(run.errors)")
                #expect(
                    try FolderContents(left).differences(from: before) == [], "\(Self.remains[number]), \(words)")
                if words[0] == "show" { #expect(run.output.contains("Moby Dick"), "\(run.output)") }
            }
            let tag = try ToolRun(["fetch", store.path, "Tag", "-w", "name == 'late'", "-c", "name", "-f", "csv"])
            #expect(tag.output == "name\nlate\n")
        }
    }

    private static let furtherCommands = [
        ["info", "@", "--check"], ["aggregate", "@", "Book", "--count"], ["lint", "@"], ["model", "show", "@"],
        ["copy", "@", ">"], ["convert", "@", ">", "--type", "binary"], ["repair", "@", ">"],
        ["salvage", "@", "-o", ">"],
    ]

    @Test("A store that another process has open is read with all that was saved")
    func inUse() throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder)
            let database = try RawDatabase(store)
            for name in ["first", "second"] {
                try database.execute("UPDATE ZTAG SET ZNAME = '\(name)' WHERE Z_PK = 1")
                let run = try ToolRun(["export", store.path])
                #expect(run.output.contains("\"\(name)\""), "\(run.output)\(run.errors)")
            }
        }
    }

    @Test("A program that releases its coordinator without removing the store")
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
