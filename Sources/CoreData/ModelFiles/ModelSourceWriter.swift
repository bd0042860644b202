import Foundation

/// Writes a model that was compiled, or made in code, as the elements of a source.
package struct ModelSourceWriter {
    private let model: NSManagedObjectModel
    /// The parts of the model that a source has no place for.
    package private(set) var notes: [String] = []
    /// The definitions of composites, by name.
    private var composites: [(name: String, elements: [ModelSourceElement])] = []

    package init(_ model: NSManagedObjectModel) { self.model = model }

    /// The elements below the root, in Xcode's order.
    package mutating func elements() -> [ModelSourceElement] {
        let entities = model.entities.sorted { ModelSourceOrder.areSorted($0.name ?? "", $1.name ?? "") }
        var elements = entities.map { element(of: $0) }
        for (name, request) in model.fetchRequestTemplatesByName.sorted(by: { $0.key < $1.key }) {
            elements.append(self.element(of: request, named: name))
        }
        for name in model.configurations where !name.hasPrefix("PF_DEFAULT") {
            let members = (model.entities(forConfigurationName: name) ?? []).compactMap(\.name).sorted()
            elements.append(
                ModelSourceElement(
                    "configuration", [("name", name)],
                    members.map { ModelSourceElement("memberEntity", [("name", $0)]) }))
        }
        if !(model.localizationDictionary ?? [:]).isEmpty {
            notes.append("the model's localization dictionary has no place in a source")
        }
        let definitions = composites.map { ModelSourceElement("composite", [("name", $0.name)], $0.elements) }
        return elements.filter { $0.name == "entity" } + definitions + elements.filter { $0.name != "entity" }
    }

    // MARK: Entities

    private mutating func element(of entity: NSEntityDescription) -> ModelSourceElement {
        let name = entity.name ?? ""
        let className = entity.managedObjectClassName ?? "NSManagedObject"
        let own = entity.ownProperties.sorted { ModelSourceOrder.areSorted($0.name, $1.name) }
        var children = own.compactMap { $0 as? NSAttributeDescription }.map { element(of: $0, in: name) }
        children += own.compactMap { $0 as? NSRelationshipDescription }.map { element(of: $0) }
        for case let property as NSFetchedPropertyDescription in own {
            let request = property.fetchRequest.map { [element(of: $0, named: "fetchedPropertyFetchRequest")] } ?? []
            children.append(
                ModelSourceElement("fetchedProperty", common(of: property), request + userInfo(property.userInfo, name))
            )
        }
        for property in own where property is NSExpressionDescription {
            notes.append("'\(name).\(property.name)' is an expression, which a source has no place for")
        }
        // A reader adds the other ones.
        let indexes = entity.uncoveredIndexes + entity.listedIndexes
        children += indexes.sorted { $0.name < $1.name }.map { element(of: $0, in: name) }
        children += constraints(of: entity) + userInfo(entity.userInfo, name)
        if entity.coreSpotlightDisplayNameExpression.expressionType != .constantValue {
            notes.append("the Spotlight name of '\(name)' has no place in a source")
        }
        return ModelSourceElement(
            "entity",
            [
                ("name", name), ("representedClassName", className == "NSManagedObject" ? nil : className),
                ("isAbstract", entity.isAbstract ? "YES" : nil), ("parentEntity", entity.superentity?.name),
                ("elementID", entity.renamingIdentifier == name ? nil : entity.renamingIdentifier),
                ("versionHashModifier", entity.versionHashModifier), ("syncable", "YES"),
            ], children)
    }

    private func constraints(of entity: NSEntityDescription) -> [ModelSourceElement] {
        let inherited = sequence(first: entity, next: \.superentity).dropFirst().flatMap(\.uniquenessConstraintNames)
        let own = entity.uniquenessConstraintNames.filter { !inherited.contains($0) }
        guard !own.isEmpty else { return [] }
        return [
            ModelSourceElement(
                "uniquenessConstraints", [],
                own.map { keys in
                    ModelSourceElement(
                        "uniquenessConstraint", [], keys.map { ModelSourceElement("constraint", [("value", $0)]) })
                })
        ]
    }

    private mutating func element(of index: NSFetchIndexDescription, in entity: String) -> ModelSourceElement {
        let elements = index.elements.compactMap { element -> ModelSourceElement? in
            guard let name = element.propertyName, element.property is NSExpressionDescription == false else {
                notes.append("the index '\(index.name)' of '\(entity)' is over an expression, which is left out")
                return nil
            }
            return ModelSourceElement(
                "fetchIndexElement",
                [
                    ("property", name), ("type", element.collationType == .rTree ? "RTree" : "Binary"),
                    ("order", element.isAscending ? "ascending" : "descending"),
                ])
        }
        return ModelSourceElement(
            "fetchIndex",
            [("name", index.name), ("partialIndexPredicate", index.partialIndexPredicate.map { "\($0)" })], elements)
    }

    private mutating func userInfo(_ info: [AnyHashable: Any]?, _ owner: String) -> [ModelSourceElement] {
        let entries = (info ?? [:]).compactMap { key, value -> (String, String)? in
            guard let key = key.base as? String, let value = value as? String else {
                notes.append("an entry of the user info of '\(owner)' is no text, and is left out")
                return nil
            }
            return (key, value)
        }
        guard !entries.isEmpty else { return [] }
        return [
            ModelSourceElement(
                "userInfo", [],
                entries.sorted { $0.0 < $1.0 }.map { ModelSourceElement("entry", [("key", $0.0), ("value", $0.1)]) })
        ]
    }

    // MARK: Properties

    private func common(of property: NSPropertyDescription) -> [(String, String?)] {
        let renaming = property.renamingIdentifier
        return [
            ("name", property.name), ("optional", property.isOptional ? "YES" : nil),
            ("transient", property.isTransient && !(property is NSFetchedPropertyDescription) ? "YES" : nil),
            ("spotlightIndexingEnabled", property.isIndexedBySpotlight ? "YES" : nil),
            ("storedInTruthFile", property.isStoredInExternalRecord ? "YES" : nil),
            ("elementID", renaming == property.name ? nil : renaming),
            ("versionHashModifier", property.versionHashModifier),
        ]
    }

    private mutating func element(of attribute: NSAttributeDescription, in entity: String) -> ModelSourceElement {
        let place = "\(entity).\(attribute.name)"
        var element = ModelSourceElement("attribute")
        func set(_ name: String, _ value: String?) { if let value { element.set(name, value) } }
        for (name, value) in common(of: attribute) { set(name, value) }
        set("attributeType", Self.typeName(attribute.attributeType))
        set("allowsExternalBinaryDataStorage", attribute.allowsExternalBinaryDataStorage ? "YES" : nil)
        set("preserveAfterDeletion", attribute.preservesValueInHistoryOnDeletion ? "YES" : nil)
        set("allowsCloudEncryption", attribute.allowsCloudEncryption ? "YES" : nil)
        set("valueTransformerName", attribute.valueTransformerName)
        if attribute.attributeType == .transformableAttributeType {
            set(
                "customClassName",
                attribute.attributeValueClassName == "NSObject" ? nil : attribute.attributeValueClassName)
        }
        if let derived = attribute as? NSDerivedAttributeDescription {
            set("derived", "YES")
            set("derivationExpression", derived.derivationExpression.map(Self.derivation))
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            set("composite", self.composite(composite, place))
        }
        for (name, value) in limits(of: attribute, place) { set(name, value) }
        if let value = attribute.defaultValue {
            let (name, text) = Self.defaultText(value, attribute.attributeType)
            if text == nil { notes.append("the default value of '\(place)' has no form in a source") }
            set(name, text)
        }
        element.children = userInfo(attribute.userInfo, place)
        return element
    }

    /// The name of a type in sources. The editor shows two types by other names.
    private static func typeName(_ type: NSAttributeType) -> String {
        switch type {
        case .binaryDataAttributeType: "Binary"
        case .objectIDAttributeType: "Undefined"
        default: type.readableName
        }
    }

    /// The attribute of the source for a default value, and its text.
    private static func defaultText(_ value: Any, _ type: NSAttributeType) -> (name: String, text: String?) {
        let text: String? =
            switch value {
            case let date as Date where type == .dateAttributeType: number(date.timeIntervalSinceReferenceDate)
            case let text as String: text
            case let number as NSDecimalNumber: number.stringValue
            case let number as NSNumber where type == .booleanAttributeType: number.boolValue ? "YES" : "NO"
            case let value as NSNumber where type == .doubleAttributeType: "\(value.doubleValue)"
            case let value as NSNumber where type == .floatAttributeType: "\(value.floatValue)"
            case let number as NSNumber: "\(number.int64Value)"
            case let identifier as UUID: identifier.uuidString
            case let url as URL: url.absoluteString
            default: nil
            }
        return (type == .dateAttributeType ? "defaultDateTimeInterval" : "defaultValueString", text)
    }

    /// A number, without a fraction if it has none.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// The format of a derivation, with the aggregates in the form of key paths.
    private static func derivation(_ expression: NSExpression) -> String {
        if expression.expressionType == .function, let path = expression.arguments?.first,
            path.expressionType == .keyPath
        {
            switch expression.function {
            case "count:": return path.keyPath + ".@count"
            case "sum:": return path.keyPath + ".@sum"
            default: break
            }
        }
        return "\(expression)"
    }

    /// The name of the definition of a composite. Equal ones share a definition.
    private mutating func composite(_ attribute: NSCompositeAttributeDescription, _ place: String) -> String {
        let elements = attribute.elements.map { element(of: $0, in: place) }
        func text(_ elements: [ModelSourceElement]) -> [String] {
            elements.map { $0.text(indent: "", unit: "", newline: "") }
        }
        if let known = composites.first(where: { text($0.elements) == text(elements) }) { return known.name }
        let base = attribute.name.prefix(1).uppercased() + attribute.name.dropFirst()
        var name = base
        var number = 2
        while composites.contains(where: { $0.name == name }) || model.entitiesByName[name] != nil {
            (name, number) = ("\(base)\(number)", number + 1)
        }
        composites.append((name, elements))
        return name
    }

    /// The limits of an attribute's values. Other conditions are noted.
    private mutating func limits(of attribute: NSAttributeDescription, _ place: String) -> [(String, String)] {
        attribute.validationPredicates.compactMap { predicate in
            if let comparison = predicate as? NSComparisonPredicate,
                let limit = Self.limit(comparison, attribute.attributeType)
            {
                return limit
            }
            notes.append("the validation of '\(place)' has no place in a source: \(predicate)")
            return nil
        }
    }

    private static func limit(_ comparison: NSComparisonPredicate, _ type: NSAttributeType) -> (String, String)? {
        guard comparison.rightExpression.expressionType == .constantValue,
            let value = comparison.rightExpression.constantValue
        else { return nil }
        let isLength =
            comparison.leftExpression.expressionType == .keyPath && comparison.leftExpression.keyPath == "length"
        guard isLength == (type == .stringAttributeType) || comparison.predicateOperatorType == .matches else {
            return nil
        }
        let text: String? =
            switch value {
            case let date as Date: number(date.timeIntervalSinceReferenceDate)
            case let decimal as NSDecimalNumber: decimal.stringValue
            case let value as NSNumber: number(value.doubleValue)
            default: nil
            }
        let unit = type == .dateAttributeType ? "DateTimeInterval" : "ValueString"
        switch comparison.predicateOperatorType {
        case .greaterThanOrEqualTo: return text.map { ("min\(unit)", $0) }
        case .lessThanOrEqualTo: return text.map { ("max\(unit)", $0) }
        case .matches: return (value as? String).map { ("regularExpressionString", $0) }
        default: return nil
        }
    }

    private mutating func element(of relationship: NSRelationshipDescription) -> ModelSourceElement {
        var element = ModelSourceElement("relationship")
        func set(_ name: String, _ value: String?) { if let value { element.set(name, value) } }
        for (name, value) in common(of: relationship) { set(name, value) }
        let destination = relationship.destinationEntity?.name
        set("toMany", relationship.isToMany ? "YES" : nil)
        set("minCount", relationship.minCount > 0 ? "\(relationship.minCount)" : nil)
        set("maxCount", relationship.maxCount > 0 ? "\(relationship.maxCount)" : nil)
        let rules: [NSDeleteRule: String] = [
            .noActionDeleteRule: "No Action", .nullifyDeleteRule: "Nullify", .cascadeDeleteRule: "Cascade",
            .denyDeleteRule: "Deny",
        ]
        set("deletionRule", rules[relationship.deleteRule])
        set("ordered", relationship.isOrdered ? "YES" : nil)
        set("destinationEntity", destination)
        if let inverse = relationship.inverseRelationship {
            set("inverseName", inverse.name)
            set("inverseEntity", inverse.entity.name)
        }
        let place = "\(relationship.entity.name ?? "").\(relationship.name)"
        element.children = userInfo(relationship.userInfo, place)
        return element
    }

    // MARK: Requests

    private mutating func element(of request: NSFetchRequest<NSFetchRequestResult>, named name: String)
        -> ModelSourceElement
    {
        if !(request.sortDescriptors ?? []).isEmpty {
            notes.append("the order of the fetch request '\(name)' has no place in a source")
        }
        func flag(_ isSet: Bool) -> String? { isSet ? "YES" : nil }
        // A source with one of these attributes means NO where another one is missing.
        let isUsual =
            request.includesSubentities && request.includesPropertyValues && request.includesPendingChanges
            && request.returnsObjectsAsFaults
        func choice(_ isSet: Bool) -> String? { isUsual ? nil : isSet ? "YES" : "NO" }
        return ModelSourceElement(
            "fetchRequest",
            [
                ("name", name), ("entity", request.entity?.name ?? request.entityName),
                ("predicateString", request.predicate.map { "\($0)" }),
                ("fetchLimit", request.fetchLimit > 0 ? "\(request.fetchLimit)" : nil),
                ("fetchBatchSize", request.fetchBatchSize > 0 ? "\(request.fetchBatchSize)" : nil),
                ("includeSubentities", choice(request.includesSubentities)),
                ("includePropertyValues", choice(request.includesPropertyValues)),
                ("includesPendingChanges", choice(request.includesPendingChanges)),
                ("returnObjectsAsFaults", choice(request.returnsObjectsAsFaults)),
                ("returnDistinctResults", flag(request.returnsDistinctResults)),
                ("resultType", request.resultType == [] ? nil : "\(request.resultType.rawValue)"),
            ])
    }
}
