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
        default: .none
        }
    }
}
