import Foundation

/// Makes a model of its XML source (`contents` in an `.xcdatamodel`).
///
/// Entities and attributes are made first, then inheritance, then relationships, which may refer to later entities.
struct ModelSourceReader {
    /// The file named in errors.
    let file: String
    private let root: XMLTreeElement
    let composites: [String: XMLTreeElement]
    /// The number of elements of composites that were made. Nested composites multiply the number.
    private let elements = ElementCount()

    private final class ElementCount {
        static let limit = 20_000
        var made = 0
    }

    init(root: XMLTreeElement, file: String) {
        self.root = root
        self.file = file
        composites = Dictionary(
            root.children(named: "composite").map { ($0.attributes["name"] ?? "", $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Reads and validates the model of a `contents` file.
    static func model(from data: Data, file: String) throws -> NSManagedObjectModel {
        try ModelSourceReader(root: XMLTreeElement.model(in: data, file: file), file: file).makeModel()
    }

    /// Builds the model; throws at the first error.
    func makeModel() throws -> NSManagedObjectModel {
        try checkNames(of: root)
        let sources = root.children(named: "entity")
        var entities: [NSEntityDescription] = []
        var byName: [String: NSEntityDescription] = [:]
        for source in sources {
            let entity = try makeEntity(from: source)
            guard let name = entity.name, byName.updateValue(entity, forKey: name) == nil else {
                let first = sources.first { $0.text("name") == entity.name }?.line ?? 0
                let place = first > 0 ? ": the other one is in line \(first)" : ""
                throw error("the model has two entities of this name\(place). Rename one of them.", at: source)
            }
            entities.append(entity)
        }
        try linkParents(sources, byName)
        for (source, entity) in zip(sources, entities) { try addRelationships(of: source, to: entity, byName) }
        for (source, entity) in zip(sources, entities) { try addIndexes(of: source, to: entity) }
        let model = NSManagedObjectModel()
        model.entities = entities
        try linkInverses(sources, byName)
        for source in root.children(named: "configuration") {
            let members = source.children(named: "memberEntity").compactMap { member in
                let name = member.attributes["name"] ?? ""
                let entity = byName[name]
                if entity == nil {
                    warn("the model has no such entity\(Self.hint(name, among: byName))", at: member)
                }
                return entity
            }
            model.setEntities(members, forConfigurationName: try requiredName(of: source))
        }
        for source in root.children(named: "fetchRequest") {
            // The editor keeps a request when its entity is removed.
            guard byName[source.text("entity") ?? ""] != nil else {
                let name = source.attributes["entity"] ?? ""
                warn("the entity '\(name)' is not in the model\(Self.hint(name, among: byName))", at: source)
                continue
            }
            let request = try makeFetchRequest(from: source, byName, keepsEntity: true)
            model.setFetchRequestTemplate(request, forName: try requiredName(of: source))
        }
        if let identifier = root.attributes["userDefinedModelVersionIdentifier"] {
            model.versionIdentifiers = [identifier]
        }
        for (source, entity) in zip(sources, entities) { try checkConstraints(of: source, entity) }
        do {
            try model.validate()
        } catch let failure as NSError {
            throw located(failure)
        }
        return model
    }

    /// An error about the whole model, with the place of the entity or the property that it names.
    private func located(_ failure: NSError) -> NSError {
        let entity = root.children(named: "entity").first { $0.text("name") == failure.userInfo["entity"] as? String }
        guard let entity else { return modelError(failure.localizedDescription, file: file) }
        let property = failure.userInfo["property"] as? String
        let named = entity.inOrder.dropFirst().last { element in
            property != nil && [element.text("name"), element.text("value")].contains(property)
        }
        return place(of: named ?? entity).error(failure.localizedDescription, separator: ", ")
    }

    // MARK: Entities

    private func makeEntity(from source: XMLTreeElement) throws -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = try requiredName(of: source)
        entity.managedObjectClassName = source.text("representedClassName")
        entity.isAbstract = source.flag("isAbstract")
        entity.versionHashModifier = source.text("versionHashModifier")
        entity.renamingIdentifier = source.text("renamingIdentifier") ?? source.text("elementID")
        entity.userInfo = userInfo(of: source)
        var properties: [NSPropertyDescription] = []
        for child in source.children(named: "attribute") { properties.append(try makeAttribute(from: child)) }
        entity.properties = properties
        entity.uniquenessConstraints =
            source.children(named: "uniquenessConstraints").flatMap { $0.children(named: "uniquenessConstraint") }
            .map { $0.children(named: "constraint").compactMap { $0.text("value") } }
        entity.compoundIndexes =
            source.children(named: "compoundIndexes").flatMap { $0.children(named: "compoundIndex") }
            .map { $0.children(named: "index").compactMap { $0.text("value") } }
        return entity
    }

    private func linkParents(_ sources: [XMLTreeElement], _ byName: [String: NSEntityDescription]) throws {
        var children: [String: [NSEntityDescription]] = [:]
        for source in sources {
            guard let parent = source.text("parentEntity"), let entity = byName[source.attributes["name"] ?? ""]
            else { continue }
            guard byName[parent] != nil else {
                throw error(
                    "the parent entity '\(parent)' is not in the model\(Self.hint(parent, among: byName)) Add it, "
                        + "or remove parentEntity.", at: source)
            }
            children[parent, default: []].append(entity)
        }
        let parents = Dictionary(
            sources.map { ($0.attributes["name"] ?? "", $0.text("parentEntity")) },
            uniquingKeysWith: { first, _ in first })
        // Cycles are detected before entities are linked, because a walk up the inheritance of a cycle would not end.
        for source in sources {
            var seen: Set<String> = []
            var name = source.attributes["name"]
            while let current = name {
                guard seen.insert(current).inserted else {
                    throw error("the entity inherits from itself.", at: source)
                }
                guard seen.count <= NSEntityDescription.maximumInheritance + 1 else {
                    throw error(
                        "the entity inherits over more than \(NSEntityDescription.maximumInheritance) others.",
                        at: source)
                }
                name = parents[current] ?? nil
            }
        }
        for (parent, entities) in children { byName[parent]?.subentities = entities }
    }

    // MARK: Relationships and fetched properties

    private func addRelationships(
        of source: XMLTreeElement, to entity: NSEntityDescription, _ byName: [String: NSEntityDescription]
    ) throws {
        var properties = entity.ownProperties
        for child in source.children {
            switch child.name {
            case "relationship":
                let relationship = NSRelationshipDescription()
                try applyCommonFields(of: child, to: relationship)
                let isToMany = child.flag("toMany")
                relationship.minCount = count("minCount", of: child) ?? 0
                relationship.maxCount = count("maxCount", of: child) ?? (isToMany ? 0 : 1)
                relationship.isOrdered = child.flag("ordered")
                relationship.deleteRule = try deleteRule(of: child)
                guard let name = child.text("destinationEntity") else {
                    throw error(
                        "entity '\(entity.name ?? "")': the relationship has no destination entity; write "
                            + "destinationEntity=\"NAME\".", at: child)
                }
                guard let destination = byName[name] else {
                    throw error(
                        "entity '\(entity.name ?? "")': the destination entity '\(name)' is not in the model"
                            + "\(Self.hint(name, among: byName))", at: child)
                }
                relationship.destinationEntity = destination
                properties.append(relationship)
            case "fetchedProperty":
                let property = NSFetchedPropertyDescription()
                try applyCommonFields(of: child, to: property)
                property.isTransient = true
                if let request = child.children(named: "fetchRequest").first {
                    property.fetchRequest = try makeFetchRequest(from: request, byName, keepsEntity: false)
                }
                properties.append(property)
            default: continue
            }
        }
        entity.properties = properties
    }

    private func linkInverses(_ sources: [XMLTreeElement], _ byName: [String: NSEntityDescription]) throws {
        let properties = byName.mapValues(\.propertiesByName)
        let elements = Dictionary(
            sources.map { ($0.attributes["name"] ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        for source in sources {
            guard let name = source.attributes["name"], let entity = byName[name] else { continue }
            for child in source.children(named: "relationship") {
                guard let inverseName = child.text("inverseName"),
                    let relationship = properties[name]?[child.attributes["name"] ?? ""] as? NSRelationshipDescription
                else { continue }
                let holder = child.text("inverseEntity") ?? child.text("destinationEntity") ?? ""
                let found = properties[holder]?[inverseName]
                guard let inverse = found as? NSRelationshipDescription else {
                    var near =
                        properties[holder].map { Self.hint(inverseName, among: $0) } ?? Self.hint(holder, among: byName)
                    if let destination = child.text("destinationEntity"), destination != holder,
                        properties[destination]?[inverseName] is NSRelationshipDescription
                    {
                        near = "; write inverseEntity=\"\(destination)\", the entity to which it leads."
                    } else if near == ".", let own = relationship.owner?.name, byName[holder] != nil {
                        near =
                            "; write it into '\(holder)', with inverseName=\"\(relationship.name)\" "
                            + "inverseEntity=\"\(own)\"."
                    }
                    throw error(
                        "entity '\(entity.name ?? "")': the inverse '\(holder).\(inverseName)' is "
                            + (found == nil ? "not in the model\(near)" : "no relationship."), at: child)
                }
                try checkNaming(of: relationship, by: inverse, elements)
                relationship.inverseRelationship = inverse
            }
        }
    }

    private func deleteRule(of source: XMLTreeElement) throws -> NSDeleteRule {
        switch (source.text("deletionRule") ?? "").lowercased().filter({ !$0.isWhitespace }) {
        case "", "nullify": .nullifyDeleteRule
        case "cascade": .cascadeDeleteRule
        case "deny": .denyDeleteRule
        case "noaction": .noActionDeleteRule
        default:
            let rule = source.text("deletionRule") ?? ""
            let known = ["Nullify", "Cascade", "Deny", "No Action"]
            let nearest = NearestName.hint(rule, among: known)
            throw error(
                "unknown deletion rule '\(rule)'\(nearest.isEmpty ? "." : nearest) The rules are "
                    + "\(known.joined(separator: ", ")).", at: source)
        }
    }

    // MARK: Fetch requests

    /// `keepsEntity` is false for fetched properties, because their request would keep the entity alive that owns the
    /// request.
    private func makeFetchRequest(
        from source: XMLTreeElement, _ byName: [String: NSEntityDescription], keepsEntity: Bool
    ) throws -> NSFetchRequest<NSFetchRequestResult> {
        guard let entityName = source.text("entity"), let entity = byName[entityName] else {
            let name = source.attributes["entity"] ?? ""
            throw error("the entity '\(name)' is not in the model\(Self.hint(name, among: byName))", at: source)
        }
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: entityName)
        if keepsEntity { request.entity = entity }
        if let format = source.text("predicateString") { request.predicate = try predicate(format, at: source) }
        request.fetchLimit = integer("fetchLimit", of: source) ?? 0
        request.fetchBatchSize = integer("fetchBatchSize", of: source) ?? 0
        let resultType = integer("resultType", of: source).flatMap { UInt(exactly: $0) }
        request.resultType = NSFetchRequestResultType(rawValue: resultType ?? 0)
        // Apple's compiler clears these settings, too, which such requests do not support or need.
        switch request.resultType {
        case .managedObjectIDResultType: request.includesPropertyValues = false
        case .dictionaryResultType: request.includesPendingChanges = false
        default: break
        }
        request.returnsDistinctResults = source.flag("returnDistinctResults")
        // The editor writes these attributes once it has shown the request; a source without them means the defaults.
        let switches = [
            "includeSubentities", "includePropertyValues", "includesPendingChanges", "returnObjectsAsFaults",
        ]
        if switches.contains(where: { source.attributes[$0] != nil }) {
            request.includesSubentities = source.flag("includeSubentities")
            request.includesPropertyValues = source.flag("includePropertyValues")
            request.includesPendingChanges = source.flag("includesPendingChanges")
            request.returnsObjectsAsFaults = source.flag("returnObjectsAsFaults")
        }
        return request
    }

    // MARK: Attributes

    func makeAttribute(from source: XMLTreeElement, depth: Int = 0) throws -> NSAttributeDescription {
        let type = try attributeType(of: source)
        let attribute: NSAttributeDescription
        if type == .compositeAttributeType {
            attribute = try makeComposite(from: source, depth: depth)
        } else if source.flag("derived") {
            let derived = NSDerivedAttributeDescription()
            derived.derivationExpression = try derivationExpression(of: source)
            attribute = derived
        } else {
            attribute = NSAttributeDescription()
        }
        try applyCommonFields(of: source, to: attribute)
        attribute.attributeType = type
        attribute.valueTransformerName = source.text("valueTransformerName")
        if let className = source.text("customClassName") { attribute.attributeValueClassName = className }
        attribute.allowsExternalBinaryDataStorage = source.flag("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = source.flag("preserveAfterDeletion")
        attribute.allowsCloudEncryption = source.flag("allowsCloudEncryption")
        attribute.defaultValue = defaultValue(of: source, type: type)
        addValidation(of: source, to: attribute)
        return attribute
    }

    private func makeComposite(from source: XMLTreeElement, depth: Int) throws -> NSCompositeAttributeDescription {
        guard let name = source.text("composite"), let definition = composites[name] else {
            let name = source.attributes["composite"] ?? ""
            throw error("the composite '\(name)' is not in the model\(Self.hint(name, among: composites))", at: source)
        }
        guard depth < composites.count else {
            throw error("the composite '\(name)' contains itself.", at: source)
        }
        let children = definition.children(named: "attribute")
        elements.made += children.count
        guard elements.made <= ElementCount.limit else {
            throw error(
                "the composite '\(name)' brings the elements of composites to more than \(ElementCount.limit).",
                at: source)
        }
        let attribute = NSCompositeAttributeDescription()
        attribute.elements = try children.map {
            try makeAttribute(from: $0, depth: depth + 1)
        }
        return attribute
    }

    private func applyCommonFields(of source: XMLTreeElement, to property: NSPropertyDescription) throws {
        property.name = try requiredName(of: source)
        property.isOptional = source.flag("optional")
        property.isTransient = source.flag("transient")
        property.isIndexed = source.flag("indexed")
        property.isIndexedBySpotlight = source.flag("spotlightIndexingEnabled")
        property.isStoredInExternalRecord = source.flag("storedInTruthFile")
        property.versionHashModifier = source.text("versionHashModifier")
        property.renamingIdentifier = source.text("renamingIdentifier") ?? source.text("elementID")
        property.userInfo = userInfo(of: source)
    }

    // MARK: Small things

    /// The end of a sentence about an unknown name: the nearest one, or a full stop if none is near.
    static func hint(_ name: String, among known: [String: some Any]) -> String {
        let nearest = NearestName.hint(name, among: known.keys.sorted())
        return nearest.isEmpty ? "." : nearest
    }

    func requiredName(of source: XMLTreeElement) throws -> String {
        guard let name = source.text("name") else { throw error("the element has no name.", at: source) }
        return name
    }

    /// A whole number in an attribute of the source; `nil` when it has none. Text that is no whole number causes a
    /// warning.
    func integer(_ attribute: String, of source: XMLTreeElement) -> Int? {
        number(attribute, of: source, "is not a whole number") { SourceValue($0, type: .integer64AttributeType) }?
            .intValue
    }

    /// The number of objects that a relationship may lead to.
    private func count(_ attribute: String, of source: XMLTreeElement) -> Int? {
        guard let number = integer(attribute, of: source) else { return nil }
        if (0...Int(Int32.max)).contains(number) { return number }
        warn("\(attribute) is \(number), which no relationship can have, and does not count.", at: source)
        return nil
    }

    /// The user info of an element; empty if the source has none, as on a Mac.
    private func userInfo(of source: XMLTreeElement) -> [AnyHashable: Any] {
        let entries = source.children(named: "userInfo").flatMap { $0.children(named: "entry") }
        var info: [AnyHashable: Any] = [:]
        for entry in entries { info[entry.attributes["key"] ?? ""] = entry.attributes["value"] ?? "" }
        return info
    }

    /// Reports text that probably has a mistake.
    func warn(_ text: String, at source: XMLTreeElement) {
        ModelWarning(place: place(of: source), text: "\(source.summary): \(text)").post()
    }

    /// An error that names file, line and element.
    func error(_ reason: String, at source: XMLTreeElement) -> NSError {
        place(of: source).error("\(source.summary): \(reason)", separator: ", ")
    }

    private func place(of source: XMLTreeElement) -> ModelSourcePlace {
        ModelSourcePlace(file: file, line: source.line, column: max(source.column, 1))
    }
}
