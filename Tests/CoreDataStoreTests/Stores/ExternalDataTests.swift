import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Proof: our values in files of their own, read here.
@Suite("Values in files of their own", .leavesNothingBehind)
struct ExternalDataTests {
    private func library(_ folder: TemporaryFolder? = nil) throws -> Library {
        try Library(.sqlite, in: folder, model: ParcelModel.make())
    }

    private func support(_ library: Library) -> URL {
        library.folder.url.appendingPathComponent(".Library_SUPPORT", isDirectory: true)
    }

    private func names(in folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// The files of values.
    private func files(_ library: Library) -> [String] {
        names(in: support(library).appendingPathComponent("_EXTERNAL_DATA"))
    }

    private func bytes(_ count: Int, _ first: UInt8 = 0) -> Data { Data(repeating: first, count: count) }

    @Test("A value of more than a hundred kilobytes lies in a file, a smaller one in its row")
    func threshold() throws {
        let library = try library()
        let context = library.context()
        try context.performAndWait {
            let parcel = context.make("Parcel", ["content": bytes(102_400)])
            try context.save()
            #expect(files(library).isEmpty)
            parcel.setValue(bytes(102_401, 7), forKey: "content")
            try context.save()
            let file = try #require(files(library).first)
            #expect(files(library).count == 1)
            let url = support(library).appendingPathComponent("_EXTERNAL_DATA/\(file)")
            #expect(try Data(contentsOf: url) == bytes(102_401, 7))
            context.refresh(parcel, mergeChanges: false)
            #expect(parcel.value(forKey: "content") as? Data == bytes(102_401, 7))
        }
    }

    @Test("A file goes with its value: when the value is replaced, is made small or nil, when the object is deleted")
    func removal() throws {
        let library = try library()
        let context = library.context()
        try context.performAndWait {
            let parcels = (0..<4).map { context.make("Parcel", ["content": bytes(200_000, UInt8($0))]) }
            try context.save()
            let first = Set(files(library))
            #expect(first.count == 4)
            parcels[0].setValue(bytes(300_000, 9), forKey: "content")
            parcels[1].setValue(bytes(10), forKey: "content")
            parcels[2].setValue(nil, forKey: "content")
            context.delete(parcels[3])
            #expect(Set(files(library)) == first)
            try context.save()
            #expect(files(library).count == 1)
            #expect(first.isDisjoint(with: files(library)))
            // Another attribute's change leaves the file alone.
            let kept = files(library)
            parcels[0].setValue("name", forKey: "name")
            try context.save()
            #expect(files(library) == kept)
            #expect(names(in: support(library)) == ["_EXTERNAL_DATA"])
        }
    }

    @Test("A rollback writes no file; a save that fails takes its files back")
    func rollbackAndFailure() throws {
        let library = try library()
        let (context, other) = (library.context(), library.context())
        let saved = try context.performAndWait {
            let parcel = context.make("Parcel", ["content": bytes(200_000)])
            context.rollback()
            #expect(files(library).isEmpty)
            let saved = context.make("Parcel", ["name": "p", "content": bytes(200_000, 1)])
            try context.save()
            #expect(parcel.managedObjectContext == nil && saved.managedObjectContext != nil)
            return Held(saved)
        }
        let before = files(library)
        try other.performAndWait {
            let parcel = try #require(try other.all("Parcel").first)
            parcel.setValue("q", forKey: "name")
            try other.save()
        }
        context.performAndWait {
            saved.value.setValue(bytes(300_000, 2), forKey: "content")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSManagedObjectMergeError)
            #expect(files(library) == before)
            #expect(names(in: support(library)) == ["_EXTERNAL_DATA"])
        }
    }

    @Test(
        "Files that a killed process left are removed when the store is opened; those that a row names stay"
    )
    func sweeping() throws {
        let first = try library()
        let context = first.context()
        try context.performAndWait {
            context.make("Parcel", ["name": "p", "content": bytes(200_000, 1)])
            try context.save()
        }
        let named = try #require(files(first).first)
        let folder = support(first).appendingPathComponent("_EXTERNAL_DATA")
        let (orphan, foreign) = (UUID().uuidString, UUID().uuidString)
        for name in [orphan, foreign] { try bytes(10).write(to: folder.appendingPathComponent(name)) }
        let note = support(first).appendingPathComponent("_PENDING-\(UUID().uuidString)")
        try Data("\(orphan)\n\(named)\n../../Library.sqlite\n".utf8).write(to: note)
        // A transaction of another store, whose name differs in the extension only, and which has the same folder.
        let others = "_PENDING-\(UUID().uuidString)-Library.db"
        try Data("\(foreign)\n".utf8).write(to: support(first).appendingPathComponent(others))
        let readOnly = try Library(
            .sqlite, in: first.folder, model: ParcelModel.make(), options: [NSReadOnlyPersistentStoreOption: true])
        #expect(readOnly.store.isReadOnly)
        #expect(Set(files(first)) == [named, orphan, foreign])
        let again = try library(first.folder)
        #expect(Set(files(again)) == [named, foreign])
        #expect(Set(names(in: support(again))) == ["_EXTERNAL_DATA", others])
        let other = again.context()
        try other.performAndWait {
            let parcel = try #require(try other.all("Parcel").first)
            #expect(parcel.value(forKey: "content") as? Data == bytes(200_000, 1))
        }
    }

    @Test("No file without a row is left after a kill of a process that saves and deletes large values")
    func killed() throws {
        let folder = try TemporaryFolder()
        let first = try library(folder)
        for round in 0..<6 {
            let child = try ChildProgram("writer-child", [try #require(first.store.url).path, "values"])
            let printed = child.wait(for: "round \(1 + round)\n")
            child.kill()
            #expect(printed.contains("round") && child.wait().wasKilled)
            let again = try library(folder)
            let context = again.context()
            let contents = try context.performAndWait {
                try context.all("Parcel").compactMap { $0.value(forKey: "content") as? Data }
            }
            #expect(contents.allSatisfy { $0.count > 102_400 })
            #expect(files(again).count == contents.count)
            #expect(names(in: support(again)).filter { $0 != "_EXTERNAL_DATA" }.isEmpty)
        }
    }

    @Test("Batch requests keep files and rows together, too")
    func batches() throws {
        let library = try library()
        let context = library.context()
        try context.performAndWait {
            let rows = (0..<5).map { ["name": "\($0)", "content": bytes(200_000, UInt8($0))] as [String: Any] }
            try context.execute(NSBatchInsertRequest(entityName: "Parcel", objects: rows))
            #expect(files(library).count == 5)
            let update = NSBatchUpdateRequest(entityName: "Parcel")
            update.predicate = NSPredicate(format: "name == '0'")
            update.propertiesToUpdate = ["content": bytes(1)]
            try context.execute(update)
            #expect(files(library).count == 4)
            let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Parcel")
            try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
            #expect(files(library).isEmpty)
            #expect(names(in: support(library)) == ["_EXTERNAL_DATA"])
        }
    }

    /// A store with one value in a file of its own.
    private func store(_ first: UInt8, _ content: Data? = nil) throws -> Library {
        let library = try library()
        let context = library.context()
        try context.performAndWait {
            _ = context.make("Parcel", ["content": content ?? bytes(200_000, first)])
            try context.save()
        }
        try library.coordinator.remove(try #require(library.coordinator.persistentStores.first))
        return library
    }

    /// The first bytes of all values of a store, opened in a folder of its own.
    private func values(_ folder: TemporaryFolder) throws -> [UInt8?] {
        let library = try self.library(folder)
        let context = library.context()
        let values = try context.performAndWait {
            try context.all("Parcel").map { ($0.value(forKey: "content") as? Data)?.first }
        }
        try library.coordinator.remove(try #require(library.coordinator.persistentStores.first))
        return values
    }

    @Test("A store that is replaced has its values' files until the new one is there, also after a kill")
    func replacing() throws {
        let (older, newer) = (try store(1), try store(2))
        let snapshots = try [true, false].map { isBefore in
            // The state after a kill: the folder as it is at that moment.
            let killed = try TemporaryFolder()
            let copy = try TemporaryFolder()
            try Self.copy(older.folder, to: copy)
            try SQLiteStoreFiles(copy.url.appendingPathComponent("Library.sqlite")).replace(
                with: SQLiteStoreFiles(newer.storeURL),
                rename: { from, to in
                    if isBefore { try? Self.copy(copy, to: killed) }
                    let result = rename(from, to)
                    if !isBefore { try? Self.copy(copy, to: killed) }
                    return result
                })
            #expect(try values(copy) == [2])
            #expect(names(in: copy.url.appendingPathComponent(".Library_SUPPORT")) == ["_EXTERNAL_DATA"])
            #expect(names(in: copy.url.appendingPathComponent(".Library_SUPPORT/_EXTERNAL_DATA")).count == 1)
            return killed
        }
        for (killed, value) in zip(snapshots, [1, 2] as [UInt8]) {
            #expect(try values(killed) == [value])
            #expect(names(in: killed.url) == [".Library_SUPPORT", "Library.sqlite"])
            #expect(names(in: killed.url.appendingPathComponent(".Library_SUPPORT")) == ["_EXTERNAL_DATA"])
            #expect(names(in: killed.url.appendingPathComponent(".Library_SUPPORT/_EXTERNAL_DATA")).count == 1)
        }
    }

    @Test("A store that is replaced leaves the files of another one whose folder is the same")
    func replacingBesideAnother() throws {
        let (older, newer) = (try store(1), try store(2))
        let folder = support(older).appendingPathComponent("_EXTERNAL_DATA")
        let strange = UUID().uuidString
        try bytes(10).write(to: folder.appendingPathComponent(strange))
        try Data().write(to: older.folder.url.appendingPathComponent("Library.db"))
        try SQLiteStoreFiles(older.storeURL).replace(with: SQLiteStoreFiles(newer.storeURL))
        #expect(files(older).count == 2)
        #expect(files(older).contains(strange))
        #expect(try values(older.folder) == [2])
    }

    @Test("A store that is destroyed leaves the files of another one whose folder is the same, and none of its own")
    func destroyingBesideAnother() throws {
        let (library, logged) = (try store(1), try TemporaryFolder())
        let context = try self.library(library.folder).context()
        try context.performAndWait {
            _ = context.make("Parcel", ["content": bytes(200_000, 2)])
            try context.save()
        }
        // The state after a killed process: one of the values is only in the -wal.
        try Self.copy(library.folder, to: logged)
        let files = SQLiteStoreFiles(logged.url.appendingPathComponent("Library.sqlite"))
        #expect(files.hasLog && names(in: files.externalDataFolder).count == 2)
        let strange = UUID().uuidString
        try bytes(10).write(to: files.externalDataFolder.appendingPathComponent(strange))
        try Data().write(to: logged.url.appendingPathComponent("Library.db"))
        try files.destroy()
        #expect(names(in: files.externalDataFolder) == [strange])
        #expect(names(in: logged.url) == [".Library_SUPPORT", "Library.db"])
    }

    @Test("A store that could not be replaced has its values' files, and nothing of the other store's")
    func failedReplacing() throws {
        let (older, newer) = (try store(1), try store(2))
        let before = files(older)
        #expect(throws: (any Error).self) {
            try SQLiteStoreFiles(older.storeURL).replace(
                with: SQLiteStoreFiles(newer.storeURL),
                rename: { _, _ in
                    errno = EIO
                    return -1
                })
        }
        #expect(files(older) == before)
        #expect(try values(older.folder) == [1])
        #expect(names(in: older.folder.url) == [".Library_SUPPORT", "Library.sqlite"])
    }

    private static func copy(_ folder: TemporaryFolder, to other: TemporaryFolder) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
            try FileManager.default.copyItem(
                at: folder.url.appendingPathComponent(name), to: other.url.appendingPathComponent(name))
        }
    }
}
