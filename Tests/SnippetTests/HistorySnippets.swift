import CoreData
import Testing

// Code of HistoryAndProcesses.md.

// snippet: a store with history
func openShared(at url: URL, author: String) throws -> NSPersistentContainer {
    let description = NSPersistentStoreDescription(url: url)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
    let container = NSPersistentContainer(name: "Notes", managedObjectModel: NoteModel.shared)
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    container.viewContext.transactionAuthor = author
    return container
}
// snippet end

// snippet: a reader of history
struct HistoryReader: Sendable {
    let container: NSPersistentContainer
    let tokenURL: URL

    /// Hands each new transaction to a block, and keeps the token of the last one.
    func readOn(_ handle: @escaping @Sendable (NSPersistentHistoryTransaction) throws -> Void) async throws {
        let token = try (try? Data(contentsOf: tokenURL)).map {
            try JSONDecoder().decode(NSPersistentHistoryToken.self, from: $0)
        }
        try await container.performBackgroundTask { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
                try handle(transaction)
                try JSONEncoder().encode(transaction.token).write(to: tokenURL, options: .atomic)
            }
        }
    }
}
// snippet end

@Suite("Code of History and several processes")
struct HistorySnippets {
    @Test("A reader of history gets each transaction once")
    func reading() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let container = try openShared(at: folder.appendingPathComponent("Notes.sqlite"), author: "test")
        let reader = HistoryReader(container: container, tokenURL: folder.appendingPathComponent("token"))
        for text in ["a", "b"] {
            try await container.performBackgroundTask { context in
                Note(context: context).text = text
                try context.save()
            }
            let seen = AsyncStream.makeStream(of: Int.self)
            try await reader.readOn { transaction in
                #expect(transaction.changes?.count == 1)
                seen.continuation.yield(1)
            }
            seen.continuation.finish()
            #expect(await seen.stream.reduce(0, +) == 1)
        }
        try await Self.purge(container: container)
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
    }

    static func merge(_ transaction: NSPersistentHistoryTransaction, into context: NSManagedObjectContext) {
        // snippet: a merged transaction
        let changes = transaction.objectIDNotification().userInfo ?? [:]
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [context])
        // snippet end
    }

    static func observe(reader: HistoryReader) -> any NSObjectProtocol {
        // snippet: changes as they come
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: reader.container.persistentStoreCoordinator, queue: nil
        ) { _ in continuation.yield() }
        Task {
            for await _ in changes {
                try await reader.readOn { print($0.author ?? "unknown", $0.changes?.count ?? 0) }
            }
        }
        // snippet end
        return observer
    }

    static func narrowed(context: NSManagedObjectContext) throws {
        // snippet: a part of history
        let others = NSPersistentHistoryTransaction.fetchRequest
        others?.predicate = NSPredicate(format: "author == nil OR author != %@", "importer")
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.fetchRequest = others
        let result = try context.execute(request) as? NSPersistentHistoryResult
        // snippet end
        _ = result
    }

    static func expired(reader: HistoryReader) async throws {
        // snippet: a token that has expired
        do {
            try await reader.readOn { print($0) }
        } catch let error as NSError where error.code == NSPersistentHistoryTokenExpiredError {
            let coordinator = reader.container.persistentStoreCoordinator
            if let present = coordinator.currentPersistentHistoryToken(fromStores: nil) {
                try JSONEncoder().encode(present).write(to: reader.tokenURL, options: .atomic)
            }
            // Now read all objects anew.
        }
        // snippet end
    }

    static func purge(container: NSPersistentContainer) async throws {
        // snippet: history is purged
        try await container.performBackgroundTask { context in
            let weekAgo = Date(timeIntervalSinceNow: -7 * 86_400)
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: weekAgo))
        }
        // snippet end
    }
}
