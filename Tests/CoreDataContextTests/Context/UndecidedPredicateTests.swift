import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// `evaluate(with:)` cannot throw, and a request can.
@Suite("Requests whose predicate cannot be decided", .leavesNothingBehind)
struct UndecidedPredicateTests {
    private func request(_ format: String) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return request
    }

    private func expectError(_ text: String, _ body: () throws -> Void) {
        let error = #expect(throws: NSError.self, performing: body)
        #expect(error?.code == NSCoreDataError)
        #expect(error?.localizedDescription.contains(text) == true, "\(error?.localizedDescription ?? "nil")")
    }

    @Test(
        "A pattern that is no regular expression is error 134060, which names it, in every store",
        arguments: StoreKind.sampled().filter { $0 != .incremental },
        [
            "title MATCHES '('", "note == 'x' AND NOT (title MATCHES '(')",
            "SUBQUERY(tags, $t, $t.name MATCHES '(').@count > 0",
        ])
    func wrongPattern(kind: StoreKind, format: String) throws {
        let context = try Library(kind).context()
        let text = "Can't open pattern (()"
        try context.performAndWait {
            let request = request(format)
            // Without any object, with a new one, and with a saved one.
            for step in 0..<3 {
                if step == 1 {
                    let tag = context.make("Tag", ["name": "t"])
                    context.make("Book", ["title": "a", "note": "x", "tags": NSSet(array: [tag])])
                }
                if step == 2 { try context.save() }
                expectError(text) { _ = try context.fetch(request) }
                expectError(text) { _ = try context.count(for: request) }
                let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
                ids.predicate = request.predicate
                ids.resultType = .managedObjectIDResultType
                expectError(text) { _ = try context.fetch(ids) }
                let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Book")
                dictionaries.predicate = request.predicate
                dictionaries.resultType = .dictionaryResultType
                dictionaries.propertiesToFetch = ["title"]
                expectError(text) { _ = try context.fetch(dictionaries) }
                let batches = self.request(format)
                batches.fetchBatchSize = 10
                expectError(text) { _ = try context.fetch(batches) }
                let controller = NSFetchedResultsController(
                    fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
                expectError(text) { try controller.performFetch() }
            }
        }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.performAndWait {
            child.parent = context
            expectError(text) { _ = try child.fetch(request(format)) }
        }
    }

    @Test(
        "The empty pattern fits the empty text alone, in every store, saved or not",
        arguments: StoreKind.sampled().filter { $0 != .incremental })
    func emptyPattern(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        let child = library.child(of: context)
        try context.performAndWait {
            for title in ["", "a", nil] {
                context.make("Book", ["isbn": title ?? "none"]).setValue(title, forKey: "title")
            }
            for step in 0..<2 {
                for format in ["title MATCHES ''", "title MATCHES[c] ''", "note == 'x' OR title MATCHES ''"] {
                    #expect(try context.fetch(request(format)).map { $0.value(forKey: "isbn") as? String } == [""])
                    #expect(try context.count(for: request(format)) == 1)
                }
                if step == 0 { try context.save() }
            }
        }
        let count = try child.performAndWait { try child.count(for: request("title MATCHES ''")) }
        #expect(count == 1)
    }

    @Test("Batch requests with such a pattern are the same error")
    func batches() throws {
        let context = try Library().context()
        context.performAndWait {
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.predicate = NSPredicate(format: "title MATCHES '('")
            update.propertiesToUpdate = ["title": "b"]
            expectError("Can't open pattern (()") { _ = try context.execute(update) }
            let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
            fetch.predicate = update.predicate
            let deletion = NSBatchDeleteRequest(fetchRequest: fetch)
            expectError("Can't open pattern (()") { _ = try context.execute(deletion) }
        }
    }

    @Test(
        "A predicate without a value for any object is error 134060 where objects are asked one by one",
        arguments: [StoreKind.inMemory, .xml, .binary],
        ["title == $name", "FUNCTION(title, 'nothing:', 1) == 1", "FUNCTION(SELF, 'valueForKey:', 'colour') == 1"])
    func withoutValue(kind: StoreKind, format: String) throws {
        let context = try Library(kind).context()
        try context.performAndWait {
            context.make("Book", ["title": "a"])
            try context.save()
            let error = #expect(throws: NSError.self) { try context.fetch(request(format)) }
            #expect(error?.code == NSCoreDataError)
        }
    }

    @Test("A pattern that an object brings along is an error as well", .onStores(.inMemory, .xml, .binary))
    func patternOfObjects() throws {
        let context = try Library().context()
        try context.performAndWait {
            context.make("Book", ["title": "a", "note": "("])
            let unsaved = #expect(throws: NSError.self) { try context.fetch(request("title MATCHES note")) }
            #expect(unsaved?.localizedDescription.contains("Can't open pattern") == true)
            try context.save()
            let saved = #expect(throws: NSError.self) { try context.fetch(request("title MATCHES note")) }
            #expect(saved?.localizedDescription.contains("Can't open pattern") == true)
        }
    }

    @Test("A save with a rule that cannot be decided throws")
    func rules() throws {
        let model = LibraryModel.make()
        let title = try #require(model.entitiesByName["Book"]?.attributesByName["title"])
        title.setValidationPredicates([NSPredicate(format: "SELF MATCHES '('")], withValidationWarnings: ["wrong"])
        let context = try Library(model: model).context()
        context.performAndWait {
            context.make("Book", ["title": "a"])
            expectError("Can't open pattern") { try context.save() }
        }
    }
}
