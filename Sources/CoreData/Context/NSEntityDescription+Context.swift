import Foundation

extension NSEntityDescription {
    /// What `entity(forEntityName:in:)` does unless a subclass overrides it.
    static func plainEntity(
        forEntityName entityName: String, in context: NSManagedObjectContext
    ) -> NSEntityDescription? {
        guard let modelLayout = context.modelLayout else {
            fatalError(
                """
                +entityForName: nil is not a legal NSPersistentStoreCoordinator for searching for entity name \
                '\(entityName)'
                """)
        }
        return modelLayout.layout(named: entityName)?.entity
    }

    /// What `insertNewObject(forEntityName:into:)` does unless a subclass overrides it.
    static func plainInsertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let entity = plainEntity(forEntityName: entityName, in: context) else {
            fatalError(
                "+entityForName: could not locate an entity named '\(entityName)' in this model.")
        }
        return ManagedClassLookup.managedClass(of: entity).makeObject(entity, context)
    }
}
