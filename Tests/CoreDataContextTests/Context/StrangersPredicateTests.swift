import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Predicates and expressions that come from a file or from a user, at each entry point that throws.
@Suite("Predicates of strangers", .leavesNothingBehind)
struct StrangersPredicateTests {
    private static let formats = ["'abc'.bogus == 1", "{1, 2}.bogus == 1", "FUNCTION('abc', 'bogus:', 1) == 1"]

    @Test("Counts, ids, dictionaries, batches and plans throw for a constant without such a key", arguments: formats)
    func constants(format: String) throws {
        for kind in [StoreKind.sqlite, .inMemory] {
            let context = try Library(kind).context()
            try context.performAndWait {
                context.make("Book", ["title": "a"])
                try context.save()
                let predicate = try NSPredicate.parse(format: format)
                func request<Result: NSFetchRequestResult>(_ type: NSFetchRequestResultType) -> NSFetchRequest<Result> {
                    let request = NSFetchRequest<Result>(entityName: "Book")
                    request.predicate = predicate
                    request.resultType = type
                    return request
                }
                let objects: NSFetchRequest<NSManagedObject> = request(.managedObjectResultType)
                #expect(throws: NSError.self) { try context.fetch(objects) }
                #expect(throws: NSError.self) { try context.count(for: objects) }
                let ids: NSFetchRequest<NSManagedObjectID> = request(.managedObjectIDResultType)
                #expect(throws: NSError.self) { try context.fetch(ids) }
                let dictionaries: NSFetchRequest<NSDictionary> = request(.dictionaryResultType)
                dictionaries.propertiesToFetch = ["title"]
                #expect(throws: NSError.self) { try context.fetch(dictionaries) }
                let update = NSBatchUpdateRequest(entityName: "Book")
                update.predicate = predicate
                update.propertiesToUpdate = ["title": "b"]
                if kind == .sqlite { #expect(throws: NSError.self) { try context.execute(update) } }
            }
        }
    }

    @Test("Keys behind `entity` and `objectID` are refused: a batch deletion removes nothing")
    func keysBehindEntity() throws {
        let context = try Library().context()
        try context.performAndWait {
            context.make("Book", ["title": "a"])
            try context.save()
            for format in ["entity.bogus == 1", "objectID.bogus == 1"] {
                let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
                request.predicate = NSPredicate(format: format)
                #expect(throws: NSError.self) { try context.execute(NSBatchDeleteRequest(fetchRequest: request)) }
            }
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 1)
        }
    }

    @Test("A store opens whose index has a condition that cannot be decided")
    func conditionOfIndex() throws {
        let model = LibraryModel.make()
        let book = try #require(model.entitiesByName["Book"])
        let title = try #require(book.attributesByName["title"])
        let index = NSFetchIndexDescription(
            name: "byTitle", elements: [NSFetchIndexElementDescription(property: title, collationType: .binary)])
        index.partialIndexPredicate = NSPredicate(format: "{1, 2}.bogus == 1")
        book.indexes = [index]
        let context = try Library(model: model).context()
        try context.performAndWait {
            context.make("Book", ["title": "a"])
            try context.save()
        }
    }

    @Test(
        "A request for history throws where its predicate cannot be decided",
        arguments: [
            "author.bogus == 1", "'x' MATCHES author", "$x == 1", "FUNCTION(author, 'bogus:', 1) == 1",
            "timestamp.bogus == 1", "SUBQUERY(changes, $c, $d.bogus == 1).@count > 0",
        ])
    func history(format: String) throws {
        let history = try HistoryStack()
        try history.save(author: "(") { $0.make("Tag") }
        let request = try #require(NSPersistentHistoryTransaction.fetchRequest)
        request.predicate = NSPredicate(format: format)
        #expect(throws: NSError.self) { try history.transactions(.fetchHistory(withFetch: request)) }
    }

    @Test("Validation throws why a rule cannot be decided")
    func validation() throws {
        let model = LibraryModel.make()
        let title = try #require(model.entitiesByName["Book"]?.attributesByName["title"])
        title.setValidationPredicates([NSPredicate(format: "SELF MATCHES '('")], withValidationWarnings: ["wrong"])
        let context = try Library(model: model).context()
        context.performAndWait {
            let book = context.make("Book", ["title": "a"])
            let error = #expect(throws: NSError.self) { try book.validateForInsert() }
            #expect(error?.localizedDescription.contains("Can't open pattern") == true)
        }
    }
}
