import CoreData
import Foundation
import TestSupport

/// The acknowledged state of a process's own entries, which no other process changes.
///
/// Used by the thread that writes.
final class Ledger: @unchecked Sendable {
    struct Entry: Equatable {
        var text: String
        var bytes: Int
    }

    let name: String
    private(set) var entries: [Int64: Entry] = [:]
    private var highest: Int64 = 0

    init(name: String) { self.name = name }

    func newNumber() -> Int64 {
        highest += 1
        return highest
    }

    var numbers: [Int64] { entries.keys.sorted() }

    /// Takes over what a save was acknowledged for; nil is an entry that is gone.
    func acknowledge(_ changes: [Int64: Entry?]) {
        for (number, entry) in changes { entries[number] = entry }
    }

    /// Compares what a context reads with what was acknowledged.
    func check(in context: NSManagedObjectContext, _ names: EntryNames) throws {
        context.reset()
        var found: [(Int64, Entry)] = []
        let request = NSFetchRequest<NSManagedObject>(entityName: "Entry")
        request.predicate = NSPredicate(format: "owner == %@", name)
        request.returnsObjectsAsFaults = false
        let objects = try context.fetch(request)
        try context.readingFaults {
            for object in objects {
                let entry = Entry(
                    text: object.value(forKey: names.text) as? String ?? "nothing",
                    bytes: (object.value(forKey: "value") as? Data)?.count ?? 0)
                found.append((object.value(forKey: "number") as? Int64 ?? -1, entry))
            }
        }
        compare(found)
        context.reset()
    }

    /// Compares entries, with their numbers, with what was acknowledged.
    func compare(_ all: [(Int64, Entry)]) {
        var found: [Int64: Entry] = [:]
        for (number, entry) in all where found.updateValue(entry, forKey: number) != nil {
            complain("\(name) \(number) is there twice")
        }
        for (number, entry) in entries where found[number] != entry {
            complain("\(name) \(number) is \(found[number].map { "\($0)" } ?? "lost"), not \(entry)")
        }
        for number in found.keys where entries[number] == nil { complain("\(name) \(number) came from nowhere") }
    }
}
