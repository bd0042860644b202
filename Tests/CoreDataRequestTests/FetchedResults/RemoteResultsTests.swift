import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Results follow other processes and the history", .leavesNothingBehind, .onEveryDatabase)
struct RemoteResultsTests {
    private static let books = {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return Held(request)
    }()

    @Test("Commits of another coordinator reach the results, with and without history", arguments: [true, false])
    func otherCoordinators(keepsHistory: Bool) async throws {
        let library = try Library(options: [NSPersistentHistoryTrackingKey: keepsHistory])
        let (context, other) = (library.context(), try library.beside().context())
        await context.perform { context.automaticallyMergesChangesFromParent = true }
        var values = context.results(of: Self.books.value).makeAsyncIterator()
        var counts = context.counts(of: Self.books.value).makeAsyncIterator()
        #expect(try await values.next()?.results.count == 0)
        #expect(try await counts.next() == 0)
        let uri = try await other.perform {
            let book = other.make("Book", ["title": "b"])
            try other.save()
            return book.objectID.uriRepresentation()
        }
        let id = try #require(library.coordinator.managedObjectID(forURIRepresentation: uri))
        #expect(try await values.next()?.objectIDs == [id])
        #expect(try await counts.next() == 1)
        try await other.perform {
            for book in try other.fetch(Self.books.value) { other.delete(book) }
            try other.save()
        }
        #expect(try await values.next()?.objectIDs == [])
        #expect(try await counts.next() == 0)
    }

    @Test("A store knows its own commits from those of other connections", .onStores(.sqlite))
    func foreignCommits() throws {
        let library = try Library(options: [NSPersistentHistoryTrackingKey: true])
        let (context, other) = (library.context(), try library.beside().context())
        let rows = library.coordinator.attached[0].rows
        let log = SaveLog()
        rows.history?.record(savesIn: log)
        func save(_ context: NSManagedObjectContext) throws -> Int64 {
            try context.performAndWait {
                context.make("Book", ["title": "b"])
                try context.save()
            }
            return try #require(rows.history).lastTransactionNumber()
        }
        let version = try #require(rows.foreignVersion)
        let own = try save(context)
        #expect(rows.foreignVersion == version)
        let foreign = try save(other)
        #expect(rows.foreignVersion != version)
        #expect(log.take(through: foreign) == [own])
        #expect(log.take(through: foreign).isEmpty)
    }

    @Test("The history is a sequence of transactions, with the place to go on from, and ends where it was deleted")
    func history() async throws {
        let library = try Library(options: [NSPersistentHistoryTrackingKey: true])
        let (context, other) = (library.context(), try library.beside().context())
        var changes = library.coordinator.changes(after: nil).makeAsyncIterator()
        try await context.perform {
            context.transactionAuthor = "here"
            context.make("Book", ["title": "a"])
            try context.save()
        }
        let first = try #require(await changes.next())
        #expect(first.author == "here" && first.changes?.count == 1)
        try await other.perform {
            other.transactionAuthor = "beside"
            other.make("Book", ["title": "b"])
            try other.save()
        }
        #expect(try await changes.next()?.author == "beside")
        var later = library.coordinator.changes(after: first.token).makeAsyncIterator()
        #expect(try await later.next()?.author == "beside")

        try await context.perform {
            context.make("Book", ["title": "c"])
            try context.save()
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        }
        var deleted = library.coordinator.changes(after: first.token).makeAsyncIterator()
        let error = await #expect(throws: NSError.self) { _ = try await deleted.next() }
        #expect(error?.code == NSPersistentHistoryTokenExpiredError)
    }

    @Test("History of a second store that was deleted unread ends the sequence", .onStores(.sqlite))
    func historyOfTwoStores() async throws {
        let library = try Library(options: [NSPersistentHistoryTrackingKey: true])
        let context = library.context()
        let second = try library.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil,
            at: library.folder.url.appendingPathComponent("Second.sqlite"),
            options: [NSPersistentHistoryTrackingKey: true])
        let save: @Sendable (NSPersistentStore, String) async throws -> Void = { store, title in
            try await context.perform {
                context.assign(context.make("Book", ["title": title]), to: store)
                try context.save()
            }
        }
        var changes = library.coordinator.changes(after: nil).makeAsyncIterator()
        try await save(library.store, "a")
        #expect(try await changes.next()?.storeID == library.store.identifier)
        try await save(second, "b")
        try await context.perform {
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        }
        try await save(second, "c")
        let error = await #expect(throws: NSError.self) { _ = try await changes.next() }
        #expect(error?.code == NSPersistentHistoryTokenExpiredError)
    }

    @Test("The history of a store that is added later comes at once", .onStores(.sqlite))
    func historyOfAnAddedStore() async throws {
        let options = [NSPersistentHistoryTrackingKey: true]
        let (library, other) = (try Library(options: options), try Library(options: options))
        for (library, title) in [(library, "a"), (other, "b")] {
            let context = library.context()
            try await context.perform {
                context.make("Book", ["title": title])
                try context.save()
            }
        }
        var changes = library.coordinator.changes(after: nil).makeAsyncIterator()
        #expect(try await changes.next()?.storeID == library.store.identifier)
        let added = try library.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: other.storeURL, options: options)
        #expect(try await changes.next()?.storeID == added.identifier)
    }

    @Test("Notifications are sequences of values")
    func notifications() async throws {
        let library = try Library(options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        let context = library.context()
        var saves = context.didSave.makeAsyncIterator()
        var changes = context.objectsDidChange.makeAsyncIterator()
        var commits = library.coordinator.remoteChanges.makeAsyncIterator()
        let id = try await context.perform {
            let book = context.make("Book", ["title": "a"])
            try context.obtainPermanentIDs(for: [book])
            try context.save()
            return book.objectID
        }
        #expect(await changes.next()?.insertedObjectIDs == [id])
        let save = try #require(await saves.next())
        #expect(save.insertedObjectIDs == [id] && save.updatedObjectIDs.isEmpty && save.deletedObjectIDs.isEmpty)
        #expect(await commits.next()?.storeUUID == library.store.identifier)
        await context.perform { context.reset() }
        #expect(await changes.next()?.invalidatesAllObjects == true)
    }
}
