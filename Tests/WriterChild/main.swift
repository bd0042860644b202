// Writes a library from a process of its own. Usage: writer-child STORE NAME ROUNDS [history]
//
// Every round adds one to the pages of the book "counter", if there is one, and inserts a tag of the round's name, in one
// save; with history, by the author of that name. A save that meets somebody else's change is repeated on what is there
// now. Prints "saved N conflicts M".
import CoreData
import TestSupport

let arguments = CommandLine.arguments
let name = arguments[2]
let rounds = Int(arguments[3]) ?? 0
let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: arguments[1]),
    options: arguments.contains("history") ? [NSPersistentHistoryTrackingKey: true] : nil)
let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
context.performAndWait {
    context.persistentStoreCoordinator = coordinator
    context.transactionAuthor = name
}

let (saved, conflicts) = try context.performAndWait {
    var saved = 0
    var conflicts = 0
    while saved < rounds {
        if let counter = try context.all("Book", "title == 'counter'").first {
            let pages = counter.value(forKey: "pages") as? NSNumber
            counter.setValue((pages?.intValue ?? 0) + 1, forKey: "pages")
        }
        context.make("Tag", ["name": "\(name) \(saved)"])
        do {
            try context.save()
            saved += 1
        } catch let error as NSError where error.code == NSManagedObjectMergeError {
            conflicts += 1
            context.reset()
        }
    }
    return (saved, conflicts)
}
print("saved \(saved) conflicts \(conflicts)")
