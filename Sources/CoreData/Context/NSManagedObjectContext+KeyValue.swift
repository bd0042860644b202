import Foundation

extension NSManagedObjectContext: KeyValueDescribed {
    func property(forKey key: String) -> Any?? {
        switch key {
        case "name": .some(name)
        case "parentContext": .some(parent)
        case "persistentStoreCoordinator": .some(persistentStoreCoordinator)
        case "transactionAuthor": .some(transactionAuthor)
        case "userInfo": .some(userInfo)
        case "hasChanges": .some(NSNumber(value: hasChanges))
        case "insertedObjects": .some(insertedObjects)
        case "updatedObjects": .some(updatedObjects)
        case "deletedObjects": .some(deletedObjects)
        case "registeredObjects": .some(registeredObjects)
        case "concurrencyType": .some(NSNumber(value: concurrencyType.rawValue))
        case "mergePolicy": .some(mergePolicy)
        case "undoManager": .some(undoManager)
        case "stalenessInterval": .some(NSNumber(value: stalenessInterval))
        case "queryGenerationToken": .some(queryGenerationToken)
        case "automaticallyMergesChangesFromParent": .some(NSNumber(value: automaticallyMergesChangesFromParent))
        case "propagatesDeletesAtEndOfEvent": .some(NSNumber(value: propagatesDeletesAtEndOfEvent))
        case "retainsRegisteredObjects": .some(NSNumber(value: retainsRegisteredObjects))
        case "shouldDeleteInaccessibleFaults": .some(NSNumber(value: shouldDeleteInaccessibleFaults))
        default: .none
        }
    }
}
