import Foundation

/// The meaning of a number in a log message.
enum NumberMeaning: Sendable {
    case bytes(isBinary: Bool)
    case bitrate(isBinary: Bool)
    case secondsSince1970, errorNumber, fileMode, signal, ipv4Address, truth(OSLogBoolFormat)

    /// The meaning that an annotation of a C format names.
    init?(annotation: Substring) {
        switch annotation {
        case "bytes": self = .bytes(isBinary: false)
        case "iec-bytes": self = .bytes(isBinary: true)
        case "bitrate": self = .bitrate(isBinary: false)
        case "iec-bitrate": self = .bitrate(isBinary: true)
        case "time_t": self = .secondsSince1970
        case "errno", "darwin.errno": self = .errorNumber
        case "darwin.mode": self = .fileMode
        case "darwin.signal": self = .signal
        case "network:in_addr": self = .ipv4Address
        case "bool": self = .truth(.truth)
        case "BOOL": self = .truth(.answer)
        default: return nil
        }
    }

    func text(_ number: Int64) -> String {
        switch self {
        case .bytes(let isBinary): Self.scaled(number, isBinary, isBinary ? "iB" : "B")
        case .bitrate(let isBinary): Self.scaled(number, isBinary, isBinary ? "ibps" : "bps")
        case .secondsSince1970: Self.time(number)
        case .errorNumber: "[\(number): \(Self.text(of: strerror(Int32(truncatingIfNeeded: number))))]"
        case .fileMode: Self.mode(UInt32(truncatingIfNeeded: number))
        case .signal: "[\(number): \(Self.text(of: strsignal(Int32(truncatingIfNeeded: number))))]"
        case .ipv4Address: (0..<4).map { "\(UInt8(truncatingIfNeeded: number >> ($0 * 8)))" }.joined(separator: ".")
        case .truth(let format): format.text(number != 0)
        }
    }

    private static func text(of string: UnsafeMutablePointer<CChar>?) -> String {
        string.map { String(cString: $0) } ?? ""
    }

    private static func scaled(_ number: Int64, _ isBinary: Bool, _ unit: String) -> String {
        let step = isBinary ? 1024.0 : 1000.0
        var rest = Double(number)
        let prefixes = isBinary ? ["", "K", "M", "G", "T", "P", "E"] : ["", "k", "M", "G", "T", "P", "E"]
        var index = 0
        while abs(rest) >= step, index < prefixes.count - 1 {
            rest /= step
            index += 1
        }
        if index == 0 { return "\(number) \(unit.replacingOccurrences(of: "i", with: ""))" }
        return String(format: "%.1f ", rest) + prefixes[index] + unit
    }

    private static func time(_ seconds: Int64) -> String {
        LogTime(seconds: time_t(seconds)).text(fraction: nil)
    }

    /// The mode of a file as `ls -l` shows it.
    private static func mode(_ mode: UInt32) -> String {
        let kinds: [UInt32: String] = [0o04: "d", 0o12: "l", 0o06: "b", 0o02: "c", 0o01: "p", 0o14: "s"]
        var letters = Array("rwxrwxrwx").enumerated().map {
            mode & (0o400 >> $0.offset) == 0 ? "-" : String($0.element)
        }
        for (bit, place, letter) in [(UInt32(0o4000), 2, "s"), (0o2000, 5, "s"), (0o1000, 8, "t")] where mode & bit != 0
        {
            letters[place] = letters[place] == "-" ? letter.uppercased() : letter
        }
        return (kinds[mode >> 12] ?? "-") + letters.joined()
    }
}

/// The form of a 32-bit number that has a meaning.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/oslogint32extendedformat)
public struct OSLogInt32ExtendedFormat: Sendable {
    let meaning: NumberMeaning

    /// An address of the Internet protocol, version 4, in the order of the network.
    public static let ipv4Address = OSLogInt32ExtendedFormat(meaning: .ipv4Address)
    /// A point of time.
    public static let secondsSince1970 = OSLogInt32ExtendedFormat(meaning: .secondsSince1970)
    /// An error of the system, with its text.
    public static let darwinErrno = OSLogInt32ExtendedFormat(meaning: .errorNumber)
    /// The mode of a file.
    public static let darwinMode = OSLogInt32ExtendedFormat(meaning: .fileMode)
    /// A signal, with its text.
    public static let darwinSignal = OSLogInt32ExtendedFormat(meaning: .signal)
    /// Bits for each second, in steps of 1000.
    public static let bitrate = OSLogInt32ExtendedFormat(meaning: .bitrate(isBinary: false))
    /// Bits for each second, in steps of 1024.
    public static let bitrateIEC = OSLogInt32ExtendedFormat(meaning: .bitrate(isBinary: true))
    /// A count of bytes, in steps of 1000.
    public static let byteCount = OSLogInt32ExtendedFormat(meaning: .bytes(isBinary: false))
    /// A count of bytes, in steps of 1024.
    public static let byteCountIEC = OSLogInt32ExtendedFormat(meaning: .bytes(isBinary: true))
}

/// The form of a number that has a meaning.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/oslogintextendedformat)
public struct OSLogIntExtendedFormat: Sendable {
    let meaning: NumberMeaning

    /// A point of time.
    public static let secondsSince1970 = OSLogIntExtendedFormat(meaning: .secondsSince1970)
    /// Bits for each second, in steps of 1000.
    public static let bitrate = OSLogIntExtendedFormat(meaning: .bitrate(isBinary: false))
    /// Bits for each second, in steps of 1024.
    public static let bitrateIEC = OSLogIntExtendedFormat(meaning: .bitrate(isBinary: true))
    /// A count of bytes, in steps of 1000.
    public static let byteCount = OSLogIntExtendedFormat(meaning: .bytes(isBinary: false))
    /// A count of bytes, in steps of 1024.
    public static let byteCountIEC = OSLogIntExtendedFormat(meaning: .bytes(isBinary: true))
}
