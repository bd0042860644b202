#if PostgreSQL
import CoreData
import CoreDataManager
import CoreDataPostgreSQL
import Foundation
import TestSupport

/// Launches a program of `CrashModels.newer` through the manager.
///
/// Prints "migrating" once a migration is under way, be it another program's; "done" when the store is ready, and
/// the error otherwise.
@MainActor
func launchManager(_ url: URL) async {
    var configuration = CoreDataManager.Configuration()
    configuration.storeType = NSPostgreSQLStoreType
    configuration.allowedLosses = CrashModels.removed
    configuration.minimumScreenTime = 0
    configuration.graceDelay = 0
    let manager = CoreDataManager(
        model: ModelText.model(CrashModels.newer), storeURL: url, configuration: configuration)
    let states = manager.states
    let watching = Task.detached {
        var isTold = false
        for await state in states {
            guard case .migrating(let status) = state, status.fractionCompleted > 0, !isTold else { continue }
            say("migrating")
            isTold = true
        }
    }
    do {
        try await manager.launch()
        await watching.value
        let count = try await manager.performBackground { context in
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Volume"))
        }
        say("rows \(count)")
        say("done")
    } catch {
        say("failed \(error)")
    }
}
#endif
