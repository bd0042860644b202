import CoreData
import Foundation
import TestSupport

/// Fetches, history and states of the past, beside the writer.
final class SoakReader: @unchecked Sendable {  // used by the thread that reads
    private let context: NSManagedObjectContext
    private let names: EntryNames
    private let tally: Tally
    private let purges: Bool
    private var random: SplitMix
    private var token: NSPersistentHistoryToken?

    init(_ stack: SoakStack, _ names: EntryNames, tally: Tally, purges: Bool, seed: UInt64) {
        context = stack.context("reader")
        self.names = names
        self.tally = tally
        self.purges = purges
        random = SplitMix(state: seed)
    }

    func run(while goesOn: () -> Bool) {
        while goesOn() {
            do {
                try context.performAndWait { try read() }
            } catch let error as NSError {
                context.performAndWait { context.reset() }
                // History was purged behind the token.
                if error.code == NSPersistentHistoryTokenExpiredError {
                    token = nil
                    tally.count("expired")
                } else if error.code == NSFileWriteOutOfSpaceError || error.code == NSPersistentStoreTimeoutError {
                    tally.count("full")
                } else if goesOn() {
                    complain("reading: \(error) \(error.userInfo)")
                }
            }
        }
        context.performAndWait { context.reset() }
    }

    private func read() throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: try tally.timed("read") { try fetch() }
        case 4..<6: try tally.timed("read") { try sum() }
        case 6..<8: try tally.timed("history", readHistory)
        case 8: try pin()
        default:
            if purges, Int.random(in: 0..<20, using: &random) == 0 { try purge() }
            context.reset()
        }
    }

    private func fetch() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Entry")
        request.predicate = NSPredicate(format: "\(names.text) BEGINSWITH 'text 1' AND value == nil")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        request.fetchLimit = 50
        for object in try context.fetch(request) where object.isFault { _ = object.objectID }
        tally.count("reads")
    }

    private func sum() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
        let accounts = try context.fetch(request)
        if accounts.count != SoakModels.accounts { complain("\(accounts.count) accounts") }
        tally.count("reads")
    }

    private func readHistory() throws {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
            token = transaction.token
            tally.count("transactions")
        }
    }

    /// Reads twice what there was at one moment.
    private func pin() throws {
        try context.setQueryGenerationFrom(.current)
        defer { try? context.setQueryGenerationFrom(nil) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Entry")
        let first = try context.count(for: request)
        for _ in 0..<3 {
            let again = try context.count(for: request)
            if again != first { complain("\(again) entries in a state that had \(first)") }
        }
        tally.count("pinned")
    }

    private func purge() throws {
        _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date() - 5))
        tally.count("purges")
    }
}
