// Writes a library from a process of its own. Usage:
//     writer-child STORE NAME ROUNDS [history | POLICY [shared | registry]]
//     writer-child STORE values
//     writer-child STORE exchange (open | destroy | replace) ROUNDS OTHER
//
// With "values" it makes, replaces and deletes parcels with large contents until it is killed, and prints "round N"
// after each save.
//
// With "exchange" it opens, destroys or replaces the store by another one so many times; see `exchange`.
//
// STORE is a file, or for the first form also the URL of a PostgreSQL database.
//
// Every round adds one to the pages of the book "counter", if there is one, and inserts a tag of the round's name, in
// one save; with history, by the author of that name. A save that meets another process's change is repeated on the
// newest row. Prints "saved N conflicts M".
//
// With a merge policy (the number of its kind, or "adding" for one that adds what both have added), every round adds
// one to a property of the book that this writer has for itself (by the last digit of its name) and saves; a round
// whose change the policy has dropped is repeated. With "shared", all writers add to the same property: each value
// there ends in the writer's digit, so that each writer finds its own. With "registry", every round inserts a person
// whose code all writers use, with a pet of its own.
import CoreData
import TestSupport

let arguments = CommandLine.arguments
if arguments[2] == "values" { try writeValues(URL(fileURLWithPath: arguments[1])) }
if arguments[2] == "exchange" {
    exchange(
        URL(fileURLWithPath: arguments[1]), arguments[3], rounds: Int(arguments[4]) ?? 0,
        with: URL(fileURLWithPath: arguments[5]))
}
let name = arguments[2]
let writer = Int(name.suffix(1)) ?? 0
let rounds = Int(arguments[3]) ?? 0
let mode = arguments.dropFirst(5).first
let policy = arguments.dropFirst(4).first.flatMap(mergePolicy)
let coordinator = NSPersistentStoreCoordinator(
    managedObjectModel: mode == "registry" ? RegistryModel.make() : LibraryModel.make())
// A database is named by its URL.
let database = URL(string: arguments[1]).flatMap { $0.scheme == nil ? nil : $0 }
#if PostgreSQL
let kind = database == nil ? StoreKind.sqlite : .postgreSQL
#else
let kind = StoreKind.sqlite
#endif
try coordinator.addPersistentStore(
    ofType: kind.type, configurationName: nil, at: database ?? URL(fileURLWithPath: arguments[1]),
    options: arguments.contains("history") ? [NSPersistentHistoryTrackingKey: true] : nil)
let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
context.performAndWait {
    context.persistentStoreCoordinator = coordinator
    context.transactionAuthor = name
    if let policy { context.mergePolicy = policy }
}

/// Adds to what the store has now what was added here.
final class AddingPolicy: NSMergePolicy {
    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        let sums = list.map { conflict in
            let counter = conflict.sourceObject
            let base = counter.committedValues(forKeys: ["pages"])["pages"] as? Int ?? 0
            let newest = (conflict.persistedSnapshot ?? conflict.cachedSnapshot)?["pages"] as? Int ?? 0
            return (counter, newest + (counter.number("pages") ?? 0) - base)
        }
        try super.resolve(optimisticLockingConflicts: list)
        for (counter, sum) in sums where counter.number("pages") != sum { counter.setValue(sum, forKey: "pages") }
    }
}

func mergePolicy(_ word: String) -> NSMergePolicy? {
    if word == "adding" { return AddingPolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType) }
    return UInt(word).flatMap { NSMergePolicyType(rawValue: $0) }.map { NSMergePolicy(merge: $0) }
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
        } catch {
            conflicts += 1
            context.reset()
        }
    }
    return (saved, conflicts)
}

/// Counts in a property of its own, under a policy.
func countUnderPolicy() throws -> (saved: Int, conflicts: Int) {
    let property = ["pages", "copies", "rating"][writer]
    guard let counter = try context.all("Book", "title == 'counter'").first else { return (0, 0) }
    var saved = 0
    var conflicts = 0
    while saved < rounds {
        counter.setValue(saved + 1, forKey: property)
        do {
            try context.save()
            if counter.number(property) == saved + 1 { saved += 1 } else { conflicts += 1 }
        } catch let error as NSError where error.code == NSManagedObjectMergeError {
            conflicts += 1
            context.refresh(counter, mergeChanges: false)
        }
    }
    return (saved, conflicts)
}

/// Counts in the property that all writers count in, under a policy.
func countTogether() throws -> (saved: Int, conflicts: Int) {
    guard let counter = try context.all("Book", "title == 'counter'").first else { return (0, 0) }
    // A policy that adds has nothing to repeat, and adds plain numbers.
    let isAdding = context.mergePolicy is AddingPolicy
    var saved = 0
    var conflicts = 0
    while saved < rounds {
        let known = counter.number("pages") ?? 0
        let mine = isAdding ? known + 1 : (known / 10 + 1) * 10 + writer
        counter.setValue(mine, forKey: "pages")
        do {
            try context.save()
            if isAdding || counter.number("pages") == mine { saved += 1 } else { conflicts += 1 }
        } catch let error as NSError where error.code == NSManagedObjectMergeError {
            conflicts += 1
            context.refresh(counter, mergeChanges: false)
        }
    }
    return (saved, conflicts)
}

/// Inserts persons that other writers insert, too.
func register() throws -> (saved: Int, conflicts: Int) {
    for round in 0..<rounds {
        let person = context.make("Person", ["code": "code \(round)", "name": "\(name) \(round)", "age": round])
        context.make("Pet", ["name": name, "owner": person])
        try context.save()
    }
    return (rounds, 0)
}

let result = try context.performAndWait {
    switch mode {
    case "registry": return try register()
    case "shared": return try countTogether()
    default: return try policy == nil ? count() : countUnderPolicy()
    }
}
print("saved \(result.saved) conflicts \(result.conflicts)")
