// Opens a store of the logbook by a plan, as a program does when it starts, until a trial kills it.
// Usage: plan-child STORE [short | endless], with the plan of an older program, or with one whose handler does not end.
import Foundation
import SwiftData
import SwiftDataTestKit

MigrationChild.main { store, arguments in
    let versions: (plan: any SchemaMigrationPlan.Type, newest: any VersionedSchema.Type) =
        switch arguments.first {
        case "short": (ShortLogbookPlan.self, LogbookV2.self)
        case "endless": (EndlessLogbookPlan.self, LogbookV2.self)
        default: (LogbookPlan.self, LogbookV5.self)
        }
    _ = try ModelContainer(
        for: Schema(versionedSchema: versions.newest), migrationPlan: versions.plan,
        configurations: [ModelConfiguration(url: store)])
}
