import Foundation

/// The results of the tests that one process ran.
struct TestResults {
    var tests = 0
    var suites: Set<String> = []
    /// One entry for each failure: the test and its message.
    var failures: [String] = []
    /// Skipped tests by reason.
    var skipped: [String: [String]] = [:]
    /// Tests that began and did not end: the process ended first.
    var unfinished: [String] = []

    mutating func add(_ other: TestResults) {
        tests += other.tests
        suites.formUnion(other.suites)
        failures += other.failures
        skipped.merge(other.skipped) { $0 + $1 }
        unfinished += other.unfinished
    }
}

extension TestResults {
    private struct Record: Decodable {
        struct Payload: Decodable {
            struct Message: Decodable { var text: String }
            struct Issue: Decodable {
                struct Location: Decodable {
                    var fileID: String?
                    var line: Int?
                }
                var isKnown: Bool
                var isFailure: Bool?
                var sourceLocation: Location?
            }
            var kind: String
            var id: String?
            var displayName: String?
            var testID: String?
            var messages: [Message]?
            var issue: Issue?
        }
        var kind: String
        var payload: Payload
    }

    /// Reads the event stream of swift-testing.
    init(events: URL) throws {
        let text = String(decoding: (try? Data(contentsOf: events)) ?? Data(), as: UTF8.self)
        var running: Set<String> = []
        var functions: Set<String> = []
        let decoder = JSONDecoder()
        for line in text.split(separator: "\n") {
            guard let record = try? decoder.decode(Record.self, from: Data(line.utf8)) else { continue }
            let payload = record.payload
            if record.kind == "test" {
                if payload.kind == "function", let id = payload.id { functions.insert(id) }
                continue
            }
            guard let id = payload.testID else {
                if payload.kind == "issueRecorded", let failure = Self.failure(payload) { failures.append(failure) }
                continue
            }
            let text = payload.messages?.first?.text ?? ""
            switch payload.kind {
            case "testStarted" where functions.contains(id):
                tests += 1
                suites.insert(String(id.prefix { $0 != "/" }))
                running.insert(id)
            case "testStarted": suites.insert(String(id.prefix { $0 != "/" }))
            case "testEnded": running.remove(id)
            case "testSkipped":
                if functions.contains(id) { tests += 1 }
                let reason = text.range(of: "skipped: ").map { String(text[$0.upperBound...]) } ?? "no reason is named"
                skipped[reason, default: []].append(Self.name(id))
            case "issueRecorded":
                if let failure = Self.failure(payload) { failures.append(failure) }
            default: break
            }
        }
        unfinished = running.map(Self.name).sorted()
    }

    private static func failure(_ payload: Record.Payload) -> String? {
        guard let issue = payload.issue, !issue.isKnown, issue.isFailure != false else { return nil }
        let place = issue.sourceLocation.map { " (\($0.fileID ?? ""):\($0.line ?? 0))" } ?? ""
        let text = (payload.messages ?? []).map(\.text).joined(separator: "\n    ")
        return "\(payload.testID.map(name) ?? "no test")\(place)\n    \(text)"
    }

    /// A test's identifier without the place of its source.
    private static func name(_ id: String) -> String {
        let parts = id.split(separator: "/")
        return (parts.count > 2 && parts.last?.contains(".swift:") == true ? parts.dropLast() : parts[...])
            .joined(separator: "/")
    }

    /// Reads the last line of XCTest's summary, and the lines of failures before it.
    init(xctest log: String) {
        for line in log.split(separator: "\n") {
            if line.contains(/\.swift:\d+: error:/) { failures.append(String(line)) }
            if line.hasPrefix("Test Suite '"), line.contains("' started"), !line.contains(".xctest"),
                !line.contains("Selected tests"), !line.contains("All tests")
            {
                suites.insert(String(line.split(separator: "'")[1]))
            }
            if let found = line.firstMatch(of: /Executed (\d+) tests?, with/) { tests = Int(found.1) ?? 0 }
        }
    }
}

/// A reason for which the runner ends.
struct RunnerError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
