import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Results that follow a context are a sequence of values", .leavesNothingBehind, .onEveryKindOfStore)
struct ResultsSequenceTests {
    private static func books(_ format: String = "pages < 500") -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return request
    }

    /// The titles of a value's objects, read on the context's queue.
    private func titles(_ value: FetchedResults<NSManagedObject>, _ context: NSManagedObjectContext) -> [String] {
        context.performAndWait { value.results.map { $0.value(forKey: "title") as? String ?? "nil" } }
    }

    /// The value before with a difference applied has to be the value.
    private func expect(
        _ value: FetchedResults<NSManagedObject>, after old: [NSManagedObjectID],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(value.difference.flatMap { old.applying($0) } == value.objectIDs, sourceLocation: sourceLocation)
    }

    @Test("The first value comes at once; each change gives one, with its difference and the changed objects")
    func changes() async throws {
        let library = try Library()
        let context = library.context()
        let first = try await context.perform {
            let book = context.make("Book", ["title": "b", "pages": 1])
            try context.save()
            return book.objectID
        }
        var values = context.results(of: Self.books()).makeAsyncIterator()
        var value = try #require(await values.next())
        #expect(titles(value, context) == ["b"] && value.difference == nil)
        #expect(value.sections.map(\.name) == [""] && value.sections.map(\.range) == [0..<1])

        var old = value.objectIDs
        await context.perform {
            context.make("Book", ["title": "a", "pages": 2])
            context.make("Book", ["title": "z", "pages": 900])
        }
        value = try #require(await values.next())
        #expect(titles(value, context) == ["a", "b"] && value.updatedObjectIDs.isEmpty)
        expect(value, after: old)

        // The new object gets a permanent id.
        old = value.objectIDs
        try await context.perform { try context.save() }
        value = try #require(await values.next())
        #expect(titles(value, context) == ["a", "b"])
        #expect(value.objectIDs.allSatisfy { !$0.isTemporaryID } && old[0].isTemporaryID)
        expect(value, after: old)

        old = value.objectIDs
        await context.perform { context.object(with: first).setValue(3, forKey: "pages") }
        value = try #require(await values.next())
        #expect(value.updatedObjectIDs == [first] && value.difference?.isEmpty == true)

        await context.perform { context.object(with: first).setValue("A", forKey: "title") }
        value = try #require(await values.next())
        #expect(titles(value, context) == ["A", "a"] && value.updatedObjectIDs == [first])
        #expect(value.difference?.count == 2)
        expect(value, after: old)

        old = value.objectIDs
        await context.perform { context.delete(context.object(with: first)) }
        value = try #require(await values.next())
        #expect(titles(value, context) == ["a"])
        expect(value, after: old)
    }

    @Test("Changes that come while the reader is at work are one value, and none if they leave nothing")
    func manyChanges() async throws {
        let library = try Library()
        let context = library.context()
        let ids = try await context.perform {
            let books = ["a", "b", "c"].map { context.make("Book", ["title": $0, "pages": 1]) }
            try context.save()
            return books.map(\.objectID)
        }
        var values = context.results(of: Self.books()).makeAsyncIterator()
        let old = try #require(await values.next()).objectIDs
        for number in 0..<50 {
            await context.perform { context.object(with: ids[0]).setValue("x\(number)", forKey: "title") }
        }
        await context.perform { context.delete(context.object(with: ids[1])) }
        let value = try #require(await values.next())
        #expect(titles(value, context) == ["c", "x49"] && value.updatedObjectIDs == [ids[0]])
        expect(value, after: old)

        // A book that leaves the results and comes back, unseen: no value has to come before that of the next change.
        await context.perform {
            let book = context.object(with: ids[2])
            book.setValue(900, forKey: "pages")
            context.processPendingChanges()
            book.setValue(1, forKey: "pages")
            context.processPendingChanges()
            context.make("Tag", ["name": "t"])
        }
        await context.perform { context.object(with: ids[0]).setValue("d", forKey: "title") }
        let next = try #require(await values.next())
        #expect(titles(next, context) == ["c", "d"])
        expect(next, after: value.objectIDs)
    }

    @Test("A context that merges automatically follows the saves of other contexts")
    func mergedSaves() async throws {
        let library = try Library()
        let (context, other) = (library.context(), library.context())
        await context.perform { context.automaticallyMergesChangesFromParent = true }
        var values = context.results(of: Self.books()).makeAsyncIterator()
        #expect(try await values.next()?.results.count == 0)
        let id = try await other.perform {
            let book = other.make("Book", ["title": "b", "pages": 1])
            try other.save()
            return book.objectID
        }
        #expect(try await values.next()?.objectIDs == [id])
        try await other.perform {
            other.object(with: id).setValue(900, forKey: "pages")
            try other.save()
        }
        #expect(try await values.next()?.objectIDs == [])
        try await other.perform {
            other.object(with: id).setValue(9, forKey: "pages")
            try other.save()
        }
        #expect(try await values.next()?.objectIDs == [id])
        try await other.perform {
            other.delete(other.object(with: id))
            try other.save()
        }
        #expect(try await values.next()?.objectIDs == [])
    }

    @Test("A page, and results with sections, are those of a fetch after each change")
    func pages() async throws {
        let library = try Library()
        let context = library.context()
        let request = Self.books()
        request.sortDescriptors = [
            NSSortDescriptor(key: "copies", ascending: true), NSSortDescriptor(key: "title", ascending: true),
        ]
        try await context.perform {
            for title in ["a", "b", "c", "d"] {
                context.make("Book", ["title": title, "pages": 1, "copies": title < "c" ? 1 : 2])
            }
            try context.save()
        }
        let page = NSFetchRequest<NSManagedObject>(request)
        page.fetchLimit = 2
        page.fetchOffset = 1
        var pages = context.results(of: page).makeAsyncIterator()
        var sections = context.results(of: request, sectionNameKeyPath: "copies").makeAsyncIterator()
        #expect(titles(try #require(await pages.next()), context) == ["b", "c"])
        var value = try #require(await sections.next())
        #expect(value.sections.map(\.name) == ["1", "2"] && value.sections.map(\.range) == [0..<2, 2..<4])
        await context.perform { _ = context.make("Book", ["title": "B", "pages": 1, "copies": 0]) }
        #expect(titles(try #require(await pages.next()), context) == ["a", "b"])
        let old = value.objectIDs
        value = try #require(await sections.next())
        #expect(value.sections.map(\.name) == ["0", "1", "2"])
        expect(value, after: old)
    }

    @Test("Counts, dictionaries and ids follow, too, and give no value where they stay the same")
    func otherResults() async throws {
        let library = try Library()
        let context = library.context()
        var counts = context.counts(of: Self.books()).makeAsyncIterator()
        let idRequest = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        idRequest.resultType = .managedObjectIDResultType
        var ids = context.results(of: idRequest).makeAsyncIterator()
        let saved = NSFetchRequest<NSManagedObject>(entityName: "Book")
        saved.includesPendingChanges = false
        var savedBooks = context.results(of: saved).makeAsyncIterator()
        let tableRequest = NSFetchRequest<NSDictionary>(entityName: "Book")
        tableRequest.resultType = .dictionaryResultType
        tableRequest.propertiesToFetch = ["title"]
        tableRequest.includesPendingChanges = false
        var tables = context.results(of: tableRequest).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        #expect(try await ids.next()?.results == [])
        #expect(try await savedBooks.next()?.results.count == 0)
        #expect(try await tables.next()?.results == [])

        let book = await context.perform { context.make("Book", ["title": "b", "pages": 1]).objectID }
        #expect(try await counts.next() == 1)
        #expect(try await ids.next()?.results == [book])
        await context.perform {
            context.object(with: book).setValue("c", forKey: "title")
            context.make("Book", ["title": "long", "pages": 900])
        }
        await context.perform { _ = context.make("Book", ["title": "d", "pages": 2]) }
        #expect(try await counts.next() == 2)
        try await context.perform { try context.save() }
        #expect(try await savedBooks.next()?.results.count == 3)
        let titles = try await tables.next()?.results.compactMap { $0["title"] as? String } ?? []
        #expect(titles.sorted() == ["c", "d", "long"])
        #expect(try await ids.next()?.results.allSatisfy { !$0.isTemporaryID } == true)
    }

    @Test(
        "Changes that concern no result make no request of the store, and those that do at most one each",
        .onStores(.incremental))
    func requests() async throws {
        let library = try Library()
        let (context, other) = (library.context(), library.context())
        await context.perform { context.automaticallyMergesChangesFromParent = true }
        let page = Self.books()
        page.fetchLimit = 2
        let ids = try await context.perform {
            let books = ["b", "c", "d"].map { context.make("Book", ["title": $0, "pages": 1]) }
            let tag = context.make("Tag", ["name": "t"])
            try context.save()
            return (books + [tag]).map(\.objectID)
        }
        let (whole, first, count) = await context.perform {
            (
                Held(context.objectResults(of: Self.books(), sectionNameKeyPath: nil)),
                Held(context.objectResults(of: page, sectionNameKeyPath: nil)),
                Held(context.countSource(of: Self.books()))
            )
        }
        /// The requests that a save of another context makes, and the values that it gives.
        func save(_ body: @Sendable @escaping () throws -> Void) async throws -> (requests: Int, values: [Bool]) {
            try await other.perform {
                try body()
                try other.save()
            }
            func reads() -> Int { library.service.requests.count { $0.hasPrefix("fetch") || $0.hasPrefix("values") } }
            let before = reads()
            // The merge was queued by the save.
            let values = try await context.perform {
                [try whole.value.value() != nil, try first.value.value() != nil, try count.value.value() != nil]
            }
            return (reads() - before, values)
        }
        let begun = try await context.perform {
            (
                try whole.value.value()?.objectIDs.count, try first.value.value()?.objectIDs.count,
                try count.value.value()
            )
        }
        #expect(begun == (3, 2, 3))
        for number in 0..<5 {
            let unrelated = try await save { other.object(with: ids[3]).setValue("t\(number)", forKey: "name") }
            #expect(unrelated == (0, [false, false, false]))
        }
        // The last book is not on the page.
        let behind = try await save { other.object(with: ids[2]).setValue("e", forKey: "title") }
        #expect(behind.values == [true, false, false])
        // The merge reads the row, and the count is asked again.
        #expect(behind.requests <= 3)
        let onPage = try await save { other.object(with: ids[0]).setValue("a", forKey: "title") }
        #expect(onPage.values == [true, true, false])
        await context.perform {
            whole.value.stop()
            first.value.stop()
            count.value.stop()
        }
    }

    @Test("One object is followed until it is deleted")
    func oneObject() async throws {
        let library = try Library()
        let context = library.context()
        let id = try await context.perform {
            let book = context.make("Book", ["title": "b"])
            context.make("Book", ["title": "other"])
            try context.save()
            return book.objectID
        }
        var values = context.results(ofObjectWith: id).makeAsyncIterator()
        #expect(try await values.next()?.objectIDs == [id])
        await context.perform { context.object(with: id).setValue(7, forKey: "pages") }
        #expect(try await values.next()?.updatedObjectIDs == [id])
        await context.perform { context.delete(context.object(with: id)) }
        #expect(try await values.next()?.objectIDs == [])
    }

    @Test("A reset gives the results again only if they are others, and undo, rollback and refresh are followed")
    func resets() async throws {
        let library = try Library()
        let context = library.context()
        await context.perform { context.undoManager = UndoManager() }
        let id = try await context.perform {
            let book = context.make("Book", ["title": "b", "pages": 1])
            try context.save()
            return book.objectID
        }
        var values = context.results(of: Self.books()).makeAsyncIterator()
        #expect(try await values.next()?.objectIDs == [id])
        await context.perform { context.object(with: id).setValue(900, forKey: "pages") }
        #expect(try await values.next()?.objectIDs == [])
        await context.perform { context.undo() }
        #expect(try await values.next()?.objectIDs == [id])
        await context.perform { context.object(with: id).setValue(900, forKey: "pages") }
        #expect(try await values.next()?.objectIDs == [])
        await context.perform { context.rollback() }
        #expect(try await values.next()?.objectIDs == [id])
        await context.perform { _ = context.make("Book", ["title": "a", "pages": 1]) }
        #expect(try await values.next()?.results.count == 2)
        await context.perform { context.reset() }
        let value = try #require(await values.next())
        #expect(value.objectIDs == [id] && value.difference?.removals.count == 1 && value.difference?.count == 1)
        #expect(titles(value, context) == ["b"])
    }

    @Test("A sequence ends with an error when its store is removed, or its request has no entity, and when cancelled")
    func ends() async throws {
        let library = try Library()
        let context = library.context()
        var values = context.results(of: Self.books()).makeAsyncIterator()
        var counts = context.counts(of: Self.books()).makeAsyncIterator()
        #expect(try await values.next()?.results.count == 0)
        #expect(try await counts.next() == 0)
        let cancelled = Task {
            var numbers: [Int] = []
            for try await number in context.counts(of: Self.books()) {
                numbers.append(number)
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return numbers
        }
        #expect(try await cancelled.value == [0])
        try library.coordinator.remove(library.store)
        let removed = await #expect(throws: NSError.self) { _ = try await values.next() }
        #expect(removed?.code == NSPersistentStoreOperationError)
        let uncounted = await #expect(throws: NSError.self) { _ = try await counts.next() }
        #expect(uncounted?.code == NSPersistentStoreOperationError)
        #expect(try await values.next() == nil)
        var unknown = context.results(of: NSFetchRequest<NSManagedObject>(entityName: "Nothing")).makeAsyncIterator()
        let error = await #expect(throws: NSError.self) { _ = try await unknown.next() }
        #expect(error?.code == NSCoreDataError)
    }

    /// A controller of the books, made on the context's queue.
    private func controller(of context: NSManagedObjectContext) -> NSFetchedResultsController<NSManagedObject> {
        context.performAndWait {
            NSFetchedResultsController(
                fetchRequest: Self.books(), managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        }
    }

    @Test("A task that is cancelled during a fetch, and a sequence that is left, release all", .onStores(.inMemory))
    func cancellation() async throws {
        let library = try Library()
        let context = library.context()
        try await context.perform {
            context.make("Book", ["title": "b", "pages": 1])
            try context.save()
        }
        let reader = Locked<Task<Int, any Error>?>(nil)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let request = Held(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        request.value.predicate = NSPredicate { _, _ in
            reader.withLock { $0 }?.cancel()
            return true
        }
        let task = Task {
            for await _ in begun { break }
            var number = 0
            for try await _ in context.results(of: request.value) { number += 1 }
            return number
        }
        reader.withLock { $0 = task }
        begin.yield()
        #expect(try await task.value <= 1)
        #expect(await context.perform { context.followers.allSatisfy { $0.core == nil } })
        reader.withLock { $0 = nil }
        // The first of two readers leaves; the second one goes on.
        var second = context.results(of: request.value).makeAsyncIterator()
        #expect(try await second.next()?.results.count == 1)
        for try await _ in context.results(of: request.value) { break }
        await context.perform { _ = context.make("Book", ["title": "c", "pages": 2]) }
        #expect(try await second.next()?.results.count == 2)
    }

    private final class Weak {
        weak var context: NSManagedObjectContext?
    }

    @Test("A sequence keeps its context, and a reader may use the context between two values")
    func lifetime() async throws {
        let library = try Library()
        let kept = Weak()
        func sequence() -> FetchedResultsSequence<FetchedResults<NSManagedObject>> {
            let context = library.context()
            kept.context = context
            return context.results(of: Self.books())
        }
        func makeBook(_ number: Int) {
            kept.context?.performAndWait { _ = kept.context?.make("Book", ["title": "b", "pages": number]) }
        }
        var number = 0
        for try await value in sequence() {
            number += 1
            if number == 4 { break }
            #expect(value.results.count == number - 1 && kept.context != nil)
            makeBook(number)
        }
        #expect(number == 4)
    }

    @Test("A controller gives its snapshots as a sequence, beside its delegate")
    func snapshots() async throws {
        let library = try Library()
        let context = library.context()
        let controller = Held(controller(of: context))
        var snapshots = controller.value.snapshots.makeAsyncIterator()
        try await context.perform {
            context.make("Book", ["title": "b", "pages": 1])
            try context.save()
            try controller.value.performFetch()
        }
        #expect(try await snapshots.next()?.numberOfItems == 1)
        await context.perform { _ = context.make("Book", ["title": "a", "pages": 1]) }
        #expect(try await snapshots.next()?.numberOfItems == 2)
        #expect(await context.perform { controller.value.fetchedObjects?.count } == 2)
    }
}
