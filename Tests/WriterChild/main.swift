// Writes a library from a process of its own. Usage: writer-child STORE NAME ROUNDS [history | POLICY [registry]]
//
// Every round adds one to the pages of the book "counter", if there is one, and inserts a tag of the round's name, in one
// save; with history, by the author of that name. A save that meets somebody else's change is repeated on what is there
// now. Prints "saved N conflicts M".
//
// With the number of a merge policy, every round adds one to a property of the book that this writer has for itself (by the
// last digit of its name) and saves; a round whose change the policy has dropped is repeated. With "registry", every round
// inserts a person whose code all writers use, with a pet of its own.
import CoreData
import TestSupport

let arguments = CommandLine.arguments
let name = arguments[2]
let rounds = Int(arguments[3]) ?? 0
let policy = arguments.count > 4 ? UInt(arguments[4]).flatMap { NSMergePolicyType(rawValue: $0) } : nil
let isRegistry = arguments.count > 5
let coordinator = NSPersistentStoreCoordinator(
    managedObjectModel: isRegistry ? RegistryModel.make() : LibraryModel.make())
try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: arguments[1]),
    options: arguments.contains("history") ? [NSPersistentHistoryTrackingKey: true] : nil)
let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
context.performAndWait {
    context.persistentStoreCoordinator = coordinator
    context.transactionAuthor = name
    if let policy { context.mergePolicy = NSMergePolicy(merge: policy) }
}

/// Counts up to the number of rounds; a conflict is an error, and the round is repeated.
func count() throws -> (saved: Int, conflicts: Int) {
    var saved = 0
    var conflicts = 0
    while saved < rounds {
        if let counter = try context.all("Book", "title == 'counter'").first {
            counter.setValue((counter.number("pages") ?? 0) + 1, forKey: "pages")
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

/// Counts in a property of its own, under a policy.
func countUnderPolicy() throws -> (saved: Int, conflicts: Int) {
    let property = ["pages", "copies", "rating"][Int(name.suffix(1)) ?? 0]
    guard let counter = try context.all("Book", "title == 'counter'").first else { return (0, 0) }
    var saved = 0
    var conflicts = 0
    while saved < rounds {
        counter.setValue(saved + 1, forKey: property)
        try context.save()
        if counter.number(property) == saved + 1 { saved += 1 } else { conflicts += 1 }
    }
    return (saved, conflicts)
}

/// Inserts persons that others insert too.
func register() throws -> (saved: Int, conflicts: Int) {
    for round in 0..<rounds {
        let person = context.make("Person", ["code": "code \(round)", "name": "\(name) \(round)", "age": round])
        context.make("Pet", ["name": name, "owner": person])
        try context.save()
    }
    return (rounds, 0)
}

let result = try context.performAndWait {
    if isRegistry { return try register() }
    return try policy == nil ? count() : countUnderPolicy()
}
print("saved \(result.saved) conflicts \(result.conflicts)")
