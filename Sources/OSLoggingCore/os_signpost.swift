/// The kind of a signpost.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/ossignposttype)
public struct OSSignpostType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// An event.
    public static let event = OSSignpostType(rawValue: 0)
    /// The beginning of an interval.
    public static let begin = OSSignpostType(rawValue: 1)
    /// The end of an interval.
    public static let end = OSSignpostType(rawValue: 2)
}

/// Marks a moment for tools that measure. No tool on Linux records it, so it has no effect.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/os_signpost(_:dso:log:name:signpostid:))
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {}

/// Marks a moment for tools that measure. No tool on Linux records it, so it has no effect.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/os_signpost(_:dso:log:name:signpostid:_:_:))
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: Any?...
) {}

/// Marks a moment for tools that measure. No tool on Linux records it, so it has no effect.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/os_signpost(_:dso:log:name:signpostid:_:))
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ message: @autoclosure () -> SignpostMetadata
) {}
