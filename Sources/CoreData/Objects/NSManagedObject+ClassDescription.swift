import Foundation

/// What every managed object class offers about itself; a protocol so that `fetchRequest()` can speak of `Self`, and so
/// that `init(context:)` can be called on any class without being required of subclasses.
public protocol ManagedObjectClass: AnyObject {}

extension NSManagedObject: ManagedObjectClass {}

extension ManagedObjectClass where Self: NSManagedObject {
    /// Makes a new object of this class's entity and inserts it into the context.
    ///
    /// The entity is the one that an overridden `entity()` names, where the context's model has it. Otherwise it is the
    /// one of the context's model whose class this is; the process stops when there is none or several. See
    /// [Apple's page](https://developer.apple.com/documentation/coredata/nsmanagedobject/init(context:)).
    @_disfavoredOverload
    public init(context: NSManagedObjectContext) {
        self.init(ofClassIn: context)
    }

    /// A request for the objects of this class's entity.
    ///
    /// The entity is the one that an overridden `entity()` names. Otherwise it is found by the class among the models
    /// in use; while none has it, by the name of the class when the request is executed.
    public static func fetchRequest() -> NSFetchRequest<Self> {
        NSFetchRequest<Self>(entityName: EntityOfClass.name(of: self))
    }
}
