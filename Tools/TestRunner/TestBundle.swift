import Foundation

/// A library of tests that the bundle has.
enum TestLibrary: String {
    case swiftTesting = "swift-testing"
    case xctest
}

/// The tests of one type at the top level of a test module.
struct Suite {
    /// The module and the type: `CoreDataTests.HistoryTests`.
    var name: String
    var library: TestLibrary
    /// The identifiers of the tests to run.
    var tests: [String]
    /// Whether a filter left some tests out.
    var isPart = false

    var module: Substring { name.prefix { $0 != "." } }
}

/// The built bundle of all tests.
struct TestBundle {
    let path: String

    /// The suites of a run, as `swift test --filter` and `--skip` choose them.
    func suites(filters: [String], skips: [String]) throws -> [Suite] {
        let filters = try filters.map { try Regex($0) }
        let skips = try skips.map { try Regex($0) }
        var found: [String: Suite] = [:]
        func add(_ tests: some Sequence<Substring>, _ library: TestLibrary) {
            for test in tests where test.contains("/") || test.hasSuffix(")") {
                let name = String(test.prefix { $0 != "/" })
                let isAsked =
                    (filters.isEmpty || filters.contains { test.contains($0) }) && !skips.contains { test.contains($0) }
                var suite = found[name] ?? Suite(name: name, library: library, tests: [])
                if isAsked { suite.tests.append(String(test)) } else { suite.isPart = true }
                found[name] = suite
            }
        }
        add(try lines(["--testing-library", "swift-testing", "--list-tests"]), .swiftTesting)
        add(try lines(["--list-tests"]).filter { !$0.hasPrefix("Listing ") }, .xctest)
        return found.values.filter { !$0.tests.isEmpty }.sorted { $0.name < $1.name }
    }

    private func lines(_ arguments: [String]) throws -> [Substring] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw RunnerError("\(path) does not list its tests") }
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }

    /// The command that runs some suites of one library.
    func command(_ suites: [Suite], events: String) -> [String] {
        guard suites.first?.library == .swiftTesting else {
            return [path, suites.flatMap { $0.isPart ? $0.tests : [$0.name] }.joined(separator: ",")]
        }
        let patterns = suites.flatMap { suite in
            suite.isPart
                ? suite.tests.map { "^\(NSRegularExpression.escapedPattern(for: $0))(/|$)" }
                : ["^\(NSRegularExpression.escapedPattern(for: suite.name))/"]
        }
        return [
            path, "--testing-library", "swift-testing", "--event-stream-version", "0", "--event-stream-output-path",
            events,
        ]
            + patterns.flatMap { ["--filter", $0] }
    }
}
