import Foundation
import Testing

@testable import OSLoggingCore

@Suite("Log messages")
struct LogMessageTests {
    private struct Failure: Error {}
    private enum Step: CustomStringConvertible {
        case first
        var description: String { "step one" }
    }

    /// What a debug build writes, if nothing in the message is sensitive.
    private func plain(_ message: OSLogMessage) -> String { message.text(isRedacting: false) }

    private func redacted(_ message: OSLogMessage) -> String { message.text(isRedacting: true) }

    @Test("Numbers are public and all other values private, unless the message says otherwise")
    func privacy() {
        let (name, count) = ("Ann", 3)
        let cases: [(OSLogMessage, String)] = [
            ("plain", "plain"),
            ("\(name) has \(count) and \(2.5) and \(true)", "<private> has 3 and 2.500000 and true"),
            ("\(name, privacy: .public) \(count, privacy: .private)", "Ann <private>"),
            ("\(name, privacy: .auto) \(count, privacy: .sensitive)", "<private> <private>"),
            ("\(Step.first) \(Step.first, privacy: .public)", "<private> step one"),
            ("\(URL(fileURLWithPath: "/a")) \(NSNumber(value: 3)) \(Int.self)", "<private> <private> <private>"),
            ("\(Failure()) \(CocoaError(.fileNoSuchFile) as NSError)", "<private> <private>"),
        ]
        #expect(cases.map { redacted($0.0) } == cases.map { $0.1 })
        #expect(plain("\(name) \(count, privacy: .private) \(name, privacy: .sensitive)") == "Ann 3 <private>")
    }

    @Test("A hash stands for a value: the same for equal values, and another one for a different value")
    func hashes() {
        let texts = ["Ann", "Ann", "Ben"].map { redacted("\($0, privacy: .private(mask: .hash))") }
        #expect(texts[0] == texts[1] && texts[0] != texts[2])
        #expect(texts.allSatisfy { $0.hasPrefix("<mask.hash: ") && !$0.contains("Ann") })
        #expect(redacted("\("x", privacy: .auto(mask: .hash))") != "x")
        #expect(plain("\("x", privacy: .private(mask: .hash)) \("x", privacy: .auto(mask: .none))") == "x x")
        #expect(plain("\("x", privacy: .sensitive(mask: .hash))").hasPrefix("<mask.hash: "))
    }

    @Test("Values have the forms and columns that the message asks for")
    func forms() {
        let (small, none): (UInt8, NSObject?) = (10, nil)
        let cases: [(OSLogMessage, String)] = [
            ("\(5, format: .decimal(explicitPositiveSign: true)) \(-5, format: .decimal(minDigits: 3))", "+5 -005"),
            ("\(small, format: .hex) \(255, format: .hex(includePrefix: true, uppercase: true))", "a 0XFF"),
            ("\(Int8(-1), format: .hex) \(-1, format: .hex) \(8, format: .octal)", "ffffffff ffffffffffffffff 10"),
            ("\(small, format: .hex(minDigits: 4)) \(8, format: .octal(includePrefix: true))", "000a 0o10"),
            ("\(1.0, format: .fixed(precision: 2)) \(Float(0.5), format: .fixed(precision: 0))", "1.00 0"),
            ("\(1500.0, format: .exponential(precision: 1)) \(0.5, format: .hybrid)", "1.5e+03 0.5"),
            (
                "\(CGFloat(2), format: .fixed(precision: 1, explicitPositiveSign: true)) \(0.5, format: .hex)",
                "+2.0 0x1p-1"
            ),
            ("\(true, format: .answer) \(false, format: .truth)", "YES false"),
            (
                "|\("ab", align: .left(columns: 4))|\(7, align: .right(columns: 3))|\("abc", align: .none)|",
                "|ab  |  7|abc|"
            ),
            (
                "\(1_500_000, format: .byteCount) \(2048, format: .byteCountIEC) \(5, format: .byteCount)",
                "1.5 MB 2.0 KiB 5 B"
            ),
            (
                "\(Int32(2), format: .darwinErrno) \(Int32(0o100644), format: .darwinMode)",
                "[2: No such file or directory] -rw-r--r--"
            ),
            ("\(Int32(0x0100_007F), format: .ipv4Address) \(3000, format: .bitrate)", "127.0.0.1 3.0 kbps"),
            ("\(none) \("abc".dropFirst()) \([1, 2]) \(["a": 1])", "(null) bc [1, 2] [\"a\": 1]"),
            ("\(Failure()) \(Step.first) \(String.self)", "Failure() step one String"),
        ]
        #expect(cases.map { plain($0.0) } == cases.map { $0.1 })
    }

    @Test("A format of C takes its arguments apart, with annotations, flags, widths and precisions")
    func formats() {
        let id = UUID()
        let cases: [(String, [Any?], String)] = [
            ("100%% %m", [], "100% No such file or directory"),
            ("%d|%5d|%-5d|%05d|%+d|%.3d", [1, 2, 3, 4, 5, 6], "1|    2|3    |00004|+5|006"),
            (
                "%ld %lld %llu %zu %hhd %i", [1, Int64(2), UInt64.max, 4, Int8(-5), 6 as NSNumber],
                "1 2 18446744073709551615 4 -5 6"
            ),
            ("%u %x %#X %o", [Int32(-1), Int32(-1), 255, 8], "4294967295 ffffffff 0XFF 10"),
            ("%f %.2f %e %g %5.1f", [1.5, Float(2.5), 1.0, 0.5, 3], "1.500000 2.50 1.000000e+00 0.5   3.0"),
            ("%@ %@ %s %.2s", ["a", nil, "b", "cde"], "a (null) b cd"),
            ("%*d %.*f %c", [4, 7, 1, 2.25, 65], "   7 2.2 A"),
            ("%{public}@ %{private, mask.hash}d", ["a", 1], "a 1"),
            (
                "%{bool}d %{BOOL}d %{errno}d %{iec-bytes}d", [true, 0, 2, 2048],
                "true NO [2: No such file or directory] 2.0 KiB"
            ),
            ("%d %@", [1], "1 <decode: missing data>"),
            ("%@", [NSNumber(value: 3)], "3"),
            ("50% ", [], "50% "),
        ]
        #expect(cases.map { FormattedMessage.text($0.0, $0.1, isRedacting: false, error: 2) } == cases.map { $0.2 })
        let secret = FormattedMessage.text(
            "%@ %{public}@ %d %{private}d %{public}s", ["a", "b", 1, 2, "c"], isRedacting: true)
        #expect(secret == "<private> b 1 <private> c")
        withUnsafeBytes(of: id.uuid) { bytes in
            let texts = ["%{public, uuid_t}.16P", "%{public}.*P"].map {
                FormattedMessage.text(
                    $0, $0.contains("*") ? [2, bytes.baseAddress] : [bytes.baseAddress], isRedacting: true)
            }
            #expect(texts[0] == id.uuidString)
            #expect(texts[1].replacingOccurrences(of: " ", with: "") == id.uuidString.prefix(4).lowercased())
        }
    }
}
