import Foundation

extension NSEntityDescription {
    /// The entity of a name in the model of a context.
    class func find(_ entityName: String, in context: NSManagedObjectContext) -> NSEntityDescription? {
        guard let modelLayout = context.modelLayout else {
            fatalError(
                """
                +entityForName: nil is not a legal NSPersistentStoreCoordinator for searching for entity name \
                '\(entityName)'
                """)
        }
        return modelLayout.layout(named: entityName)?.entity
    }

    /// A new object of the named entity in a context.
    class func makeObject(_ entityName: String, in context: NSManagedObjectContext) -> NSManagedObject {
        guard let entity = entity(forEntityName: entityName, in: context) else {
            fatalError(
                "+entityForName: could not locate an entity named '\(entityName)' in this model.")
        }
        return ManagedClassLookup.managedClass(of: entity).init(entity: entity, insertInto: context)
    }
}
