import Foundation

/// What every managed object class offers about itself; a protocol so that `fetchRequest()` can speak of `Self`.
public protocol ManagedObjectClass: AnyObject {}

extension NSManagedObject: ManagedObjectClass {}

extension ManagedObjectClass where Self: NSManagedObject {
    /// A request for the objects of this class's entity.
    ///
    /// The entity is found by the class among the models in use; while none has it, by the name of the class when the
    /// request is executed.
    public static func fetchRequest() -> NSFetchRequest<Self> {
        NSFetchRequest<Self>(entityName: entityName(of: Self.self))
    }
}

extension NSManagedObject {
    /// A request for the objects of this class's entity, for whoever asks for the general result type.
    @_disfavoredOverload
    public class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        NSFetchRequest<any NSFetchRequestResult>(entityName: Self.entityName(of: self))
    }

    /// The entity whose class this is, in the models in use (those a coordinator works with).
    ///
    /// Stops the process when no model in use has one, or when entities of different names have this class. Where several
    /// models in use have the entity, the answer is the one of the model that came into use last.
    public class func entity() -> NSEntityDescription {
        let candidates = ModelsInUse.entities(of: self)
        let names = Set(candidates.map { $0.name ?? "" })
        guard names.count == 1, let entity = candidates.last else {
            fatalError(
                """
                +[\(self) entity] Failed to find a unique match for an NSEntityDescription to a managed object subclass \
                (\(candidates.isEmpty ? "no model in use has an entity of this class" : names.sorted().joined(separator: ", ")))
                """)
        }
        return entity
    }

    fileprivate static func entityName(of managedClass: NSManagedObject.Type) -> String {
        if ModelsInUse.entities(of: managedClass).isEmpty { return "\(managedClass)" }
        return managedClass.entity().name ?? ""
    }
}
