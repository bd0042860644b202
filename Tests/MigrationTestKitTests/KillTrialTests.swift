import Foundation
import MigrationTestKit
import TestSupport
import Testing

@testable import CoreData

/// Real processes, killed with SIGKILL: a thousand random moments and every step with `bin/test --long`, and
/// otherwise a sample that differs from commit to commit.
@Suite("Killing processes on every kind of migration", .serialized)
struct KillTrialTests {
    private func withTrial(_ kind: KindOfTrial, _ body: (KillTrial) throws -> Void) throws {
        try kind.withTrial(body)
    }

    private func expectClean(_ report: MigrationTrialReport, _ location: SourceLocation = #_sourceLocation) {
        #expect(
            report.isClean, "\(report.failures.map(\.description).joined(separator: "\n"))", sourceLocation: location)
        #expect(report.entries.allSatisfy { $0.rows > 0 }, sourceLocation: location)
    }

    @Test("A migration killed at random moments leaves a clean store", arguments: KindOfTrial.allCases)
    func random(_ kind: KindOfTrial) throws {
        try withTrial(kind) { trial in
            let report = try trial.killAtRandom(times: Sample.isWhole ? 250 : 3, seed: Sample.seed &* 0x9E37 &+ 1)
            expectClean(report)
            #expect(report.refused.isEmpty)
        }
    }

    @Test(
        "A migration killed at every step, the journal's among them, leaves a clean store",
        arguments: KindOfTrial.allCases)
    func steps(_ kind: KindOfTrial) throws {
        try withTrial(kind) { trial in
            let steps = Set(try trial.steps())
            if kind != .inPlace {
                for moment in StoreExchange.Moment.allCases { #expect(steps.contains(moment.rawValue), "\(moment)") }
            }
            let report = try trial.killAtSteps(most: Sample.isWhole ? 8 : 2) { kills in
                // In place there are few. Elsewhere a kill before and one within the exchange are the most dangerous.
                if Sample.isWhole || kind == .inPlace { return kills }
                let always = [StoreExchange.Moment.mainsExchanged.rawValue, "stepsDone"]
                let rest = kills.filter { !always.contains($0.step) }
                return kills.filter { always.contains($0.step) } + Sample.slice(rest, oneIn: 8, kind.rawValue)
            }
            expectClean(report)
            #expect(report.entries.count >= (Sample.isWhole ? steps.count : 1))
        }
    }

    @Test("work that was done before the kill is not repeated")
    func resumed() throws {
        try withTrial(.staged) { trial in
            let all = try trial.steps()
            #expect(all.filter { $0 == "copyStageDone" }.count == 3)
            #expect(all.filter { $0 == "didHandled" }.count == 2)
            // After the first stage's checkpoint only the remaining stages run.
            let second = try trial.stepsAfterKill(at: "checkpointWritten")
            #expect(second.filter { $0 == "copyStageDone" }.count == 2)
            #expect(second.filter { $0 == "didHandled" }.count == 1)
            // In the middle of the last one: only that.
            let third = try trial.stepsAfterKill(at: "willHandled", occurrence: 2)
            #expect(third.filter { $0 == "copyStageDone" }.count == 1)
            #expect(try trial.stepsAfterKill(at: "verified").filter { $0 == "copyStageDone" }.isEmpty)
            // Before the first checkpoint there is nothing to resume.
            #expect(try trial.stepsAfterKill(at: "didHandled").filter { $0 == "copyStageDone" }.count == 3)
        }
        try withTrial(.chain) { trial in
            #expect(try trial.steps().filter { $0 == "copyStageDone" }.count == 3)
            let second = try trial.stepsAfterKill(at: "checkpointWritten", occurrence: 2)
            #expect(second.filter { $0 == "copyStageDone" }.count == 1)
            #expect(!second.contains("batchSaved"), "the mapping model's leg was done")
        }
    }

    @Test(
        "a disk that is full at any write: the error is reported, and the store is as it was",
        arguments: Sample.slice(KindOfTrial.allCases, oneIn: 4, "full"))
    func fullDisk(_ kind: KindOfTrial) throws {
        try withTrial(kind) { trial in
            // Another number of sizes is another set of sizes.
            let report = try trial.fullDisk(steps: Sample.isWhole ? 120 : 4 + Int(Sample.seed % 2))
            expectClean(report)
            #expect(report.refused.count > 1 && report.refused.count < report.entries.count, "\(report)")
        }
    }

    @Test(
        "two processes that start the same migration: one migrates, the other waits and opens",
        arguments: Sample.slice(KindOfTrial.allCases, oneIn: 2, "two"))
    func twoProcesses(_ kind: KindOfTrial) throws {
        try withTrial(kind) { trial in expectClean(try trial.twoProcesses(times: Sample.isWhole ? 20 : 1)) }
    }

    @Test(
        "a folder that cannot be written: the error is reported, and the store is as it was",
        arguments: Sample.slice(KindOfTrial.allCases, oneIn: 4))
    func readOnlyFolder(_ kind: KindOfTrial) throws {
        try withTrial(kind) { trial in expectClean(try trial.readOnlyFolder()) }
    }
}
