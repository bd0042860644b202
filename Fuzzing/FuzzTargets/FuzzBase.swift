import CoreData
import Foundation

/// What is made once for all inputs.
enum FuzzBase {
    /// A SQLite store with a few objects and their history.
    static let sqlite: Data = made { try FuzzModel.storeFile(.sqlite) }

    private static func made<Value>(_ body: () throws -> Value) -> Value {
        do { return try body() } catch { fatalError("The store that inputs damage cannot be made: \(error)") }
    }

    /// Runs a body with a context of a store that has history.
    static func withHistoryStore(_ body: (NSManagedObjectContext) throws -> Void) throws {
        try FuzzFolder.withFile(sqlite, named: "History.sqlite") { file in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: FuzzModel.make())
            let store = try coordinator.addPersistentStore(
                type: .sqlite, at: file, options: [NSPersistentHistoryTrackingKey: true])
            defer { try? coordinator.remove(store) }
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait { try body(context) }
        }
    }
}
