/// A place of a value that is read and may be replaced: Swift's type of this name on Apple's systems, which Swift on
/// Linux does not have. Here it is what `validateValue(_:forKey:)` gets; nothing is autoreleased.
///
/// Valid during the call that it is given to.
public struct AutoreleasingUnsafeMutablePointer<Pointee> {
    private let pointer: UnsafeMutablePointer<Pointee>

    /// The place that a pointer leads to.
    public init(_ pointer: UnsafeMutablePointer<Pointee>) {
        self.pointer = pointer
    }

    /// The value at the place.
    public var pointee: Pointee {
        get { pointer.pointee }
        nonmutating set { pointer.pointee = newValue }
    }
}
