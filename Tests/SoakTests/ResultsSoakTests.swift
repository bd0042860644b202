import CoreData
import Foundation
import TestSupport
import Testing

/// Sequences of results, counts and history in this process, while other processes write into the store and are killed.
///
/// They work for five minutes each of a long run, for the minutes of a soak, or for two turns. In a long run and in a
/// soak they also work in databases of PostgreSQL.
@Suite(.serialized)
struct ResultsSoakTests {
    private static let seconds: Double? = {
        let minutes = ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK"].flatMap(Double.init)
        return minutes.map { $0 * 60 } ?? (Sample.isWhole ? 300 : nil)
    }()

    private static let kinds: [StoreKind] = {
        #if PostgreSQL
        if seconds != nil { return [.sqlite] + StoreKind.ofPostgreSQL.prefix(1) }
        #endif
        return [.sqlite]
    }()

    @Test("Each sequence ends with what a fetch gives, whichever writers are killed", arguments: [true, false], kinds)
    func sequences(keepsHistory: Bool, kind: StoreKind) async throws {
        let (isLong, seed) = (Self.seconds != nil, Sample.seeds(1, long: 1)[0])
        let run = try ResultsRun(kind, keepsHistory: keepsHistory, copies: isLong ? 12 : 1)
        var dice = SplitMix(state: UInt64(seed))
        let end = Self.seconds.map { ContinuousClock.now + .seconds($0) }
        var (turn, early) = (0, 0)
        repeat {
            turn += 1
            try run.turn(turn, writers: isLong ? 8 : 3, kills: isLong ? 3 : 1, &dice)
            if turn <= 3 { early = ProcessMemory.resident >> 20 }
        } while end.map { ContinuousClock.now < $0 } ?? (turn < 2)
        // The whole history, which is compared at the end, is not among what sequences keep.
        let late = ProcessMemory.resident >> 20
        try await run.finish()
        print(
            "sequences of results, \(kind): \(turn) turns, \(run.progress.values) values, \(early) MB, at the end \(late) MB"
        )
        if isLong { #expect(late <= early + early / 2 + 64) }
    }
}

/// What the readers of sequences get and which writers have ended. A test waits for more.
private final class ResultsProgress: @unchecked Sendable {  // under the condition
    private let condition = NSCondition()
    private var count = 0
    private var endedWriters = 0
    private var latest: [Int: Int] = [:]

    var values: Int { condition.withLock { count } }

    func gotValue(_ number: Int? = nil, by reader: Int = 0) {
        condition.withLock {
            count += 1
            if let number { latest[reader] = number }
            condition.broadcast()
        }
    }

    func writerEnded() {
        condition.withLock {
            endedWriters += 1
            condition.broadcast()
        }
    }

    /// Waits for more values, or for the end of so many writers in all.
    func wait(forMore growth: Int, orWriters ended: Int) {
        condition.withLock {
            let goal = count + growth
            while count < goal, endedWriters < ended { condition.wait() }
        }
    }

    /// Waits until the latest number of each reader of numbers is the given one.
    func wait(forNumber number: Int) {
        condition.withLock {
            while latest.values.contains(where: { $0 != number }) { condition.wait() }
        }
    }
}

/// The results that a sequence follows.
private enum FollowedObjects: CaseIterable {
    case tags
    case page
    case books

    var request: NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: self == .books ? "Book" : "Tag")
        request.sortDescriptors = [NSSortDescriptor(key: self == .books ? "title" : "name", ascending: self != .page)]
        if self == .page { request.fetchLimit = 5 }
        return request
    }

    func text(_ objects: [NSManagedObject]) -> String {
        let keys = self == .books ? ["title", "pages"] : ["name"]
        return objects.map { object in keys.map { "\(object.value(forKey: $0) ?? "nil")" }.joined(separator: " ") }
            .joined(separator: ", ")
    }

    /// Follows the results until a text is among them. Returns them as text.
    func read(until marker: String, in context: NSManagedObjectContext, _ progress: ResultsProgress) async throws
        -> String
    {
        for try await value in context.results(of: request) {
            progress.gotValue()
            let ids = value.objectIDs
            let text = await context.perform {
                self.text(ids.compactMap { context.registeredObject(for: $0) }.filter { !$0.isDeleted })
            }
            if text.contains(marker) { return text }
        }
        return ""
    }
}

/// The sequences over one store, and the processes that write into it.
private final class ResultsRun: Sendable {
    /// In the last transaction of all.
    private static let marker = "~ end"
    private static let rounds = 15

    let progress = ResultsProgress()
    private let folder: TemporaryFolder
    private let kind: StoreKind
    private let url: URL
    private let options: [String: Bool]
    private let context: NSManagedObjectContext
    private let readers: [(FollowedObjects, Task<String, any Error>)]
    private let counters: [Task<Void, any Error>]
    private let history: Task<[Int64], any Error>?

    init(_ kind: StoreKind, keepsHistory: Bool, copies: Int) throws {
        folder = try TemporaryFolder()
        self.kind = kind
        url = try #require(kind.url(in: folder.url))
        options = [NSPersistentHistoryTrackingKey: keepsHistory]
        try withStore(url, LibraryModel.make(), type: kind.type, options: options) { context in
            context.make("Book", ["title": "counter", "pages": 0])
            try context.save()
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.performAndWait { context.automaticallyMergesChangesFromParent = true }
        self.context = context
        let progress = progress
        readers = (0..<copies).flatMap { _ in
            FollowedObjects.allCases.map { objects in
                (objects, Task { try await objects.read(until: Self.marker, in: context, progress) })
            }
        }
        counters = (0..<copies).map { reader in
            Task {
                for try await number in context.counts(of: FollowedObjects.tags.request) {
                    progress.gotValue(number, by: reader)
                }
            }
        }
        history = keepsHistory ? Task { try await Self.transactions(of: coordinator) } : nil
        progress.wait(forMore: readers.count + counters.count - progress.values, orWriters: .max)
    }

    private static func transactions(of coordinator: NSPersistentStoreCoordinator) async throws -> [Int64] {
        var numbers: [Int64] = []
        for try await transaction in coordinator.changes(after: nil) {
            numbers.append(transaction.transactionNumber)
            if transaction.author == marker { break }
        }
        return numbers
    }

    /// Lets writers work, and kills some of them after random numbers of values. Then another coordinator deletes what
    /// they have written.
    func turn(_ turn: Int, writers: Int, kills: Int, _ dice: inout SplitMix) throws {
        let children = try (0..<writers).map { number in
            try ChildProgram(
                "writer-child",
                [url.isFileURL ? url.path : url.absoluteString, "t\(turn)w\(number)", "\(Self.rounds)"]
                    + (options.values.contains(true) ? ["history"] : []))
        }
        for child in children {
            Thread { [progress] in
                child.waitForEnd()
                progress.writerEnded()
            }.start()
        }
        for child in children.prefix(kills) {
            progress.wait(forMore: Int.random(in: 1...20, using: &dice), orWriters: turn * writers)
            child.kill()
        }
        progress.wait(forMore: .max / 2, orWriters: turn * writers)
        try withStore(url, LibraryModel.make(), type: kind.type, options: options) { context in
            for tag in try context.all("Tag", "NOT name BEGINSWITH 't\(turn)w'") { context.delete(tag) }
            try context.save()
        }
    }

    /// Ends the sequences, and compares what each had at last with what a fetch gives.
    func finish() async throws {
        try withStore(url, LibraryModel.make(), type: kind.type, options: options) { context in
            context.transactionAuthor = Self.marker
            context.make("Tag", ["name": Self.marker])
            context.make("Book", ["title": Self.marker])
            try context.save()
        }
        let (expected, count, numbers) = try withStore(url, LibraryModel.make(), type: kind.type, options: options) {
            context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = history == nil ? nil : try context.execute(request) as? NSPersistentHistoryResult
            return (
                try FollowedObjects.allCases.map { ($0, $0.text(try context.fetch($0.request))) },
                try context.all("Tag").count,
                (result?.result as? [NSPersistentHistoryTransaction] ?? []).map(\.transactionNumber)
            )
        }
        #expect(count > 1, "the last writers have left nothing")
        for (objects, reader) in readers {
            let last = try await reader.value
            #expect(last == expected.first { $0.0 == objects }?.1, "\(objects)")
        }
        if let history { #expect(try await history.value == numbers) }
        progress.wait(forNumber: count)
        for counter in counters {
            counter.cancel()
            try await counter.value
        }
    }
}
