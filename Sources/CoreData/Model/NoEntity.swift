/// The entity of objects that are made without one, by `NSManagedObject()`, and of ids of no object.
enum NoEntity {
    /// Holds the model, because an entity does not hold its model.
    static let model: NSManagedObjectModel = {
        let (model, entity) = (NSManagedObjectModel(), NSEntityDescription())
        entity.name = "NSManagedObject"
        model.entities = [entity]
        return model
    }()

    static var entity: NSEntityDescription { model.entities[0] }
}
