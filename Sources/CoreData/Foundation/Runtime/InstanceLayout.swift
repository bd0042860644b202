/// The memory of instances of Swift classes.
///
/// The first word of an instance is the pointer to its class. The stored properties of a subclass follow those of the
/// superclass, so an instance of a class and one of a subclass without stored properties differ in that pointer alone.
enum InstanceLayout {
    /// The number of bytes that an instance of a class has.
    static func size(ofInstancesOf instanceClass: AnyClass) -> Int { positiveExtentSize(instanceClass) }

    /// Gives an object another class whose instances have as many bytes.
    ///
    /// The compiler may keep the class of an object that it has seen. The caller uses the returned reference from here
    /// on, in a function that is not inlined.
    @inline(never)
    static func setClass<Object: AnyObject>(of object: Object, to wanted: AnyClass) -> Object {
        let words = Unmanaged.passUnretained(object).toOpaque()
        words.assumingMemoryBound(to: UnsafeRawPointer.self).pointee = unsafeBitCast(wanted, to: UnsafeRawPointer.self)
        return Unmanaged<Object>.fromOpaque(words).takeUnretainedValue()
    }
}

/// A function of the standard library, which does not declare it publicly.
@_silgen_name("$ss36_class_getInstancePositiveExtentSizeySiyXlXpF")
private func positiveExtentSize(_ instanceClass: AnyClass) -> Int

/// Whether a class is another one, or one of its subclasses. The runtime's superclasses include those that no cast of
/// metatypes finds fast.
func isClass(_ candidate: AnyClass, atOrBelow ancestor: AnyClass) -> Bool {
    var next: AnyClass? = candidate
    while let current = next {
        if current === ancestor { return true }
        next = _getSuperclass(current)
    }
    return false
}
