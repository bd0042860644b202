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
        default: .none
        }
    }
}
