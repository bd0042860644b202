import Foundation

/// Builds a model from its archive.
///
/// First it creates the entities without content, so that every reference in a cycle of the graph (entity ⇄ property,
/// relationship ⇄ inverse) leads to an existing object. Then comes inheritance, then, from the top of the inheritance
/// down, properties. Last come objects that refer to properties.
struct ModelDecoder {
    let archive: KeyedArchive
    private var entities: [(archived: ArchivedObject, entity: NSEntityDescription)] = []
    private var entityByIndex: [Int: NSEntityDescription] = [:]
    private var archivedByEntity: [ObjectIdentifier: ArchivedObject] = [:]
    private var names: Set<String> = []

    init(archive: KeyedArchive) {
        self.archive = archive
    }

    mutating func decode() throws -> NSManagedObjectModel {
        let root = try archive.root()
        guard root.isKind(of: "NSManagedObjectModel") else {
            throw archiveError("The archive holds an object of the class '\(root.className)', not a model.")
        }
        let isInUse = Self.isOfModelInUse(root)
        for (name, value) in try root.entries("NSEntities") {
            guard let archived = try archive.object(value) else { continue }
            try makeEntity(archived, name: name)
        }
        try linkParents()
        for entity in topDown() {
            guard let archived = archived(of: entity) else { continue }
            try decodeProperties(of: archived, into: entity)
        }
        let model = NSManagedObjectModel()
        model.entities = entities.map(\.entity)
        linkInverses()
        model.resolveReferences()
        for (archived, entity) in entities {
            entity.indexes = try decodeIndexes(of: archived, entity: entity)
            if !isInUse { entity.addImpliedIndexes() }
        }
        for (name, value) in try root.entries("NSConfigurations") {
            let members = try archive.elements(value).compactMap { try entity($0) }
            model.setEntities(members, forConfigurationName: name)
        }
        for (name, value) in try root.entries("NSFetchRequestTemplates") {
            guard let archived = try archive.object(value) else { continue }
            model.setFetchRequestTemplate(try decodeFetchRequest(archived, keepsEntity: true), forName: name)
        }
        let identifiers = try archive.elements(root.fields["NSVersionIdentifiers"]).compactMap {
            try archive.string($0)
        }
        model.versionIdentifiers = Set(identifiers)
        return model
    }

    /// Whether an archive has the form of a model in use, which lists all indexes, and not that of a file. Stores of
    /// older versions of this library have the form of files.
    static func isOfModelInUse(_ root: ArchivedObject) -> Bool {
        (try? root.object("NSEntities")?.isKind(of: "NSKnownKeysDictionary")) == true
    }

    /// The entity a value refers to; `nil` when it is not one of the model.
    func entity(_ value: PropertyListValue?) throws -> NSEntityDescription? {
        guard let archived = try archive.object(value) else { return nil }
        if let entity = entityByIndex[archived.index] { return entity }
        return try archived.string("NSEntityName").flatMap { name in entities.first { $0.entity.name == name }?.entity }
    }

    // MARK: Entities

    private mutating func makeEntity(_ archived: ArchivedObject, name: String) throws {
        guard archived.isKind(of: "NSEntityDescription") else {
            throw archiveError("The entity '\(name)' is an object of the class '\(archived.className)'.")
        }
        guard entityByIndex[archived.index] == nil else { return }
        try archive.spend(KeyedArchive.weightOfProperty)
        let entity = NSEntityDescription()
        entity.name = try archived.string("NSEntityName") ?? name
        guard names.insert(entity.name ?? "").inserted else {
            throw archiveError("The archive has two entities named '\(entity.name ?? "")'.")
        }
        entity.managedObjectClassName = try archived.string("NSClassNameForEntity")
        entity.isAbstract = try archived.flag("NSIsAbstract")
        entity.versionHashModifier = try archived.string("NSVersionHashModifier")
        entity.renamingIdentifier = try archived.string("NSRenamingIdentifier").flatMap { $0 == entity.name ? nil : $0 }
        entity.userInfo = try userInfo(archived)
        entity.uniquenessConstraints = try tuples("NSUniqueTuples", of: archived)
        entity.compoundIndexes = try tuples("NSCompoundIndexes", of: archived)
        entities.append((archived, entity))
        entityByIndex[archived.index] = entity
        archivedByEntity[ObjectIdentifier(entity)] = archived
    }

    private func archived(of entity: NSEntityDescription) -> ArchivedObject? {
        archivedByEntity[ObjectIdentifier(entity)]
    }

    private func linkParents() throws {
        var parents: [ObjectIdentifier: NSEntityDescription] = [:]
        for (archived, child) in entities {
            guard let parent = try entity(archived.fields["NSSuperentity"]) else { continue }
            parents[ObjectIdentifier(child)] = parent
        }
        for (_, child) in entities {
            var seen: Set<ObjectIdentifier> = []
            var current: NSEntityDescription? = child
            while let entity = current {
                guard seen.insert(ObjectIdentifier(entity)).inserted else {
                    throw archiveError("The entity '\(child.name ?? "")' of the archive inherits from itself.")
                }
                guard seen.count <= NSEntityDescription.maximumInheritance + 1 else {
                    throw archiveError(
                        "The entity '\(child.name ?? "")' of the archive inherits over more than "
                            + "\(NSEntityDescription.maximumInheritance) others.")
                }
                current = parents[ObjectIdentifier(entity)]
            }
        }
        var children: [ObjectIdentifier: [NSEntityDescription]] = [:]
        for (_, child) in entities {
            guard let parent = parents[ObjectIdentifier(child)] else { continue }
            children[ObjectIdentifier(parent), default: []].append(child)
        }
        for (_, parent) in entities {
            guard let children = children[ObjectIdentifier(parent)] else { continue }
            parent.subentities = children.sorted { $0.name ?? "" < $1.name ?? "" }
        }
    }

    /// The entities, each after its superentity.
    private func topDown() -> [NSEntityDescription] {
        var result: [NSEntityDescription] = []
        var pending = entities.map(\.entity).filter { $0.superentity == nil }
        while let entity = pending.popLast() {
            result.append(entity)
            pending.append(contentsOf: entity.subentities)
        }
        return result
    }

    // MARK: Relationships

    /// Resolves the names of destinations and inverses, which all relationships have by now.
    private func linkInverses() {
        let byName = Dictionary(
            entities.map { ($0.entity.name ?? "", (entity: $0.entity, properties: $0.entity.propertiesByName)) },
            uniquingKeysWith: { first, _ in first })
        for (_, entity) in entities {
            for case let relationship as NSRelationshipDescription in entity.ownProperties {
                let destination = relationship.destinationEntityName.flatMap { byName[$0] }
                let inverse = relationship.inverseRelationshipName.flatMap {
                    destination?.properties[$0] as? NSRelationshipDescription
                }
                relationship.link(destination: destination?.entity, inverse: inverse)
            }
        }
    }

    // MARK: Parts of entities

    /// The user info of an object; empty if the archive has none, as on a Mac.
    func userInfo(_ archived: ArchivedObject) throws -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [:]
        for (key, value) in try archived.entries("NSUserInfo") {
            do {
                info[key] = try archive.value(value)
            } catch is KeyedArchive.UnknownClass {
                // Only the application's own classes can read this value, and the model can be used without it.
                continue
            }
        }
        return info
    }

    private func tuples(_ key: String, of archived: ArchivedObject) throws -> [[String]] {
        try archived.elements(key).map { tuple in
            try archive.elements(tuple).compactMap { element in
                if let name = try archive.string(element) { return name }
                guard case .dictionary(let fields)? = try archive.resolve(element), fields["NSPropertyName"] != nil
                else { return nil }
                return try archive.object(element)?.string("NSPropertyName")
            }
        }
        .filter { !$0.isEmpty }
    }

    private func decodeIndexes(
        of archived: ArchivedObject, entity: NSEntityDescription
    ) throws -> [NSFetchIndexDescription] {
        try archived.elements("NSFetchIndexDescriptions").compactMap { value in
            guard let archivedIndex = try archive.object(value) else { return nil }
            let elements = try archivedIndex.elements("NSIndexElements").compactMap { element in
                try archive.object(element).map { try decodeIndexElement($0, entity: entity) }
            }
            let index = NSFetchIndexDescription(
                name: try archivedIndex.string("NSIndexName") ?? "", elements: elements)
            if let predicate = try archivedIndex.object("NSPartialIndexPredicate") {
                index.partialIndexPredicate = try decodePredicate(predicate)
            }
            return index
        }
    }

    private func decodeIndexElement(
        _ archived: ArchivedObject, entity: NSEntityDescription
    ) throws -> NSFetchIndexElementDescription {
        let type = try archived.integer("NSFetchIndexElementType").flatMap { UInt(exactly: $0) }
            .flatMap { NSFetchIndexElementType(rawValue: $0) }
        let name = try archived.string("NSPropertyName") ?? ""
        let element: NSFetchIndexElementDescription
        if let archivedProperty = try archived.object("NSIndexedProperty"),
            let property = try decodeProperty(archivedProperty, name: name)
        {
            element = NSFetchIndexElementDescription(property: property, collationType: type ?? .binary)
        } else {
            element = NSFetchIndexElementDescription(propertyName: name, collationType: type ?? .binary)
        }
        element.isAscending = archived.fields["NSAscending"] == nil ? true : try archived.flag("NSAscending")
        return element
    }
}
