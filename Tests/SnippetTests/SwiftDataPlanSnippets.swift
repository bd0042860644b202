import Foundation
import SwiftData
import SwiftDataTestKit
import Testing

// Code of SwiftDataPlans.md. Nothing runs it, because there is no such program.
enum SwiftDataPlanSnippets {
    private enum VoyagesV1: VersionedSchema {
        static var models: [any PersistentModel.Type] { [Voyage.self] }
        static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    }

    private enum VoyagesV2: VersionedSchema {
        static var models: [any PersistentModel.Type] { [Voyage.self] }
        static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    }

    private enum VoyagePlan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [VoyagesV1.self, VoyagesV2.self] }
        static var stages: [MigrationStage] {
            [.lightweight(fromVersion: VoyagesV1.self, toVersion: VoyagesV2.self)]
        }
    }

    static func trial() throws {
        // snippet: a trial of a plan
        var trial = try MigrationTrial(plan: VoyagePlan.self)
        trial.child = try MigrationChild.program(named: "migrate-voyages")
        var report = try trial.run()
        report.entries += try trial.killTrials { try $0.killAtEveryStep() }.entries
        #expect(report.isClean, "\(report)")
        // snippet end
    }

    static func description() throws {
        // snippet: the description of a plan
        try VoyagePlan.writeDescription(to: URL(fileURLWithPath: "Voyages.modeldescription"))
        // snippet end
    }

    static func child() -> Never {
        // snippet: a program that opens a container
        MigrationChild.main { store, _ in
            _ = try ModelContainer(
                for: Schema(versionedSchema: VoyagesV2.self), migrationPlan: VoyagePlan.self,
                configurations: [ModelConfiguration(url: store)])
        }
        // snippet end
    }
}
