import CoreData

/// Shows what is in a store that any Core Data wrote, read-only, by the model that lies inside it.
struct StoreReader {
    let url: URL

    /// Objects that are shown of each entity.
    private static let objectsPerEntity = 3

    func printReport() throws {
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw DemoFailure("there is no file at \(url.path)")
        }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: url, options: [NSReadOnlyPersistentStoreOption: true])
        let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
            at: url, options: [NSReadOnlyPersistentStoreOption: true])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSReadOnlyPersistentStoreOption: true])
        print("\(url.lastPathComponent): store \(metadata[NSStoreUUIDKey] ?? "without identifier")")

        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let entities = model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }
            try printCounts(of: entities, in: context)
            for entity in entities where !entity.isAbstract {
                try printObjects(of: entity, in: context)
            }
        }
        try coordinator.remove(store)
    }

    private func printCounts(of entities: [NSEntityDescription], in context: NSManagedObjectContext) throws {
        var rows = [["entity", "parent", "attributes", "relationships", "objects"]]
        for entity in entities {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesSubentities = false
            rows.append([
                entity.name ?? "", entity.superentity?.name ?? "", String(entity.attributesByName.count),
                String(entity.relationshipsByName.count),
                entity.isAbstract ? "abstract" : String(try context.count(for: request)),
            ])
        }
        printTable(rows)
    }

    private func printObjects(of entity: NSEntityDescription, in context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.includesSubentities = false
        request.fetchLimit = Self.objectsPerEntity
        for object in try context.fetch(request) {
            print("\n\(name(of: object))")
            for attribute in entity.attributesByName.keys.sorted() {
                print("   \(attribute) = \(text(of: object.value(forKey: attribute)))")
            }
            for (name, relationship) in entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
                print("   \(name) → \(target(of: relationship, named: name, from: object))")
            }
        }
    }

    private func target(
        of relationship: NSRelationshipDescription, named name: String, from object: NSManagedObject
    ) -> String {
        guard relationship.isToMany else {
            return (object.value(forKey: name) as? NSManagedObject).map { self.name(of: $0) } ?? "nothing"
        }
        let ids = object.objectIDs(forRelationshipNamed: name)
        let shown = ids.prefix(4).map { $0.uriRepresentation().lastPathComponent }.joined(separator: ", ")
        let entity = relationship.destinationEntity?.name ?? "object"
        return ids.isEmpty ? "none" : "\(ids.count) × \(entity): \(shown)\(ids.count > 4 ? " …" : "")"
    }

    private func name(of object: NSManagedObject) -> String {
        "\(object.entity.name ?? "") \(object.objectID.uriRepresentation().lastPathComponent)"
    }

    private func text(of value: Any?) -> String {
        switch value {
        case nil: return "nil"
        case let data as Data: return "\(data.count) bytes"
        case let string as String: return "\"\(string.count > 60 ? string.prefix(60) + "…" : string)\""
        case let date as Date: return date.formatted(.iso8601)
        case let value?:
            let printed = "\(value)"
            return printed.count > 60 ? printed.prefix(60) + "…" : printed
        }
    }
}
