import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("The coordinator and the files of its stores", .leavesNothingBehind)
struct CoordinatorFilesTests {
    private func titles(in url: URL) throws -> [String?] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait { try context.all("Book").map { $0.value(forKey: "title") as? String } }
    }

    private func save(_ title: String, in library: Library) throws {
        let context = library.context()
        try context.performAndWait {
            context.make("Book", ["title": title])
            try context.save()
        }
    }

    @Test("destroyPersistentStore empties every file of the store, and a store that is not there is no error")
    func destroy() throws {
        let library = try Library()
        try save("T", in: library)
        try library.coordinator.destroyPersistentStore(at: library.storeURL, ofType: NSSQLiteStoreType)
        #expect(library.coordinator.persistentStores.isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: library.folder.url.path).sorted()
        #expect(names == ["Library.sqlite", "Library.sqlite-shm", "Library.sqlite-wal"])
        for name in names {
            let file = library.folder.url.appendingPathComponent(name)
            #expect(try Data(contentsOf: file).isEmpty)
            try FileManager.default.removeItem(at: file)
        }
        // A caller that destroys a store twice may remove its files twice.
        try library.coordinator.destroyPersistentStore(at: library.storeURL, ofType: NSSQLiteStoreType)
        for name in names { try FileManager.default.removeItem(at: library.folder.url.appendingPathComponent(name)) }
        let nowhere = library.folder.url.appendingPathComponent("nowhere/Library.sqlite")
        try library.coordinator.destroyPersistentStore(at: nowhere, ofType: NSSQLiteStoreType)
        #expect(try FileManager.default.contentsOfDirectory(atPath: library.folder.url.path).isEmpty)
    }

    @Test("A configuration holds the subentities of its entities where the file was made with them")
    func subentities() throws {
        let model = ModelText.model("entity Book\n  title string\nentity Novel : Book\n  genre string\nentity Tag")
        model.setEntities(
            ["Book", "Tag"].compactMap { model.entitiesByName[$0] }, forConfigurationName: "books")
        let library = try Library(model: model)
        let context = library.context()
        try context.performAndWait {
            context.make("Novel", ["title": "T", "genre": "g"])
            try context.save()
        }
        try library.coordinator.remove(library.store)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: library.storeURL, options: nil)
        #expect(model.isConfiguration(withName: "books", compatibleWithStoreMetadata: metadata))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "books", at: library.storeURL)
        let again = NSManagedObjectContext(.privateQueue)
        try again.performAndWait {
            again.persistentStoreCoordinator = coordinator
            for entity in ["Book", "Novel"] {
                let found = try again.all(entity)
                #expect(found.map { $0.value(forKey: "genre") as? String } == ["g"])
            }
        }
        try coordinator.remove(store)
    }

    @Test("replacePersistentStore puts a copy in the place of a store, with the content of its -wal")
    func replace() throws {
        let (source, target) = (try Library(), try Library())
        try save("new", in: source)
        try save("old", in: target)
        try target.coordinator.replacePersistentStore(
            at: target.storeURL, withPersistentStoreFrom: source.storeURL, ofType: NSSQLiteStoreType)
        #expect(try titles(in: target.storeURL) == ["new"])
        #expect(try titles(in: source.storeURL) == ["new"])
    }

    @Test("replacePersistentStore waits for users of the store as long as the destination's options say")
    func replaceOpenStore() throws {
        let (source, target) = (try Library(), try Library())
        try save("new", in: source)
        try save("old", in: target)
        let store = target.store
        func replace(_ options: [AnyHashable: Any]?) throws {
            try source.coordinator.replacePersistentStore(
                at: target.storeURL, destinationOptions: options, withPersistentStoreFrom: source.storeURL,
                ofType: NSSQLiteStoreType)
        }
        let error = #expect(throws: NSError.self) { try replace(nil) }
        #expect(error?.code == NSPersistentStoreTimeoutError)
        let closing = Thread { try? target.coordinator.remove(store) }
        closing.start()
        try replace([NSPersistentStoreTimeoutOption: 100])
        #expect(try titles(in: target.storeURL) == ["new"])
    }

    @Test("migratePersistentStore continues at the new address; the old file stays")
    func migrate() throws {
        let library = try Library()
        try save("T", in: library)
        let store = try #require(library.coordinator.persistentStores.first)
        let address = library.folder.url.appendingPathComponent("Moved.sqlite")
        let moved = try library.coordinator.migratePersistentStore(store, to: address, withType: NSSQLiteStoreType)
        #expect(moved.url == address)
        #expect(library.coordinator.persistentStores == [moved])
        try save("U", in: library)
        #expect(try Set(titles(in: address)) == ["T", "U"])
        #expect(try titles(in: library.storeURL) == ["T"])
    }

    @Test("Objects that came from a store are those of the one it is moved to, which continues to write history")
    func migrateWithObjects() throws {
        let library = try Library()
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = library.coordinator
        let coordinator = library.coordinator
        try coordinator.remove(try #require(coordinator.persistentStores.first))
        let tracked = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: library.storeURL,
            options: [NSPersistentHistoryTrackingKey: true])
        let address = library.folder.url.appendingPathComponent("Moved.sqlite")
        try context.performAndWait {
            let book = context.make("Book", ["title": "T"])
            let other = context.make("Book", ["title": "O"])
            try context.save()
            let moved = try coordinator.migratePersistentStore(tracked, to: address, withType: NSSQLiteStoreType)
            #expect(book.objectID.persistentStore === moved && !moved.isReadOnly)
            context.refresh(book, mergeChanges: false)
            #expect(book.value(forKey: "title") as? String == "T")
            book.setValue("U", forKey: "title")
            context.delete(other)
            try context.save()
            #expect(try context.all("Book") == [book])
        }
        #expect(try Set(titles(in: library.storeURL)) == ["O", "T"])
    }

    @Test("A move to another kind shows its progress; a cancelled one leaves everything as it was")
    func migrateToAnotherKind() throws {
        let library = try Library()
        try save("T", in: library)
        let store = try #require(library.coordinator.persistentStores.first)
        let address = library.folder.url.appendingPathComponent("Moved.xml")
        let cancelled = Progress(totalUnitCount: 1)
        cancelled.cancel()
        let refusal = #expect(throws: NSError.self) {
            try library.coordinator.migratePersistentStore(
                store, to: address, options: [NSMigrationProgressOption: cancelled], withType: NSXMLStoreType)
        }
        #expect(refusal?.code == NSMigrationCancelledError)
        #expect(library.coordinator.persistentStores == [store])
        #expect(!FileManager.default.fileExists(atPath: address.path))
        let progress = Progress(totalUnitCount: 1)
        let moved = try library.coordinator.migratePersistentStore(
            store, to: address, options: [NSMigrationProgressOption: progress], withType: NSXMLStoreType)
        #expect(progress.isFinished && progress.fractionCompleted == 1)
        #expect(moved.type == NSXMLStoreType && library.coordinator.persistentStores == [moved])
        #expect(throws: (any Error).self) {
            try library.coordinator.migratePersistentStore(moved, to: address, withType: NSSQLiteStoreType)
        }
        #expect(library.coordinator.persistentStores == [moved])
    }

    @Test("A move to another kind at the store's own file is refused, by whatever path")
    func moveOntoItself() throws {
        let library = try Library()
        try save("T", in: library)
        let store = try #require(library.coordinator.persistentStores.first)
        let folder = library.folder.url
        let manager = FileManager.default
        try manager.createSymbolicLink(
            at: folder.appendingPathComponent("Link.xml"), withDestinationURL: library.storeURL)
        try manager.createSymbolicLink(at: folder.appendingPathComponent("here"), withDestinationURL: folder)
        let before = try Data(contentsOf: library.storeURL)
        for path in [library.storeURL.lastPathComponent, "Link.xml", "here/\(library.storeURL.lastPathComponent)"] {
            let error = #expect(throws: NSError.self) {
                try library.coordinator.migratePersistentStore(
                    store, to: folder.appendingPathComponent(path), withType: NSXMLStoreType)
            }
            #expect(error?.code == NSPersistentStoreOperationError, "\(path): \(error as Any)")
        }
        for name in ["here", "Link.xml"] { try manager.removeItem(at: folder.appendingPathComponent(name)) }
        #expect(try Data(contentsOf: library.storeURL) == before)
        #expect(library.coordinator.persistentStores == [store])
        #expect(try titles(in: library.storeURL) == ["T"])
    }

    @Test("A store moves to an XML file whose name is nearly as long as names can be")
    func moveToLongName() throws {
        let library = try Library()
        try save("T", in: library)
        let store = try #require(library.coordinator.persistentStores.first)
        let address = library.folder.url.appendingPathComponent(String(repeating: "n", count: 236) + ".xml")
        let moved = try library.coordinator.migratePersistentStore(store, to: address, withType: NSXMLStoreType)
        let context = library.context()
        let titles = try context.performAndWait {
            try context.all("Book").map { $0.value(forKey: "title") as? String }
        }
        #expect(titles == ["T"] && moved.url?.lastPathComponent == address.lastPathComponent)
    }

    @Test("Metadata are read and written without adding the store")
    func metadata() throws {
        let library = try Library()
        let identifier = try #require(library.coordinator.persistentStores.first?.identifier)
        try library.coordinator.remove(try #require(library.coordinator.persistentStores.first))
        typealias Coordinator = NSPersistentStoreCoordinator
        var metadata = try Coordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: library.storeURL)
        #expect(metadata[NSStoreUUIDKey] as? String == identifier)
        #expect((metadata[NSStoreModelVersionHashesKey] as? [String: Data])?.count == 6)
        metadata["mine"] = "note"
        try Coordinator.setMetadata(metadata, forPersistentStoreOfType: NSSQLiteStoreType, at: library.storeURL)
        let again = try Coordinator.metadataForPersistentStore(type: .sqlite, at: library.storeURL)
        #expect(again["mine"] as? String == "note")
        #expect(again[NSStoreUUIDKey] as? String == identifier)
    }

    @Test("A store of a type that is not there is error 134000, an SQL store without address 134080")
    func refusedStores() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let wrongType = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(ofType: "Martian", configurationName: nil, at: nil)
        }
        #expect(wrongType?.code == NSPersistentStoreInvalidTypeError)
        let noAddress = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: nil)
        }
        #expect(noAddress?.code == NSPersistentStoreOpenError)
    }

    @Test("A fetch or a save without any store is an error that says so")
    func withoutStores() throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        context.performAndWait {
            let fetch = #expect(throws: NSError.self) { try context.all("Book") }
            #expect(fetch?.localizedDescription.contains("no persistent stores") == true)
            context.make("Book")
            let save = #expect(throws: NSError.self) { try context.save() }
            #expect(save?.localizedDescription.contains("no persistent stores") == true)
            #expect(context.hasChanges)
        }
    }
}
