import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("A store that is migrated while a context has it open", .leavesNothingBehind)
struct MigratedUnderneathTests {
    private static let versionOne = """
        entity Book
          title string
        entity Tag
          name string
        """

    @Test(
        "The old context can write nothing any more: error 134100 says to open the store anew",
        arguments: [
            // The second one changes entity numbers and not one table.
            "entity Album\n  title string\nentity Book\n  title string\nentity Tag\n  name string",
            "entity Book\n  title string\nentity Tag\n  name string\n  color string",
        ])
    func oldContextIsRefused(_ versionTwo: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let old = try open(url, ModelText.model(Self.versionOne))
            try old.performAndWait {
                old.make("Book", ["title": "one"])
                try old.save()
            }
            let new = try open(url, ModelText.model(versionTwo))
            old.performAndWait {
                old.make("Book", ["title": "two"])
                let error = #expect(throws: NSError.self) { try old.save() }
                #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
                #expect(old.insertedObjects.count == 1)
            }
            try new.performAndWait {
                new.make("Tag", ["name": "t"])
                try new.save()
                #expect(try new.all("Book").map { $0.value(forKey: "title") as? String } == ["one"])
                #expect(try new.all("Tag").map { $0.value(forKey: "name") as? String } == ["t"])
            }
        }
    }

    @Test("The old context continues to read the values that the tables still hold")
    func oldContextReads() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let old = try open(url, ModelText.model(Self.versionOne))
            try old.performAndWait {
                old.make("Book", ["title": "one"])
                try old.save()
                old.reset()
            }
            let new = try open(url, ModelText.model(Self.versionOne + "\n  color string"))
            try new.performAndWait {
                try new.all("Book").first?.setValue("two", forKey: "title")
                new.make("Tag", ["name": "t", "color": "red"])
                try new.save()
            }
            let read = try old.performAndWait {
                [try old.all("Book"), try old.all("Tag")].map { objects in
                    objects.map { $0.value(forKey: $0.entity.name == "Book" ? "title" : "name") as? String }
                }
            }
            #expect(read == [["two"], ["t"]])
        }
    }

    @Test("Metadata of the old program do not take the place of those that describe the newer model")
    func metadataAreRefused() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let old = try open(url, ModelText.model(Self.versionOne))
            let coordinator = try #require(old.persistentStoreCoordinator)
            let store = try #require(coordinator.persistentStores.first)
            var metadata = coordinator.metadata(for: store)
            metadata["mine"] = "1"
            coordinator.setMetadata(metadata, for: store)
            let newer = ModelText.model(Self.versionOne + "\n  color string")
            _ = try open(url, newer)
            old.performAndWait {
                let error = #expect(throws: NSError.self) { try old.save() }
                #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
            }
            let present = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url)
            #expect(newer.isConfiguration(withName: nil, compatibleWithStoreMetadata: present))
        }
    }

    @Test("Another program's index does not stop the context")
    func otherChangesOfTheSchemaPass() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let context = try open(url, ModelText.model(Self.versionOne))
            let raw = try RawDatabase(url)
            try raw.execute("CREATE INDEX THEIRS ON ZBOOK (ZTITLE)")
            try context.performAndWait {
                context.make("Book", ["title": "one"])
                try context.save()
                #expect(try context.all("Book").count == 1)
            }
        }
    }

    private func open(_ url: URL, _ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}
