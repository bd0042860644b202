import CoreData
import XCTest

/// A manager that reports its progress by a `Progress` of its own.
private class ToldManager: NSMigrationManager, ProgressReporting {
    let progress = Progress(totalUnitCount: 100)

    override func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        super.associate(
            sourceInstance: sourceInstance, withDestinationInstance: destinationInstance, for: entityMapping)
        progress.completedUnitCount = Int64(migrationProgress * 100)
    }
}

final class MigrationManagerTests: XCTestCase {
    func testProgressOfItsOwn() {
        let manager = ToldManager(sourceModel: Journal.model, destinationModel: Journal.model)
        XCTAssertEqual(manager.progress.totalUnitCount, 100)
        let reporting: any ProgressReporting = manager
        XCTAssertTrue(reporting.progress === manager.progress)
        XCTAssertEqual(manager.migrationProgress, 0)
    }
}
