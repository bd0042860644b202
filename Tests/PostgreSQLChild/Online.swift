#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport

func openOnline(_ url: URL, _ text: String, _ more: [AnyHashable: Any] = [:]) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(text))
    var options: [AnyHashable: Any] = [
        NSPersistentHistoryTrackingKey: true, NSPostgreSQLOnlineMigrationOption: true,
        NSPersistentStoreTimeoutOption: 60,
    ]
    for (key, value) in more { options[key] = value }
    try coordinator.addPersistentStore(
        ofType: NSPostgreSQLStoreType, configurationName: nil, at: url, options: options)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.performAndWait { context.persistentStoreCoordinator = coordinator }
    return context
}

func sayFailure(_ error: any Error) {
    let error = error as NSError
    let failure = error.userInfo[NSPostgreSQLFailureKey] as? String ?? "none"
    say("failed \(failure): \(error) \(error.userInfo)")
}

/// Migrates the store to a newer version online.
func migrateOnline(_ url: URL, from older: String, to newer: String, _ more: [AnyHashable: Any] = [:]) {
    do {
        var options = more
        options[NSMigratePersistentStoresAutomaticallyOption] = true
        options[NSInferMappingModelAutomaticallyOption] = true
        options[NSMigrationKnownVersionsOption] = [ModelText.model(older)]
        let context = try openOnline(url, newer, options)
        withExtendedLifetime(context) { say("served") }
    } catch {
        sayFailure(error)
    }
}

/// Inserts items until that fails.
func insertItems(_ url: URL, _ model: String, lease: Double) {
    do {
        let context = try openOnline(url, model, [NSPostgreSQLLeaseOption: lease])
        var count = 0
        try context.performAndWait {
            while true {
                context.make("Item", ["name": "item \(count)", "count": count % 100])
                try context.save()
                count += 1
                say("saved \(count)")
            }
        }
    } catch {
        sayFailure(error)
    }
}

/// Has a relationship lead to an object, in the place of one of those that it led to.
private func exchange(
    _ link: String, of object: NSManagedObject, for owner: NSManagedObject, in context: NSManagedObjectContext
) throws {
    if object.entity.relationshipsByName[link]?.isToMany == true {
        let owners = object.mutableSetValue(forKey: link)
        if owners.count > 1, let other = owners.anyObject() { owners.remove(other) }
        owners.add(owner)
    } else {
        object.setValue(owner, forKey: link)
    }
    try context.save()
}

private func isLinked(_ object: NSManagedObject, _ link: String, _ owner: NSManagedObject) -> Bool {
    if object.entity.relationshipsByName[link]?.isToMany == true {
        return object.mutableSetValue(forKey: link).contains(owner)
    }
    return object.value(forKey: link) as? NSManagedObject === owner
}

/// Sets a text at a key path; the target of a relationship in it is made where it leads to nothing.
private func set(_ text: String, at path: [String], of object: NSManagedObject, in context: NSManagedObjectContext) {
    guard path.count > 1 else { return object.setValue(text, forKey: path[0]) }
    if let part = object.value(forKey: path[0]) as? NSManagedObject { return part.setValue(text, forKey: path[1]) }
    guard let entity = object.entity.relationshipsByName[path[0]]?.destinationEntity?.name else { return }
    object.setValue(context.make(entity, [path[1]: text]), forKey: path[0])
}

/// Inserts, changes, counts and deletes objects of its own until a file exists, and checks that they are as they
/// were written. Prints a line when the first round is done, and at the end the number of rounds and the longest
/// stall in ms.
func work(_ url: URL, _ model: String, _ names: [String], until stop: String, _ name: String) {
    do {
        let context = try openOnline(url, model)
        let (entity, text, number) = (names[0], names[1], names[2])
        let more = names.count > 3 ? names[3] : nil
        let link = more?.hasPrefix("=") == true ? nil : more
        let path = more.flatMap { $0.hasPrefix("=") ? $0.dropFirst().split(separator: ".").map(String.init) : nil }
        var known: [(object: NSManagedObject, number: Int)] = []
        var random = SplitMix(state: UInt64(name.utf8.reduce(0) { Int($0) + Int($1) }))
        var (rounds, longest) = (0, Duration.zero)
        func timed<Result>(_ body: () throws -> Result) rethrows -> Result {
            let start = ContinuousClock.now
            defer { longest = max(longest, ContinuousClock.now - start) }
            return try body()
        }
        try context.performAndWait {
            var owners: [NSManagedObject] = []
            if link != nil {
                for place in 0..<2 { owners.append(context.make("Owner", ["name": "\(name) \(place)"])) }
                try context.save()
            }
            while !FileManager.default.fileExists(atPath: stop) {
                let value = Int.random(in: 0..<100, using: &random)
                let object = context.make(entity, [text: "\(name) \(rounds)", number: value])
                try timed { try context.save() }
                known.append((object, value))
                let place = Int.random(in: 0..<known.count, using: &random)
                let next = Int.random(in: 0..<100, using: &random)
                known[place].object.setValue(next, forKey: number)
                known[place].number = next
                try timed { try context.save() }
                let mine = try timed {
                    try context.all(entity, "\(number) == \(next) AND \(text) BEGINSWITH '\(name) '")
                }
                if !mine.contains(known[place].object) { say("wrong: \(next) was not found") }
                context.refresh(known[place].object, mergeChanges: false)
                let seen = timed { known[place].object.value(forKey: number) as? Int }
                if seen != next { say("wrong: \(next) is \(seen.map { "\($0)" } ?? "nothing")") }
                if let path {
                    let object = known[place].object
                    set("\(name) \(next)", at: path, of: object, in: context)
                    try timed { try context.save() }
                    context.refreshAllObjects()
                    let told = timed { object.value(forKeyPath: path.joined(separator: ".")) as? String }
                    if told != "\(name) \(next)" { say("wrong: \(next) is \(told ?? "nothing") at \(path)") }
                }
                if let link {
                    let object = known[place].object
                    let owner = owners[rounds % 2]
                    try timed { try exchange(link, of: object, for: owner, in: context) }
                    context.refresh(object, mergeChanges: false)
                    if !isLinked(object, link, owner) { say("wrong: \(owner) is not among \(link)") }
                    // An owner of some objects goes.
                    if rounds % 20 == 19 {
                        context.delete(owner)
                        owners[rounds % 2] = context.make("Owner", ["name": "\(name) \(rounds)"])
                        try timed { try context.save() }
                    }
                }
                if known.count > 50 {
                    context.delete(known.removeFirst().object)
                    try timed { try context.save() }
                }
                rounds += 1
                if rounds == 1 { say("worked") }
            }
        }
        let (seconds, attoseconds) = longest.components
        say("rounds \(rounds) longest \(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)")
    } catch {
        sayFailure(error)
    }
}
#endif
