/// The number of bytes that an instance of a class has. The function belongs to the standard library, which does not
/// declare it publicly.
@_silgen_name("$ss36_class_getInstancePositiveExtentSizeySiyXlXpF")
private func bytesOfInstance(_ instanceClass: AnyClass) -> Int

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
        if made === wanted || Self.isClass(made, below: wanted) { return self }
        guard Self.isClass(wanted, below: made), bytesOfInstance(wanted) == bytesOfInstance(made) else {
            binding.holdsOtherClasses = true
            return self
        }
        return withClass(binding.managedClass)
    }

    /// Whether neither the class nor any class between it and `NSManagedObject` has stored properties of its own.
    static var isOfPlainSize: Bool { bytesOfInstance(self) == bytesOfInstance(NSManagedObject.self) }

    /// Gives the object another class whose instances have as many bytes; returns the object, as `withClassOfEntity()`
    /// does.
    @inline(never)
    final func withClass(_ wanted: NSManagedObject.Type) -> NSManagedObject {
        let object = Unmanaged.passUnretained(self).toOpaque()
        object.assumingMemoryBound(to: UnsafeRawPointer.self).pointee = unsafeBitCast(wanted, to: UnsafeRawPointer.self)
        return Unmanaged<NSManagedObject>.fromOpaque(object).takeUnretainedValue()
    }

    private static func isClass(_ candidate: AnyClass, below ancestor: AnyClass) -> Bool {
        var next: AnyClass? = _getSuperclass(candidate)
        while let current = next {
            if current === ancestor { return true }
            next = _getSuperclass(current)
        }
        return false
    }
}
