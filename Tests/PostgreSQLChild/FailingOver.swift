#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport

/// Saves until the process is killed, and prints the outcome of each save, with the time in milliseconds:
///
///     saved NAME ROUND TIME       the save succeeded
///     unknown NAME ROUND TIME     it failed, and it is unknown whether it was committed
///     failed NAME ROUND TIME …    it failed; it is repeated
///     lost NAME ROUND TIME        it had succeeded, and was lost with its server
///
/// Each save adds one to the process's own counter and makes a tag, a novel and an author.
final class FailingOver: @unchecked Sendable {  // `rounds` is used under its lock
    private let name: String
    private let context: NSManagedObjectContext
    private let rounds = Locked<[NSManagedObjectID: Int]>([:])
    private var observer: (any NSObjectProtocol)?

    init(_ name: String, _ context: NSManagedObjectContext) {
        self.name = name
        self.context = context
        observer = NotificationCenter.default.addObserver(
            forName: .NSPostgreSQLTransactionsLost, object: nil, queue: nil
        ) { [rounds] notification in
            let lost = notification.userInfo?[NSPostgreSQLLostTransactionsKey] as? [PostgreSQLLostTransaction] ?? []
            for transaction in lost {
                let found = rounds.withLock { rounds in
                    transaction.insertedObjectIDs.compactMap { rounds[$0] }.first
                }
                Self.tell("lost", name, found ?? -1)
            }
        }
    }

    private static func tell(_ what: String, _ name: String, _ round: Int, _ more: String = "") {
        let time = Int(Date().timeIntervalSince1970 * 1_000)
        say("\(what) \(name) \(round) \(time)\(more)")
    }

    func run() -> Never {
        var round = 0
        while true {
            do {
                try context.performAndWait { try save(round) }
                Self.tell("saved", name, round)
                round += 1
            } catch let error as NSError {
                if error.userInfo[NSPostgreSQLFailureKey] as? String == PostgreSQLFailure.commitUnknown.rawValue {
                    Self.tell("unknown", name, round)
                    round += 1
                } else {
                    let reason = error.localizedFailureReason ?? error.localizedDescription
                    Self.tell(
                        "failed", name, round, " \(error.code) \(reason.replacingOccurrences(of: "\n", with: " "))")
                }
            }
        }
    }

    private func save(_ round: Int) throws {
        let label = "\(name) \(round)"
        do {
            let counter =
                try context.all("Book", "title == 'counter \(name)'").first
                ?? context.make("Book", ["title": "counter \(name)", "pages": 0])
            counter.setValue((counter.value(forKey: "pages") as? Int ?? 0) + 1, forKey: "pages")
            let author = context.make("Author", ["name": label])
            let tag = context.make("Tag", ["name": label])
            context.make("Novel", ["title": label, "author": author, "tags": NSSet(object: tag)])
            // The notification may come before the save returns.
            try context.obtainPermanentIDs(for: [tag])
            rounds.withLock { $0[tag.objectID] = round }
            try context.save()
        } catch {
            context.reset()
            throw error
        }
    }
}
#endif
