// Writes to a store in a PostgreSQL database from a process of its own.
//
//   postgresql-child URL count ROUNDS COORDINATORS (error | adding)
//       Adds one to the pages of the book "counter" so many times, spread over some coordinators: after a conflict by
//       refreshing and repeating, or by a policy that adds what both have added. Prints "saved N conflicts M".
//   postgresql-child URL link NAME
//       Until it is killed: adds one to the counter and makes a tag, a novel and an author that are linked with each other,
//       in one save. Prints "saved NAME ROUND" after each.
//   postgresql-child URL tag NAME ROUNDS
//       Makes a tag in each of so many saves, with history, by the author NAME.
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
    default:
        let context = try makeContext(url, history: true)
        try context.performAndWait {
            context.transactionAuthor = arguments[3]
            for round in 0..<(Int(arguments[4]) ?? 0) {
                context.make("Tag", ["name": "\(arguments[3]) \(round)"])
                try context.save()
            }
        }
    }
#endif
