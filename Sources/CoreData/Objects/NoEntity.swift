/// What stands for the entity of objects that are made without one, by `NSManagedObject()`.
enum NoEntity {
    static let entity: NSEntityDescription = {
        let entity = NSEntityDescription()
        entity.name = "NSManagedObject"
        model.entities = [entity]
        return entity
    }()

    /// Held here, because an entity does not hold its model.
    private static let model = NSManagedObjectModel()
}
