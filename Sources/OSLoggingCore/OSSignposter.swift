/// The text of a signpost, which is not recorded here, and whose values are not computed.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/signpostmetadata)
public typealias SignpostMetadata = OSLogMessage

/// Marks intervals and events for tools that measure. No tool on Linux records them, so they have no effect.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/ossignposter)
public struct OSSignposter: Sendable {
    private let log: OSLog

    /// Creates a signposter without a subsystem and a category.
    public init() { log = .default }

    /// Creates a signposter for a part of a program.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// Creates a signposter for a part of a program and a category that tools recognise.
    public init(subsystem: String, category: OSLog.Category) { log = OSLog(subsystem: subsystem, category: category) }

    /// Creates a signposter for the place of a logger.
    public init(logger: Logger) { log = logger.place }

    /// Creates a signposter for a place.
    public init(logHandle: OSLog) { log = logHandle }

    /// A signposter that records nothing.
    public static let disabled = OSSignposter(logHandle: .disabled)

    /// Whether signposts are recorded: false.
    public var isEnabled: Bool { log.signpostsEnabled }

    /// Creates a name that no other interval has.
    public func makeSignpostID() -> OSSignpostID { OSSignpostID(log: log) }

    /// Creates the name of the intervals of an object.
    public func makeSignpostID(from object: AnyObject) -> OSSignpostID { OSSignpostID(log: log, object: object) }

    /// Begins an interval.
    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
        OSSignpostIntervalState(id)
    }

    /// Begins an interval.
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> SignpostMetadata
    ) -> OSSignpostIntervalState {
        OSSignpostIntervalState(id)
    }

    /// Begins an interval that shows an animation.
    public func beginAnimationInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive
    ) -> OSSignpostIntervalState {
        OSSignpostIntervalState(id)
    }

    /// Begins an interval that shows an animation.
    public func beginAnimationInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> SignpostMetadata
    ) -> OSSignpostIntervalState {
        OSSignpostIntervalState(id)
    }

    /// Ends an interval.
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {}

    /// Ends an interval.
    public func endInterval(
        _ name: StaticString, _ state: OSSignpostIntervalState, _ message: @autoclosure () -> SignpostMetadata
    ) {}

    /// Marks an event.
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {}

    /// Marks an event.
    public func emitEvent(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> SignpostMetadata
    ) {}

    /// Runs a closure as an interval, and returns its result.
    public func withIntervalSignpost<T>(
        _ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> T
    ) rethrows -> T {
        try task()
    }

    /// Runs a closure as an interval, and returns its result.
    public func withIntervalSignpost<T>(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> SignpostMetadata,
        around task: () throws -> T
    ) rethrows -> T {
        try task()
    }
}

/// An interval that has begun.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/ossignpostintervalstate)
public final class OSSignpostIntervalState: Sendable, Codable {
    private let id: UInt64

    init(_ id: OSSignpostID) { self.id = id.rawValue }

    /// Creates the state of an interval that another process has begun.
    public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { OSSignpostIntervalState(id) }
}
