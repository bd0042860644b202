/// The name of one interval among those of the same name.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/ossignpostid)
public struct OSSignpostID: Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    public init(_ value: UInt64) { rawValue = value }

    /// Creates a name that no other interval has.
    public init(log: OSLog) { rawValue = .random(in: 1...(.max / 2)) }

    /// Creates the name of the intervals of an object.
    public init(log: OSLog, object: AnyObject) {
        rawValue = UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
    }

    /// The name of an interval that is never beside another one of the same name.
    public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
    /// No interval.
    public static let invalid = OSSignpostID(.max)
    /// No interval.
    public static let null = OSSignpostID(0)

    public static func < (a: OSSignpostID, b: OSSignpostID) -> Bool { a.rawValue < b.rawValue }
}
