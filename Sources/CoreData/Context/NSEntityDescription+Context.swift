import Foundation

extension NSEntityDescription {
    /// The entity of a name in the model of a context; nil when the model has none of that name.
    ///
    /// Stops the process when the context has no coordinator (and so no model).
    public class func entity(
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

    /// Makes a new object of the named entity, of the class the model says, and inserts it into the context.
    ///
    /// Stops the process when the model has no such entity.
    public class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let entity = entity(forEntityName: entityName, in: context) else {
            fatalError(
                "+entityForName: could not locate an entity named '\(entityName)' in this model.")
        }
        return ManagedClassLookup.managedClass(of: entity).init(entity: entity, insertInto: context)
    }
}
