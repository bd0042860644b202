import CoreData
import Foundation
import TestSupport
import Testing

/// Random sequences over three nested contexts and two coordinators, compared with a simple reference model, on each
/// kind of store in turn.
///
/// A run plays some sequences, which differ from commit to commit; `bin/test --long` plays a million steps.
/// `OPENCOREDATA_GRAPH_SEED` plays one sequence alone, `OPENCOREDATA_GRAPH_STEPS` another number of steps, and
/// `OPENCOREDATA_KIND` one kind of store.
@Suite("Random changes of a graph")
struct RandomGraphTests {
    private static let stepsPerSequence = 100

    /// The only sequence to play, if the environment names one.
    private static var onlySeed: UInt64? {
        ProcessInfo.processInfo.environment["OPENCOREDATA_GRAPH_SEED"].flatMap(UInt64.init)
    }

    /// How many steps are to be played; those that were not allowed where they came do not count.
    private static func stepsToPlay(_ usual: Int, long: Int) -> Int {
        let asked = ProcessInfo.processInfo.environment["OPENCOREDATA_GRAPH_STEPS"].flatMap(Int.init)
        return asked ?? (Sample.isWhole ? long : usual)
    }

    /// The kinds to play on: those that a test is for, or the one that the environment names.
    private static func kinds(_ usual: [StoreKind]) -> [StoreKind] {
        StoreKind.asked.map { [$0] } ?? usual
    }

    @Test("Each context equals the reference after every step")
    func agreesWithTheReference() throws {
        try agree(
            on: Self.kinds([.sqlite, .inMemory, .atomic, .incremental]), Self.stepsToPlay(7_000, long: 1_000_000))
    }

    #if PostgreSQL
    @Test(
        "Each context equals the reference after every step on a PostgreSQL database",
        .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    func agreesOnPostgreSQL() throws {
        try agree(on: Self.kinds(StoreKind.ofPostgreSQL), Self.stepsToPlay(600, long: 200_000))
    }
    #endif

    private func agree(on kinds: [StoreKind], _ stepsToPlay: Int) throws {
        var played = 0
        let policies = ReferenceStack.Policy.allCases
        // Runs of neighbouring commits have no sequence in common.
        let first = Sample.isWhole ? 0 : Sample.seed % 1_000_000 * 1_000
        for seed in Self.onlySeed.map({ $0...$0 }) ?? first...(first + UInt64(stepsToPlay)) {
            if played >= stepsToPlay { break }
            let steps = Self.steps(seed)
            let policy = policies[Int(seed) % policies.count]
            let kind = kinds[Int(seed) / policies.count % kinds.count]
            let takesOverLater = Int(seed) / (policies.count * kinds.count) % 2 == 1
            func play(_ steps: [GraphStep]) throws -> Int {
                try GraphRun.play(steps, policy, kind, takesOverLater: takesOverLater)
            }
            do {
                played += try play(steps)
            } catch {
                let (shrunk, text) = Self.shrink(steps, play)
                let listing = shrunk.map { "    \($0),\n" }.joined()
                let way = takesOverLater ? ", taken over later" : ""
                Issue.record("seed \(seed), \(policy), \(kind)\(way): \(text)\n[\n\(listing)]")
                return
            }
        }
        #expect(Self.onlySeed != nil || played >= stepsToPlay)
    }

    private static func steps(_ seed: UInt64) -> [GraphStep] {
        var random = SplitMix(state: seed)
        return (0..<stepsPerSequence).map { _ in GraphStep(using: &random) }
    }

    /// The fewest steps that still fail: pieces are left out, ever smaller ones, until none can go.
    private static func shrink(
        _ steps: [GraphStep], _ play: ([GraphStep]) throws -> Int
    ) -> ([GraphStep], String) {
        var steps = steps
        var text = failure(of: steps, play) ?? "the failure did not come again"
        var size = steps.count / 2
        while size > 0 {
            var start = 0
            var isShorter = false
            while start < steps.count {
                var candidate = steps
                candidate.removeSubrange(start..<min(start + size, steps.count))
                if let failure = failure(of: candidate, play) {
                    steps = candidate
                    text = failure
                    isShorter = true
                } else {
                    start += size
                }
            }
            if !isShorter || size > 1 { size /= 2 }
        }
        return (steps, text)
    }

    private static func failure(of steps: [GraphStep], _ play: ([GraphStep]) throws -> Int) -> String? {
        do {
            _ = try play(steps)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
