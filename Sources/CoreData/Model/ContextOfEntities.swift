/// The part of a context that entities use. They use no other member of contexts.
protocol ContextOfEntities: AnyObject {
    /// The entity of a name in the context's model; nil when it has none. Stops the process if there is no model.
    func entityOfModel(named name: String) -> NSEntityDescription?
    /// A new object of an entity. Stops the process when the model has no such entity.
    func insertObject(ofEntityNamed name: String) -> NSManagedObject
}
