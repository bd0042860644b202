import CoreData
import TestSupport

/// Calls everything that can be done with a store for `/dev/null`, in every spelling, as a process that may not remove
/// the device. Throws an error for a result that differs from that of a store in memory.
func useNullDevice(_ url: URL) throws {
    let folder = url.deletingLastPathComponent()
    let link = folder.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "/dev/null")
    let spellings = [
        "file:///dev/null", "file:///dev/../dev/./null", "file://localhost/dev/null", "file://host/dev/null",
        link.absoluteString,
    ]
    for spelling in spellings {
        guard let null = URL(string: spelling) else { throw Unexpected(spelling) }
        for type in [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType] {
            try useNullDevice(null, type, beside: folder)
        }
    }
}

private struct Unexpected: LocalizedError {
    let errorDescription: String?

    init(_ what: String) { errorDescription = what }
}

private func useNullDevice(_ null: URL, _ type: String, beside folder: URL) throws {
    let model = ModelText.model("entity Note\n  text string\n  picture data external")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        return context
    }
    func expect(_ isTrue: Bool, _ what: String) throws {
        if !isTrue { throw Unexpected("\(what) of type \(type) at \(null)") }
    }
    func expectRefusal(_ what: String, _ body: () throws -> Void) throws {
        do { try body() } catch let error as NSError {
            return try expect(error.code == NSFileReadNoSuchFileError, "\(what): \(error)")
        }
        throw Unexpected("\(what) did not fail: type \(type) at \(null)")
    }
    let note = context()
    let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: null)
    try note.performAndWait {
        note.make("Note", ["text": "a", "picture": Data(count: 200_000)])
        try note.save()
    }
    let reader = context()
    try reader.performAndWait {
        let notes = try reader.all("Note")
        try expect(notes.count == 1, "Reading")
        try expect((notes[0].value(forKey: "picture") as? Data)?.count == 200_000, "The value")
    }
    try expectRefusal("Metadata") {
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: null)
    }
    try expectRefusal("Setting metadata") {
        try NSPersistentStoreCoordinator.setMetadata([:], forPersistentStoreOfType: type, at: null)
    }
    let forecast = try NSPersistentStoreCoordinator.migrationForecast(forPersistentStoreAt: null, to: model)
    try expect(!forecast.isMigrationRequired, "The forecast")
    let file = folder.appendingPathComponent("file-\(UUID().uuidString)")
    let other = NSPersistentStoreCoordinator(managedObjectModel: model)
    try other.remove(other.addPersistentStore(ofType: type, configurationName: nil, at: file))
    let bytes = try Data(contentsOf: file)
    try expectRefusal("Replacing by it") {
        try other.replacePersistentStore(at: file, withPersistentStoreFrom: null, ofType: type)
    }
    try expect(try Data(contentsOf: file) == bytes, "What was to be replaced")
    try other.replacePersistentStore(at: null, withPersistentStoreFrom: file, ofType: type)
    for force in [false, true] {
        try coordinator.destroyPersistentStore(
            at: null, ofType: type, options: [NSPersistentStoreForceDestroyOption: force])
    }
    try expect(coordinator.persistentStores == [store], "Destroying")
    if type == NSSQLiteStoreType {
        let moved = folder.appendingPathComponent("moved-\(UUID().uuidString)")
        let inFile = try coordinator.migratePersistentStore(store, to: moved, withType: type)
        let inMemory = try coordinator.migratePersistentStore(inFile, to: null, withType: type)
        let again = context()
        try again.performAndWait {
            let notes = try again.all("Note")
            try expect(notes.count == 1, "Moving")
            try expect((notes[0].value(forKey: "picture") as? Data)?.count == 200_000, "The moved value")
        }
        try coordinator.remove(inMemory)
    } else {
        try expect(coordinator.setURL(file, for: store) && coordinator.setURL(null, for: store), "Setting the URL")
        try note.performAndWait {
            note.make("Note", ["text": "b"])
            try note.save()
        }
        try expect(try Data(contentsOf: file) == bytes, "The file that it did not stay at")
    }
    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model)
    let manager = NSMigrationManager(sourceModel: model, destinationModel: model)
    try manager.migrateStore(
        from: file, sourceType: type, with: mapping, toDestinationURL: null, destinationType: type)
    let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: null)
    description.type = type
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    var status = stat()
    try expect(lstat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR, "The device")
    let beside = try FileManager.default.contentsOfDirectory(atPath: "/dev").filter { $0.contains("null") }
    try expect(beside == ["null"], "What lies beside it: \(beside)")
}
