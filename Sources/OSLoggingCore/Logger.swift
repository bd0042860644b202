/// Writes log messages of a subsystem and a category.
///
/// A message is a literal. It may contain the format of a value, and whether the value is private:
///
///     logger.error("No answer from \(host, privacy: .public) after \(seconds, format: .fixed(precision: 1)) s")
///
/// The values of a message whose level is not written are not computed. Any thread may use a logger.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/logger)
public struct Logger: Sendable {
    let place: OSLog

    /// Creates a logger without a subsystem and a category.
    public init() { place = .default }

    /// Creates a logger for a part of a program.
    ///
    /// - Parameters:
    ///   - subsystem: The name of the program or of a part of it, such as `com.example.notes`.
    ///   - category: The kind of the messages.
    public init(subsystem: String, category: String) { place = OSLog(subsystem: subsystem, category: category) }

    /// Creates a logger for a place.
    public init(_ logObj: OSLog) { place = logObj }

    /// Writes a message of the default level.
    public func log(_ message: @autoclosure () -> OSLogMessage) { place.write(.default, message) }

    /// Writes a message.
    ///
    /// - Parameters:
    ///   - level: The level of the message.
    ///   - message: The message.
    public func log(level: OSLogType, _ message: @autoclosure () -> OSLogMessage) { place.write(level, message) }

    /// Writes a message of the level `debug`.
    public func trace(_ message: @autoclosure () -> OSLogMessage) { place.write(.debug, message) }

    /// Writes a message of the level `debug`.
    public func debug(_ message: @autoclosure () -> OSLogMessage) { place.write(.debug, message) }

    /// Writes a message of the level `info`.
    public func info(_ message: @autoclosure () -> OSLogMessage) { place.write(.info, message) }

    /// Writes a message of the default level.
    public func notice(_ message: @autoclosure () -> OSLogMessage) { place.write(.default, message) }

    /// Writes a message of the level `error`.
    public func warning(_ message: @autoclosure () -> OSLogMessage) { place.write(.error, message) }

    /// Writes a message of the level `error`.
    public func error(_ message: @autoclosure () -> OSLogMessage) { place.write(.error, message) }

    /// Writes a message of the level `fault`.
    public func critical(_ message: @autoclosure () -> OSLogMessage) { place.write(.fault, message) }

    /// Writes a message of the level `fault`.
    public func fault(_ message: @autoclosure () -> OSLogMessage) { place.write(.fault, message) }
}
