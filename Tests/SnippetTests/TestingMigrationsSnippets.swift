import CoreData
import Foundation
import MigrationTestKit
import Testing

// Code of TestingMigrations.md. Nothing runs it, because there is no such model.
enum TestingMigrationsSnippets {
    static func versions(
        shop1: NSManagedObjectModel, shop2: NSManagedObjectModel, shop3: NSManagedObjectModel
    ) -> MigrationTrial {
        // snippet: versions in code
        let versions = [ModelVersion("Shop 1", shop1), ModelVersion("Shop 2", shop2), ModelVersion("Shop 3", shop3)]
        var trial = MigrationTrial(versions)
        trial.samples.rowsPerEntity = 200
        // snippet end
        return trial
    }

    private static func currentModel() throws -> NSManagedObjectModel { NSManagedObjectModel() }

    static func child() -> Never {
        // snippet: a child program that migrates
        MigrationChild.main { store, arguments in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try currentModel())
            let opened = try coordinator.addPersistentStore(
                type: .sqlite, at: store,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ])
            try coordinator.remove(opened)
        }
        // snippet end
    }

    static func kills(folder: URL) throws {
        // snippet: trials of killed processes
        let versions = try ModelVersion.all(named: "Shop")
        let store = folder.appendingPathComponent("Shop.sqlite")
        try SampleStore(rowsPerEntity: 500).make(at: store, versions[0])
        let trial = KillTrial(
            program: try MigrationChild.program(named: "migrate-shop"), store: store, from: versions[0],
            to: versions[versions.count - 1])
        for report in [
            try trial.killAtEveryStep(), try trial.killAtRandom(times: 50), try trial.fullDisk(),
            try trial.readOnlyFolder(), try trial.twoProcesses(),
        ] {
            #expect(report.isClean, "\(report)")
        }
        // snippet end
    }
}
