/// The level of a log message.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/oslogtype)
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The level of messages that help to find faults: `Logger.notice(_:)`.
    public static let `default` = OSLogType(rawValue: 0)
    /// The level of messages that help, but are not needed, to find faults.
    public static let info = OSLogType(rawValue: 1)
    /// The level of messages for developers.
    public static let debug = OSLogType(rawValue: 2)
    /// The level of errors in the program.
    public static let error = OSLogType(rawValue: 0x10)
    /// The level of faults that concern the whole system or several programs.
    public static let fault = OSLogType(rawValue: 0x11)
}

extension OSLogType {
    /// The urgency of a message, which is greater for more urgent ones. A level that the module does not define counts
    /// as the default one.
    var urgency: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .error: 3
        case .fault: 4
        default: 2
        }
    }

    var name: String { ["debug", "info", "default", "error", "fault"][urgency] }

    /// The priority for the journal at the beginning of a line, as in `sd-daemon`.
    var journalPriority: Int { [7, 6, 5, 3, 2][urgency] }
}
