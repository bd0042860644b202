import CoreData
import TestSupport

/// Makes, replaces and deletes parcels with large contents until the process is killed.
func writeValues(_ url: URL) throws -> Never {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ParcelModel.make())
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.performAndWait { context.persistentStoreCoordinator = coordinator }
    var round = 0
    while true {
        try context.performAndWait {
            let parcels = try context.all("Parcel")
            for number in 0..<3 {
                let content = Data(repeating: UInt8(truncatingIfNeeded: round), count: 150_000 + number)
                context.make("Parcel", ["name": "\(round)", "content": content])
            }
            for parcel in parcels.prefix(2) { context.delete(parcel) }
            parcels.last?.setValue(Data(repeating: 1, count: 200_000), forKey: "content")
            try context.save()
        }
        round += 1
        FileHandle.standardOutput.write(Data("round \(round)\n".utf8))
    }
}
