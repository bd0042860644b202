import CoreData

/// A number in a row that many processes count up.
struct Counter {
    let store: URL

    private static func model() -> NSManagedObjectModel {
        let value = NSAttributeDescription()
        value.name = "value"
        value.attributeType = .integer64AttributeType
        value.isOptional = false
        value.defaultValue = 0
        let counter = NSEntityDescription()
        counter.name = "Counter"
        counter.properties = [value]
        let model = NSManagedObjectModel()
        model.entities = [counter]
        return model
    }

    private func context() throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        try coordinator.addPersistentStore(ofType: store.storeType, configurationName: nil, at: store, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        // Refreshed objects are read from the database.
        context.stalenessInterval = 0
        return context
    }

    private func counter(in context: NSManagedObjectContext) throws -> NSManagedObject {
        guard let counter = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Counter")).first else {
            throw DemoFailure("there is no counter")
        }
        return counter
    }

    /// Makes the row, with nothing counted.
    func make() throws {
        let context = try context()
        try context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Counter", into: context)
            try context.save()
        }
    }

    /// Adds one so many times. When another process was quicker, it takes the new number and tries again.
    func count(times: Int) throws {
        let context = try context()
        let start = DispatchTime.now()
        let conflicts = try context.performAndWait {
            let counter = try counter(in: context)
            var (done, conflicts) = (0, 0)
            while done < times {
                counter.setValue((counter.value(forKey: "value") as? Int ?? 0) + 1, forKey: "value")
                do {
                    try context.save()
                    done += 1
                } catch let error as NSError where error.code == NSManagedObjectMergeError {
                    conflicts += 1
                    context.refresh(counter, mergeChanges: false)
                }
            }
            return conflicts
        }
        let seconds = ChildLaunches.seconds(since: start)
        Announcement.note("counted \(times) times in \(seconds.seconds) s; \(conflicts) conflicts, each tried again")
            .say()
    }

    /// Returns the value of the row.
    func value() throws -> Int {
        let context = try context()
        return try context.performAndWait { try counter(in: context).value(forKey: "value") as? Int ?? 0 }
    }
}
