import CoreData
import Foundation
import TestSupport

/// Where the processes meet.
struct SoakPlace: Sendable {
    let store: String
    let folder: URL
    private let driver = getppid()

    var isDatabase: Bool { store.contains("://") }
    var url: URL { isDatabase ? URL(string: store) ?? folder : URL(fileURLWithPath: store) }

    /// Whether the driver has made the file `stop`, or has ended.
    var isStopped: Bool { access(folder.appendingPathComponent("stop").path, F_OK) == 0 || getppid() != driver }

    /// The phase that the driver has begun last.
    var phase: Int {
        let text = try? String(contentsOf: folder.appendingPathComponent("phase"), encoding: .utf8)
        return text.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
    }
}

/// The name of an entry's text in the two versions of the model.
struct EntryNames: Sendable {
    let text: String

    init(version: Int) { text = version == 0 ? "text" : "label" }
}

/// A store that is open with one version of its model.
final class SoakStack: @unchecked Sendable {  // nothing changes once it is made
    let coordinator: NSPersistentStoreCoordinator
    private let store: NSPersistentStore

    /// Opens the store, and migrates it to the version, while other processes do so as well. Nil where the store is no
    /// longer needed.
    init?(_ place: SoakPlace, version: Int, tally: Tally, while isAsked: () -> Bool) {
        let models = SoakModels.versions.map { ModelText.model($0) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: models[version])
        self.coordinator = coordinator
        let options: [AnyHashable: Any] = [
            NSPersistentHistoryTrackingKey: true, NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true, NSMigrationKnownVersionsOption: models,
            NSPersistentStoreTimeoutOption: 60,
        ]
        while true {
            do {
                store = try tally.timed("opening") {
                    try coordinator.addPersistentStore(
                        ofType: place.isDatabase ? "PostgreSQL" : NSSQLiteStoreType, configurationName: nil,
                        at: place.url, options: options)
                }
                tally.count("openings")
                return
            } catch let error as NSError {
                // The driver has begun the next phase, and the store has its version already.
                if !isAsked() { return nil }
                if error.code == NSFileWriteOutOfSpaceError {
                    tally.count("full")
                } else if error.code == NSPersistentStoreTimeoutError {
                    tally.count("locked")
                } else {
                    complain("opening failed: \(error) \(error.userInfo)")
                    return nil
                }
            }
        }
    }

    func context(_ name: String) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait {
            context.persistentStoreCoordinator = coordinator
            context.transactionAuthor = name
        }
        return context
    }

    func close() {
        do { try coordinator.remove(store) } catch { complain("closing failed: \(error)") }
    }
}
