/// What a fetch request returns.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
    /// The bits as Apple numbers them.
    public let rawValue: UInt

    /// Wraps raw bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Managed objects.
    public static let managedObjectResultType = NSFetchRequestResultType([])
    /// The ids of managed objects.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries from property name to value.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// The number of matching objects.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
