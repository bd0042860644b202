import Foundation

/// A place for log messages: a subsystem and a category.
///
/// Any thread may use it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/oslog)
public final class OSLog: NSObject, Sendable {
    let subsystem: String
    let category: String
    private let isDisabled: Bool

    private init(subsystem: String, category: String, isDisabled: Bool) {
        self.subsystem = subsystem
        self.category = category
        self.isDisabled = isDisabled
    }

    /// Creates a place for the messages of a part of a program.
    ///
    /// - Parameters:
    ///   - subsystem: The name of the program or of a part of it, such as `com.example.notes`.
    ///   - category: The kind of the messages.
    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, isDisabled: false)
    }

    /// Creates a place for messages of a category that tools recognise.
    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.rawValue)
    }

    /// The place of messages without a subsystem and a category.
    public static let `default` = OSLog(subsystem: "", category: "")

    /// A place whose messages are not written.
    public static let disabled = OSLog(subsystem: "", category: "", isDisabled: true)

    /// Whether messages of a level are written.
    public func isEnabled(type: OSLogType) -> Bool { !isDisabled && LogOutput.shared.writes(type) }

    /// Whether signposts are recorded: false, because no tool on Linux records them.
    public var signpostsEnabled: Bool { false }

    /// The name of a category that tools recognise.
    public struct Category: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// Points of interest on a timeline.
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
        /// Signposts that are recorded while a tool records.
        public static let dynamicTracing = Category(rawValue: "DynamicTracing")
        /// Signposts with the stacks of their callers.
        public static let dynamicStackTracing = Category(rawValue: "DynamicStackTracing")
    }
}
