import Foundation
@_exported public import MigrationTestKit
public import SwiftData

// Implementation notes: SwiftDataTestKit.
//
// - A module of its own, so that tests of programs without SwiftData build no macro.
// - A plan's trial is a `MigrationTrial` whose stores are opened by containers. `TrialPlan` of SwiftData knows stages
//   and classes, and makes values of their types. Everything else is MigrationTestKit's.

extension MigrationTrial {
    /// Makes a trial of the versions of a migration plan.
    ///
    /// - Each version's store is made of its `@Model` classes, with sample values of all types, also the program's own
    ///   structures and enumerations.
    /// - Containers with the plan open the stores: from each version to the newest, along each stage, and along the
    ///   chains of all stages. The tables must be those of a new store, and each property must be readable as its type.
    ///   Rows, values and links must be as before, unless a handler may have changed them.
    /// - A container of each older version opens the store of each newer one. It must refuse the store unchanged, and
    ///   name the losses.
    ///
    /// ```swift
    /// var trial = try MigrationTrial(plan: VoyagePlan.self)
    /// trial.child = try MigrationChild.program(named: "migrate-voyages")
    /// var report = try trial.run()
    /// report.entries += try trial.killTrials { try $0.killAtEveryStep() }.entries
    /// #expect(report.isClean, "\(report)")
    /// ```
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter plan: The plan. Its versions have the names of their types.
    /// - Throws: `SwiftDataError.loadIssueModelContainer` for a plan that contradicts itself, and for classes that no
    ///   store can keep.
    public init(plan: any SchemaMigrationPlan.Type) throws {
        let plan = try TrialPlan(plan)
        self.init(try plan.versions().map { ModelVersion($0.name, $0.model) })
        options["NSPersistentHistoryTrackingKey"] = true
        opening = TrialOpening(
            open: { try plan.open($0, $1) }, offers: { plan.offers($0, $1) }, runsCode: { plan.runsHandlers($0, $1) },
            chains: plan.chains(), inspect: { try plan.unreadableValues($0, $1) },
            values: { plan.values($0, $1, $2) })
    }
}
