import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("A store is moved to one of any other kind", .leavesNothingBehind)
struct MovedStoresTests {
    private static let kinds = StoreKind.sampled().filter { $0 != .incremental }

    @Test("Its objects and links are there, it can be written, and the progress is done", arguments: kinds, kinds)
    func everyPair(from: StoreKind, to: StoreKind) throws {
        let library = try Library(from)
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "t"])
            try context.save()
        }
        let progress = Progress(totalUnitCount: -1)
        var target = library.folder.url.appendingPathComponent("Moved")
        if to.isDatabase, to != .sqlite {
            target = try #require(to.url(in: library.folder.url.appendingPathExtension("moved")))
        }
        let moved = try library.coordinator.migratePersistentStore(
            library.store, to: target, options: [NSMigrationProgressOption: progress], withType: to.type)
        #expect(library.coordinator.persistentStores == [moved])
        #expect(moved.type == to.type)
        if to != .inMemory { #expect(progress.fractionCompleted == 1) }
        let after = library.context()
        try after.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            let found = try after.fetch(request)
            #expect(found.map { $0.value(forKey: "name") as? String } == ["t"])
            found.first?.setValue("u", forKey: "name")
            try after.save()
            after.reset()
            #expect(try after.fetch(request).map { $0.value(forKey: "name") as? String } == ["u"])
        }
    }

    @Test("A move that is cancelled leaves the old store open and nothing at the new address", arguments: kinds)
    func cancelled(from: StoreKind) throws {
        let library = try Library(from)
        let progress = Progress(totalUnitCount: -1)
        progress.cancel()
        let target = library.folder.url.appendingPathComponent("Moved")
        let to = from == .xml ? NSSQLiteStoreType : NSXMLStoreType
        let error = #expect(throws: NSError.self) {
            _ = try library.coordinator.migratePersistentStore(
                library.store, to: target, options: [NSMigrationProgressOption: progress], withType: to)
        }
        #expect(error?.code == NSMigrationCancelledError)
        #expect(library.coordinator.persistentStores == [library.store])
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }
}
