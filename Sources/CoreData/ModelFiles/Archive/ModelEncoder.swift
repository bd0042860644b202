import Foundation

/// Writes a model as a keyed archive in Apple's form, with back references to entity and model, and with destinations
/// and inverses both as objects and by name.
///
/// The order of objects and of the entries of dictionaries is not Apple's, which is that of hash tables in memory.
struct ModelEncoder {
    /// What the archive is for.
    enum Form {
        /// A `.mom` file: each entity has its own properties, and the indexes that are not implied.
        case file
        /// The model that a store was opened with: each entity has copies of inherited properties, and all indexes.
        case inUse
    }

    private let model: NSManagedObjectModel
    private let form: Form
    /// Whether parts that no archive can hold are errors. Otherwise they are left out.
    private let isStrict: Bool
    var writer = KeyedArchiveWriter()
    private let modelReference: PropertyListValue
    private var entityReferences: [ObjectIdentifier: PropertyListValue] = [:]
    private var propertyReferences: [ObjectIdentifier: [String: PropertyListValue]] = [:]

    init(model: NSManagedObjectModel, form: Form, isStrict: Bool = true) {
        self.model = model
        self.form = form
        self.isStrict = isStrict
        modelReference = writer.reserve()
        for entity in model.entities {
            entityReferences[ObjectIdentifier(entity)] = writer.reserve()
            var references: [String: PropertyListValue] = [:]
            for property in archivedProperties(of: entity) { references[property.name] = writer.reserve() }
            propertyReferences[ObjectIdentifier(entity)] = references
        }
    }

    private func archivedProperties(of entity: NSEntityDescription) -> [NSPropertyDescription] {
        form == .file ? entity.ownProperties : entity.properties
    }

    mutating func encode() throws -> Data {
        for entity in model.entities { try encode(entity) }
        var fields: [String: PropertyListValue] = [:]
        let entities = model.entities.sorted { $0.name ?? "" < $1.name ?? "" }
        let entries = entities.map { ($0.name ?? "", reference(to: $0)) }
        fields["NSEntities"] =
            form == .file ? writer.add(mutableDictionary: entries) : writer.add(knownKeys: entries)
        let identifiers = model.versionIdentifiers.compactMap { $0.base as? String }.sorted()
        fields["NSVersionIdentifiers"] = writer.add(set: identifiers.map { writer.add(string: $0) })
        if !model.configurations.isEmpty {
            fields["NSConfigurations"] = writer.add(
                mutableDictionary: model.configurations.map { name in
                    let members = model.entities(forConfigurationName: name) ?? []
                    return (name, writer.add(set: members.map { reference(to: $0) }))
                })
        }
        let templates = model.fetchRequestTemplatesByName.sorted { $0.key < $1.key }
        fields["NSFetchRequestTemplates"] =
            templates.isEmpty
            ? KeyedArchiveWriter.null
            : writer.add(
                mutableDictionary: try templates.compactMap { name, request in
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
            if isStrict { throw error }
            return nil
        }
    }

    /// The entity's object; null for one that is not in the model.
    func reference(to entity: NSEntityDescription?) -> PropertyListValue {
        entity.flatMap { entityReferences[ObjectIdentifier($0)] } ?? KeyedArchiveWriter.null
    }

    /// The object of a property of an entity; null for one that is not in the model.
    func reference(to property: String?, of entity: NSEntityDescription?) -> PropertyListValue {
        guard let property, let entity else { return KeyedArchiveWriter.null }
        return propertyReferences[ObjectIdentifier(entity)]?[property] ?? KeyedArchiveWriter.null
    }

    /// The object of the inverse, which the destination has or inherits.
    func reference(toInverseOf relationship: NSRelationshipDescription) -> PropertyListValue {
        let name = relationship.inverseRelationshipName
        let own = reference(to: name, of: relationship.destinationEntity)
        return own == KeyedArchiveWriter.null ? reference(to: name, of: relationship.inverseRelationship?.owner) : own
    }

    // MARK: Entities

    private mutating func encode(_ entity: NSEntityDescription) throws {
        var fields: [String: PropertyListValue] = [:]
        fields["NSEntityName"] = writer.add(string: entity.name)
        // The class of every entity that names none is not archived.
        let className = entity.managedObjectClassName
        fields["NSClassNameForEntity"] = writer.add(
            string: className == NSEntityDescription.defaultClassName ? nil : className)
        fields["NSManagedObjectModel"] = modelReference
        fields["NSSuperentity"] = reference(to: entity.superentity)
        let subentities = entity.subentities.sorted { $0.name ?? "" < $1.name ?? "" }
        fields["NSSubentities"] = writer.add(
            mutableDictionary: subentities.map { ($0.name ?? "", reference(to: $0)) })
        if entity.isAbstract { fields["NSIsAbstract"] = .boolean(true) }
        fields["NSUserInfo"] = try add(userInfo: entity.userInfo ?? [:])
        fields["NSVersionHashModifier"] = writer.add(string: entity.versionHashModifier)
        fields["NSRenamingIdentifier"] = writer.add(string: entity.renamingIdentifier)
        if !entity.uniquenessConstraintNames.isEmpty {
            fields["NSUniqueTuples"] = add(tuples: entity.uniquenessConstraintNames)
        }
        try addIndexes(of: entity, to: &fields)
        let properties = archivedProperties(of: entity).sorted { $0.name < $1.name }
        for property in properties { try encode(property, of: entity, into: reference(to: property.name, of: entity)) }
        fields["NSProperties"] = writer.add(
            mutableDictionary: properties.map { ($0.name, reference(to: $0.name, of: entity)) })
        writer.fill(reference(to: entity), ["NSEntityDescription", "NSObject"], fields)
    }

    private mutating func addIndexes(
        of entity: NSEntityDescription, to fields: inout [String: PropertyListValue]
    ) throws {
        let indexes = form == .file ? entity.listedIndexes : entity.uncoveredIndexes + entity.indexes
        let compound = entity.compoundIndexNames
        if !indexes.isEmpty {
            fields["NSFetchIndexDescriptions"] = writer.add(
                mutableArray: try indexes.map { try add(index: $0, of: entity) })
        }
        if !indexes.isEmpty || !compound.isEmpty { fields["NSCompoundIndexes"] = add(tuples: compound) }
    }

    /// Whether the archive marks a property as indexed. In a file the mark implies an index that the file does not
    /// list.
    func isMarkedIndexed(_ property: NSPropertyDescription) -> Bool {
        guard form == .file else { return property.isIndexed }
        return property.isMarkedIndexed
            || property.owner?.indexes.contains { index in
                index.name == property.name && index.soleName == property.name
            } == true
    }

    private mutating func add(tuples: [[String]]) -> PropertyListValue {
        writer.add(
            mutableArray: tuples.map { names in writer.add(mutableArray: names.map { writer.add(string: $0) }) })
    }

    mutating func add(userInfo: [AnyHashable: Any]) throws -> PropertyListValue {
        let entries = userInfo.map { (key: "\($0.key.base)", value: $0.value) }.sorted { $0.key < $1.key }
        return writer.add(
            dictionary: try entries.compactMap { key, value in
                try attempt { try $0.writer.add(value: value) }.map { (key, $0) }
            })
    }

    private mutating func add(
        index: NSFetchIndexDescription, of entity: NSEntityDescription
    ) throws -> PropertyListValue {
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
                try encode(expression, of: entity, into: expressionReference)
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
        fields["NSEntity"] = reference(to: entity)
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
