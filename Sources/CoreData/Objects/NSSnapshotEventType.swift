/// The reason why an object's values were put back or replaced, as the argument of
/// ``NSManagedObject/awake(fromSnapshotEvents:)``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nssnapshoteventtype)
public struct NSSnapshotEventType: OptionSet, Hashable, Sendable {
    /// The bits, with Apple's numbers.
    public let rawValue: UInt

    /// Creates a set from raw bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// An insertion was undone.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
    /// A deletion was undone.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
    /// A change was undone.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
    /// The context was rolled back.
    public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
    /// The object was refreshed and kept its unsaved changes.
    public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
    /// A merge policy resolved a conflict.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}
