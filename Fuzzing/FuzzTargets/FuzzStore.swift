import CoreData
import Foundation

/// Opens stores and reads all of them, through the entry points that throw.
enum FuzzStore {
    /// Reads a store: for reading only first, then as a store that may be written.
    static func read(_ type: NSPersistentStore.StoreType, at file: URL, model: NSManagedObjectModel) throws {
        _ = try? NSPersistentStoreCoordinator.metadataForPersistentStore(type: type, at: file)
        var failure: (any Error)?
        do { try open(type, at: file, model: model, isReadOnly: true) } catch { failure = error }
        do { try open(type, at: file, model: model, isReadOnly: false) } catch { failure = error }
        if let failure { throw failure }
    }

    /// Makes stores of a model that came from outside, with an object of each entity.
    static func make(of model: NSManagedObjectModel) throws {
        // A large one takes long, and its parts are those of small ones.
        guard model.entities.reduce(0, { $0 + 1 + $1.properties.count }) < 60 else { return }
        try FuzzFolder.with { folder in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            var failure: (any Error)?
            for type in [NSPersistentStore.StoreType.inMemory, .sqlite] {
                do {
                    let store = try coordinator.addPersistentStore(
                        type: type, at: folder.appendingPathComponent("Fuzz.sqlite", isDirectory: false))
                    defer { try? coordinator.remove(store) }
                    try fill(coordinator)
                } catch { failure = error }
            }
            if let failure { throw failure }
        }
    }

    private static func fill(_ coordinator: NSPersistentStoreCoordinator) throws {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for entity in coordinator.managedObjectModel.entities where !entity.isAbstract {
                _ = NSManagedObject(entity: entity, insertInto: context)
                // An object that cannot be saved, such as one without a required value, must not keep the remaining
                // ones from being saved.
                if (try? context.save()) == nil { context.rollback() }
            }
            for entity in coordinator.managedObjectModel.entities {
                guard let name = entity.name else { continue }
                try readAll(name, entity, in: context)
            }
        }
    }

    private static func open(
        _ type: NSPersistentStore.StoreType, at file: URL, model: NSManagedObjectModel, isReadOnly: Bool
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        var options: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 0.05]
        if isReadOnly { options[NSReadOnlyPersistentStoreOption] = true }
        if type == .sqlite { options[NSPersistentHistoryTrackingKey] = true }
        let store = try coordinator.addPersistentStore(type: type, at: file, options: options)
        // The database is closed before its file goes.
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        var failures: [any Error] = []
        func attempt(_ body: () throws -> Void) {
            do { try body() } catch { failures.append(error) }
        }
        context.performAndWait {
            for entity in model.entities {
                guard let name = entity.name else { continue }
                attempt { try readAll(name, entity, in: context) }
                attempt { _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: name)) }
                attempt { try readDictionaries(name, entity, in: context) }
            }
            if type == .sqlite {
                attempt { try readHistory(in: context) }
                attempt { _ = try coordinator.inspect(store, for: [.history, .sizes, .damage, .irregularities]) }
            }
            if !isReadOnly { attempt { try write(in: context) } }
        }
        if let failure = failures.first { throw failure }
    }

    private static func readAll(_ name: String, _ entity: NSEntityDescription, in context: NSManagedObjectContext)
        throws
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.sortDescriptors = entity.attributesByName["name"].map { _ in
            [NSSortDescriptor(key: "name", ascending: true)]
        }
        let objects = try context.fetch(request)
        try context.readingFaults {
            for object in objects {
                for key in object.entity.attributesByName.keys { _ = object.value(forKey: key) }
            }
        }
        for object in objects { context.refresh(object, mergeChanges: false) }
        // By keys now, one row each.
        for object in objects { _ = try? context.existingObject(with: object.objectID) }
        for key in entity.relationshipsByName.keys {
            for object in objects { context.refresh(object, mergeChanges: false) }
            _ = try? context.fulfillFaults(of: objects, relationshipKeyPaths: [key])
        }
        for object in objects { context.refresh(object, mergeChanges: false) }
        try context.readingFaults {
            for object in objects {
                for (key, relationship) in object.entity.relationshipsByName {
                    let value = object.value(forKey: key)
                    if !relationship.isToMany {
                        _ = (value as? NSManagedObject)?.objectID
                    } else if let set = value as? NSSet {
                        for case let member as NSManagedObject in set.allObjects { _ = member.isFault }
                    } else if let set = value as? NSOrderedSet {
                        for case let member as NSManagedObject in set.array { _ = member.isFault }
                    }
                }
            }
        }
    }

    private static func readDictionaries(
        _ name: String, _ entity: NSEntityDescription, in context: NSManagedObjectContext
    ) throws {
        let request = NSFetchRequest<NSDictionary>(entityName: name)
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = entity.attributesByName.keys.sorted()
        for row in try context.fetch(request) { _ = row.count }
    }

    private static func readHistory(in context: NSManagedObjectContext) throws {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.resultType = .transactionsAndChanges
        guard let result = try context.execute(request) as? NSPersistentHistoryResult,
            let transactions = result.result as? [NSPersistentHistoryTransaction]
        else { return }
        for transaction in transactions {
            _ = (transaction.author, transaction.timestamp, transaction.token, transaction.contextName)
            _ = transaction.objectIDNotification()
            for change in transaction.changes ?? [] {
                _ = (change.changedObjectID, change.changeType, change.tombstone, change.updatedProperties)
            }
        }
    }

    /// Of each entity one object changed and one gone; one more, if the model is that of the seeds.
    private static func write(in context: NSManagedObjectContext) throws {
        let entities = context.persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
        for (name, entity) in entities.sorted(by: { $0.key < $1.key }) where !entity.isAbstract {
            let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name))
            let texts = entity.attributesByName.values.filter {
                $0.type == .string && !($0 is NSDerivedAttributeDescription)
            }
            try context.readingFaults {
                for text in texts { objects.first?.setValue("Changed", forKey: text.name) }
                if objects.count > 1, let last = objects.last { context.delete(last) }
            }
        }
        if entities["Place"]?.attributesByName["title"]?.type == .string,
            entities["Person"]?.relationshipsByName["home"]?.destinationEntity?.name == "Place"
        {
            let place = NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
            place.setValue("New", forKey: "title")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            try context.fetch(request).first { !$0.isDeleted }?.setValue(place, forKey: "home")
        }
        try context.save()
    }
}
