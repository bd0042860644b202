import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("A feature that a kind of store lacks is the documented error", .leavesNothingBehind)
struct KindLimitsTests {
    private func filled(_ kind: StoreKind) throws -> Library {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "t"])
            try context.save()
        }
        return library
    }

    @Test(
        "Batch requests are SQLite stores' alone: 134091 with all other types, and nothing changes",
        arguments: StoreKind.sampled())
    func batches(kind: StoreKind) throws {
        let library = try filled(kind)
        let context = library.context()
        try context.performAndWait { () throws in
            let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Tag")
            let update = NSBatchUpdateRequest(entityName: "Tag")
            update.propertiesToUpdate = ["name": "u"]
            let requests: [NSPersistentStoreRequest] = [
                NSBatchInsertRequest(entityName: "Tag", objects: [["name": "n"]]), update,
                NSBatchDeleteRequest(fetchRequest: fetch),
            ]
            for request in requests {
                if kind.isDatabase {
                    _ = try context.execute(request)
                } else {
                    let error = #expect(throws: NSError.self) { _ = try context.execute(request) }
                    #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
                }
            }
        }
        #expect(try library.saved("Tag", "name") == (kind.isDatabase ? [] : ["t"]))
    }

    @Test("Stores that are not SQLite's keep no history", arguments: StoreKind.sampled().filter { !$0.isDatabase })
    func history(kind: StoreKind) throws {
        let library = try Library(kind, options: [NSPersistentHistoryTrackingKey: true])
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "t"])
            try context.save()
        }
        #expect(library.coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
    }

    @Test("An incremental store is not moved: 134070, and it stays")
    func moving() throws {
        let library = try filled(.incremental)
        let target = library.folder.url.appendingPathComponent("Moved.sqlite")
        let error = #expect(throws: NSError.self) {
            _ = try library.coordinator.migratePersistentStore(library.store, to: target, withType: NSSQLiteStoreType)
        }
        #expect(error?.code == NSPersistentStoreOperationError)
        #expect(library.coordinator.persistentStores.count == 1)
        #expect(try library.saved("Tag", "name") == ["t"])
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    @Test(
        "Every other store is moved to a SQLite file, a program's own atomic one too",
        arguments: StoreKind.sampled().filter { !$0.isDatabase && $0 != .incremental })
    func movingToSQLite(kind: StoreKind) throws {
        let library = try filled(kind)
        let target = library.folder.url.appendingPathComponent("Moved.sqlite")
        let moved = try library.coordinator.migratePersistentStore(
            library.store, to: target, withType: NSSQLiteStoreType)
        #expect(library.coordinator.persistentStores == [moved])
        #expect(try library.saved("Tag", "name") == ["t"])
    }

    @Test(
        "A store of an unavailable version of the model is 134100, or 134130 when it shall be migrated, and stays",
        arguments: [StoreKind.binary, .xml, .atomic])
    func otherModels(kind: StoreKind) throws {
        let library = try filled(kind)
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.versionHashModifier = "2"
        let options = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        for (options, code) in [
            (nil, NSPersistentStoreIncompatibleVersionHashError), (options, NSMigrationMissingSourceModelError),
        ] {
            let error = #expect(throws: NSError.self) {
                _ = try Library(kind, in: library.folder, model: model, options: options)
            }
            #expect(error?.code == code)
        }
        #expect(try library.saved("Tag", "name") == ["t"])
    }

    @Test("Only stores with tables check uniqueness constraints", arguments: StoreKind.sampled())
    func uniqueness(kind: StoreKind) throws {
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["name"]]
        let library = try Library(kind, model: model)
        let context = library.context()
        context.performAndWait {
            for _ in 0..<2 { context.make("Tag", ["name": "same"]) }
            do {
                try context.save()
                #expect(!kind.hasTables)
            } catch {
                #expect(kind.hasTables && (error as NSError).code == NSManagedObjectConstraintMergeError)
            }
        }
    }
}
