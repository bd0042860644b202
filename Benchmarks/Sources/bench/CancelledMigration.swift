import CoreData
import Foundation

/// A migration whose progress is followed, and one that is cancelled in its middle.
enum CancelledMigration {
    /// Migrates to the end. `checksum` is the number of events per second.
    static func follow(_ store: String, to model: NSManagedObjectModel) throws -> Measurement {
        let monitor = MigrationMonitor()
        let watch = Stopwatch()
        try open(store, model, monitor)
        var measurement = Measurement()
        watch.stop(into: &measurement)
        measurement.checksum = Double(count(monitor)) / max(measurement.seconds, 1e-6)
        return measurement
    }

    /// Cancels when a third is done. The time is what passes from there to the error; 0 where the end came before.
    static func cancel(_ store: String, to model: NSManagedObjectModel) throws -> Measurement {
        let monitor = MigrationMonitor()
        let cancelled = Cancelled()
        DispatchQueue.global().async {
            while monitor.latest.map({ $0.fraction < 0.33 }) ?? true { usleep(500) }
            cancelled.watch = Stopwatch()
            monitor.cancel()
            cancelled.semaphore.signal()
        }
        do {
            try open(store, model, monitor)
        } catch let error as NSError where error.code == NSMigrationCancelledError {
            cancelled.semaphore.wait()
            var measurement = Measurement()
            cancelled.watch?.stop(into: &measurement)
            return measurement
        }
        // A small store is migrated before the cancellation takes effect.
        return Measurement()
    }

    private final class Cancelled: @unchecked Sendable {  // `watch` is read after the semaphore was signalled
        let semaphore = DispatchSemaphore(value: 0)
        var watch: Stopwatch?
    }

    private static func open(_ store: String, _ model: NSManagedObjectModel, _ monitor: MigrationMonitor) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let opened = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: store),
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                NSMigrationProgressOption: monitor.progress,
            ])
        try coordinator.remove(opened)
    }

    /// The number of events; the monitor keeps unread events up to a number that is higher than the bar.
    private static func count(_ monitor: MigrationMonitor) -> Int {
        final class Count: @unchecked Sendable {  // read after the semaphore was signalled
            var events = 0
        }
        let (count, done) = (Count(), DispatchSemaphore(value: 0))
        Task.detached {
            for await _ in monitor.events { count.events += 1 }
            done.signal()
        }
        done.wait()
        return count.events
    }
}
