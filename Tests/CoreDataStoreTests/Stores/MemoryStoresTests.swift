import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Stores at and below /dev/null", .leavesNothingBehind)
struct MemoryStoresTests {
    /// A name that no other test has.
    private let url = URL(fileURLWithPath: "/dev/null/\(UUID().uuidString).sqlite")

    private func coordinator(_ model: NSManagedObjectModel = LibraryModel.make()) -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(managedObjectModel: model)
    }

    private func open(
        _ url: URL, options: [AnyHashable: Any]? = nil, model: NSManagedObjectModel = LibraryModel.make()
    ) throws -> NSManagedObjectContext {
        let coordinator = coordinator(model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        return context
    }

    private func titles(_ context: NSManagedObjectContext) throws -> [String] {
        try context.performAndWait {
            try context.all("Book").map { $0.value(forKey: "title") as? String ?? "nil" }.sorted()
        }
    }

    private func save(_ title: String, _ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            context.make("Book", ["title": title])
            try context.save()
        }
    }

    private func metadata(_ url: URL) throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
    }

    private func expectMissing(_ url: URL) {
        let error = #expect(throws: NSError.self) { try metadata(url) }
        #expect(error?.code == NSFileReadNoSuchFileError)
    }

    /// As a user who may not remove the device: a mistake must not harm the machine.
    @Test("/dev/null is the store in memory for every call, however it is written, and stays a device")
    func nullDevice() throws {
        try withTemporaryFolder { folder in
            chmod(folder.path, 0o777)
            let child = try ChildProgram(
                "migration-crash-child", [folder.appendingPathComponent("n.sqlite").path, "null"],
                environment: ["TMPDIR": folder.path]
                    .merging(getuid() == 0 ? ["OPENCOREDATA_TRIAL_USER": "65534"] : [:]) { $1 })
            let (output, status, _) = child.wait()
            #expect(status == 0 && output.contains("done"), "\(output)")
        }
    }

    @Test("Two coordinators see each other's saves under one name, and not under another")
    func shared() throws {
        let (first, second) = (try open(url), try open(url))
        let other = try open(url.deletingLastPathComponent().appendingPathComponent("\(UUID().uuidString)/other"))
        try save("a", first)
        try save("b", second)
        #expect(try titles(first) == ["a", "b"])
        #expect(try titles(second) == ["a", "b"])
        #expect(try titles(other).isEmpty)
        let identifier = first.persistentStoreCoordinator?.persistentStores.first?.identifier
        #expect(
            identifier != nil && identifier == second.persistentStoreCoordinator?.persistentStores.first?.identifier)
    }

    @Test("A change that meets another coordinator's is a conflict, as in a file")
    func conflicts() throws {
        let (first, second) = (try open(url), try open(url))
        try save("a", first)
        let theirs = try second.performAndWait { try #require(try second.all("Book").first).objectID }
        try second.performAndWait { try second.existingObject(with: theirs).setValue("theirs", forKey: "title") }
        try first.performAndWait {
            try first.all("Book").first?.setValue("mine", forKey: "title")
            try first.save()
        }
        second.performAndWait {
            let error = #expect(throws: NSError.self) { try second.save() }
            #expect(error?.code == NSManagedObjectMergeError)
        }
        #expect(try titles(open(url)) == ["mine"])
    }

    @Test("It exists as long as a coordinator has it open")
    func life() throws {
        expectMissing(url)
        let first = try open(url)
        try save("a", first)
        try autoreleasepool {
            let second = try open(url)
            #expect(try titles(second) == ["a"])
            let coordinator = try #require(first.persistentStoreCoordinator)
            try coordinator.remove(coordinator.persistentStores[0])
            #expect(try titles(second) == ["a"])
            let other = try #require(second.persistentStoreCoordinator)
            try other.remove(other.persistentStores[0])
        }
        expectMissing(url)
        #expect(try titles(open(url)).isEmpty)
    }

    @Test("Its metadata are read and set while it is open")
    func setMetadata() throws {
        let context = try open(url)
        var found = try metadata(url)
        #expect(found[NSStoreUUIDKey] as? String == context.persistentStoreCoordinator?.persistentStores[0].identifier)
        #expect(
            LibraryModel.make().isConfiguration(withName: nil, compatibleWithStoreMetadata: found))
        found["mine"] = "note"
        try NSPersistentStoreCoordinator.setMetadata(found, forPersistentStoreOfType: NSSQLiteStoreType, at: url)
        #expect(try metadata(url)["mine"] as? String == "note")
    }

    @Test("One coordinator reads the history that another one writes")
    func history() throws {
        let options = [NSPersistentHistoryTrackingKey: true]
        let (first, second) = (try open(url, options: options), try open(url, options: options))
        try save("a", first)
        let transactions = try second.performAndWait {
            let result = try second.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
            return (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
        }
        #expect(transactions?.count == 1)
        // Changes without history would be lost for a program that follows it.
        #expect(try open(url).persistentStoreCoordinator?.persistentStores[0].isReadOnly == true)
    }

    @Test("Read only it is read, and one that is not open is not there")
    func readOnly() throws {
        let options = [NSReadOnlyPersistentStoreOption: true]
        let error = #expect(throws: NSError.self) { try open(url, options: options) }
        #expect(error?.code == NSFileReadNoSuchFileError)
        let reader = try {
            let writer = try open(url)
            try save("a", writer)
            return try open(url, options: options)
        }()
        #expect(try titles(reader) == ["a"])
        #expect(throws: NSError.self) { try save("b", reader) }
        #expect(try titles(open(url)) == ["a"])
    }

    @Test("A model of another version is refused while another coordinator has it open, with and without migration")
    func otherVersion() throws {
        let first = try open(url, model: ModelText.model("entity Book\n  title string"))
        try save("a", first)
        let newer = ModelText.model("entity Book\n  title string\n  more string")
        for options in [
            nil, [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true],
        ] {
            let error = #expect(throws: NSError.self) { try open(url, options: options, model: newer) }
            #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        }
        #expect(try titles(first) == ["a"])
    }

    @Test("Destroying it is refused while another coordinator has it open; by force the name is a new store's")
    func destroy() throws {
        let (first, second) = (try open(url), try open(url))
        try save("a", first)
        let coordinator = try #require(second.persistentStoreCoordinator)
        let error = #expect(throws: NSError.self) {
            try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
        }
        #expect(error?.code == NSPersistentStoreTimeoutError && coordinator.persistentStores.isEmpty)
        try coordinator.destroyPersistentStore(
            at: url, ofType: NSSQLiteStoreType, options: [NSPersistentStoreForceDestroyOption: true])
        #expect(try titles(open(url)).isEmpty)
        #expect(try titles(first) == ["a"])
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
    }

    @Test("It is copied to a file and moved to one, and a file is moved there")
    func moving() throws {
        let context = try open(url)
        try save("a", context)
        let coordinator = try #require(context.persistentStoreCoordinator)
        try withTemporaryFolder { folder in
            let copy = folder.appendingPathComponent("copy.sqlite")
            try self.coordinator().replacePersistentStore(
                at: copy, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
            #expect(try titles(open(copy)) == ["a"])
            let moved = folder.appendingPathComponent("moved.sqlite")
            let inFile = try coordinator.migratePersistentStore(
                coordinator.persistentStores[0], to: moved, withType: NSSQLiteStoreType)
            try save("b", context)
            expectMissing(url)
            let inMemory = try coordinator.migratePersistentStore(inFile, to: url, withType: NSSQLiteStoreType)
            try save("c", context)
            #expect(inMemory.url == url)
            #expect(try titles(open(url)) == ["a", "b", "c"])
            #expect(try titles(open(moved)) == ["a", "b"])
        }
    }

    @Test("Many threads write through coordinators of their own, and every row is there")
    func threads() async throws {
        let contexts = try (0..<4).map { _ in try open(url) }
        try await withThrowingTaskGroup { group in
            for context in contexts {
                group.addTask {
                    for round in 0..<10 {
                        try await context.perform {
                            context.make("Tag", ["name": "\(round)"])
                            try context.save()
                            _ = try context.all("Tag")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try contexts[0].performAndWait { try contexts[0].all("Tag").count } == 40)
    }

    @Test("A batch inserts, updates and deletes there")
    func batches() throws {
        let (first, second) = (try open(url), try open(url))
        try first.performAndWait {
            try first.execute(NSBatchInsertRequest(entityName: "Book", objects: [["title": "a"], ["title": "b"]]))
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.predicate = NSPredicate(format: "title == 'a'")
            update.propertiesToUpdate = ["title": "c"]
            try first.execute(update)
        }
        #expect(try titles(second) == ["b", "c"])
        try second.performAndWait {
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            try second.execute(NSBatchDeleteRequest(fetchRequest: request))
        }
        #expect(try titles(first).isEmpty)
    }
}
