extension NSManagedObject {
    /// Gives a new object the class of its entity if the initialiser of a superclass made it. `NSManagedObject(entity:
    /// notes, insertInto: context)` is a `Note`, as on Apple's platforms.
    ///
    /// The class must have no stored properties of its own. Then an instance differs from one of the superclass in the
    /// pointer to its class only. Otherwise the object keeps its class, and the entity binding notes that. No fetch may
    /// then assume that all objects of the binding are of one class.
    ///
    /// Returns the object. The attribute keeps the compiler from using the object's former class after the call.
    @inline(never)
    final func withClassOfEntity() -> NSManagedObject {
        let (made, wanted): (AnyClass, AnyClass) = (type(of: self), binding.managedClass)
        if isClass(made, atOrBelow: wanted) { return self }
        guard isClass(wanted, atOrBelow: made),
            InstanceLayout.size(ofInstancesOf: wanted) == InstanceLayout.size(ofInstancesOf: made)
        else {
            binding.holdsOtherClasses = true
            return self
        }
        return withClass(binding.managedClass)
    }

    /// Whether neither the class nor any class between it and `NSManagedObject` has stored properties of its own.
    static var isOfPlainSize: Bool {
        InstanceLayout.size(ofInstancesOf: self) == InstanceLayout.size(ofInstancesOf: NSManagedObject.self)
    }

    /// Gives the object another class whose instances have as many bytes; returns the object, as `withClassOfEntity()`
    /// does.
    @inline(never)
    final func withClass(_ wanted: NSManagedObject.Type) -> NSManagedObject {
        InstanceLayout.setClass(of: self, to: wanted)
    }
}
