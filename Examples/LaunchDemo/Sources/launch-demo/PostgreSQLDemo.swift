#if PostgreSQL
import CoreDataManager
import Foundation
import Synchronization

/// One server, many processes: they count one number together, and launch a new version of a program at once. Then
/// they do it on several servers (`ClusterDemo`).
@MainActor
struct PostgreSQLDemo {
    let messages: Int
    /// How often each process counts.
    let times: Int

    private nonisolated static let counting = "postgresql:///counting"
    private nonisolated static let mail = "postgresql:///mail"
    private nonisolated static let counters = 8
    private nonisolated static let launches = 4

    func run() throws {
        guard ProcessInfo.processInfo.environment["PGHOST"] != nil else {
            throw DemoFailure("bin/demo postgresql starts a server; this program needs one")
        }
        try count()
        try launch()
        try ClusterDemo(tickets: messages, times: times).run()
    }

    // MARK: Counting

    private func count() throws {
        print("1. \(Self.counters) processes count one number in one row up, \(times) times each.")
        let url = URL(ofStore: Self.counting)
        _ = try LaunchedChild(["make-counter", Self.counting, "0"]).run()
        let times = times
        _ = try LaunchedChild.together(
            Self.counters, { _ in try LaunchedChild(["count", Self.counting, "\(times)"]).run() })
        let (expected, found) = (Self.counters * times, try Counter(store: url).value())
        guard found == expected else { throw DemoFailure("the row says \(found) instead of \(expected)") }
        print("   \(Self.counters) × \(times) = \(expected), and the row says \(found): the exact sum")
    }

    // MARK: Launching

    private func launch() throws {
        print("\n2. \(Self.launches) processes launch a new version of a mail program at once, over one database.")
        print("   \(messages) messages of the old version are written …")
        _ = try LaunchedChild(["build", Self.mail, "\(messages)"]).run()
        print(
            "   Folders become labels, a column goes, one is renamed, one must not be empty. One process migrates,")
        print("   the others wait; all of them show the progress.")
        let progress = ToldProgress(Self.launches)
        let bar = ProgressBar()
        let outcomes = try LaunchedChild.together(Self.launches) { number in
            try LaunchedChild(["managed", Self.mail, "labels"], onProgress: { progress.note($0, of: number) }).run()
        } meanwhile: {
            if let highest = progress.highest { bar.show(highest) }
        }
        bar.end()
        _ = try LaunchedChild(["check", Self.mail, "labels"]).run()
        var rows = [["launch", "first screen", "progress told", "ready", "longest stall"]]
        for (number, outcome) in outcomes.enumerated() {
            rows.append([
                "process \(number + 1)", outcome.firstScreen.map { "\($0.milliseconds) ms" } ?? "never",
                "\(progress.count(of: number)) ×", outcome.ready.map { "\($0.seconds) s" } ?? "never",
                "\(outcome.longestStall.milliseconds) ms",
            ])
        }
        print("")
        printTable(rows)
        print("\nAll \(outcomes.count) processes are ready with the new version.")
    }

    // MARK: Processes

    /// The progress of the migration that the processes have announced.
    private final class ToldProgress: Sendable {
        private let told: Mutex<[(count: Int, fraction: Double)]>

        init(_ count: Int) { told = Mutex(Array(repeating: (0, 0), count: count)) }

        func note(_ fraction: Double, of process: Int) {
            told.withLock { $0[process] = ($0[process].count + 1, fraction) }
        }

        func count(of process: Int) -> Int { told.withLock { $0[process].count } }

        /// The highest announced fraction; nil before the first announcement.
        var highest: Double? {
            told.withLock { told in told.contains { $0.count > 0 } ? told.map(\.fraction).max() : nil }
        }
    }
}
#endif
