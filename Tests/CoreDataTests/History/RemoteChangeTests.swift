import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Remote-change notifications", .leavesNothingBehind, .onEveryDatabase)
struct RemoteChangeTests {
    /// The remote changes of a coordinator as they come.
    private final class Changes: @unchecked Sendable {  // `all` is guarded by `lock`
        private let lock = NSLock()
        private var received: [[AnyHashable: Any]] = []
        private let continuation: AsyncStream<Void>.Continuation
        private let stream: AsyncStream<Void>
        private let center: NotificationCenter
        private var observer: (any NSObjectProtocol)?

        init(_ coordinator: NSPersistentStoreCoordinator) {
            (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            center = .default
            observer = center.addObserver(
                forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
            ) { [weak self] in self?.receive($0.userInfo ?? [:]) }
        }

        deinit {
            if let observer { center.removeObserver(observer) }
        }

        private func receive(_ info: [AnyHashable: Any]) {
            lock.withLock { received.append(info) }
            continuation.yield()
        }

        var all: [[AnyHashable: Any]] { lock.withLock { received } }

        /// Returns when the condition holds for the notifications that have come; it is evaluated with each
        /// notification.
        func wait(until condition: ([[AnyHashable: Any]]) -> Bool) async {
            if condition(all) { return }
            for await _ in stream where condition(all) { return }
        }
    }

    private func token(_ info: [AnyHashable: Any]?) -> NSPersistentHistoryToken? {
        info?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
    }

    @Test(
        "Another process's saves are announced, with the token of the newest, and history has their changes",
        .timeLimit(.minutes(10)), .onStores(.sqlite))
    func processes() async throws {
        let library = try Library(options: [
            NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
        ])
        let changes = Changes(library.coordinator)
        let before = try #require(library.coordinator.currentPersistentHistoryToken(fromStores: nil))
        let child = try ChildProgram("writer-child", [library.storeURL.path, "other", "20", "history"])
        #expect(child.wait().output == "saved 20 conflicts 0\n")
        let last = try #require(library.coordinator.currentPersistentHistoryToken(fromStores: nil))
        await changes.wait { token($0.last) == last }
        let all = changes.all
        // Saves at nearly the same time are one notification; no transaction is announced twice.
        #expect((1...20).contains(all.count))
        #expect(Set(all.map { token($0) }).count == all.count)
        #expect(all.allSatisfy { $0[NSPersistentStoreURLKey] as? URL == library.storeURL })
        #expect(
            all.allSatisfy { $0[NSStoreUUIDKey] as? String == library.coordinator.persistentStores.first?.identifier })
        let context = library.context()
        try context.performAndWait {
            let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: before))
            let transactions = (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
            #expect(transactions?.count == 20)
            #expect(transactions?.allSatisfy { $0.author == "other" && $0.processID == "writer-child" } == true)
            #expect(transactions?.last?.token == last)
        }
    }

    @Test(
        "a save of another coordinator in this process is announced, without history too", .timeLimit(.minutes(10)),
        arguments: [true, false])
    func coordinators(_ keepsHistory: Bool) async throws {
        let options = [
            NSPersistentHistoryTrackingKey: keepsHistory, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
        ]
        let library = try Library(options: options)
        let other = try Library(in: library.folder, options: options)
        let changes = Changes(library.coordinator)
        let context = other.context()
        try context.performAndWait {
            context.make("Tag", ["name": "T"])
            try context.save()
        }
        await changes.wait { !$0.isEmpty }
        #expect((token(changes.all.first) != nil) == keepsHistory)
        let count = changes.all.count
        // A batch is a change like any other.
        try context.performAndWait {
            _ = try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["name": "U"]]))
        }
        await changes.wait { $0.count > count }
    }

    @Test("No save is announced without the option, nor once the store is removed", .timeLimit(.minutes(10)))
    func silence() async throws {
        let history = [NSPersistentHistoryTrackingKey: true]
        let announced = history.merging([NSPersistentStoreRemoteChangeNotificationPostOptionKey: true]) { $1 }
        let writer = try Library(options: announced)
        let silent = try Library(in: writer.folder, options: history)
        let removed = try Library(in: writer.folder, options: announced)
        let (own, none, late) = (Changes(writer.coordinator), Changes(silent.coordinator), Changes(removed.coordinator))
        for store in removed.coordinator.persistentStores { try removed.coordinator.remove(store) }
        let context = writer.context()
        try context.performAndWait {
            context.make("Tag")
            try context.save()
        }
        // A store's own saves are announced as well.
        await own.wait { !$0.isEmpty }
        #expect(none.all.isEmpty)
        #expect(late.all.isEmpty)
    }

    @Test("a commit that is visible only a while after its bytes were written is announced", .timeLimit(.minutes(10)))
    func lateCommit() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let notices = CommitNotices(newest: nil) { _ in continuation.yield() }
        // SQLite writes the commit, waits for the disk, and shows the commit then.
        let looks = Locked(0)
        try notices.begin {
            looks.withLock { count in
                count += 1
                return count == 4
            }
        }
        notices.queue.async { notices.event() }
        for await _ in stream { break }
        notices.cancel()
        #expect(looks.withLock { $0 } >= 4)
    }

    @Test(
        "A write that makes no transaction is not announced where history is kept", .timeLimit(.minutes(10)),
        .onStores(.sqlite))
    func withoutTransaction() async throws {
        let newest = Locked<Int64>(7)
        let (looks, looked) = AsyncStream.makeStream(of: Void.self)
        let (posts, posted) = AsyncStream.makeStream(of: Int64?.self)
        let notices = CommitNotices(
            newest: {
                let number = newest.withLock { $0 }
                looked.yield()
                return number
            }, post: { posted.yield($0) })
        try notices.begin()
        notices.queue.async { notices.event() }
        // The first query is that of begin(), the second one that after the write.
        var count = 0
        for await _ in looks {
            count += 1
            if count == 2 { break }
        }
        newest.withLock { $0 = 8 }
        notices.queue.async { notices.event() }
        for await transaction in posts {
            #expect(transaction == 8)
            break
        }
        notices.cancel()
    }

    @Test("an observer may remove the store", .timeLimit(.minutes(10)))
    func removal() async throws {
        let library = try Library(options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let coordinator = library.coordinator
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
        ) { _ in
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
            continuation.yield(coordinator.persistentStores.count)
        }
        // Not by the coordinator that loses its store: that may be in the middle of the save.
        let context = try Library(in: library.folder).context()
        try context.performAndWait {
            context.make("Tag")
            try context.save()
        }
        for await count in stream {
            #expect(count == 0)
            break
        }
        NotificationCenter.default.removeObserver(observer)
    }
}
