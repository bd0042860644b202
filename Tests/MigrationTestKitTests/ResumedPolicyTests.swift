import Foundation
import TestSupport
import Testing

@testable import MigrationTestKit

/// Real processes, killed with SIGKILL while policies take part, and the hooks that the next start calls.
@Suite("Resuming a migration whose policies allow it", .serialized)
struct ResumedPolicyTests {
    private static let items = 600

    /// The lines of the program about hooks and moments.
    private func lines(_ outcome: ChildRun.Outcome) -> [String] {
        outcome.text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("hook ") || $0.hasPrefix("moment ") }
    }

    private func hooks(_ lines: some Sequence<String>) -> [String] { lines.filter { $0.hasPrefix("hook ") } }

    private func count(_ moment: String, _ moments: some Sequence<String>) -> Int {
        moments.reduce(0) { $0 + ($1 == moment ? 1 : 0) }
    }

    private func run(_ trial: KillTrial, killedAt moment: String? = nil, _ url: URL) throws -> ChildRun.Outcome {
        var environment = [MigrationChild.traceVariable: "1"]
        environment[MigrationChild.killVariable] = moment
        return try ChildRun(trial.program, store: url, arguments: trial.arguments, environment: environment).wait()
    }

    @Test("No hook runs again that ran before the last checkpoint, and the work of later ones is undone")
    func onceOnly() throws {
        try KindOfTrial.resumable.withTrial(items: Self.items) { trial in
            let all = try trial.inFolder { lines(try run(trial, $0)) }
            #expect(hooks(all).count == 2 * Self.items + 5)
            var counts: [String: Int] = [:]
            for line in all where line.hasPrefix("moment ") { counts[String(line.dropFirst(7)), default: 0] += 1 }
            #expect(counts["positionKept", default: 0] > 15)
            var goneOn = 0
            for moment in ["batchSaved", "associationsKept", "positionKept"] {
                let count = counts[moment] ?? 0
                for occurrence in Sample.slice(Set([2, 5, 8, count - 3, count]).sorted(), oneIn: 3, moment) {
                    try trial.inFolder { url in
                        let killed = try run(trial, killedAt: "\(moment):\(occurrence)", url)
                        #expect(killed.wasKilled)
                        let first = lines(killed)
                        let checkpoint = first.lastIndex(of: "moment positionKept") ?? 0
                        let second = try run(trial, url)
                        #expect(second.isDone, "\(second.text)")
                        let before = hooks(first[..<checkpoint])
                        #expect(before + hooks(lines(second)) == hooks(all), "\(moment) \(occurrence)")
                        if !before.isEmpty { goneOn += 1 }
                        #expect(try trial.inspect?(url) == [], "\(moment) \(occurrence)")
                    }
                }
            }
            #expect(goneOn > (Sample.isWhole ? 8 : 0))
        }
    }

    @Test("A resumed migration does not repeat the entity mappings before a policy that cannot be resumed")
    func before() throws {
        try KindOfTrial.mapped.withTrial(items: Self.items, itemsLast: true) { trial in
            let all = try trial.steps()
            #expect(count("positionKept", all) == 2)
            let last = try #require(all.lastIndex(of: "positionKept"))
            let (batches, left) = (count("batchSaved", all), count("batchSaved", all[last...]))
            #expect(left + 5 < batches)
            // In the midst of the policy's entity mapping, and in the second pass.
            for occurrence in [batches - left + 2, batches - 3] {
                let second = try trial.stepsAfterKill(at: "batchSaved", occurrence: occurrence)
                // The first batch after a start is a small one.
                #expect(count("batchSaved", second) <= left + 1)
            }
        }
    }

    @Test("a finished copy stage is not carried out again when the process is killed before its end is recorded")
    func finished() throws {
        try KindOfTrial.resumable.withTrial(items: Self.items) { trial in
            let second = try trial.stepsAfterKill(at: "copyStageDone")
            #expect(!second.contains("batchSaved"))
            #expect(second.contains("exchanged"))
        }
    }
}
