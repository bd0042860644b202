#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

// A reader follows history over fail-overs.
@Suite(
    .serialized, .waiting,
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct FailOverHistoryTests {
    private static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil

    /// Follows the history of a store: the transactions behind a token, again and again.
    private final class Reader {
        private let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        private let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        private var token: NSPersistentHistoryToken?
        /// The tags that transactions have inserted, by the numbers of those.
        private(set) var read: [Int64: [String]] = [:]
        private(set) var doubled: [Int64] = []
        /// The numbers after the ends of lines, from the errors of refused tokens.
        private(set) var lost: Set<Int64> = []
        private(set) var refusals = 0

        init(_ url: URL) throws {
            try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
                options: [NSPersistentHistoryTrackingKey: true])
            context.performAndWait { context.persistentStoreCoordinator = coordinator }
        }

        /// Reads what has come since; how many transactions that were.
        @discardableResult
        func go() throws -> Int {
            try context.performAndWait {
                do {
                    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
                    let result = try context.execute(request) as? NSPersistentHistoryResult
                    let found = result?.result as? [NSPersistentHistoryTransaction] ?? []
                    for transaction in found {
                        let tags = (transaction.changes ?? []).filter {
                            $0.changeType == .insert && $0.changedObjectID.entity.name == "Tag"
                        }
                        let number = transaction.transactionNumber
                        if read[number] != nil { doubled.append(number) }
                        read[number] = tags.map {
                            $0.changedObjectID.uriRepresentation().lastPathComponent
                        }
                    }
                    if let last = found.last { token = last.token }
                    return found.count
                } catch let error as NSError {
                    // A server that is lost in the middle of reading: nothing was taken.
                    if error.code != NSPersistentHistoryTokenExpiredError { return 0 }
                    let parting = try #require(
                        error.userInfo[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken)
                    #expect(
                        error.userInfo[NSPostgreSQLFailureKey] as? String == PostgreSQLFailure.historyLost.rawValue)
                    token = parting
                    refusals += 1
                    forget(behind: parting)
                    return 1
                }
            }
        }

        private func forget(behind parting: NSPersistentHistoryToken) {
            let number = Reader.number(of: parting)
            let gone = read.keys.filter { $0 > number }
            lost.formUnion(gone)
            for key in gone { read[key] = nil }
        }

        /// The number of a token of one store, as it describes itself.
        private static func number(of token: NSPersistentHistoryToken) -> Int64 {
            let digits = "\(token)".split { !$0.isNumber }.compactMap { Int64($0) }
            return digits.last ?? 0
        }
    }

    @Test(
        "A reader of history beside writers and two fail-overs misses nothing, and gets the losses",
        arguments: isLong ? [true, false] : [false])
    func reading(isSynchronous: Bool) throws {
        let cluster = try PostgreSQLCluster(isSynchronous: isSynchronous)
        let run = try FailOverRun(cluster)
        let reader = try Reader(run.url)
        var primary = 0
        for _ in 0..<2 {
            let begin = FailOverRun.now
            let end = begin + (Self.isLong ? 300 : 1)
            while FailOverRun.now < end || !run.hasSaved(2, after: begin) { try reader.go() }
            if !isSynchronous {
                for standby in cluster.others(than: primary) { try cluster.tell("stall \(standby)") }
                let stalled = FailOverRun.now
                while !run.hasSaved(3, after: stalled) { try reader.go() }
                // The transactions that were read now are going to be lost.
                try reader.go()
            }
            try cluster.kill(primary)
            let killed = primary
            primary = try cluster.promote()
            let promoted = FailOverRun.now
            while !run.hasSaved(2, after: promoted) { try reader.go() }
            try cluster.rejoin(killed)
        }
        run.end()
        while try reader.go() > 0 {}
        let numbers = run.column("SELECT id FROM coredata.transactions ORDER BY id", on: primary).compactMap {
            Int64($0)
        }
        #expect(Set(reader.read.keys) == Set(numbers))
        #expect(reader.doubled == [])
        // Behind the parting there are some that both servers have: they were read once more.
        #expect(isSynchronous ? reader.lost.isEmpty : !reader.lost.subtracting(numbers).isEmpty)
        #expect(isSynchronous ? reader.refusals == 0 : reader.refusals >= 1)
        let tags = run.column("SELECT id FROM tag", on: primary)
        let read = reader.read.values.joined().map { String($0.drop { !$0.isNumber }) }
        #expect(Set(read) == Set(tags))
        #expect(read.count == tags.count)
        print("read \(reader.read.count) transactions, lost and told \(reader.lost.subtracting(numbers).count)")
    }
}
#endif
