// Writes to a store in a PostgreSQL database from a process of its own.
//
//   postgresql-child URL count ROUNDS COORDINATORS (error | adding)
//       Adds one to the pages of the book "counter" so many times, spread over some coordinators: after a conflict by
//       refreshing and repeating, or by a policy that adds what both have added. Prints "saved N conflicts M".
//   postgresql-child URL link NAME
//       Until it is killed: adds one to the counter and makes a tag, a novel and an author that are linked with each
//       other, in one save. Prints "saved NAME ROUND" after each.
//   postgresql-child URL tag NAME ROUNDS SECONDS
//       Makes a tag in each of so many saves at least, and for so long, with history, by the author NAME. Prints "saved
//       N".
//   postgresql-child URL open NAME
//       Makes a tag. Prints "saved NAME", or "failed" with the failure and all texts of the error.
//   postgresql-child URL failover NAME
//       Saves until it is killed, and prints the outcome of each save (`FailingOver`).
//   postgresql-child URL batch (stored | computed | deletion | purge)
//       Runs a batch over all books, or deletes all authors and their books, or all history. Prints how many rows there
//       were, and "peak N kB": the most memory that the process has had.
//   postgresql-child URL migrate OLDER NEWER
//       Migrates the store from one model to another online. Prints "served", or "failed" with the error.
//   postgresql-child URL split
//       Migrates the store online from the older version of `SplitModel` to the newer one, by its mapping model.
//   postgresql-child URL insert MODEL LEASE
//       Inserts items until that fails, with a lease of so many seconds. Prints "saved N" after each.
//   postgresql-child URL launch
//       Launches a program of `CrashModels.newer` through the manager. Prints "migrating", and "done" or "failed".
//   postgresql-child URL work MODEL ENTITY,TEXT,NUMBER[,LINK|,=PATH] FILE NAME
//       Inserts, changes, finds, links and deletes objects until there is a file, and sets a text at a key path. Prints
//       "wrong" for what is not as it was written, and at the end "rounds N longest MILLISECONDS".
#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport

let arguments = CommandLine.arguments
guard let url = URL(string: arguments[1]) else { exit(2) }

switch arguments[2] {
case "count":
    countTogether(
        url, Int(arguments[3]) ?? 0, coordinators: Int(arguments[4]) ?? 1, adding: arguments[5] == "adding")
case "link":
    var context: NSManagedObjectContext?
    // The server may be on its way up.
    while context == nil { context = try? makeContext(url, history: true) }
    var round = 0
    while let context {
        link(arguments[3], round, in: context)
        say("saved \(arguments[3]) \(round)")
        round += 1
    }
case "failover":
    var context: NSManagedObjectContext?
    // A server may be on its way up.
    while context == nil { context = try? makeContext(url, history: true) }
    if let context { FailingOver(arguments[3], context).run() }
case "migrate": migrateOnline(url, from: arguments[3], to: arguments[4])
case "split":
    migrateOnline(
        url, from: SplitModel.older, to: SplitModel.newer, [NSMigrationMappingModelOption: SplitModel.mapping()])
case "insert": insertItems(url, arguments[3], lease: Double(arguments[4]) ?? 1)
case "work":
    work(
        url, arguments[3], arguments[4].split(separator: ",").map(String.init), until: arguments[5], arguments[6])
case "launch": await launchManager(url)
case "batch": try runBatch(arguments[3], url)
case "open":
    do {
        let context = try makeContext(url)
        try context.performAndWait {
            context.make("Tag", ["name": arguments[3]])
            try context.save()
        }
        say("saved \(arguments[3])")
    } catch let error as NSError {
        let failure = error.userInfo[NSPostgreSQLFailureKey] as? String ?? "none"
        say("failed \(failure): \(error) \(error.userInfo) \(error.localizedDescription)")
    }
default:
    let context = try makeContext(url, history: true)
    let (rounds, seconds) = (Int(arguments[4]) ?? 0, Int(arguments[5]) ?? 0)
    let end = ContinuousClock.now + .seconds(seconds)
    var round = 0
    try context.performAndWait {
        context.transactionAuthor = arguments[3]
        while round < rounds || ContinuousClock.now < end {
            context.make("Tag", ["name": "\(arguments[3]) \(round)"])
            try context.save()
            round += 1
        }
    }
    say("saved \(round)")
}
#endif
