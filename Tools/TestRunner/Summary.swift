import Foundation
import Synchronization

/// A line for each process that has ended.
final class Progress: Sendable {
    private let count: Int
    private let ended = Mutex(0)

    init(_ count: Int) { self.count = count }

    func show(_ outcome: Outcome) {
        let number = ended.withLock { number in
            number += 1
            return number
        }
        let use = outcome.use
        print(
            "[\(number)/\(count)] \(outcome.passed ? "✔" : "✘") \(outcome.job.title): \(outcome.results.tests) tests, "
                + String(format: "%.1f s, %.1f s of processor time", use.clock, use.processor))
        if !outcome.passed { Summary.showFailures(outcome) }
    }
}

/// What all processes of a run found.
struct Summary {
    private let outcomes: [Outcome]

    init(_ outcomes: [Outcome]) { self.outcomes = outcomes }

    static func showFailures(_ outcome: Outcome) {
        for failure in outcome.results.failures { print("✘ \(failure)") }
        for fault in outcome.faults { print("✘ \(outcome.job.title): \(fault)") }
        if !outcome.faults.isEmpty, let text = try? String(contentsOf: outcome.log, encoding: .utf8) {
            for line in text.split(separator: "\n").suffix(25) { print("    \(line)") }
        }
    }

    /// Prints the summary, failures last. Returns whether everything passed.
    func show(seconds: Double) -> Bool {
        var skipped: [String: [String]] = [:]
        for outcome in outcomes { skipped.merge(outcome.results.skipped) { $0 + $1 } }
        if !skipped.isEmpty { print() }
        for (reason, tests) in skipped.sorted(by: { $0.key < $1.key }) {
            let names = Set(tests.map { $0.prefix { $0 != "/" } }).sorted()
            print("skipped, \(tests.count) × \(reason): \(names.joined(separator: ", "))")
        }
        let failed = outcomes.filter { !$0.passed }
        if !failed.isEmpty {
            print("\nwhat failed:")
            for outcome in failed { Self.showFailures(outcome) }
        }
        let processor = outcomes.reduce(0) { $0 + $1.use.processor }
        print(String(format: "\n%.1f s of processor time in %d processes", processor, outcomes.count))
        // The forms of `swift test`.
        let (xctest, testing) = (results(.xctest), results(.swiftTesting))
        let issues = testing.failures.count + outcomes.reduce(0) { $0 + $1.faults.count }
        if xctest.tests > 0 {
            let failures = xctest.failures.count
            print(
                "Executed \(xctest.tests) tests, with \(failures) failures (0 unexpected) in "
                    + String(format: "%.3f (%.3f) seconds", seconds, seconds))
        }
        if testing.tests > 0 || issues > 0 {
            let end = String(format: "after %.3f seconds", seconds)
            let found = issues == 0 ? "passed \(end)." : "failed \(end) with \(issues) issue\(issues == 1 ? "" : "s")."
            func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
            let run = "\(count(testing.tests, "test")) in \(count(testing.suites.count, "suite"))"
            print("\(issues == 0 ? "✔" : "✘") Test run with \(run) \(found)")
        }
        return failed.isEmpty
    }

    private func results(_ library: TestLibrary) -> TestResults {
        var all = TestResults()
        for outcome in outcomes where outcome.job.suites.first?.library == library { all.add(outcome.results) }
        return all
    }
}
