import Foundation

/// The protocol of all managed object classes.
///
/// It lets `fetchRequest()` return a request of `Self`, and lets `init(context:)` be called on any class without being
/// required of subclasses.
///
/// OpenCoreData only.
public protocol ManagedObjectClass: AnyObject {}

extension NSManagedObject: ManagedObjectClass {}

extension ManagedObjectClass where Self: NSManagedObject {
    /// Creates an object of this class's entity and inserts it into the context.
    ///
    /// If the class overrides ``NSManagedObject/entity()`` and the context's model has an entity of that name, the
    /// object is of that entity. Otherwise it is of the entity of the context's model that has this class. The process
    /// stops if there is no such entity, or more than one.
    ///
    /// - Parameter context: The context to insert into. Call it on the context's queue.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/init(context:))
    @_disfavoredOverload
    public init(context: NSManagedObjectContext) {
        self.init(ofClassIn: context)
    }
}

// Without the constraint of the extension above, so that a member of the same form in an extension of a program's own
// protocol comes first.
extension ManagedObjectClass {
    /// Returns a request for the objects of this class's entity.
    ///
    /// If the class overrides ``NSManagedObject/entity()``, the request is for that entity. Otherwise the entity is
    /// found by the class among the models in use. If none of them has it, the request takes the class's name as the
    /// entity's name. Any thread may call it.
    ///
    /// - Returns: A request without a predicate and an order.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/fetchrequest())
    public static func fetchRequest() -> NSFetchRequest<Self> {
        guard let managedClass = self as? NSManagedObject.Type else {
            fatalError("\(self) is no class of managed objects, so there is no fetch request for it")
        }
        return NSFetchRequest<Self>(entityName: EntityOfClass.name(of: managedClass))
    }
}
