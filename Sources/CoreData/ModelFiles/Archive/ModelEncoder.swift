import Foundation

/// Writes a model as a keyed archive, the form of a `.mom` file: each entity with its own properties, back references
/// to entity and model, destinations and inverses both as objects and by name.
struct ModelEncoder {
    private let model: NSManagedObjectModel
    var writer = KeyedArchiveWriter()
    private let leavesOutUnarchivable: Bool
    private let modelReference: PropertyListValue
    private var entityReferences: [ObjectIdentifier: PropertyListValue] = [:]
    private var propertyReferences: [ObjectIdentifier: PropertyListValue] = [:]

    init(model: NSManagedObjectModel, leavesOutUnarchivable: Bool) {
        self.model = model
        self.leavesOutUnarchivable = leavesOutUnarchivable
        modelReference = writer.reserve()
        for entity in model.entities {
            entityReferences[ObjectIdentifier(entity)] = writer.reserve()
            for property in entity.ownProperties {
                propertyReferences[ObjectIdentifier(property)] = writer.reserve()
            }
        }
    }

    mutating func encode() throws -> Data {
        for entity in model.entities { try encode(entity) }
        var fields: [String: PropertyListValue] = [:]
        fields["NSEntities"] = add(entities: model.entities)
        let identifiers = model.versionIdentifiers.compactMap { $0.base as? String }.sorted()
        fields["NSVersionIdentifiers"] = writer.add(set: identifiers.map { writer.add(string: $0) })
        if !model.configurations.isEmpty {
            fields["NSConfigurations"] = writer.add(
                dictionary: model.configurations.map { name in
                    let members = model.entities(forConfigurationName: name) ?? []
                    return (name, writer.add(set: members.map { reference(to: $0) }))
                })
        }
        let templates = model.fetchRequestTemplatesByName.sorted { $0.key < $1.key }
        fields["NSFetchRequestTemplates"] =
            templates.isEmpty
            ? KeyedArchiveWriter.null
            : writer.add(
                dictionary: try templates.compactMap { name, request in
                    try attempt { try $0.add(request: request.parameters) }.map { (name, $0) }
                })
        writer.fill(modelReference, ["NSManagedObjectModel", "NSObject"], fields)
        return writer.archive(root: modelReference)
    }

    /// Returns the result of `body`; nil if its objects cannot be archived and are to be left out.
    mutating func attempt(
        _ body: (inout ModelEncoder) throws -> PropertyListValue
    ) throws -> PropertyListValue? {
        do {
            return try body(&self)
        } catch {
            guard leavesOutUnarchivable else { throw error }
            return nil
        }
    }

    /// The entity's object; null for one that is not in the model.
    func reference(to entity: NSEntityDescription?) -> PropertyListValue {
        entity.flatMap { entityReferences[ObjectIdentifier($0)] } ?? KeyedArchiveWriter.null
    }

    /// The property's object; null for one that is not in the model.
    func reference(to property: NSPropertyDescription?) -> PropertyListValue {
        property.flatMap { propertyReferences[ObjectIdentifier($0)] } ?? KeyedArchiveWriter.null
    }

    private mutating func add(entities: [NSEntityDescription]) -> PropertyListValue {
        let sorted = entities.sorted { $0.name ?? "" < $1.name ?? "" }
        return writer.add(dictionary: sorted.map { ($0.name ?? "", reference(to: $0)) })
    }

    // MARK: Entities

    private mutating func encode(_ entity: NSEntityDescription) throws {
        var fields: [String: PropertyListValue] = [:]
        fields["NSEntityName"] = writer.add(string: entity.name)
        fields["NSClassNameForEntity"] = writer.add(string: entity.managedObjectClassName)
        fields["NSManagedObjectModel"] = modelReference
        fields["NSSuperentity"] = reference(to: entity.superentity)
        fields["NSSubentities"] =
            entity.subentities.isEmpty ? KeyedArchiveWriter.null : add(entities: entity.subentities)
        if entity.isAbstract { fields["NSIsAbstract"] = .boolean(true) }
        fields["NSUserInfo"] = try add(userInfo: entity.userInfo ?? [:])
        fields["NSVersionHashModifier"] = writer.add(string: entity.versionHashModifier)
        fields["NSRenamingIdentifier"] = writer.add(string: entity.renamingIdentifier)
        fields["NSUniqueTuples"] = add(tuples: entity.uniquenessConstraintNames)
        fields["NSCompoundIndexes"] = add(tuples: entity.compoundIndexNames)
        fields["NSFetchIndexDescriptions"] = writer.add(array: try entity.indexes.map { try add(index: $0) })
        if !entity.ownProperties.isEmpty {
            let properties = entity.ownProperties.sorted { $0.name < $1.name }
            for property in properties { try encode(property, into: reference(to: property)) }
            fields["NSProperties"] = writer.add(dictionary: properties.map { ($0.name, reference(to: $0)) })
        }
        writer.fill(reference(to: entity), ["NSEntityDescription", "NSObject"], fields)
    }

    private mutating func add(tuples: [[String]]) -> PropertyListValue {
        writer.add(array: tuples.map { names in writer.add(array: names.map { writer.add(string: $0) }) })
    }

    mutating func add(userInfo: [AnyHashable: Any]) throws -> PropertyListValue {
        let entries = userInfo.map { (key: "\($0.key.base)", value: $0.value) }.sorted { $0.key < $1.key }
        return writer.add(
            dictionary: try entries.compactMap { key, value in
                try attempt { try $0.writer.add(value: value) }.map { (key, $0) }
            })
    }

    private mutating func add(index: NSFetchIndexDescription) throws -> PropertyListValue {
        let indexReference = writer.reserve()
        var elements: [PropertyListValue] = []
        for element in index.elements {
            var fields: [String: PropertyListValue] = [:]
            fields["NSPropertyName"] = writer.add(string: element.propertyName)
            fields["NSFetchIndexElementType"] = .integer(Int64(element.collationType.rawValue))
            fields["NSAscending"] = .boolean(element.isAscending)
            fields["NSFetchIndexDescription"] = indexReference
            if let expression = element.ownedExpression {
                let expressionReference = writer.reserve()
                try encode(expression, into: expressionReference)
                fields["NSIndexedProperty"] = expressionReference
            }
            elements.append(writer.add(["NSFetchIndexElementDescription", "NSObject"], fields))
        }
        var fields: [String: PropertyListValue] = [:]
        fields["NSIndexName"] = writer.add(string: index.name)
        fields["NSIndexElements"] = writer.add(array: elements)
        fields["NSPartialIndexPredicate"] =
            try index.partialIndexPredicate.flatMap { predicate in
                try attempt { try $0.add(predicate: predicate) }
            } ?? KeyedArchiveWriter.null
        fields["NSEntity"] = reference(to: index.entity)
        writer.fill(indexReference, ["NSFetchIndexDescription", "NSObject"], fields)
        return indexReference
    }

    // MARK: Fetch requests

    mutating func add(request: FetchParameters) throws -> PropertyListValue {
        var fields: [String: PropertyListValue] = [:]
        fields["NSEntity"] = reference(to: request.entityName.flatMap { model.entitiesByName[$0] })
        fields["NSPredicate"] = try request.predicate.map { try add(predicate: $0) } ?? KeyedArchiveWriter.null
        fields["NSHavingPredicate"] =
            try request.havingPredicate.map { try add(predicate: $0) } ?? KeyedArchiveWriter.null
        fields["NSSortDescriptors"] = try add(sortDescriptors: request.sortDescriptors)
        fields["NSFetchLimit"] = .integer(Int64(request.fetchLimit))
        fields["NSFetchOffset"] = .integer(Int64(request.fetchOffset))
        fields["NSBatchSize"] = .integer(Int64(request.fetchBatchSize))
        fields["NSResultType"] = .integer(Int64(request.resultType.rawValue))
        fields["NSHasFetchRequestFlags"] = .boolean(true)
        fields["NSFetchRequestFlags"] = .integer(Int64(request.archivedFlags))
        fields["NSAllocationType"] = .integer(0)
        fields["NSRelationshipKeyPathsForPrefetching"] = add(names: request.relationshipKeyPathsForPrefetching)
        fields["NSValuesToFetch"] = add(names: request.propertiesToFetch)
        fields["NSValuesToGroupBy"] = add(names: request.propertiesToGroupBy)
        return writer.add(["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"], fields)
    }

    private mutating func add(sortDescriptors: [NSSortDescriptor]?) throws -> PropertyListValue {
        guard let sortDescriptors else { return KeyedArchiveWriter.null }
        var parts: [PropertyListValue] = []
        for descriptor in sortDescriptors.map(\.byKey) {
            guard let selector = descriptor.sortSelector else {
                throw NSError.coreData(
                    NSCoreDataError,
                    reason: "A sort descriptor without a key or with a block cannot be archived in a model: "
                        + "\(descriptor)")
            }
            parts.append(
                writer.add(
                    ["NSSortDescriptor", "NSObject"],
                    [
                        "NSKey": writer.add(string: descriptor.sortKey), "NSAscending": .boolean(descriptor.ascending),
                        "NSSelector": writer.add(string: selector.rawValue), "NSReverseNullOrder": .boolean(false),
                    ]))
        }
        return writer.add(array: parts)
    }

    private mutating func add(names: [Any]?) -> PropertyListValue {
        guard let names else { return KeyedArchiveWriter.null }
        let texts = names.compactMap { ($0 as? NSPropertyDescription)?.name ?? $0 as? String }
        return writer.add(array: texts.map { writer.add(string: $0) })
    }
}
