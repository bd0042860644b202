import Foundation

extension ModelEncoder {
    /// Writes a property, as that of an entity which has or inherits it, into its reserved object.
    mutating func encode(
        _ property: NSPropertyDescription, of entity: NSEntityDescription, into reserved: PropertyListValue
    ) throws {
        var fields = try commonFields(of: property)
        fields["NSEntity"] = reference(to: entity)
        var chain = ["NSPropertyDescription", "NSObject"]
        switch property {
        case let attribute as NSAttributeDescription:
            chain.insert("NSAttributeDescription", at: 0)
            try addFields(of: attribute, to: &fields)
            if let derived = attribute as? NSDerivedAttributeDescription {
                chain.insert("NSDerivedAttributeDescription", at: 0)
                fields["NSDerivationExpression"] =
                    try derived.derivationExpression.map { try add(expression: $0) } ?? KeyedArchiveWriter.null
                fields["NSFilteringPredicate"] = KeyedArchiveWriter.null
            } else if let composite = attribute as? NSCompositeAttributeDescription {
                chain.insert("NSCompositeAttributeDescription", at: 0)
                var elements: [PropertyListValue] = []
                for element in composite.elements {
                    let elementReference = writer.reserve()
                    try encode(element, of: entity, into: elementReference)
                    elements.append(elementReference)
                }
                fields["NSCompositeElements"] = writer.add(mutableArray: elements)
                // Older versions of this library read the elements from this key.
                fields["NSElements"] = writer.add(array: elements)
            }
        case let relationship as NSRelationshipDescription:
            chain.insert("NSRelationshipDescription", at: 0)
            fields["NSDestinationEntity"] = reference(to: relationship.destinationEntity)
            fields["_NSDestinationEntityName"] = writer.add(string: relationship.destinationEntityName)
            fields["NSInverseRelationship"] = reference(toInverseOf: relationship)
            fields["_NSInverseRelationshipName"] = writer.add(string: relationship.inverseRelationshipName)
            fields["NSMinCount"] = .integer(Int64(relationship.minCount))
            fields["NSMaxCount"] = .integer(Int64(relationship.maxCount))
            fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
            if relationship.isOrdered { fields["NSIsOrdered"] = .boolean(true) }
        case let fetched as NSFetchedPropertyDescription:
            chain.insert("NSFetchedPropertyDescription", at: 0)
            fields["NSFetchRequest"] =
                try fetched.fetchRequest.flatMap { request in
                    try attempt { try $0.add(request: request.parameters) }
                } ?? KeyedArchiveWriter.null
            fields["_NSFetchRequestEntityName"] = writer.add(string: fetched.fetchRequest?.entityName)
        case let description as NSExpressionDescription:
            chain.insert("NSExpressionDescription", at: 0)
            fields["NSExpression"] =
                try description.expression.map { try add(expression: $0) } ?? KeyedArchiveWriter.null
            fields["NSExpressionType"] = .integer(Int64(description.expressionResultType.rawValue))
        default: break
        }
        writer.fill(reserved, chain, fields)
    }

    private mutating func commonFields(of property: NSPropertyDescription) throws -> [String: PropertyListValue] {
        var fields: [String: PropertyListValue] = [:]
        fields["NSPropertyName"] = writer.add(string: property.name)
        fields["NSRenamingIdentifier"] = writer.add(string: property.renamingIdentifier)
        if property.isOptional { fields["NSIsOptional"] = .boolean(true) }
        if property.isTransient { fields["NSIsTransient"] = .boolean(true) }
        if property.isReadOnly { fields["NSIsReadOnly"] = .boolean(true) }
        if isMarkedIndexed(property) { fields["NSIsIndexed"] = .boolean(true) }
        if property.isIndexedBySpotlight { fields["NSIndexedBySpotlight"] = .boolean(true) }
        if property.isStoredInExternalRecord { fields["NSStoredInExternalRecord"] = .boolean(true) }
        if let info = property.userInfo, !info.isEmpty { fields["NSUserInfo"] = try add(userInfo: info) }
        if let modifier = property.versionHashModifier {
            fields["NSVersionHashModifier"] = writer.add(string: modifier)
        }
        var predicates: [PropertyListValue] = []
        var warnings: [PropertyListValue] = []
        for (index, predicate) in property.validationPredicates.enumerated() {
            guard let archived = try attempt({ try $0.add(predicate: predicate) }) else { continue }
            predicates.append(archived)
            if property.validationWarnings.indices.contains(index) {
                let warning = property.validationWarnings[index]
                warnings.append(try attempt { try $0.writer.add(value: warning) } ?? writer.add(string: ""))
            }
        }
        if !predicates.isEmpty {
            fields["NSValidationPredicates"] = writer.add(array: predicates)
            fields["NSValidationWarnings"] = writer.add(array: warnings)
        }
        fields["_P"] = .integer(Int64(Self.bits(of: property, fields)))
        return fields
    }

    /// The redundant bit field `_P`: the kind of the property, and the absence of its rarer parts.
    private static func bits(of property: NSPropertyDescription, _ fields: [String: PropertyListValue]) -> Int {
        var bits = 1
        if property.isOptional { bits |= 1 << 1 }
        if property.isReadOnly { bits |= 1 << 2 }
        if property.isTransient { bits |= 1 << 3 }
        if fields["NSValidationPredicates"] == nil { bits |= 1 << 4 }
        if fields["NSValidationWarnings"] == nil { bits |= 1 << 5 }
        if property.userInfo?.isEmpty ?? true { bits |= 1 << 6 }
        if property.versionHashModifier == nil { bits |= 1 << 7 }
        if property.isIndexedBySpotlight { bits |= 1 << 8 }
        if property.isStoredInExternalRecord { bits |= 1 << 9 }
        if (property as? NSRelationshipDescription)?.isOrdered == true { bits |= 1 << 10 }
        if (property as? NSAttributeDescription)?.allowsCloudEncryption == true { bits |= 1 << 11 }
        return bits
    }

    private mutating func addFields(
        of attribute: NSAttributeDescription, to fields: inout [String: PropertyListValue]
    ) throws {
        fields["NSAttributeType"] = .integer(Int64(attribute.attributeType.rawValue))
        fields["NSAttributeValueClassName"] = writer.add(string: attribute.attributeValueClassName)
        if let opaque = attribute.opaqueDefaultValue {
            fields["NSDefaultValue"] = try writer.add(opaque)
        } else {
            var value = attribute.defaultValue
            // Apple's archives have the default values of composite attributes as mutable dictionaries.
            if let elements = value as? NSDictionary, attribute is NSCompositeAttributeDescription {
                value = elements.mutableCopy()
            }
            fields["NSDefaultValue"] = try attempt { try $0.writer.add(value: value) } ?? KeyedArchiveWriter.null
        }
        fields["NSValueTransformerName"] = writer.add(string: attribute.valueTransformerName)
        let flags: Int64 =
            (attribute.allowsExternalBinaryDataStorage ? 4 : 0) | (attribute.preservesValueInHistoryOnDeletion ? 16 : 0)
        fields["NSFlagsKey"] = .integer(flags)
        if attribute.allowsCloudEncryption { fields["NSAllowsCloudEncryption"] = .boolean(true) }
    }
}
