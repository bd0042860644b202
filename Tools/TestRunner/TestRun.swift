import Foundation
import Synchronization

/// Suites that run in one process.
struct Job: Sendable {
    var number: Int
    var suites: [Suite]

    var title: String {
        guard let first = suites.first else { return "" }
        return suites.count == 1 ? first.name : "\(first.module), \(suites.count) suites"
    }
}

/// How a job ended.
struct Outcome: Sendable {
    var job: Job
    var use: ProcessUse
    var results: TestResults
    var log: URL
    /// What went wrong beside tests that failed.
    var faults: [String] = []

    var passed: Bool { results.failures.isEmpty && faults.isEmpty }
}

extension Suite: @unchecked Sendable {}  // values
extension TestResults: @unchecked Sendable {}  // values

/// The temporary folders of a run.
struct Places: Sendable {
    /// The folder on a disk, for suites whose subject is the disk.
    var disk: String
    /// The folder in memory; nil where there is none.
    var memory: String?

    /// Under how many free MB no process more begins in memory.
    static let reserve = 512

    static func freeMegabytes(_ folder: String) -> Int {
        var values = statvfs()
        return statvfs(folder, &values) == 0 ? (Int(values.f_bavail) * Int(values.f_frsize)) >> 20 : 0
    }
}

/// Runs jobs, some at a time.
final class TestRun: Sendable {
    let bundle: TestBundle
    let budgets: Budgets
    let places: Places
    let logs: URL
    let width: Int
    /// Whether the output of a single job is printed while it runs.
    let isVerbose: Bool
    private let fixedWorks = Mutex<[Double]>([])

    init(bundle: TestBundle, budgets: Budgets, places: Places, logs: URL, width: Int, isVerbose: Bool) {
        self.bundle = bundle
        self.budgets = budgets
        self.places = places
        self.logs = logs
        self.width = width
        self.isVerbose = isVerbose
    }

    /// The seconds of the fixed work in this run.
    var fixedWork: Double {
        fixedWorks.withLock { times in times.isEmpty ? 0 : times.sorted()[times.count / 2] }
    }

    /// Runs all jobs; calls `ended` after each, one call at a time.
    func run(_ jobs: [Job], ended: @escaping @Sendable (Outcome) -> Void) -> [Outcome] {
        let next = Mutex(0)
        let outcomes = Mutex<[Outcome]>([])
        let group = DispatchGroup()
        for _ in 0..<min(width, jobs.count) {
            group.enter()
            Thread.detachNewThread {
                while true {
                    let place = next.withLock { number in
                        defer { number += 1 }
                        return number
                    }
                    guard place < jobs.count else { break }
                    let outcome = self.run(jobs[place])
                    outcomes.withLock {
                        $0.append(outcome)
                        ended(outcome)
                    }
                }
                group.leave()
            }
        }
        group.wait()
        return outcomes.withLock(\.self)
    }

    private func run(_ job: Job) -> Outcome {
        if let memory = places.memory, Places.freeMegabytes(memory) >= Places.reserve {
            let filled = Mutex(false)
            // A test that needs more memory than there is fails for no fault of its own.
            let watch = DispatchSource.makeTimerSource(queue: .global())
            watch.schedule(deadline: .now(), repeating: .milliseconds(200))
            watch.setEventHandler {
                if Places.freeMegabytes(memory) < Places.reserve / 8 { filled.withLock { $0 = true } }
            }
            watch.resume()
            let outcome = run(job, in: memory)
            watch.cancel()
            if outcome.passed || !filled.withLock(\.self) { return outcome }
            print("  the memory for temporary files was full; on the disk once more: \(job.title)")
        }
        return run(job, in: places.disk)
    }

    private func run(_ job: Job, in place: String) -> Outcome {
        let name = "\(job.number)"
        let folder = "\(place)/\(name)"
        let log = logs.appendingPathComponent("\(name).log")
        let events = logs.appendingPathComponent("\(name).events").path
        let report = logs.appendingPathComponent("\(name).use").path
        var outcome = Outcome(
            job: job, use: ProcessUse(processor: 0, clock: 0, peak: 0, leftOver: []), results: TestResults(), log: log)
        do {
            for file in [events, report] { try? FileManager.default.removeItem(atPath: file) }
            fixedWorks.withLock { $0.append(Budgets.doFixedWork()) }
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = ["--measure", report] + bundle.command(job.suites, events: events)
            process.environment = ProcessInfo.processInfo.environment.merging(
                ["TMPDIR": folder, "OPENCOREDATA_DISK": places.disk]
            ) { $1 }
            if !isVerbose {
                try Data().write(to: log)
                let output = try FileHandle(forWritingTo: log)
                process.standardOutput = output
                process.standardError = output
            }
            process.standardInput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard
                let use = try? JSONDecoder().decode(
                    ProcessUse.self, from: Data(contentsOf: URL(fileURLWithPath: report)))
            else { throw RunnerError("the process that measures ended with status \(process.terminationStatus)") }
            outcome.use = use
            if job.suites.first?.library == .swiftTesting {
                outcome.results = try TestResults(events: URL(fileURLWithPath: events))
            } else {
                let text = isVerbose ? "" : String(decoding: try Data(contentsOf: log), as: UTF8.self)
                outcome.results = TestResults(xctest: text)
            }
            if let signal = use.signal { outcome.faults.append("the process ended by signal \(signal)") }
            if let status = use.status, status != 0, outcome.results.failures.isEmpty {
                outcome.faults.append("the process ended with status \(status)")
            }
            if !outcome.passed, !outcome.results.unfinished.isEmpty {
                outcome.faults.append("not finished: \(outcome.results.unfinished.joined(separator: ", "))")
            }
            for line in use.leftOver { outcome.faults.append("a process was left over: \(line)") }
        } catch {
            outcome.faults.append("\(error)")
        }
        return outcome
    }
}
