import Foundation
import Testing

@testable import OSLoggingCore

@Suite("Where log messages go")
struct LogOutputTests {
    private static let levels: [OSLogType] = [.debug, .info, .default, .error, .fault]

    @Test("The environment says the least level that is written, and a debug build writes all")
    func levels() {
        func count(_ level: String?) -> Int {
            let output = LogOutput(environment: level.map { ["OS_LOG_LEVEL": $0] } ?? [:])
            return Self.levels.count { output.writes($0) }
        }
        #expect(
            [nil, "debug", "info", "Default", "error", "fault", "off", "?"].map(count) == [5, 5, 4, 3, 2, 1, 0, 5])
        #expect(!OSLog.disabled.isEnabled(type: .fault))
    }

    @Test("Each line of a message has the priority of its level for the journal")
    func journal() {
        let output = LogOutput(threshold: .debug, isRedacting: false, isJournal: true)
        let log = OSLog(subsystem: "com.example", category: "net")
        #expect(
            Self.levels.map { output.text("a", $0, .default) } == ["<7>a\n", "<6>a\n", "<5>a\n", "<3>a\n", "<2>a\n"])
        #expect(output.text("a\nb", .error, log) == "<3>[com.example:net] a\n<3>[com.example:net] b\n")
    }

    @Test("A line on standard error has time, program, level and place")
    func line() throws {
        let output = LogOutput(threshold: .debug, isRedacting: false, isJournal: false)
        let text = output.text("a\nb", .error, OSLog(subsystem: "com.example", category: "net"))
        let form = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}[+-]\d{4} .+\[\d+\] <error> \[com.example:net\] a\nb\n/
        #expect(text.wholeMatch(of: form) != nil, "\(text)")
        #expect(output.text("a", .info, .default).hasSuffix("<info> a\n"))
    }

    @Test("Messages of a level that is not written are not computed, and all other messages reach standard error")
    func written() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("OS_LOG_LEVEL", "default", 1)
            func unused() -> String { fatalError("computed") }
            let logger = Logger(subsystem: "com.example", category: "net")
            logger.debug("\(unused())")
            logger.info("\(unused())")
            logger.trace("\(unused())")
            logger.notice("one")
            logger.log("two")
            logger.log(level: .fault, "three")
            for (method, text) in [(logger.warning, "four"), (logger.error, "five"), (logger.critical, "six")] {
                method("\(text)")
            }
            logger.fault("seven")
            Logger().info("\(unused())")
            os_log("%{public}@ %d", log: OSLog(subsystem: "a", category: "b"), type: .error, "eight", 8)
            os_log("nine")
            os_log(.info, "\(unused())")
            os_log(.error, log: .disabled, "\(unused())")
            os_log(.fault, log: .default, "ten \(10)")
            os_log(.error, "eleven %d", 11)
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        let ends = [
            "<default> [com.example:net] one", "<default> [com.example:net] two", "<fault> [com.example:net] three",
            "<error> [com.example:net] four", "<error> [com.example:net] five", "<fault> [com.example:net] six",
            "<fault> [com.example:net] seven", "<error> [a:b] eight 8", "<default> nine", "<fault> ten 10",
            "<error> eleven 11",
        ]
        #expect(lines.map { String($0.drop { $0 != "<" }) } == ends)
    }

    @Test("A program whose standard error is the journal's writes priorities")
    func ofJournal() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var state = stat()
            fstat(STDERR_FILENO, &state)
            setenv("JOURNAL_STREAM", "\(state.st_dev):\(state.st_ino)", 1)
            Logger().error("one\ntwo")
        }
        #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "<3>one\n<3>two\n")
    }
}
