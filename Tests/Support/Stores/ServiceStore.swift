import CoreData

/// An incremental store on a `RecordService`, as a program would write one: public interface only.
public final class ServiceStore: NSIncrementalStore, @unchecked Sendable {  // the service guards itself
    public static let storeType = "ServiceStore"

    private var service: RecordService { RecordService.at(url ?? URL(fileURLWithPath: "/dev/null")) }

    public override var type: String { Self.storeType }

    public override func loadMetadata() throws {
        try service.requireUp()
        metadata = [NSStoreTypeKey: Self.storeType, NSStoreUUIDKey: service.identifier]
    }

    private func name(_ id: NSManagedObjectID) -> RecordService.Name {
        RecordService.Name(entity: id.entity.name ?? "", number: referenceObject(for: id) as? Int ?? 0)
    }

    private func id(_ name: RecordService.Name) -> NSManagedObjectID? {
        guard let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[name.entity] else {
            return nil
        }
        return newObjectID(for: entity, referenceObject: name.number)
    }

    // MARK: Requests

    public override func execute(
        _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
    ) throws -> Any {
        try service.requireUp()
        switch request {
        case let fetch as NSFetchRequest<NSFetchRequestResult>: return try answer(fetch, context)
        case let save as NSSaveChangesRequest: return try carryOut(save)
        default:
            throw NSError(
                domain: NSCocoaErrorDomain, code: NSPersistentStoreUnsupportedRequestTypeError,
                userInfo: [NSLocalizedDescriptionKey: "The service does not know \(Swift.type(of: request))"])
        }
    }

    private func answer(
        _ request: NSFetchRequest<NSFetchRequestResult>, _ context: NSManagedObjectContext?
    ) throws -> Any {
        guard let entity = request.entity, let context else { return [Any]() }
        service.noteAsker(context.name)
        service.note("fetch \(entity.name ?? "")")
        var entities: Set<String> = [entity.name ?? ""]
        if request.includesSubentities { entities.formUnion(Self.below(entity)) }
        let ids = service.names(of: entities).compactMap { id($0) }
        // A context of its own evaluates the predicate for the records as they are saved.
        let scratch = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        scratch.persistentStoreCoordinator = persistentStoreCoordinator
        let wanted = (request.propertiesToFetch ?? []).compactMap {
            $0 as? String ?? ($0 as? NSPropertyDescription)?.name
        }
        let predicate = request.predicate
        let order = request.sortDescriptors ?? []
        let (offset, limit) = (request.fetchOffset, request.fetchLimit)
        let found = scratch.performAndWait {
            var objects = ids.map { scratch.object(with: $0) }
            if let predicate { objects = objects.filter { predicate.evaluate(with: $0) } }
            objects = (objects as NSArray).sortedArray(using: order) as? [NSManagedObject] ?? []
            let rest = objects.dropFirst(offset)
            let page = limit > 0 ? rest.prefix(limit) : rest
            return page.map { object in
                Found(id: object.objectID, values: wanted.map { ($0, object.value(forKeyPath: $0)) })
            }
        }
        switch request.resultType {
        case .managedObjectIDResultType: return found.map(\.id)
        case .countResultType: return [NSNumber(value: found.count)]
        case .dictionaryResultType:
            return found.map { row in
                NSDictionary(
                    dictionary: Dictionary(row.values.compactMap { key, value in value.map { (key, $0) } }) { $1 })
            }
        default: return found.map { context.object(with: $0.id) }
        }
    }

    private struct Found: @unchecked Sendable {  // values of attributes only; they do not change
        let id: NSManagedObjectID
        let values: [(String, Any?)]
    }

    private static func below(_ entity: NSEntityDescription) -> [String] {
        entity.subentities.flatMap { [$0.name ?? ""] + below($0) }
    }

    private func carryOut(_ request: NSSaveChangesRequest) throws -> Any {
        let inserted = request.insertedObjects ?? []
        let updated = request.updatedObjects ?? []
        let deleted = request.deletedObjects ?? []
        service.note("save \(inserted.count) \(updated.count) \(deleted.count)")
        for object in inserted.union(updated) {
            var record = RecordService.Record()
            for (key, property) in object.entity.propertiesByName where !property.isTransient {
                let value = object.value(forKey: key)
                switch property {
                case is NSAttributeDescription: record.values[key] = value
                case is NSRelationshipDescription:
                    let members: [NSManagedObject]
                    switch value {
                    case let one as NSManagedObject: members = [one]
                    case let set as NSOrderedSet: members = set.array as? [NSManagedObject] ?? []
                    case let set as NSSet: members = set.allObjects as? [NSManagedObject] ?? []
                    default: members = []
                    }
                    record.links[key] = members.map { name($0.objectID) }
                default: break
                }
            }
            service.put(record, as: name(object.objectID))
        }
        for object in deleted { service.remove(name(object.objectID)) }
        return [Any]()
    }

    // MARK: Values

    public override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        try service.requireUp()
        let name = name(objectID)
        service.note("values \(name.entity)/\(name.number)")
        guard let record = service.record(name) else {
            throw NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectReferentialIntegrityError)
        }
        var values = record.values
        // Only every second to-one relationship comes with the record; the store is asked for each remaining one.
        for (key, relationship) in objectID.entity.relationshipsByName
        where !relationship.isToMany && key.count % 2 == 0 {
            values[key] = record.links[key]?.first.flatMap { id($0) } ?? NSNull()
        }
        return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: record.version)
    }

    public override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        try service.requireUp()
        let name = name(objectID)
        service.note("members \(name.entity)/\(name.number).\(relationship.name)")
        let ids = (service.record(name)?.links[relationship.name] ?? []).compactMap { id($0) }
        if relationship.isToMany { return ids }
        return ids.first ?? NSNull()
    }

    public override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        try service.requireUp()
        return array.compactMap { id(service.newName($0.entity.name ?? "")) }
    }

    public override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        for id in objectIDs { service.note("using \(id.entity.name ?? "")/\(referenceObject(for: id))") }
    }

    public override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        for id in objectIDs { service.note("done with \(id.entity.name ?? "")/\(referenceObject(for: id))") }
    }
}
