import Foundation

extension NSManagedObjectContext: ContextOfEntities {
    /// Does the work of `NSEntityDescription.entity(forEntityName:in:)` unless a subclass overrides it.
    final func entityOfModel(named name: String) -> NSEntityDescription? {
        guard let modelLayout else {
            fatalError(
                "+entityForName: nil is not a legal NSPersistentStoreCoordinator for searching for entity name "
                    + "'\(name)'")
        }
        return modelLayout.layout(named: name)?.entity
    }

    /// Does the work of `NSEntityDescription.insertNewObject(forEntityName:into:)` unless a subclass overrides it.
    final func insertObject(ofEntityNamed name: String) -> NSManagedObject {
        guard let entity = entityOfModel(named: name) else {
            fatalError("+entityForName: could not locate an entity named '\(name)' in this model.")
        }
        return ManagedClassLookup.managedClass(of: entity).makeObject(entity, self)
    }
}
