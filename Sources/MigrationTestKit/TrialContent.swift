import CoreData

/// The content of a store: every object with its values and the objects to which its relationships lead.
struct TrialContent {
    /// The identity of an object in the store: its entity, and the key of its row.
    struct Reference: Hashable {
        var entity: String
        var key: String
    }

    struct Object {
        var reference: Reference
        var values: [String: Any] = [:]
        /// The links by relationship: the members of an ordered one in their order, those of an unordered one in that
        /// of their keys.
        var links: [String: [Reference]] = [:]
    }

    /// The number of objects of exactly each entity, by its name.
    private(set) var counts: [String: Int] = [:]
    /// The objects, by entity.
    private(set) var objects: [String: [Object]] = [:]
    /// The store's identifier. A migration that keeps it also keeps the rows' keys.
    let identifier: String?

    init(
        of url: URL, _ version: ModelVersion, withValues: Bool = true, options: [AnyHashable: Any] = [:]
    ) throws {
        let model = version.freshModel()
        identifier =
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: TrialStore.type(of: url), at: url)[
                NSStoreUUIDKey] as? String
        try TrialStore.open(url, model, options: options) { context in
            for entity in model.entities where !entity.isAbstract {
                let name = entity.name ?? ""
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.includesSubentities = false
                guard withValues else {
                    counts[name] = try context.count(for: request)
                    continue
                }
                let found = try context.fetch(request)
                counts[name] = found.count
                objects[name] = found.map { Self.object($0, entity) }
                context.reset()
            }
        }
    }

    private static func object(_ found: NSManagedObject, _ entity: NSEntityDescription) -> Object {
        var object = Object(reference: reference(found))
        for key in entity.attributesByName.keys { object.values[key] = found.value(forKey: key) }
        for (key, relationship) in entity.relationshipsByName {
            let value = found.value(forKey: key)
            let members =
                (value as? NSManagedObject).map { [$0] } ?? (value as? NSSet)?.allObjects
                ?? (value as? NSOrderedSet)?.array ?? []
            let links = members.compactMap { ($0 as? NSManagedObject).map(reference) }
            object.links[key] =
                relationship.isOrdered ? links : links.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
        }
        return object
    }

    private static func reference(_ object: NSManagedObject) -> Reference {
        Reference(
            entity: object.entity.name ?? "", key: object.objectID.uriRepresentation().lastPathComponent)
    }
}
