/// The form of the results of a fetch request.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequestresulttype)
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
    /// The bits, with the same meaning as in Apple's framework.
    public let rawValue: UInt

    /// Creates a form from raw bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Managed objects.
    public static let managedObjectResultType = NSFetchRequestResultType([])
    /// The ids of managed objects: `NSManagedObjectID`.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries from the name of a property to its value.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// The number of matching objects, as one `NSNumber`.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
