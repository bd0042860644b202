#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport

func makeContext(_ url: URL, history: Bool = false) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
    try coordinator.addPersistentStore(
        ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
        options: history ? [NSPersistentHistoryTrackingKey: true] : nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.performAndWait { context.persistentStoreCoordinator = coordinator }
    return context
}

/// Adds to what the store has now what was added here.
final class AddingPolicy: NSMergePolicy {
    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        let sums = list.map { conflict in
            let counter = conflict.sourceObject
            let base = counter.committedValues(forKeys: ["pages"])["pages"] as? Int ?? 0
            let newest = (conflict.persistedSnapshot ?? conflict.cachedSnapshot)?["pages"] as? Int ?? 0
            return (counter, newest + (counter.value(forKey: "pages") as? Int ?? 0) - base)
        }
        try super.resolve(optimisticLockingConflicts: list)
        for (counter, sum) in sums where counter.value(forKey: "pages") as? Int != sum {
            counter.setValue(sum, forKey: "pages")
        }
    }
}

func count(_ rounds: Int, in context: NSManagedObjectContext, adding: Bool) throws -> (saved: Int, conflicts: Int) {
    try context.performAndWait {
        if adding { context.mergePolicy = AddingPolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType) }
        guard let counter = try context.all("Book", "title == 'counter'").first else { return (0, 0) }
        var (saved, conflicts) = (0, 0)
        while saved < rounds {
            counter.setValue((counter.value(forKey: "pages") as? Int ?? 0) + 1, forKey: "pages")
            do {
                try context.save()
                saved += 1
            } catch let error as NSError where error.code == NSManagedObjectMergeError {
                conflicts += 1
                context.refresh(counter, mergeChanges: false)
            }
        }
        return (saved, conflicts)
    }
}

func countTogether(_ url: URL, _ rounds: Int, coordinators: Int, adding: Bool) {
    let sums = Locked((saved: 0, conflicts: 0))
    DispatchQueue.concurrentPerform(iterations: coordinators) { _ in
        do {
            let result = try count(rounds / coordinators, in: makeContext(url), adding: adding)
            sums.withLock { $0 = ($0.saved + result.saved, $0.conflicts + result.conflicts) }
        } catch {
            print("failed \(error)")
        }
    }
    let sum = sums.withLock { $0 }
    print("saved \(sum.saved) conflicts \(sum.conflicts)")
}

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

/// One save of linked objects and a counter. A save that failed and was not committed is repeated. If the outcome
/// of a save is unknown, the method finds it out.
func link(_ name: String, _ round: Int, in context: NSManagedObjectContext) {
    while true {
        do {
            try context.performAndWait {
                context.reset()
                let counter = try context.all("Book", "title == 'counter'").first
                counter?.setValue((counter?.value(forKey: "pages") as? Int ?? 0) + 1, forKey: "pages")
                let label = "\(name) \(round)"
                let author = context.make("Author", ["name": label])
                let tag = context.make("Tag", ["name": label])
                context.make("Novel", ["title": label, "author": author, "tags": NSSet(object: tag)])
                try context.save()
            }
            return
        } catch let error as NSError {
            if error.userInfo[NSPostgreSQLFailureKey] as? String == PostgreSQLFailure.commitUnknown.rawValue {
                say("unknown \(name) \(round)")
                exit(3)
            }
            if error.code != NSManagedObjectMergeError {
                say("repeated \(name) \(round): \(error.localizedDescription)")
            }
        }
    }
}
#endif
