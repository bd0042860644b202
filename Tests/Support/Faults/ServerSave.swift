#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation

/// A program that saves to a server: it reads, makes three objects with a name of its own, and counts one up.
public enum ServerSave {
    private static let model = ModelText.model("entity Item\n  name string\nentity Counter\n  value int64! = 0")

    /// Makes the store, with rows enough to be read in several pieces.
    public static func prepare(_ url: URL) throws {
        try withStore(url, model, type: NSPostgreSQLStoreType) { context in
            for number in 0..<60 { context.make("Item", ["name": "first \(number)"]) }
            context.make("Counter", ["value": 0])
            try context.save()
        }
    }

    /// Runs the save. `told` is called once it is done; the store is closed after that.
    public static func run(_ url: URL, _ name: String, told: () -> Void) throws {
        try withStore(url, model, type: NSPostgreSQLStoreType) { context in
            let items = try context.all("Item")
            guard items.count >= 60, let counter = try context.all("Counter").first else {
                throw CocoaError(.fileReadCorruptFile)
            }
            for _ in 0..<3 { context.make("Item", ["name": name]) }
            counter.setValue((counter.value(forKey: "value") as? Int64 ?? 0) + 1, forKey: "value")
            try context.save()
            told()
        }
    }
}
#endif
