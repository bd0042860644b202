import Foundation

/// The destination of log messages: standard error, with priorities for the journal if the program runs under it.
struct LogOutput: Sendable {
    /// The least urgency that is written; nil for none.
    let threshold: Int?
    /// Whether private values are left out.
    let isRedacting: Bool
    /// Whether standard error is connected to the journal of systemd.
    let isJournal: Bool

    static let shared = LogOutput(environment: ProcessInfo.processInfo.environment)

    init(environment: [String: String]) {
        #if DEBUG
        let (usual, isRedacting) = (OSLogType.debug, false)
        #else
        let (usual, isRedacting) = (OSLogType.default, true)
        #endif
        let level = environment["OS_LOG_LEVEL"]?.lowercased()
        let levels: [OSLogType] = [.debug, .info, .default, .error, .fault]
        threshold = level == "off" ? nil : (levels.first { $0.name == level } ?? usual).urgency
        self.isRedacting = isRedacting
        isJournal = Self.isJournal(environment["JOURNAL_STREAM"])
    }

    init(threshold: OSLogType, isRedacting: Bool, isJournal: Bool) {
        self.threshold = threshold.urgency
        self.isRedacting = isRedacting
        self.isJournal = isJournal
    }

    /// Whether a value of `JOURNAL_STREAM`, a device and a file number, names standard error.
    private static func isJournal(_ stream: String?) -> Bool {
        var state = stat()
        guard let stream, fstat(STDERR_FILENO, &state) == 0 else { return false }
        return stream == "\(state.st_dev):\(state.st_ino)"
    }

    func writes(_ type: OSLogType) -> Bool {
        threshold.map { type.urgency >= $0 } ?? false
    }

    /// The text to write for a message, with the ends of its lines.
    func text(_ message: String, _ type: OSLogType, _ log: OSLog) -> String {
        let places = [log.subsystem, log.category].filter { !$0.isEmpty }.joined(separator: ":")
        let place = places.isEmpty ? "" : "[\(places)] "
        if isJournal {
            return message.split(omittingEmptySubsequences: false) { $0.isNewline }
                .map { "<\(type.journalPriority)>\(place)\($0)\n" }.joined()
        }
        return "\(LogTime.now) \(Self.program) <\(type.name)> \(place)\(message)\n"
    }

    private static let program: String = {
        let info = ProcessInfo.processInfo
        return "\(info.processName)[\(info.processIdentifier)]"
    }()

    func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            // One call writes a message, so that messages of several threads do not mix.
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, !rest.isEmpty {
                let count = Foundation.write(STDERR_FILENO, start, rest.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}

extension OSLog {
    func write(_ type: OSLogType, _ message: () -> OSLogMessage) {
        guard isEnabled(type: type) else { return }
        let output = LogOutput.shared
        output.write(output.text(message().text(isRedacting: output.isRedacting), type, self))
    }

    func write(_ type: OSLogType, _ format: StaticString, _ arguments: [Any?]) {
        let error = errno
        guard isEnabled(type: type) else { return }
        let output = LogOutput.shared
        let text = FormattedMessage.text("\(format)", arguments, isRedacting: output.isRedacting, error: error)
        output.write(output.text(text, type, self))
    }
}

/// A point of time in the local time zone.
struct LogTime {
    let seconds: time_t

    /// The present time, to the microsecond.
    static var now: String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return LogTime(seconds: time.tv_sec).text(fraction: time.tv_nsec / 1000)
    }

    func text(fraction: Int?) -> String {
        var (seconds, parts) = (seconds, tm())
        localtime_r(&seconds, &parts)
        let fraction = fraction.map { String(format: ".%06ld", $0) } ?? ""
        return Self.text("%Y-%m-%d %H:%M:%S", &parts) + fraction + Self.text("%z", &parts)
    }

    private static func text(_ format: String, _ parts: inout tm) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { buffer in
            let count = strftime(buffer.baseAddress!, buffer.count, format, &parts)
            return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
