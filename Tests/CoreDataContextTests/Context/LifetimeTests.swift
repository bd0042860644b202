import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Faults: batches, ages, retained objects, rows that are gone", .leavesNothingBehind, .onEveryKindOfStore)
struct LifetimeTests {
    private func library(books: Int) throws -> (Library, NSManagedObjectContext) {
        let library = try Library()
        let writer = library.context()
        try writer.performAndWait {
            for number in 0..<books {
                let author = number % 10 == 0 ? writer.make("Author", ["name": "a\(number)"]) : nil
                writer.make("Book", ["title": "t\(number)", "pages": number, "author": author as Any? ?? NSNull()])
            }
            try writer.save()
            writer.reset()
        }
        return (library, library.context())
    }

    private func request(_ batchSize: Int, ascending: Bool = true) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: ascending)]
        request.fetchBatchSize = batchSize
        return request
    }

    @Test(
        "A fetch with a batch size reads keys, and rows a batch at a time, when the first of a batch is used",
        .onStores(.sqlite, .inMemory))
    func batches() throws {
        let (library, context) = try library(books: 1000)
        try context.performAndWait {
            let books = try context.fetch(request(50))
            #expect(books.count == 1000)
            #expect(library.coordinator.cachedRowCount == 0)
            #expect(books.allSatisfy { $0.isFault })
            #expect(books[420].text("title") == "t420")
            #expect(library.coordinator.cachedRowCount == 50)
            for number in 400..<450 { #expect(books[number].number("pages") == number) }
            #expect(library.coordinator.cachedRowCount == 50)
            #expect(books[399].isFault)
            #expect(books[999].number("pages") == 999)
            #expect(library.coordinator.cachedRowCount == 100)
            #expect(books.enumerated().allSatisfy { $1.number("pages") == $0 })
            #expect(library.coordinator.cachedRowCount == 1000)
        }
    }

    @Test("Unsaved objects take their places among batches without reading them all", .onStores(.sqlite, .inMemory))
    func batchesWithChanges() throws {
        let (library, context) = try library(books: 1000)
        try context.performAndWait {
            context.make("Book", ["title": "new", "pages": 500])
            context.make("Book", ["title": "last", "pages": 5000])
            let books = try context.fetch(request(10))
            #expect(books.count == 1002)
            #expect(library.coordinator.cachedRowCount <= 300)
            #expect(Set([books[500].text("title"), books[501].text("title")]) == ["t500", "new"])
            #expect(books[1001].text("title") == "last")
        }
    }

    @Test("A child's batches come through its parent, with the unsaved changes there", .onStores(.sqlite, .inMemory))
    func batchesOfChild() throws {
        let (library, root) = try library(books: 300)
        let child = library.child(of: root)
        try root.performAndWait {
            let first = try #require(try root.fetch(request(20)).first)
            first.setValue("changed", forKey: "title")
        }
        try child.performAndWait {
            let books = try child.fetch(request(20))
            #expect(books.count == 300)
            #expect(books[0].text("title") == "changed")
            #expect(books[299].text("title") == "t299")
            // The first and the last batch, and those that were searched for the place of the changed book.
            #expect(library.coordinator.cachedRowCount <= 100)
        }
    }

    @Test("A fetch of objects by themselves makes their faults real at once")
    func batchFaulting() throws {
        let (library, context) = try library(books: 100)
        try context.performAndWait {
            let ids = try context.fetch(request(10)).map(\.objectID)
            let faults = ids.map { context.object(with: $0) }
            #expect(library.coordinator.cachedRowCount == 0)
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Book")
            fetch.predicate = NSPredicate(format: "SELF IN %@", faults)
            fetch.returnsObjectsAsFaults = false
            let found = try context.fetch(fetch)
            #expect(Set(found) == Set(faults))
            #expect(faults.allSatisfy { !$0.isFault })
        }
    }

    /// Decides object by object.
    private final class ChoosyContext: NSManagedObjectContext, @unchecked Sendable {  // used on its queue
        var asked: [NSManagedObjectID] = []

        override func shouldHandleInaccessibleFault(
            _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
        ) -> Bool {
            asked.append(oid)
            return true
        }
    }

    @Test("An object whose row is gone becomes a deleted one without values; the context is asked first")
    func inaccessible() throws {
        let (library, writer) = try library(books: 1)
        let context = ChoosyContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = library.coordinator }
        let id = try writer.performAndWait { try #require(try writer.all("Book").first).objectID }
        let fault = context.performAndWait { Held(context.object(with: id)) }
        try writer.performAndWait {
            writer.delete(writer.object(with: id))
            try writer.save()
        }
        context.performAndWait {
            context.shouldDeleteInaccessibleFaults = false
            #expect(fault.value.text("title") == nil)
            #expect(fault.value.isDeleted)
            #expect(context.asked == [id])
        }
    }

    @Test(
        "A missing row stops the process with the object's URI, without shouldDeleteInaccessibleFaults",
        .onStores(.sqlite))
    func inaccessibleStops() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = try Library()
            let context = library.context()
            try context.performAndWait {
                context.shouldDeleteInaccessibleFaults = false
                let tag = context.make("Tag", ["name": "a"])
                try context.save()
                let id = tag.objectID
                context.delete(tag)
                try context.save()
                _ = context.object(with: id).text("name")
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("CoreData could not fulfill a fault for"))
        #expect(text.contains("/Tag/p1"))
    }

    @Test(
        "A row older than the staleness interval is read from the store when a fault becomes real", .onStores(.sqlite))
    func staleness() throws {
        let (library, context) = try library(books: 1)
        let other = try Library(in: library.folder).context()
        let book = try context.performAndWait {
            let book = try #require(try context.all("Book").first)
            #expect(context.stalenessInterval == -1)
            #expect(book.text("title") == "t0")
            return Held(book)
        }
        try other.performAndWait {
            try #require(try other.all("Book").first).setValue("new", forKey: "title")
            try other.save()
        }
        // Kept, because the row cache drops rows that no object holds.
        var readers: [(context: NSManagedObjectContext, book: Held<NSManagedObject>)] = []
        func title(_ interval: TimeInterval) -> String? {
            let reader = library.context()
            return reader.performAndWait {
                reader.stalenessInterval = interval
                let fault = reader.object(with: book.value.objectID)
                readers.append((reader, Held(fault)))
                return fault.text("title")
            }
        }
        #expect(title(-1) == "t0")
        #expect(title(0) == "new")
        try other.performAndWait {
            try #require(try other.all("Book").first).setValue("newest", forKey: "title")
            try other.save()
        }
        // Read a moment ago, while ages were not noted: too old for any interval. Then young enough for an hour.
        #expect(title(3600) == "newest")
        try other.performAndWait {
            try #require(try other.all("Book").first).setValue("unseen", forKey: "title")
            try other.save()
        }
        #expect(title(3600) == "newest")
        #expect(title(0.000_000_001) == "unseen")
    }

    @Test("A context that retains its objects keeps them, and lets them go when it stops or ends")
    func retaining() throws {
        let (library, context) = try library(books: 200)
        weak var first: NSManagedObject?
        weak var second: NSManagedObject?
        try context.performAndWait {
            context.retainsRegisteredObjects = true
            first = try context.fetch(request(0)).first
        }
        context.performAndWait {
            #expect(context.registeredObjects.count == 200)
            #expect(first != nil)
            context.retainsRegisteredObjects = false
            #expect(first == nil)
            #expect(context.registeredObjects.isEmpty)
            context.checkInvariants()
        }
        do {
            let short = library.context()
            try short.performAndWait {
                short.retainsRegisteredObjects = true
                let book = short.make("Book", ["title": "mine"])
                try short.save()
                second = book
            }
            short.performAndWait {
                #expect(second?.text("title") == "mine")
                #expect(short.registeredObjects.count == 1)
            }
        }
        #expect(second == nil)
    }

    @Test("Objects released on other threads while the context fetches them again are one per row at any time")
    func concurrentRelease() throws {
        let (library, context) = try library(books: 200)
        let releasing = DispatchQueue(label: "releasing", attributes: .concurrent)
        let group = DispatchGroup()
        for _ in 0..<60 {
            let held = try context.performAndWait {
                let books = try context.fetch(request(0))
                for (number, book) in books.enumerated() { #expect(book.number("pages") == number) }
                let again = try context.fetch(request(0))
                #expect(zip(books, again).allSatisfy { $0 === $1 })
                return (0..<4).map { part in Basket(stride(from: part, to: books.count, by: 4).map { books[$0] }) }
            }
            for basket in held { releasing.async(group: group) { basket.empty() } }
        }
        group.wait()
        context.performAndWait { context.checkInvariants() }
        withExtendedLifetime(library) {}
    }

    private final class Basket: @unchecked Sendable {  // emptied once, by whoever it was handed to
        private var objects: [NSManagedObject]
        init(_ objects: [NSManagedObject]) { self.objects = objects }
        func empty() { objects = [] }
    }

    @Test("A child's permanent ids are its parents' too, and no row is saved twice")
    func permanentIDsFromChild() throws {
        let library = try Library()
        let root = library.context()
        let (child, sibling) = (library.child(of: root), library.child(of: root))
        let tag = try child.performAndWait {
            let tag = child.make("Tag", ["name": "a"])
            try child.save()
            return Held(tag)
        }
        let copy = try sibling.performAndWait { Held(try #require(try sibling.all("Tag").first)) }
        let id = try child.performAndWait {
            let new = child.make("Tag", ["name": "b"])
            try child.obtainPermanentIDs(for: [tag.value, new])
            #expect(!tag.value.objectID.isTemporaryID)
            #expect(!new.objectID.isTemporaryID)
            tag.value.setValue("changed", forKey: "name")
            try child.save()
            return tag.value.objectID
        }
        try root.performAndWait {
            #expect(root.insertedObjects.count == 2)
            #expect(root.registeredObject(for: id)?.text("name") == "changed")
            try root.save()
        }
        sibling.performAndWait {
            sibling.processPendingChanges()
            #expect(copy.value.objectID == id)
        }
        #expect(try library.saved("Tag", "name") == ["b", "changed"])
    }
}
