import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Migrations into a copy of a store that another coordinator of the process has open. The migrations do not wait for
/// locks, unless a test says so: their time limit is zero.
@Suite("A copying migration of a store that the same process has open", .leavesNothingBehind)
struct MigratedInUseTests {
    private static let older = "entity Book\n  title string"
    private static let newer = "entity Book\n  title string\n  pages int32 = 7"

    private struct Refusal: Error {}

    /// Makes a store of the older version with one row, and leaves it open.
    private func withOpenStore(
        _ options: [String: Any] = [:], _ body: (_ url: URL, _ old: NSManagedObjectContext) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let old = try open(url, Self.older, options)
            try old.performAndWait {
                old.make("Book", ["title": "one"])
                try old.save()
                #expect(try old.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 1)
                old.reset()
            }
            try body(url, old)
        }
    }

    private func open(_ url: URL, _ model: String, _ options: [String: Any]) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(model))
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Opens the store at the newer version by a stage with a handler, which needs a copy.
    private func migrate(
        _ url: URL, timeout: TimeInterval = 0, handler: @escaping @Sendable () throws -> Void = {}
    ) throws -> NSManagedObjectContext {
        let references = [Self.older, Self.newer].map { text in
            let model = ModelText.model(text)
            return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }
        let stage = NSCustomMigrationStage(migratingFrom: references[0], to: references[1])
        stage.willMigrateHandler = { _, _ in try handler() }
        return try open(
            url, Self.newer,
            [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage]),
                NSPersistentStoreTimeoutOption: timeout,
            ])
    }

    private func titles(_ context: NSManagedObjectContext) throws -> [String] {
        try context.performAndWait {
            try context.all("Book").compactMap { $0.value(forKey: "title") as? String }.sorted()
        }
    }

    private func expectRefusal(_ context: NSManagedObjectContext) {
        context.performAndWait {
            let error = #expect(throws: NSError.self) { try context.all("Book") }
            #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError, "\(String(describing: error))")
        }
    }

    @Test(
        "Idle connections of the process do not hinder it, and the old context is refused afterwards",
        arguments: [[], [NSReadOnlyPersistentStoreOption], [NSPersistentStoreRemoteChangeNotificationPostOptionKey]])
    func idle(_ options: [String]) throws {
        try withOpenStore { url, first in
            let old = try open(url, Self.older, Dictionary(uniqueKeysWithValues: options.map { ($0, true) }))
            #expect(try titles(old) == ["one"])
            let new = try migrate(url)
            #expect(try titles(new) == ["one"])
            for context in [old, first] { expectRefusal(context) }
            try new.performAndWait {
                #expect(try new.all("Book").map { $0.value(forKey: "pages") as? Int32 } == [7])
                new.make("Book", ["title": "two"])
                try new.save()
            }
            #expect(try titles(new) == ["one", "two"])
        }
    }

    @Test(
        "A watch for commits does not hinder it, and begins only when the store is opened again",
        arguments: [true, false])
    func watches(keepsHistory: Bool) async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Store.sqlite")
        let history = [NSPersistentHistoryTrackingKey: keepsHistory]
        let old = try open(url, Self.older, history)
        let coordinator = try #require(old.persistentStoreCoordinator)
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let first = StoreCommitWatches(of: coordinator) { _ in continuation.yield(1) }
        let refused = #expect(throws: NSError.self) { _ = try migrate(url) { throw Refusal() } }
        #expect(refused?.code != NSPersistentStoreTimeoutError, "\(String(describing: refused))")
        // The connections are closed: a watch that begins now must not open one.
        SQLiteDatabase.suspend(fileAt: url)
        let second = StoreCommitWatches(of: coordinator) { _ in continuation.yield(2) }
        try SoleUse(of: SQLiteStoreFiles(url), timeout: 0).giveBack()
        var iterator = stream.makeAsyncIterator()
        func expectCommit(_ title: String) async throws {
            try withStore(url, ModelText.model(Self.older), options: history) { context in
                context.make("Book", ["title": title])
                try context.save()
            }
            #expect(try titles(old).contains(title))
            var seen: Set<Int> = []
            while seen.count < 2, let number = await iterator.next() { seen.insert(number) }
        }
        try await expectCommit("one")
        // The next read opens the connections again.
        SQLiteDatabase.suspend(fileAt: url)
        try await expectCommit("two")
        withExtendedLifetime((first, second)) {}
        #expect(try titles(migrate(url)) == ["one", "two"])
    }

    @Test("Unsaved changes stay in the old context, and saving them throws 134100")
    func unsavedChanges() throws {
        try withOpenStore { url, old in
            old.performAndWait { _ = old.make("Book", ["title": "unsaved"]) }
            let new = try migrate(url)
            old.performAndWait {
                let error = #expect(throws: NSError.self) { try old.save() }
                #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
                #expect(old.insertedObjects.count == 1)
            }
            #expect(try titles(new) == ["one"])
        }
    }

    @Test("A read that is under way, and a pinned state, hold the store: error 134090 names this process")
    func reading() throws {
        try withOpenStore { url, old in
            let store = try #require(old.persistentStoreCoordinator?.persistentStores.first as? SQLiteStore)
            func expectTimeout() throws {
                let error = #expect(throws: NSError.self) { _ = try migrate(url) }
                #expect(error?.code == NSPersistentStoreTimeoutError, "\(String(describing: error))")
                let text = try #require(error).localizedDescription
                #expect(text.contains("this process (\(getpid())) had it open"), "\(text)")
            }
            try store.readingHere { connection in
                try connection.readSomething()
                try expectTimeout()
                #expect(try connection.integer("SELECT COUNT(*) FROM ZBOOK") == 1)
            }
            try store.writingHere { connection in
                try connection.transaction {
                    try connection.execute("UPDATE ZBOOK SET ZTITLE = 'written'")
                    try expectTimeout()
                }
            }
            try old.performAndWait { try old.setQueryGenerationFrom(.current) }
            #expect(try titles(old) == ["written"])
            try expectTimeout()
            try old.performAndWait { try old.setQueryGenerationFrom(nil) }
            #expect(try titles(old) == ["written"])
            #expect(try titles(migrate(url)) == ["written"])
        }
    }

    @Test("After a migration that failed the old context continues, and gets the saves of other coordinators")
    func failed() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Store.sqlite")
        let old = try open(
            url, Self.older,
            [NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        try await old.perform {
            old.make("Book", ["title": "one"])
            try old.save()
        }
        let hasRun = Locked(false)
        #expect(throws: (any Error).self) {
            _ = try migrate(url) {
                hasRun.withLock { $0 = true }
                throw Refusal()
            }
        }
        #expect(hasRun.withLock { $0 })
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: old.persistentStoreCoordinator, queue: nil
        ) { _ in continuation.yield() }
        defer { NotificationCenter.default.removeObserver(observer) }
        try withStore(url, ModelText.model(Self.older), options: [NSPersistentHistoryTrackingKey: true]) { context in
            context.make("Book", ["title": "two"])
            try context.save()
        }
        for await _ in stream { break }
        #expect(try titles(old) == ["one", "two"])
        try await old.perform {
            old.make("Book", ["title": "three"])
            try old.save()
        }
        #expect(try titles(old) == ["one", "three", "two"])
    }

    @Test("A handler of the migration that uses the old context gets an error at once")
    func handler() throws {
        try withOpenStore { url, old in
            let codes = Locked<[Int]>([])
            let new = try migrate(url) {
                // The context's own queue waits for the store; the handler's thread must not.
                let store = old.persistentStoreCoordinator?.persistentStores.first as? SQLiteStore
                do {
                    _ = try store?.readingHere { try $0.integer("SELECT COUNT(*) FROM ZBOOK") }
                } catch {
                    codes.withLock { $0.append((error as NSError).code) }
                }
            }
            #expect(codes.withLock { $0 } == [NSPersistentStoreTimeoutError])
            #expect(try titles(new) == ["one"])
        }
    }

    @Test("A coordinator that was released leaves nothing that a migration waits for")
    func released() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            func make() throws {
                let context = try open(url, Self.older, [:])
                try context.performAndWait {
                    context.make("Book", ["title": "one"])
                    try context.save()
                }
            }
            try make()
            #expect(try titles(migrate(url)) == ["one"])
        }
    }

    /// A thread that reads and saves on a context as fast as it can.
    private final class Worker: @unchecked Sendable {  // mutable state is guarded by `condition`
        private let condition = NSCondition()
        private var titles = ["one"]
        private var failure: NSError?
        private var isLast = false
        private var hasEnded = false

        /// Begins, and returns after the first save.
        init(_ context: NSManagedObjectContext) {
            Thread.detachNewThread { [self] in
                context.performAndWait { while work(context) {} }
                condition.withLock {
                    hasEnded = true
                    condition.broadcast()
                }
            }
            wait(until: { titles.count > 1 || hasEnded })
        }

        private func work(_ context: NSManagedObjectContext) -> Bool {
            let (title, isLast) = condition.withLock { ("\(titles.count)", self.isLast) }
            do {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.fetchLimit = 1
                _ = try context.fetch(request)
                context.make("Book", ["title": title])
                try context.save()
            } catch {
                condition.withLock { failure = error as NSError }
                return false
            }
            condition.withLock {
                titles.append(title)
                condition.broadcast()
            }
            return !isLast
        }

        private func wait(until isReached: () -> Bool) {
            condition.withLock { while !isReached() { condition.wait() } }
        }

        /// Ends the thread after one more save. Returns the titles that were saved, and the error that ended it.
        func end() -> (saved: [String], failure: NSError?) {
            condition.withLock { isLast = true }
            wait(until: { hasEnded })
            return (titles, failure)
        }
    }

    @Test("A thread that reads and saves without a pause waits for the migration, and no save of it is lost")
    func busy() throws {
        try withOpenStore { url, old in
            let worker = Worker(old)
            let store = try #require(old.persistentStoreCoordinator?.persistentStores.first as? SQLiteStore)
            let result = Result {
                try migrate(url, timeout: 240) {
                    // The thread that waits has no lock for which the handler would wait.
                    let error = #expect(throws: NSError.self) { try store.writingHere { try $0.readSomething() } }
                    #expect(error?.code == NSPersistentStoreTimeoutError)
                }
            }
            let (saved, failure) = worker.end()
            #expect(failure?.code == NSPersistentStoreIncompatibleVersionHashError, "\(String(describing: failure))")
            let new = try result.get()
            #expect(try titles(new) == saved.sorted())
        }
    }

    @Test(
        "A thread that holds a connection does not wait for the migration that waits for it", arguments: [false, true])
    func holding(_ pins: Bool) throws {
        try withOpenStore { url, old in
            let store = try #require(old.persistentStoreCoordinator?.persistentStores.first as? SQLiteStore)
            let (isSuspended, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let result = Locked<Result<NSManagedObjectContext, any Error>?>(nil)
            func write() throws {
                store.connections.allowSuspending(heldBy: store) { if $0 { isSuspended.signal() } }
                Thread.detachNewThread {
                    let migrated = Result { try migrate(url, timeout: 240) }
                    result.withLock { $0 = migrated }
                    hasEnded.signal()
                }
                isSuspended.wait()
                try store.writingHere { try $0.execute("UPDATE ZBOOK SET ZTITLE = 'written'") }
            }
            if pins {
                try old.performAndWait { try old.setQueryGenerationFrom(.current) }
                #expect(try titles(old) == ["one"])
                try write()
                try old.performAndWait { try old.setQueryGenerationFrom(nil) }
            } else {
                try store.readingHere { connection in
                    try connection.readSomething()
                    try write()
                }
            }
            hasEnded.wait()
            let new = try #require(try result.withLock { $0 }?.get())
            #expect(try titles(new) == ["written"])
        }
    }
}
