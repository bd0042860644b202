import Foundation

extension NSPersistentStoreCoordinator: KeyValueDescribed {
    func property(forKey key: String) -> Any?? {
        switch key {
        case "name": .some(name)
        case "managedObjectModel": .some(managedObjectModel)
        case "persistentStores": .some(persistentStores)
        default: .none
        }
    }
}
