import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// A disk that is full when a store is made, saved, migrated or copied: an error that names the file, and nothing lost.
@Suite(
    "A full disk", .leavesNothingBehind, .serialized,
    .disabled(if: SmallDisk.obstacle != nil, Comment(rawValue: SmallDisk.obstacle ?? "")))
struct FullDiskTests {
    private func context(_ url: URL, _ model: NSManagedObjectModel = LibraryModel.make()) throws
        -> NSManagedObjectContext
    {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        return context
    }

    private func close(_ context: NSManagedObjectContext) throws {
        guard let coordinator = context.persistentStoreCoordinator else { return }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    private func expectOutOfSpace(_ error: any Error, _ url: URL, sourceLocation: SourceLocation = #_sourceLocation) {
        let error = error as NSError
        #expect(error.domain == NSCocoaErrorDomain, sourceLocation: sourceLocation)
        #expect(error.code == NSFileWriteOutOfSpaceError, "\(error)", sourceLocation: sourceLocation)
        #expect(error.localizedDescription.contains(url.lastPathComponent), "\(error)", sourceLocation: sourceLocation)
        #expect(error.userInfo[NSFilePathErrorKey] as? String == url.path, "\(error)", sourceLocation: sourceLocation)
    }

    @Test("a store that cannot be made for lack of space leaves no file", arguments: [0, 4, 16, 40, 64, 100])
    func creation(_ kilobytes: Int) throws {
        let disk = try SmallDisk(kilobytes: 512)
        try disk.fill(leaving: kilobytes)
        let url = disk.url.appendingPathComponent("Library.sqlite")
        let error = try #require(throws: NSError.self) { _ = try self.context(url) }
        expectOutOfSpace(error, url)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path) == ["ballast"])
    }

    @Test("a save for which there is no space saves nothing, keeps the changes, and succeeds when there is space again")
    func saving() throws {
        let disk = try SmallDisk(kilobytes: 2048)
        let url = disk.url.appendingPathComponent("Library.sqlite")
        let context = try context(url)
        try context.performAndWait {
            context.make("Author", ["name": "first"])
            try context.save()
            try disk.fill(leaving: 64)
            let author = try #require(try context.all("Author").first)
            author.setValue("changed", forKey: "name")
            for number in 0..<400 {
                context.make("Book", ["title": "\(number)", "note": String(repeating: "x", count: 1000)])
            }
            for _ in 0..<3 {
                let error = try #require(throws: NSError.self) { try context.save() }
                expectOutOfSpace(error, url)
            }
            #expect(context.insertedObjects.count == 400)
            #expect(author.hasChanges)
            // Another context sees what was there before.
            let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            let seen = try other.performAndWait {
                other.persistentStoreCoordinator = context.persistentStoreCoordinator
                return (
                    try other.all("Author").map { $0.value(forKey: "name") as? String }, try other.all("Book").count
                )
            }
            #expect(seen.0 == ["first"])
            #expect(seen.1 == 0)
            try disk.empty()
            try context.save()
        }
        try close(context)
        let raw = try RawDatabase(url)
        #expect(try raw.integrityCheck() == ["ok"])
        #expect(try raw.integer("SELECT count(*) FROM ZBOOK") == 400)
        #expect(try raw.column("SELECT ZNAME FROM ZAUTHOR") == [.text("changed")])
    }

    @Test("a migration for which there is no space leaves the store as it was; with space it goes through")
    func migration() throws {
        let disk = try SmallDisk(kilobytes: 2048)
        let url = disk.url.appendingPathComponent("Library.sqlite")
        let old = try context(url)
        try old.performAndWait {
            for number in 0..<400 {
                old.make("Book", ["title": "\(number)", "note": String(repeating: "x", count: 1000)])
            }
            try old.save()
        }
        try close(old)
        let before = try FolderContents(disk.url).files
        let model = LibraryModel.make()
        let edition = NSAttributeDescription()
        edition.name = "edition"
        edition.attributeType = .integer64AttributeType
        edition.isOptional = false
        edition.defaultValue = 7
        let book = try #require(model.entitiesByName["Book"])
        book.properties = book.properties + [edition]
        let options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        for kilobytes in [0, 8, 64, 200] {
            try disk.fill(leaving: kilobytes)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let error = try #require(throws: NSError.self, "\(kilobytes)") {
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
            }
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.localizedDescription.contains("Library.sqlite"), "\(error)")
            try disk.empty()
            let opened = try context(url)
            #expect(try opened.performAndWait { try opened.all("Book").count } == 400)
            try close(opened)
            #expect(try FolderContents(disk.url).files.keys.sorted() == before.keys.sorted())
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        try coordinator.remove(store)
        let raw = try RawDatabase(url)
        #expect(try raw.integer("SELECT count(*) FROM ZBOOK WHERE ZEDITION = 7") == 400)
        #expect(try raw.integrityCheck() == ["ok"])
    }

    @Test("a copy for which there is no space is not begun to be seen, and the source stays")
    func replacing() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            for number in 0..<200 {
                context.make("Book", ["title": "\(number)", "note": String(repeating: "x", count: 1000)])
            }
            try context.save()
        }
        let disk = try SmallDisk(kilobytes: 512)
        try disk.fill(leaving: 100)
        let url = disk.url.appendingPathComponent("Library.sqlite")
        let error = try #require(throws: NSError.self) {
            try library.coordinator.replacePersistentStore(
                at: url, withPersistentStoreFrom: library.storeURL, ofType: NSSQLiteStoreType)
        }
        #expect(error.code == NSFileWriteOutOfSpaceError, "\(error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path) == ["ballast"])
        #expect(try context.performAndWait { try context.all("Book").count } == 200)
    }
}
