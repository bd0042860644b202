import CoreData

/// An atomic store in a property list, as a program would write one: public interface only.
///
/// The file holds the metadata and, per entity and reference, a dictionary of values; relationships are lists of
/// `Entity/reference`.
public final class PropertyListStore: NSAtomicStore, @unchecked Sendable {  // called by one thread at a time
    public static let storeType = "PropertyListStore"

    /// Makes the next save of any store at this address fail, for tests of failing stores.
    public static func failNextSave(at url: URL) { failures.withLock { _ = $0.insert(url) } }
    private static let failures = Locked<Set<URL>>([])

    public override var type: String { Self.storeType }

    private enum Key {
        static let metadata = "metadata"
        static let records = "records"
    }

    // MARK: The file

    private static func content(of url: URL) throws -> [String: Any] {
        let data = try Data(contentsOf: url)
        if data.isEmpty { return [:] }
        guard let list = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] else {
            throw NSError(domain: NSCocoaErrorDomain, code: CocoaError.Code.fileReadCorruptFile.rawValue)
        }
        return list
    }

    public override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try content(of: url)[Key.metadata] as? [String: Any] ?? [:]
    }

    public override class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreAt url: URL
    ) throws {
        var list = try content(of: url)
        list[Key.metadata] = metadata
        try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            .write(to: url, options: .atomic)
    }

    // MARK: Loading

    public override func load() throws {
        guard let url, FileManager.default.fileExists(atPath: url.path),
            let model = persistentStoreCoordinator?.managedObjectModel,
            let records = try Self.content(of: url)[Key.records] as? [String: [String: [String: Any]]]
        else { return }
        var nodes: [String: NSAtomicStoreCacheNode] = [:]
        for (name, group) in records {
            guard let entity = model.entitiesByName[name] else { continue }
            for reference in group.keys {
                let id = objectID(for: entity, withReferenceObject: reference)
                nodes["\(name)/\(reference)"] = NSAtomicStoreCacheNode(objectID: id)
            }
        }
        for (name, group) in records {
            guard let entity = model.entitiesByName[name] else { continue }
            for (reference, values) in group {
                guard let node = nodes["\(name)/\(reference)"] else { continue }
                for property in entity.properties + inherited(by: entity) {
                    guard let stored = values[property.name] else { continue }
                    node.setValue(try value(stored, of: property, nodes), forKey: property.name)
                }
            }
        }
        addCacheNodes(Set(nodes.values))
    }

    private func inherited(by entity: NSEntityDescription) -> [NSPropertyDescription] {
        Array(entity.propertiesByName.values)
    }

    private func value(
        _ stored: Any, of property: NSPropertyDescription, _ nodes: [String: NSAtomicStoreCacheNode]
    ) throws -> Any? {
        if let relationship = property as? NSRelationshipDescription {
            let members = (stored as? [String] ?? []).compactMap { nodes[$0] }
            if !relationship.isToMany { return members.first }
            return relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
        }
        guard let attribute = property as? NSAttributeDescription else { return nil }
        return try PlainValue.value(stored, of: attribute)
    }

    // MARK: Nodes

    public override func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

    public override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        updateCacheNode(node, from: managedObject)
        return node
    }

    public override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        for (name, property) in managedObject.entity.propertiesByName where !property.isTransient {
            let value = managedObject.value(forKey: name)
            switch property {
            case let relationship as NSRelationshipDescription where relationship.isToMany:
                let members =
                    (value as? NSOrderedSet)?.array as? [NSManagedObject]
                    ?? (value as? NSSet)?.allObjects as? [NSManagedObject] ?? []
                let nodes = members.compactMap { cacheNode(for: $0.objectID) }
                node.setValue(
                    relationship.isOrdered ? NSOrderedSet(array: nodes) : NSSet(array: nodes), forKey: name)
            case is NSRelationshipDescription:
                node.setValue((value as? NSManagedObject).flatMap { cacheNode(for: $0.objectID) }, forKey: name)
            case is NSAttributeDescription:
                node.setValue(value, forKey: name)
            default:
                break
            }
        }
    }

    // MARK: Saving

    public override func save() throws {
        guard let url else { return }
        if Self.failures.withLock({ $0.remove(url) }) != nil {
            throw NSError(domain: NSCocoaErrorDomain, code: CocoaError.Code.fileWriteOutOfSpace.rawValue)
        }
        var records: [String: [String: [String: Any]]] = [:]
        for node in cacheNodes() {
            let entity = node.objectID.entity
            var values: [String: Any] = [:]
            for (name, property) in entity.propertiesByName where !property.isTransient {
                guard let value = node.value(forKey: name) else { continue }
                switch property {
                case is NSRelationshipDescription: values[name] = names(value)
                case let attribute as NSAttributeDescription:
                    values[name] = try PlainValue.plain(value, of: attribute)
                default: break
                }
            }
            records[entity.name ?? "", default: [:]][reference(node)] = values
        }
        let list: [String: Any] = [Key.metadata: metadata ?? [:], Key.records: records]
        try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            .write(to: url, options: .atomic)
    }

    private func reference(_ node: NSAtomicStoreCacheNode) -> String {
        referenceObject(for: node.objectID) as? String ?? ""
    }

    private func names(_ value: Any) -> [String] {
        let nodes: [NSAtomicStoreCacheNode]
        switch value {
        case let node as NSAtomicStoreCacheNode: nodes = [node]
        case let set as NSOrderedSet: nodes = set.array as? [NSAtomicStoreCacheNode] ?? []
        case let set as NSSet: nodes = set.allObjects as? [NSAtomicStoreCacheNode] ?? []
        default: nodes = []
        }
        return nodes.map { "\($0.objectID.entity.name ?? "")/\(reference($0))" }
    }
}
