import CoreData

/// The stack: the model `Notes.xcdatamodeld`, one SQLite file, a context for the main thread.
struct PersistenceController {
    let container: NSPersistentContainer

    /// Opens the store at an address, or the one in the program's own folder.
    init(storeAt url: URL?) throws {
        container = NSPersistentContainer(name: "Notes")
        if let url { container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)] }
        var failure: Error?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
    }
}
