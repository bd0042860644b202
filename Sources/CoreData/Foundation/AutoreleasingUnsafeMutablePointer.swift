/// A pointer to a value that may be read and replaced, as `validateValue(_:forKey:)` of a managed object gets it.
///
/// Swift has a type of this name on Apple's systems, and none on Linux. Nothing is autoreleased here. The pointer is
/// valid during the call that gets it.
///
/// OpenCoreData's own type has the members that are necessary for validation only.
public struct AutoreleasingUnsafeMutablePointer<Pointee> {
    private let pointer: UnsafeMutablePointer<Pointee>

    /// Creates a pointer from an `UnsafeMutablePointer`.
    ///
    /// - Parameter pointer: The place of the value.
    public init(_ pointer: UnsafeMutablePointer<Pointee>) {
        self.pointer = pointer
    }

    /// The value at the place.
    public var pointee: Pointee {
        get { pointer.pointee }
        nonmutating set { pointer.pointee = newValue }
    }
}
