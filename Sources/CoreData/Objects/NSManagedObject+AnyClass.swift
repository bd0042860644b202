import Foundation

// See `InitializedOfAnyClass`.

extension ManagedObjectClass where Self: NSManagedObject {
    /// Creates an object of an entity and inserts it into a context, if there is one.
    ///
    /// This form is chosen for generic types, metatypes and `Self`. It calls the initialiser of the class that it is
    /// called on.
    ///
    /// - Parameters:
    ///   - entity: The entity of the new object.
    ///   - context: The context to insert into, or nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobject/init(entity:insertinto:))
    @_disfavoredOverload
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        self.init(ofClass: entity, context)
    }

    @_silgen_name("OpenCoreData_objectOfClass")
    init(ofClass entity: NSEntityDescription, _ context: NSManagedObjectContext?)

    @_silgen_name("OpenCoreData_objectOfClass")
    static func make(_ entity: consuming NSEntityDescription, _ context: consuming NSManagedObjectContext?) -> Self {
        unsafeDowncast((self as NSManagedObject.Type).makeObject(entity, context), to: self)
    }

    /// The entity is that of the class on which the initialiser is called. The function gets the metatype, which the
    /// caller has.
    @_silgen_name("OpenCoreData_objectOfClassInContext")
    init(ofClassIn context: NSManagedObjectContext)

    @_silgen_name("OpenCoreData_objectOfClassInContext")
    static func make(in context: consuming NSManagedObjectContext) -> Self {
        let managedClass: NSManagedObject.Type = self
        return unsafeDowncast(managedClass.makeObject(context.entity(for: managedClass), context), to: self)
    }
}

extension NSManagedObject {
    @_silgen_name("OpenCoreData_object")
    convenience init(of entity: NSEntityDescription, in context: NSManagedObjectContext?) {
        self.init(entity: entity, insertInto: context)
    }

    /// Makes an object by the initialiser of the class it is called on.
    @_silgen_name("OpenCoreData_object")
    static func makeObject(
        _ entity: consuming NSEntityDescription, _ context: consuming NSManagedObjectContext?
    ) -> NSManagedObject
}
