/// Writes a log message in the form of C.
///
///     os_log("No answer from %{public}@ after %d s", log: network, type: .error, host, seconds)
///
/// - Parameters:
///   - message: The format. `{public}` and `{private}` after a percent sign set whether a value is private. By default
///     strings and objects are private and numbers are not.
///   - dso: Has no effect here.
///   - log: The place of the message.
///   - type: The level of the message.
///   - args: The values.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/os_log(_:dso:log:type:_:))
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default, type: OSLogType = .default,
    _ args: Any?...
) {
    log.write(type, message, args)
}

/// Writes a log message in the form of C.
///
/// - Parameters:
///   - type: The level of the message.
///   - dso: Has no effect here.
///   - log: The place of the message.
///   - message: The format.
///   - args: The values.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/os_log(_:dso:log:_:_:))
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default, _ message: StaticString,
    _ args: Any?...
) {
    log.write(type, message, args)
}

/// Writes a log message of the default level, without a place.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/os_log(_:))
public func os_log(_ message: @autoclosure () -> OSLogMessage) { OSLog.default.write(.default, message) }

/// Writes a log message without a place.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/os_log(_:_:))
public func os_log(_ logLevel: OSLogType, _ message: @autoclosure () -> OSLogMessage) {
    OSLog.default.write(logLevel, message)
}

/// Writes a log message.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/os_log(_:log:_:))
public func os_log(_ logLevel: OSLogType, log: OSLog, _ message: @autoclosure () -> OSLogMessage) {
    log.write(logLevel, message)
}
