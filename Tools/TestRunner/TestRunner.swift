import CProcesses
import Foundation

/// Runs the tests of a built bundle in several processes; `bin/test` calls it.
@main
struct TestRunner {
    private static let usage = """
        usage: test-runner BUNDLE [--filter PATTERN]… [--skip PATTERN]… [--jobs N] [--budgets FILE] [--logs FOLDER]
                           [--disk FOLDER] [--memory FOLDER] [--times [--renew]] [--check-budgets]
               test-runner --measure REPORT COMMAND [ARGUMENT]…
        """

    static func main() {
        opencoredata_print_by_line()
        do {
            var arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == "--measure", arguments.count >= 3 {
                try MeasuredProcess.run(report: arguments[1], Array(arguments.dropFirst(2)))
                return
            }
            guard !arguments.isEmpty else { throw RunnerError(usage) }
            let bundle = TestBundle(path: arguments.removeFirst())
            exit(try Options(arguments).run(bundle) ? 0 : 1)
        } catch {
            print("test-runner: \(error)")
            exit(2)
        }
    }

    /// The options of a run.
    private struct Options {
        var filters: [String] = []
        var skips: [String] = []
        var width = ProcessInfo.processInfo.activeProcessorCount + 1
        var budgetFile: String?
        var logs = "."
        var places = Places(disk: NSTemporaryDirectory())
        var measures = false
        var renews = false
        var checksBudgets = false

        init(_ arguments: [String]) throws {
            var rest = arguments[...]
            func value(_ option: String) throws -> String {
                guard let value = rest.popFirst() else { throw RunnerError("\(option) needs a value\n\(usage)") }
                return value
            }
            while let argument = rest.popFirst() {
                switch argument {
                case "--filter": filters.append(try value(argument))
                case "--skip": skips.append(try value(argument))
                case "--jobs":
                    guard let number = Int(try value(argument)), number > 0 else {
                        throw RunnerError("--jobs needs a number\n\(usage)")
                    }
                    width = number
                case "--budgets": budgetFile = try value(argument)
                case "--logs": logs = try value(argument)
                case "--disk": places.disk = try value(argument)
                case "--memory": places.memory = try value(argument)
                case "--times": measures = true
                case "--renew": renews = true
                case "--check-budgets": checksBudgets = true
                default: throw RunnerError("no option is called \(argument)\n\(usage)")
                }
            }
        }

        /// Whether everything passed.
        func run(_ bundle: TestBundle) throws -> Bool {
            let start = Date()
            let budgets = try budgetFile.map { try Budgets(file: $0) } ?? Budgets()
            let suites = try bundle.suites(filters: filters, skips: skips)
            guard !suites.isEmpty else { throw RunnerError("no test is called so") }
            let jobs = measures ? Plan.single(suites) : Plan.jobs(suites, budgets)
            let folder = URL(fileURLWithPath: logs)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let isVerbose = jobs.count == 1 && jobs[0].suites[0].library == .swiftTesting && !measures
            let run = TestRun(
                bundle: bundle, budgets: budgets, places: places, logs: folder, width: measures ? min(width, 2) : width,
                isVerbose: isVerbose)
            let count = jobs.count
            let progress = Progress(count)
            var outcomes = run.run(jobs) { outcome in
                if !isVerbose { progress.show(outcome) }
            }
            if measures { try report(outcomes, run, budgets) }
            if checksBudgets { outcomes += overspent(outcomes, run, count) }
            return Summary(outcomes).show(seconds: Date().timeIntervalSince(start))
        }

        /// Prints what each suite took, and writes it to the file of budgets if an option asks for that.
        private func report(_ outcomes: [Outcome], _ run: TestRun, _ old: Budgets) throws {
            // What a process takes that runs no test.
            let empty = min(outcomes.map(\.use.processor).min() ?? 0, Budgets.emptyProcess)
            var budgets = filters.isEmpty && skips.isEmpty ? Budgets() : old
            for outcome in outcomes {
                let name = outcome.job.suites[0].name
                budgets.rows[name] = Budgets.Row(
                    processor: max(0, outcome.use.processor - empty), clock: outcome.use.clock, peak: outcome.use.peak,
                    times: old.rows[name]?.times ?? 1)
            }
            if budgets.fixedWork == 0 || filters.isEmpty { budgets.fixedWork = run.fixedWork }
            print("\nprocessor s    clock s    MB    suite (each alone in a process)")
            for outcome in outcomes.sorted(by: { $0.use.processor > $1.use.processor }) {
                print(
                    String(
                        format: "%11.1f%11.1f%6d    ", outcome.use.processor - empty, outcome.use.clock,
                        outcome.use.peak)
                        + outcome.job.suites[0].name)
            }
            print(
                String(format: "%11.1f processor seconds in all", budgets.rows.values.reduce(0) { $0 + $1.processor }))
            if renews, let budgetFile { try budgets.text.write(toFile: budgetFile, atomically: true, encoding: .utf8) }
        }

        /// Measures the suites of each process that took more than its budget alone; those that take too much fail.
        private func overspent(_ outcomes: [Outcome], _ run: TestRun, _ count: Int) -> [Outcome] {
            func isWithin(_ suites: [Suite], _ processor: Double) -> Bool {
                processor <= run.budgets.limit(suites, fixedWork: run.fixedWork)
            }
            func hasBudget(_ suite: Suite) -> Bool { run.budgets.rows[suite.name] != nil }
            var suspects = outcomes.filter(\.passed).flatMap { outcome in
                let suites = outcome.job.suites.filter { !$0.isPart }
                return isWithin(suites, outcome.use.processor) ? suites.filter { !hasBudget($0) } : suites
            }
            // Programs beside the tests and servers that wait for each other only ever add: the least of three counts.
            var least: [String: Outcome] = [:]
            var number = count
            for _ in 0..<3 where !suspects.isEmpty {
                print("  more processor time than budgeted: \(suspects.count) suites are measured, each alone")
                let jobs = suspects.map { suite in
                    number += 1
                    return Job(number: number, suites: [suite])
                }
                for outcome in run.run(jobs, ended: { _ in }) {
                    let name = outcome.job.suites[0].name
                    if outcome.use.processor < least[name]?.use.processor ?? .infinity { least[name] = outcome }
                }
                suspects.removeAll { suite in
                    !hasBudget(suite) || least[suite.name].map { isWithin([suite], $0.use.processor) } ?? false
                }
            }
            return least.values.filter { outcome in
                !hasBudget(outcome.job.suites[0]) || !isWithin(outcome.job.suites, outcome.use.processor)
            }.map { outcome in
                var overspent = outcome
                let suite = outcome.job.suites[0]
                let budget = run.budgets.rows[suite.name].map {
                    "its budget is \(Budgets.decimal($0.processor * $0.times)) s"
                }
                overspent.results = TestResults()
                overspent.faults = [
                    "\(suite.name) took \(Budgets.decimal(outcome.use.processor)) s of processor time; "
                        + "\(budget ?? "it has no budget") (Tests/budgets.tsv, bin/test --times --renew)"
                ]
                return overspent
            }
        }
    }
}
