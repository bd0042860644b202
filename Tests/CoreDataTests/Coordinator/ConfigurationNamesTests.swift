import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("The names of configurations", .leavesNothingBehind)
struct ConfigurationNamesTests {
    @Test("Default, the name in Xcode's editor, stands for all entities, in stores and in questions")
    func editorsName() throws {
        try withTemporaryFolder { folder in
            let url = NoteShelf(folder).url
            let model = ModelText.model(NoteShelf.third)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: "Default", at: url)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                context.make("Note", ["name": "n"])
                context.make("Tag", ["word": "t"])
                try context.save()
                #expect(try context.all("Tag").count == 1)
            }
            let metadata = try #require(store.metadata)
            try coordinator.remove(store)
            #expect(model.isConfiguration(withName: "Default", compatibleWithStoreMetadata: metadata))
            #expect(model.entities(forConfigurationName: "Default")?.count == 2)
            // The store is the one of the default configuration.
            try NoteShelf(folder).open(NoteShelf.third) { context in
                let notes = try context.all("Note")
                #expect(notes.count == 1)
            }
        }
    }

    @Test("A configuration that the model calls Default is that one")
    func ownName() throws {
        let model = ModelText.model(NoteShelf.third)
        let note = try #require(model.entitiesByName["Note"])
        model.setEntities([note], forConfigurationName: "Default")
        #expect(model.entities(forConfigurationName: "Default") == [note])
    }

    @Test("A name that the model does not have is error 134080, and no store is compatible with it")
    func unknown() throws {
        try withTemporaryFolder { folder in
            let url = NoteShelf(folder).url
            let model = ModelText.model(NoteShelf.third)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let error = try #require(throws: NSError.self) {
                try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: "Cloud", at: url)
            }
            #expect(error.code == NSPersistentStoreOpenError)
            #expect(error.localizedDescription.contains("'Cloud'"))
            #expect(!FileManager.default.fileExists(atPath: url.path))
            let metadata: [String: Any] = [NSStoreModelVersionHashesKey: model.entityVersionHashesByName]
            #expect(!model.isConfiguration(withName: "Cloud", compatibleWithStoreMetadata: metadata))
        }
    }
}
