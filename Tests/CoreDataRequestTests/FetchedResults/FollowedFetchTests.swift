import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Requests whose results depend on more than the values of their own objects in memory.
@Suite("Results and counts that follow equal a fetch", .leavesNothingBehind, .onEveryKindOfStore)
struct FollowedFetchTests {
    private static func request(_ entity: String, _ predicate: NSPredicate?) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        return request
    }

    /// The results and the count of a request as sequences have them, beside a fetch.
    private final class Followed {
        let context: NSManagedObjectContext
        let request: NSFetchRequest<NSManagedObject>
        let results: any FetchedResultsSource<FetchedResults<NSManagedObject>>
        let count: any FetchedResultsSource<Int>
        private var ids: Set<NSManagedObjectID> = []
        private var number = -1

        init(_ request: NSFetchRequest<NSManagedObject>, in context: NSManagedObjectContext) throws {
            self.context = context
            self.request = request
            results = context.results(of: request).makeSource()
            count = context.counts(of: request).makeSource()
            try check("at first")
        }

        func check(_ place: Comment, sourceLocation: SourceLocation = #_sourceLocation) throws {
            context.processPendingChanges()
            if let value = try results.value() { ids = Set(value.objectIDs) }
            if let value = try count.value() { number = value }
            #expect(ids == Set(try context.fetch(request).map(\.objectID)), place, sourceLocation: sourceLocation)
            #expect(number == (try context.count(for: request)), place, sourceLocation: sourceLocation)
        }

        func stop() {
            results.stop()
            count.stop()
        }
    }

    private func inContext(
        model: NSManagedObjectModel = LibraryModel.make(), _ body: (NSManagedObjectContext, Library) throws -> Void
    ) throws {
        let library = try Library(model: model)
        let context = library.context()
        try context.performAndWait { try body(context, library) }
    }

    /// The library with accounts, whose mail is folded by a derived attribute.
    private static func modelWithAccounts() -> NSManagedObjectModel {
        let mail = NSAttributeDescription()
        mail.name = "mail"
        let folded = NSDerivedAttributeDescription()
        folded.name = "folded"
        folded.derivationExpression = NSExpression(format: "canonical:(mail)")
        for attribute in [mail, folded] {
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
        }
        let account = NSEntityDescription()
        account.name = "Account"
        account.properties = [mail, folded]
        let model = LibraryModel.make()
        model.entities += [account]
        return model
    }

    @Test("A predicate over a derived attribute")
    func derivedAttributes() throws {
        try inContext(model: Self.modelWithAccounts()) { context, _ in
            let account = context.make("Account", ["mail": "ÀB"])
            try context.save()
            let followed = try Followed(
                Self.request("Account", NSPredicate(format: "folded == 'cd'")), in: context)
            account.setValue("ÇD", forKey: "mail")
            try followed.check("changed")
            try context.save()
            try followed.check("saved")
            followed.stop()
        }
    }

    @Test("A block as a predicate, and a computed property", .onStores(.inMemory, .atomic))
    func predicatesWithoutSQL() throws {
        try inContext { context, _ in
            let author = context.make("Author", ["name": "a"])
            let book = context.make("Book", ["title": "a", "pages": 1, "author": author])
            try context.save()
            let block = try Followed(
                Self.request(
                    "Book",
                    NSPredicate { object, _ in
                        let book = object as? NSManagedObject
                        return book?.value(forKey: "pages") as? Int ?? 0 > 5
                            || (book?.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String
                                == "z"
                    }), in: context)
            book.setValue(9, forKey: "pages")
            try block.check("an attribute")
            book.setValue(0, forKey: "pages")
            try block.check("back")
            author.setValue("z", forKey: "name")
            try block.check("a related object")
            block.stop()
        }
    }

    @Test("Unsaved values of related objects, before and after a save")
    func relatedObjects() throws {
        try inContext { context, _ in
            let author = context.make("Author", ["name": "a"])
            context.make("Book", ["title": "a", "pages": 1, "author": author])
            try context.save()
            let request = Self.request("Book", NSPredicate(format: "author.name == 'b'"))
            let count = context.counts(of: request).makeSource()
            #expect(try count.value() == 0)
            author.setValue("b", forKey: "name")
            context.processPendingChanges()
            var last = try count.value() ?? 0
            #expect(try context.count(for: request) == last)
            try context.save()
            last = try count.value() ?? last
            #expect(try context.count(for: request) == last)
            count.stop()
        }
    }

    @Test("Dictionaries whose request counts unsaved changes")
    func dictionaries() throws {
        try inContext { context, _ in
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["title"]
            guard let _ = try? context.fetch(request) else { return }
            let table = context.results(of: request).makeSource()
            var last = try #require(try table.value()).results
            context.make("Book", ["title": "a"])
            for step in ["unsaved", "saved"] {
                context.processPendingChanges()
                last = try table.value()?.results ?? last
                #expect(last == (try context.fetch(request)), "\(step)")
                try context.save()
            }
            last = try table.value()?.results ?? last
            #expect(last == (try context.fetch(request)))
            table.stop()
        }
    }

    @Test("A store that is added later, and removed again")
    func addedStores() throws {
        let library = try Library()
        let context = library.context()
        let folder = try TemporaryFolder()
        let (author, added) = try context.performAndWait {
            let book = context.make("Book", ["title": "a"])
            try context.save()
            let followed = try Followed(Self.request("Book", nil), in: context)
            let beside = try Library(.sqlite, in: folder)
            let other = beside.context()
            try other.performAndWait {
                other.make("Book", ["title": "b"])
                try other.save()
            }
            let added = try library.coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: beside.storeURL, options: nil)
            return (Held((book, followed)), added)
        }
        try context.performAndWait {
            try author.value.1.check("added")
        }
        try library.coordinator.remove(added)
        context.performAndWait {
            #expect(throws: NSError.self) { try author.value.1.check("removed") }
            author.value.1.stop()
        }
    }

    @Test("One object that gets a permanent id")
    func newObject() throws {
        try inContext { context, _ in
            let book = context.make("Book", ["title": "a"])
            let values = context.results(ofObjectWith: book.objectID).makeSource()
            #expect(try values.value()?.objectIDs == [book.objectID])
            try context.save()
            #expect(try values.value()?.objectIDs == [book.objectID])
            #expect(!book.objectID.isTemporaryID)
            book.setValue("b", forKey: "title")
            #expect(try values.value()?.updatedObjectIDs == [book.objectID])
            context.refresh(book, mergeChanges: false)
            context.reset()
            let after = try values.value()
            #expect(after == nil || after?.objectIDs == [book.objectID])
            values.stop()
        }
    }

    @Test("A child context, whose parent changes, saves and merges")
    func childContexts() throws {
        let library = try Library()
        let (parent, other) = (library.context(), library.context())
        let child = library.child(of: parent)
        parent.performAndWait { parent.automaticallyMergesChangesFromParent = true }
        let id = try other.performAndWait {
            let author = other.make("Author", ["name": "a"])
            let book = other.make("Book", ["title": "a", "pages": 1, "author": author])
            try other.save()
            return book.objectID
        }
        child.performAndWait { child.automaticallyMergesChangesFromParent = true }
        let page = Self.request("Book", NSPredicate(format: "pages > 5"))
        page.fetchLimit = 2
        let followed = try child.performAndWait {
            let all = Self.request("Book", NSPredicate(format: "pages > 5 AND author.name == 'a'"))
            return [Held(try Followed(all, in: child)), Held(try Followed(page, in: child))]
        }
        func check(_ place: Comment, sourceLocation: SourceLocation = #_sourceLocation) throws {
            parent.performAndWait {}
            try child.performAndWait {
                for one in followed { try one.value.check(place, sourceLocation: sourceLocation) }
            }
        }
        try other.performAndWait {
            other.object(with: id).setValue(9, forKey: "pages")
            try other.save()
        }
        try check("another context saves")
        try parent.performAndWait {
            parent.object(with: id).setValue(1, forKey: "pages")
            try parent.save()
        }
        try check("the parent saves")
        try child.performAndWait {
            child.object(with: id).setValue(10, forKey: "pages")
            child.make("Book", ["title": "new", "pages": 20])
            for one in followed { try one.value.check("unsaved") }
            try child.save()
        }
        try check("the child saves")
        try parent.performAndWait { try parent.save() }
        try check("the parent saves what the child saved")
        try other.performAndWait {
            other.delete(other.object(with: id))
            try other.save()
        }
        try check("another context deletes")
        child.performAndWait { for one in followed { one.value.stop() } }
    }

    @Test("Batches of this process, merged", .onStores(.sqlite))
    func mergedBatches() throws {
        try inContext { context, library in
            for number in 0..<4 { context.make("Book", ["title": "\(number)", "pages": number]) }
            try context.save()
            let page = Self.request("Book", NSPredicate(format: "pages > 5"))
            page.fetchLimit = 2
            page.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let all = Self.request("Book", NSPredicate(format: "pages > 5"))
            let followed = try [Followed(all, in: context), Followed(page, in: context)]
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.propertiesToUpdate = ["pages": 9]
            update.resultType = .updatedObjectIDsResultType
            var result = try #require(try context.execute(update) as? NSBatchUpdateResult)
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectIDsKey: result.result as Any], into: [context])
            for one in followed { try one.check("updated") }
            let insert = NSBatchInsertRequest(entityName: "Book", objects: [["title": "!", "pages": 7]])
            insert.resultType = .objectIDs
            let inserted = try #require(try context.execute(insert) as? NSBatchInsertResult)
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSInsertedObjectIDsKey: inserted.result as Any], into: [context])
            for one in followed { try one.check("inserted") }
            let deletion = NSBatchDeleteRequest(fetchRequest: Self.request("Book", NSPredicate(format: "title < '2'")))
            deletion.resultType = .resultTypeObjectIDs
            let deleted = try #require(try context.execute(deletion) as? NSBatchDeleteResult)
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectIDsKey: deleted.result as Any], into: [context])
            for one in followed { try one.check("deleted") }
            _ = (library, result)
            result = try #require(try context.execute(update) as? NSBatchUpdateResult)
            for one in followed { one.stop() }
        }
    }

    @Test("A change, a save, a reset and a deletion by an observer of the context", arguments: 0..<4)
    func observers(work: Int) throws {
        try inContext { context, _ in
            let book = context.make("Book", ["title": "a", "pages": 1])
            let second = context.make("Book", ["title": "b", "pages": 9])
            try context.save()
            let page = Self.request("Book", NSPredicate(format: "pages > 5"))
            page.fetchLimit = 2
            let ran = Locked(0)
            let held = Held((context, second))
            func observe() -> any NSObjectProtocol {
                NotificationCenter.default.addObserver(
                    forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
                ) { _ in
                    let isFirst = ran.withLock {
                        $0 += 1
                        return $0 == 1
                    }
                    guard isFirst else { return }
                    let (context, second) = held.value
                    switch work {
                    case 0: second.setValue(2, forKey: "pages")
                    case 1: try? context.save()
                    case 2: context.reset()
                    default: context.delete(second)
                    }
                }
            }
            let first = observe()
            let followed = try [
                Followed(Self.request("Book", NSPredicate(format: "pages > 5")), in: context),
                Followed(page, in: context),
            ]
            let last = ran.withLock { $0 } == 0
            #expect(last)
            book.setValue(7, forKey: "pages")
            for one in followed { try one.check("work \(work)") }
            try context.save()
            for one in followed { try one.check("saved after work \(work)") }
            NotificationCenter.default.removeObserver(first)
            for one in followed { one.stop() }
        }
    }

    @Test("Requests for batches, for a part of the entities, and for one store")
    func forms() throws {
        try inContext { context, library in
            let batches = Self.request("Book", NSPredicate(format: "pages > 5"))
            batches.fetchBatchSize = 2
            batches.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let own = Self.request("Book", NSPredicate(format: "pages > 5"))
            own.includesSubentities = false
            let one = Self.request("Book", NSPredicate(format: "pages > 5"))
            one.affectedStores = [library.store]
            let sub = Self.request("Book", NSPredicate(format: "SUBQUERY(tags, $t, $t.name == 'x').@count > 0"))
            let some = Self.request("Author", NSPredicate(format: "ANY books.pages > 5"))
            let many = Self.request("Author", NSPredicate(format: "books.@count > 1"))
            let sum = Self.request("Author", NSPredicate(format: "books.@sum.pages > 20"))
            for number in 0..<5 { context.make("Book", ["title": "\(number)", "pages": number + 3]) }
            let author = context.make("Author", ["name": "a"])
            try context.save()
            let followed = try [batches, own, one, sub, some, many, sum].map { try Followed($0, in: context) }
            func check(_ place: String) throws {
                // A fetch with a key path reads related objects as the store has them.
                try context.save()
                for (index, one) in followed.enumerated() { try one.check("\(place) \(index)") }
            }
            let novel = context.make("Novel", ["title": "n", "pages": 9, "author": author])
            try check("inserted")
            let tag = context.make("Tag", ["name": "x"])
            novel.setValue(NSSet(array: [tag]), forKey: "tags")
            try check("tagged")
            tag.setValue("y", forKey: "name")
            try check("renamed")
            let book = context.make("Book", ["title": "z", "pages": 19, "author": author])
            try check("second")
            book.setValue(1, forKey: "pages")
            try check("fewer pages")
            context.delete(novel)
            try check("deleted")
            for one in followed { one.stop() }
        }
    }

    /// With `--long`: 100,000 rows, 1,000 saves and 1,000 changes.
    @Test(
        "Unrelated saves make no request of the store, a related one at most one, and many changes one value",
        .onStores(.incremental))
    func manyRows() throws {
        let (rows, saves) = Sample.isWhole ? (100_000, 1_000) : (200, 20)
        let library = try Library()
        let (context, other) = (library.context(), library.context())
        let ids = try context.performAndWait {
            context.automaticallyMergesChangesFromParent = true
            let books = (0..<rows).map { context.make("Book", ["title": "\(1_000_000 + $0)", "pages": $0 % 9]) }
            let tag = context.make("Tag", ["name": "t"])
            try context.save()
            // A book in the middle that is among the results.
            return [tag.objectID, books[rows / 18 * 9].objectID]
        }
        let request = Self.request("Book", NSPredicate(format: "pages < 5"))
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let page = NSFetchRequest<NSManagedObject>(request)
        page.fetchLimit = 50
        for (name, request, limit) in [("all", request, 0), ("a page", page, 1)] {
            let source = try context.performAndWait {
                let source = Held(context.results(of: request).makeSource())
                _ = try source.value.value()
                return source
            }
            /// The requests that read: fetches, and values of single objects.
            func reads(_ kinds: [String] = ["fetch", "values"]) -> Int {
                library.service.requests.count { request in kinds.contains { request.hasPrefix($0) } }
            }
            /// A save of another context, and whether the source has a value after it.
            func save(_ number: Int, _ id: NSManagedObjectID, _ key: String, _ value: Any) throws -> Bool {
                try other.performAndWait {
                    other.object(with: id).setValue(value, forKey: key)
                    try other.save()
                }
                return try context.performAndWait { try source.value.value() != nil }
            }
            // What the other context itself reads.
            try other.performAndWait { for id in ids { _ = try other.existingObject(with: id) } }
            var before = reads()
            for number in 0..<saves { #expect(try !save(number, ids[0], "name", "\(name) \(number)")) }
            #expect(reads() == before, "\(name): unrelated saves")
            before = reads(["fetch"])
            #expect(try save(0, ids[1], "title", "0 \(name)"))
            let fetches = reads(["fetch"]) - before
            #expect(fetches <= limit, "\(name): a related save")

            // The reader sleeps.
            before = reads(["fetch"])
            let last = try context.performAndWait {
                for number in 0..<saves {
                    context.object(with: ids[1]).setValue("1 \(number)", forKey: "title")
                    context.processPendingChanges()
                }
                let value = try source.value.value()
                #expect(reads(["fetch"]) - before <= limit, "\(name): changes while the reader sleeps")
                #expect(try value?.objectIDs == context.fetch(request).map(\.objectID))
                #expect(try source.value.value() == nil)
                return value?.updatedObjectIDs
            }
            #expect(last == [ids[1]])
            context.performAndWait { source.value.stop() }
        }
    }
}
