import Foundation

extension ModelDecoder {
    /// Gives an entity its own properties.
    ///
    /// A model in use also archives inherited properties, as full copies or as proxies; the superentity, decoded
    /// before, has them already.
    func decodeProperties(of archived: ArchivedObject, into entity: NSEntityDescription) throws {
        let inherited = Set(entity.superentity?.properties.map(\.name) ?? [])
        var properties: [NSPropertyDescription] = []
        for (name, value) in try archived.entries("NSProperties") {
            guard !inherited.contains(name), let archivedProperty = try archive.object(value),
                let property = try decodeProperty(archivedProperty, name: name)
            else { continue }
            properties.append(property)
        }
        // Dictionaries have no order. Sorted by name, the properties have the same order each time the model is read.
        entity.properties = properties.sorted { $0.name < $1.name }
    }

    /// A property by its archive; `nil` for a proxy of a property that is declared elsewhere.
    func decodeProperty(_ archived: ArchivedObject, name: String, depth: Int = 0) throws -> NSPropertyDescription? {
        if archived.className == "_NSPropertyDescriptionProxy" { return nil }
        try archive.spend(KeyedArchive.weightOfProperty)
        // Only composite attributes nest. Real models nest them once.
        guard depth < 16 else { throw archiveError("The attribute '\(name)' contains itself.") }
        let property: NSPropertyDescription
        if archived.isKind(of: "NSAttributeDescription") {
            property = try decodeAttribute(archived, name: name, depth: depth)
        } else if archived.isKind(of: "NSRelationshipDescription") {
            property = try decodeRelationship(archived)
        } else if archived.isKind(of: "NSExpressionDescription") {
            property = try decodeExpressionDescription(archived)
        } else if archived.isKind(of: "NSFetchedPropertyDescription") {
            let fetched = NSFetchedPropertyDescription()
            if let request = try archived.object("NSFetchRequest") {
                fetched.fetchRequest = try decodeFetchRequest(request, keepsEntity: false)
                if fetched.fetchRequest?.entityName == nil {
                    fetched.fetchRequest?.parameters.givenEntityName = try archived.string(
                        "_NSFetchRequestEntityName")
                }
            }
            property = fetched
        } else {
            throw archiveError("The property '\(name)' is an object of the class '\(archived.className)'.")
        }
        try decodeCommonFields(archived, name: name, into: property)
        return property
    }

    private func decodeCommonFields(
        _ archived: ArchivedObject, name: String, into property: NSPropertyDescription
    ) throws {
        property.name = try archived.string("NSPropertyName") ?? name
        property.isOptional = try archived.flag("NSIsOptional")
        property.isTransient = try archived.flag("NSIsTransient")
        property.isReadOnly = try archived.flag("NSIsReadOnly")
        property.isIndexed = try archived.flag("NSIsIndexed")
        property.isIndexedBySpotlight = try archived.flag("NSIndexedBySpotlight")
        property.isStoredInExternalRecord = try archived.flag("NSStoredInExternalRecord")
        property.versionHashModifier = try archived.string("NSVersionHashModifier")
        property.renamingIdentifier = try archived.string("NSRenamingIdentifier").flatMap {
            $0 == property.name ? nil : $0
        }
        property.userInfo = try userInfo(archived)
        let predicates = try archived.elements("NSValidationPredicates").compactMap { value in
            try archive.object(value).map { try decodePredicate($0) }
        }
        let warnings = try archived.elements("NSValidationWarnings").compactMap { try archive.value($0) }
        guard warnings.isEmpty || warnings.count == predicates.count else {
            throw archiveError("The property '\(name)' has not as many warnings as validation predicates.")
        }
        property.setValidation(predicates: predicates, warnings: warnings)
    }

    private func decodeAttribute(
        _ archived: ArchivedObject, name: String, depth: Int
    ) throws -> NSAttributeDescription {
        let attribute: NSAttributeDescription
        if archived.isKind(of: "NSDerivedAttributeDescription") {
            let derived = NSDerivedAttributeDescription()
            if let expression = try archived.object("NSDerivationExpression") {
                derived.derivationExpression = try decodeExpression(expression)
            }
            attribute = derived
        } else if archived.isKind(of: "NSCompositeAttributeDescription") {
            let composite = NSCompositeAttributeDescription()
            let elements = try archived.elements("NSCompositeElements")
            // Older versions of this library wrote the elements only under the other key.
            composite.elements = try (elements.isEmpty ? archived.elements("NSElements") : elements).compactMap {
                value in
                guard let element = try archive.object(value) else { return nil }
                let name = try element.string("NSPropertyName") ?? ""
                return try decodeProperty(element, name: name, depth: depth + 1) as? NSAttributeDescription
            }
            attribute = composite
        } else {
            attribute = NSAttributeDescription()
        }
        let number = try archived.integer("NSAttributeType") ?? 0
        guard let type = UInt(exactly: number).flatMap({ NSAttributeType(rawValue: $0) }) else {
            throw archiveError("The attribute '\(name)' has the unknown type \(number).")
        }
        attribute.attributeType = type
        attribute.attributeValueClassName = try archived.string("NSAttributeValueClassName")
        attribute.valueTransformerName = try archived.string("NSValueTransformerName")
        let flags = try archived.integer("NSFlagsKey") ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & 4 != 0
        attribute.preservesValueInHistoryOnDeletion = flags & 16 != 0
        attribute.allowsCloudEncryption = try archived.flag("NSAllowsCloudEncryption")
        do {
            attribute.defaultValue = try Self.typed(
                archive.value(archived.fields["NSDefaultValue"]), as: type, name)
        } catch let unknown as KeyedArchive.UnknownClass {
            attribute.opaqueDefaultValue = try archive.object(.reference(unknown.index)).map(OpaqueArchivedValue.init)
        }
        return attribute
    }

    /// Archives write whole numbers as integers and Booleans as either; the attribute's type decides.
    private static func typed(_ value: Any?, as type: NSAttributeType, _ name: String) throws -> Any? {
        guard let number = value as? NSNumber, !(value is NSDecimalNumber) else { return value }
        switch type {
        case .booleanAttributeType: return NSNumber(value: number.boolValue)
        case .doubleAttributeType: return NSNumber(value: number.doubleValue)
        case .floatAttributeType: return NSNumber(value: number.floatValue)
        default: break
        }
        // Only a floating-point attribute can be infinite or NaN.
        guard number.doubleValue.isFinite else { throw unfit(number, name) }
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return NSNumber(value: number.int64Value)
        case .decimalAttributeType:
            // The conversion returns NaN for numbers that no decimal can hold.
            let decimal = number.decimalValue
            guard !decimal.isNaN else { throw unfit(number, name) }
            return NSDecimalNumber(decimal: decimal)
        case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: number.doubleValue)
        default: return number
        }
    }

    private static func unfit(_ number: NSNumber, _ name: String) -> NSError {
        archiveError("The attribute '\(name)' has the default value \(number.doubleValue), which its type cannot hold.")
    }

    private func decodeExpressionDescription(_ archived: ArchivedObject) throws -> NSExpressionDescription {
        let description = NSExpressionDescription()
        if let expression = try archived.object("NSExpression") {
            description.expression = try decodeExpression(expression)
        }
        let type = try archived.integer("NSExpressionType") ?? 0
        description.expressionResultType =
            UInt(exactly: type).flatMap { NSAttributeType(rawValue: $0) } ?? .undefinedAttributeType
        return description
    }

    private func decodeRelationship(_ archived: ArchivedObject) throws -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.destinationEntityName =
            try archived.string("_NSDestinationEntityName") ?? entity(archived.fields["NSDestinationEntity"])?.name
        relationship.inverseRelationshipName =
            try archived.string("_NSInverseRelationshipName")
            ?? archived.object("NSInverseRelationship")?.string("NSPropertyName")
        relationship.minCount = try archived.integer("NSMinCount") ?? 0
        relationship.maxCount = try archived.integer("NSMaxCount") ?? 0
        relationship.isOrdered = try archived.flag("NSIsOrdered")
        let rule = try archived.integer("NSDeleteRule") ?? 1
        guard let deleteRule = UInt(exactly: rule).flatMap({ NSDeleteRule(rawValue: $0) }) else {
            throw archiveError("A relationship of the archive has the unknown delete rule \(rule).")
        }
        relationship.deleteRule = deleteRule
        return relationship
    }

    /// `keepsEntity` is false for fetched properties, because their request would keep the entity alive that owns the
    /// request.
    func decodeFetchRequest(
        _ archived: ArchivedObject, keepsEntity: Bool
    ) throws -> NSFetchRequest<NSFetchRequestResult> {
        let request = NSFetchRequest<NSFetchRequestResult>()
        let target = try entity(archived.fields["NSEntity"])
        request.parameters.givenEntityName = try target?.name ?? archived.object("NSEntity")?.string("NSEntityName")
        if keepsEntity { request.entity = target }
        if let predicate = try archived.object("NSPredicate") { request.predicate = try decodePredicate(predicate) }
        if let predicate = try archived.object("NSHavingPredicate") {
            request.havingPredicate = try decodePredicate(predicate)
        }
        request.fetchLimit = try archived.integer("NSFetchLimit") ?? 0
        request.fetchOffset = try archived.integer("NSFetchOffset") ?? 0
        request.fetchBatchSize = try archived.integer("NSBatchSize") ?? 0
        request.resultType = NSFetchRequestResultType(
            rawValue: UInt(exactly: try archived.integer("NSResultType") ?? 0) ?? 0)
        if let flags = try archived.integer("NSFetchRequestFlags") { request.parameters.archivedFlags = flags }
        request.relationshipKeyPathsForPrefetching = try strings("NSRelationshipKeyPathsForPrefetching", of: archived)
        request.propertiesToFetch = try strings("NSValuesToFetch", of: archived)
        request.propertiesToGroupBy = try strings("NSValuesToGroupBy", of: archived)
        if try archived.object("NSSortDescriptors") != nil {
            request.sortDescriptors = try archived.elements("NSSortDescriptors").compactMap { value in
                try archive.object(value).map { try decodeSortDescriptor($0) }
            }
        }
        return request
    }

    private func decodeSortDescriptor(_ archived: ArchivedObject) throws -> NSSortDescriptor {
        let selector = try archived.string("NSSelector").map { SortSelector(rawValue: $0) }
        guard selector?.isKnown ?? true else {
            throw archiveError("The archive sorts by the unknown comparison '\(selector?.rawValue ?? "")'.")
        }
        return NSSortDescriptor(
            key: try archived.string("NSKey"), ascending: try archived.flag("NSAscending"), selector: selector)
    }

    /// Names or property objects as names; `nil` when the field is null.
    private func strings(_ key: String, of archived: ArchivedObject) throws -> [String]? {
        guard try archived.object(key) != nil else { return nil }
        return try archived.elements(key).compactMap { value in
            if let name = try archive.string(value) { return name }
            return try archive.object(value)?.string("NSPropertyName")
        }
    }
}

extension FetchParameters {
    /// The settings of a fetch request as an archive packs them.
    var archivedFlags: Int {
        get {
            (returnsDistinctResults ? 1 : 0) | (includesSubentities ? 2 : 0) | (includesPropertyValues ? 4 : 0)
                | (returnsObjectsAsFaults ? 8 : 0) | (includesPendingChanges ? 16 : 0)
        }
        set {
            returnsDistinctResults = newValue & 1 != 0
            includesSubentities = newValue & 2 != 0
            includesPropertyValues = newValue & 4 != 0
            returnsObjectsAsFaults = newValue & 8 != 0
            includesPendingChanges = newValue & 16 != 0
        }
    }
}
