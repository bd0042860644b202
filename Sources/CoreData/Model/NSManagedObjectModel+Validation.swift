import Foundation

/// An error of a model whose text has the fault and its place: file, entity, property.
func modelError(
    _ reason: String, code: Int = NSCoreDataError, entity: String? = nil, property: String? = nil, file: String? = nil
) -> NSError {
    var place: [String] = []
    if let file { place.append("model file '\(file)'") }
    if let entity { place.append("entity '\(entity)'") }
    if let property { place.append("property '\(property)'") }
    var info: [String: Any] = [:]
    info["entity"] = entity
    info["property"] = property
    info[NSFilePathErrorKey] = file
    return .coreData(
        code, reason: place.isEmpty ? reason : place.joined(separator: ", ") + ": " + reason, userInfo: info)
}

extension NSManagedObjectModel {
    /// Throws the first reason why the model cannot be used.
    ///
    /// Reasons are a name that is missing or comes twice, a destination or parent that is not in the model, an inverse
    /// that has no inverse itself, and a constraint over an unknown attribute. The error names entity, property and
    /// reason. A model that passes can be given a store.
    package final func validate() throws {
        // Several threads may create coordinators with one model: the lock keeps a thread from freezing it while
        // another one reads.
        freezeLock.lock()
        defer { freezeLock.unlock() }
        resolveReferences()
        var names: Set<String> = []
        let members = Set(entities.map(ObjectIdentifier.init))
        for entity in entities {
            guard let name = entity.name, !name.isEmpty else {
                throw modelError("The model has an entity without a name.")
            }
            guard names.insert(name).inserted else {
                throw modelError("The model has two entities of this name.", entity: name)
            }
            if let parent = entity.superentity, !members.contains(ObjectIdentifier(parent)) {
                throw modelError("The parent entity '\(parent.name ?? "")' is not in the model.", entity: name)
            }
        }
        for entity in entities { try validateProperties(of: entity, members: members) }
    }

    private final func validateProperties(of entity: NSEntityDescription, members: Set<ObjectIdentifier>) throws {
        let entityName = entity.name ?? ""
        var names = Set(entity.superentity?.properties.map(\.name) ?? [])
        for property in entity.ownProperties {
            func error(_ reason: String) -> NSError {
                modelError(reason, entity: entityName, property: property.name)
            }
            if let reason = Self.reasonAgainstName(property.name) { throw error(reason) }
            guard names.insert(property.name).inserted else {
                if let parent = entity.superentity, parent.propertiesByName[property.name] != nil {
                    throw error(
                        "The entity inherits a property of this name from '\(parent.name ?? "")', and cannot declare it "
                            + "again.")
                }
                throw error("The entity has two properties of this name.")
            }
            if let relationship = property as? NSRelationshipDescription {
                try validate(relationship, members: members, error: error)
            }
            if let composite = property as? NSCompositeAttributeDescription {
                guard Set(composite.elements.map(\.name)).count == composite.elements.count else {
                    throw error("The composite attribute has two elements of the same name.")
                }
            }
        }
        let properties = entity.propertiesByName
        for key in entity.uniquenessConstraintNames.joined() {
            guard properties[String(key.prefix { $0 != "." })] != nil else {
                let renamed = properties.values.first { $0.renamingIdentifier == key && $0.name != key }
                let nearest =
                    renamed.map { "; it is '\($0.name)' now." }
                    ?? NearestName.hint(key, among: properties.keys.sorted())
                throw modelError(
                    "A uniqueness constraint names '\(key)', which the entity does not have"
                        + (nearest.isEmpty ? ". Name one of its properties, or remove the constraint." : nearest),
                    entity: entityName, property: key)
            }
        }
        for index in entity.indexes {
            for element in index.elements where element.property == nil {
                throw modelError(
                    "The fetch index '\(index.name)' names '\(element.propertyName ?? "")', "
                        + "which the entity does not have.", entity: entityName, property: element.propertyName)
            }
        }
    }

    private final func validate(
        _ relationship: NSRelationshipDescription, members: Set<ObjectIdentifier>, error: (String) -> NSError
    ) throws {
        guard let destination = relationship.destinationEntity else {
            throw error(
                relationship.destinationEntityName.map { "The destination entity '\($0)' is not in the model." }
                    ?? "The relationship has no destination entity.")
        }
        guard members.contains(ObjectIdentifier(destination)) else {
            throw error("The destination entity '\(destination.name ?? "")' is not in the model.")
        }
        if relationship.inverseRelationship == nil, let name = relationship.inverseRelationshipName {
            throw error("The destination entity '\(destination.name ?? "")' has no relationship '\(name)'.")
        }
        guard let inverse = relationship.inverseRelationship else { return }
        guard let inverseOwner = inverse.owner, members.contains(ObjectIdentifier(inverseOwner)) else {
            throw error("The inverse relationship '\(inverse.name)' is not in the model.")
        }
        // An inverse whose own inverse is a third relationship is accepted, because models of shipped applications
        // contain such inverses.
        if inverse.inverseRelationship == nil {
            throw error(
                "The inverse relationship '\(inverseOwner.name ?? "").\(inverse.name)' does not point back: "
                    + "it has no inverse.")
        }
    }

    /// The reason why a property cannot have this name; `nil` when it can.
    private static func reasonAgainstName(_ name: String) -> String? {
        if name.isEmpty { return "The property has no name." }
        if name.contains(where: { ".@ \t\n".contains($0) }) {
            return "A property name must not contain dots, at signs or white space."
        }
        if name == "description" || name == "self" {
            return "A property must not have the name of a method of every object; give it another one."
        }
        return nil
    }
}
