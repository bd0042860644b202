import CoreData
import Foundation
import SwiftDataTestKit
import TestSupport
import Testing

@testable import SwiftData
@testable import plan_child

/// The trial of a plan, with sample values of the classes' types.
@Suite("Trials of SwiftData's plans", .serialized)
struct SwiftDataTrialTests {
    @Test("A whole plan: from each version to the newest, along each stage and the chain, back, and in two processes")
    func whole() throws {
        var trial = try MigrationTrial(plan: LogbookPlan.self)
        trial.samples.rowsPerEntity = 5
        trial.child = try MigrationChild.program(named: "plan-child")
        #expect(trial.versions.map(\.name) == ["LogbookV1", "LogbookV2", "LogbookV3", "LogbookV4", "LogbookV5"])
        let report = try trial.run()
        #expect(report.isClean && report.notPlayed.isEmpty, "\(report)")
        let names = report.entries.map(\.name)
        for name in [
            "LogbookV1 → LogbookV5", "LogbookV3 → LogbookV4", "LogbookV5 → LogbookV2, downgrade",
            "LogbookV1 → LogbookV2 → LogbookV3 → LogbookV4 → LogbookV5", "LogbookV4 → LogbookV5, two processes",
        ] {
            #expect(names.contains(name), "\(names)")
        }
        #expect(report.entries.filter { $0.play == .downgrade }.allSatisfy { $0.refusal != nil })
    }

    @Test("Sample values are those of the classes' types: every model of a store without migration can be read")
    func samples() throws {
        let plan = try TrialPlan(LogbookPlan.self)
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("logbook.store")
            var trial = try MigrationTrial(plan: LogbookPlan.self)
            trial.samples.rowsPerEntity = 12
            trial.samples.values = { plan.values("LogbookV3", $0, $1) }
            try trial.samples.make(at: url, trial.versions[2], options: [NSPersistentHistoryTrackingKey: true])
            #expect(try plan.unreadableValues(url, "LogbookV3") == [])
            let context = ModelContext(
                try ModelContainer(
                    for: Schema(versionedSchema: LogbookV3.self), configurations: ModelConfiguration(url: url)))
            let entries = try context.fetch(FetchDescriptor<LogbookV3.Entry>())
            #expect(entries.count == 12)
            #expect(Set(entries.map(\.wind)).count == 4)
            #expect(Set(entries.map(\.sails)) == [[.main, .jib], [.jib, .main]])
            #expect(entries.contains { $0.weather == .clear } && entries.contains { $0.weather != .clear })
            #expect(Set(entries.map(\.place.error)).count == 12)
        }
    }

    @Test("A version from which no stage leads on is in the report")
    func gap() throws {
        var trial = try MigrationTrial(plan: PlanWithGap.self)
        trial.samples.rowsPerEntity = 2
        let report = try trial.run()
        #expect(report.failures.map(\.name) == ["DiaryV1 → DiaryV3", "DiaryV2 → DiaryV3"], "\(report)")
        #expect("\(report)".contains("stages to DiaryV2 (2.0.0) only"), "\(report)")
    }

    @Test("A handler that leaves a value which is none of its property's type is in the report")
    func unreadable() throws {
        let trial = try MigrationTrial(plan: SpoilingPlan.self)
        let entry = try trial.hop(trial.versions[0], trial.versions[1])
        #expect(entry.problems.count == 20, "\(entry)")
        #expect(entry.problems.first?.contains("holds \"shrill\", which is no Tone") == true, "\(entry)")
    }

    @Test("A plan that contradicts itself has no trial")
    func wrongPlans() {
        let plans: [any SchemaMigrationPlan.Type] = [
            PlanWithCircle.self, TwicePricePlan.self, PlanWithoutSchemas.self,
        ]
        for plan in plans {
            #expect(throws: SwiftDataError.loadIssueModelContainer) { try MigrationTrial(plan: plan) }
        }
    }
}

private enum SpoilingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DiaryV1.self, DiaryV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: DiaryV1.self, toVersion: DiaryV2.self, willMigrate: nil,
                didMigrate: { context in
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
                    for note in try context.managedObjectContext.fetch(request) {
                        note.setValue(["tone": "shrill"], forKey: "tone")
                    }
                    try context.save()
                })
        ]
    }
}
