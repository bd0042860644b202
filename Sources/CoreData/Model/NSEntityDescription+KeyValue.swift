import Foundation

extension NSEntityDescription: KeyValueDescribed {
    func property(forKey key: String) -> Any?? {
        switch key {
        case "name": .some(name)
        case "managedObjectClassName": .some(managedObjectClassName)
        case "abstract": .some(NSNumber(value: isAbstract))
        case "superentity": .some(superentity)
        case "subentities": .some(subentities)
        case "subentitiesByName": .some(subentitiesByName)
        case "properties": .some(properties)
        case "propertiesByName": .some(propertiesByName)
        case "attributesByName": .some(attributesByName)
        case "relationshipsByName": .some(relationshipsByName)
        case "userInfo": .some(userInfo)
        case "versionHash": .some(versionHash)
        case "versionHashModifier": .some(versionHashModifier)
        case "renamingIdentifier": .some(renamingIdentifier)
        case "managedObjectModel": .some(managedObjectModel)
        case "uniquenessConstraints": .some(uniquenessConstraints)
        case "indexes": .some(indexes)
        default: .none
        }
    }
}

extension NSPropertyDescription: KeyValueDescribed {
    func property(forKey key: String) -> Any?? {
        switch key {
        case "name": .some(name)
        case "entity": .some(entity)
        case "optional": .some(NSNumber(value: isOptional))
        case "transient": .some(NSNumber(value: isTransient))
        case "userInfo": .some(userInfo)
        case "versionHash": .some(versionHash)
        case "versionHashModifier": .some(versionHashModifier)
        case "renamingIdentifier": .some(renamingIdentifier)
        case "validationPredicates": .some(validationPredicates)
        case "indexedBySpotlight": .some(NSNumber(value: isIndexedBySpotlight))
        case "storedInExternalRecord": .some(NSNumber(value: isStoredInExternalRecord))
        default:
            switch self {
            case let attribute as NSAttributeDescription: attribute.attributeProperty(forKey: key)
            case let relationship as NSRelationshipDescription: relationship.relationshipProperty(forKey: key)
            case let fetched as NSFetchedPropertyDescription:
                key == "fetchRequest" ? .some(fetched.fetchRequest) : .none
            case let computed as NSExpressionDescription: computed.expressionProperty(forKey: key)
            default: .none
            }
        }
    }
}

extension NSAttributeDescription {
    fileprivate func attributeProperty(forKey key: String) -> Any?? {
        switch key {
        case "attributeType": .some(NSNumber(value: attributeType.rawValue))
        case "attributeValueClassName": .some(attributeValueClassName)
        case "defaultValue": .some(defaultValue)
        case "valueTransformerName": .some(valueTransformerName)
        case "allowsExternalBinaryDataStorage": .some(NSNumber(value: allowsExternalBinaryDataStorage))
        case "preservesValueInHistoryOnDeletion": .some(NSNumber(value: preservesValueInHistoryOnDeletion))
        case "allowsCloudEncryption": .some(NSNumber(value: allowsCloudEncryption))
        default:
            switch (key, self) {
            case ("derivationExpression", let derived as NSDerivedAttributeDescription):
                .some(derived.derivationExpression)
            case ("elements", let composite as NSCompositeAttributeDescription): .some(composite.elements)
            default: .none
            }
        }
    }
}

extension NSRelationshipDescription {
    fileprivate func relationshipProperty(forKey key: String) -> Any?? {
        switch key {
        case "destinationEntity": .some(destinationEntity)
        case "inverseRelationship": .some(inverseRelationship)
        case "maxCount": .some(NSNumber(value: maxCount))
        case "minCount": .some(NSNumber(value: minCount))
        case "deleteRule": .some(NSNumber(value: deleteRule.rawValue))
        case "toMany": .some(NSNumber(value: isToMany))
        case "ordered": .some(NSNumber(value: isOrdered))
        default: .none
        }
    }
}

extension NSExpressionDescription {
    fileprivate func expressionProperty(forKey key: String) -> Any?? {
        switch key {
        case "expression": .some(expression)
        case "expressionResultType": .some(NSNumber(value: expressionResultType.rawValue))
        default: .none
        }
    }
}

extension NSManagedObjectModel: KeyValueDescribed {
    func property(forKey key: String) -> Any?? {
        switch key {
        case "entities": .some(entities)
        case "entitiesByName": .some(entitiesByName)
        case "configurations": .some(configurations)
        case "fetchRequestTemplatesByName": .some(fetchRequestTemplatesByName)
        case "localizationDictionary": .some(localizationDictionary)
        case "versionIdentifiers": .some(versionIdentifiers)
        case "entityVersionHashesByName": .some(entityVersionHashesByName)
        case "versionChecksum": .some(versionChecksum)
        default: .none
        }
    }
}
