import Foundation

extension NSManagedObjectID: KeyValueDescribed {
    func property(forKey key: String) -> Any?? {
        switch key {
        case "entity": .some(entity)
        case "persistentStore": .some(persistentStore)
        case "temporaryID": .some(NSNumber(value: isTemporaryID))
        case "URIRepresentation": .some(uriRepresentation())
        default: .none
        }
    }
}

extension NSManagedObjectID: RowOrdered {
    var placeInOrder: (isNew: Bool, number: Int64) {
        // The numbers of new objects run downwards from -1.
        isTemporaryID ? (true, -objectKey.key) : (false, objectKey.primaryKey)
    }
}

extension NSPersistentStore: KeyValueDescribed {
    func property(forKey key: String) -> Any?? {
        switch key {
        case "identifier": .some(identifier)
        case "type": .some(type)
        case "URL": .some(url)
        case "configurationName": .some(configurationName)
        case "options": .some(options)
        case "metadata": .some(metadata)
        case "readOnly": .some(NSNumber(value: isReadOnly))
        case "persistentStoreCoordinator": .some(persistentStoreCoordinator)
        default: .none
        }
    }
}
