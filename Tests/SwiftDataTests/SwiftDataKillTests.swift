import Foundation
import SwiftDataTestKit
import TestSupport
import Testing

@testable import plan_child

/// Real processes, killed with SIGKILL while they go through a plan: three hundred random moments and every step of
/// every stage with `bin/test --long`, and otherwise a sample that differs from commit to commit.
@Suite("Killed migrations of SwiftData's stores", .serialized)
struct SwiftDataKillTests {
    /// Plays with a store of the first version, whose handlers count as once.
    private func play(_ body: (KillTrial) throws -> MigrationTrialReport) throws {
        var migration = try MigrationTrial(plan: LogbookPlan.self)
        migration.child = try MigrationChild.program(named: "plan-child")
        migration.samples = SampleStore(rowsPerEntity: 6, seed: 3)
        migration.versions = [migration.versions[0], migration.versions[4]]
        let report = try migration.killTrials { given in
            let texts = try RawDatabase(given.store).texts("SELECT ZTEXT FROM ZENTRY ORDER BY ZNUMBER")
            #expect(texts.count == 6)
            var trial = given
            trial.inspect = { url in
                let notes = try RawDatabase(url).texts("SELECT ZNOTE FROM ZENTRY ORDER BY ZNUMBER")
                let isOnce = notes == texts.map { $0 + "1245" }
                return try (given.inspect?(url) ?? []) + (isOnce ? [] : ["handlers have left \(notes)"])
            }
            return try body(trial)
        }
        #expect(report.isClean, "\(report.failures.map(\.description).joined(separator: "\n"))")
        #expect(!report.entries.isEmpty && report.entries.allSatisfy { $0.rows > 0 && $0.refusal == nil })
    }

    @Test("After a kill at any step the store is of the older or the newer version, and each handler counts once")
    func steps() throws {
        try play { trial in
            let steps = try trial.steps()
            #expect(steps.count { $0 == "didHandled" } >= 3)
            return try trial.killAtSteps(most: Sample.isWhole ? 4 : 1) { Sample.slice($0, oneIn: 16, "plan") }
        }
    }

    @Test("After a kill at any moment the store is of the older or the newer version, and each handler counts once")
    func moments() throws {
        try play { try $0.killAtRandom(times: Sample.isWhole ? 300 : 2, seed: Sample.seed &* 0x9E37 &+ 11) }
    }

    @Test("A disk that is full within a stage: the error is reported, and the store is as it was")
    func fullDisk() throws {
        var migration = try MigrationTrial(plan: LogbookPlan.self)
        migration.child = try MigrationChild.program(named: "plan-child")
        migration.versions = [migration.versions[0], migration.versions[4]]
        let report = try migration.killTrials { try $0.fullDisk(steps: Sample.isWhole ? 60 : 3) }
        #expect(report.isClean, "\(report.failures.map(\.description).joined(separator: "\n"))")
        #expect(report.refused.count > 1 && report.refused.count < report.entries.count, "\(report)")
    }
}
