import CoreData
import TestSupport

/// Opens, destroys or replaces a store many times while other processes do so as well, and ends. Prints a line for each
/// error except the one for a store that another process has open.
func exchange(_ url: URL, _ act: String, rounds: Int, with other: URL) -> Never {
    let model = ParcelModel.make()
    for round in 0..<rounds {
        do {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            switch act {
            case "destroy": try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
            case "replace":
                try coordinator.replacePersistentStore(
                    at: url, destinationOptions: nil, withPersistentStoreFrom: other, sourceOptions: nil,
                    ofType: NSSQLiteStoreType)
            default: try open(url, coordinator, round)
            }
        } catch let error as NSError where act != "open" && error.code == NSPersistentStoreTimeoutError {
            // Another process has the store open.
        } catch {
            print(act, round, error)
        }
    }
    exit(0)
}

/// Opens a store, saves a parcel with an external value, and reads all that there are.
private func open(_ url: URL, _ coordinator: NSPersistentStoreCoordinator, _ round: Int) throws {
    let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: [NSPersistentStoreTimeoutOption: 60])
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    try context.performAndWait {
        context.persistentStoreCoordinator = coordinator
        context.make("Parcel", ["name": "\(round)", "content": Data(count: 150_000)])
        try context.save()
        context.reset()
        for parcel in try context.all("Parcel") where (parcel.value(forKey: "content") as? Data)?.count != 150_000 {
            print("open", round, "a value is gone")
        }
    }
    try coordinator.remove(store)
}
