import Foundation

extension NSManagedObjectContext: ContextOfEntities {
    /// What `NSEntityDescription.entity(forEntityName:in:)` does unless a subclass overrides it.
    final func entityOfModel(named name: String) -> NSEntityDescription? {
        guard let modelLayout else {
            fatalError(
                "+entityForName: nil is not a legal NSPersistentStoreCoordinator for searching for entity name "
                    + "'\(name)'")
        }
        return modelLayout.layout(named: name)?.entity
    }

    /// What `NSEntityDescription.insertNewObject(forEntityName:into:)` does unless a subclass overrides it.
    final func insertObject(ofEntityNamed name: String) -> NSManagedObject {
        guard let entity = entityOfModel(named: name) else {
            fatalError("+entityForName: could not locate an entity named '\(name)' in this model.")
        }
        return ManagedClassLookup.managedClass(of: entity).makeObject(entity, self)
    }
}
