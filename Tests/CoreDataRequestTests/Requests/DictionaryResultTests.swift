import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Results as dictionaries", .leavesNothingBehind)
struct DictionaryResultTests {
    @Test("A dictionary of results is Foundation's own, with the values of each kind", arguments: StoreKind.sampled())
    func kindsOfValuesInDictionaries(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A", "active": true])
            let published = Date(timeIntervalSinceReferenceDate: 1234.5)
            context.make(
                "Book",
                [
                    "title": "Über", "pages": 7, "rating": Float(4.5), "published": published, "author": author,
                    "cover": Data([1, 2]),
                ])
            try context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            // One name may stand there twice.
            request.propertiesToFetch = [
                "title", "pages", "rating", "published", "author", "author.active", "cover", "note", "title",
            ]
            for _ in 0..<2 {
                let row = try #require(try context.fetch(request).first)
                // A subclass would be an empty dictionary to Swift.
                let values = try #require(row as? [String: Any])
                #expect(values.keys.sorted() == row.allKeys.compactMap { $0 as? String }.sorted())
                #expect(values["title"] as? String == "Über")
                #expect(values["pages"] as? Int == 7)
                #expect(values["pages"] is NSNumber)
                #expect(values["rating"] as? Float == 4.5)
                #expect(values["published"] as? Date == published)
                // A program's own store decides what stands for an object.
                if kind != .incremental { #expect(values["author"] as? NSManagedObjectID == author.objectID) }
                #expect(values["author.active"] as? Bool == true)
                #expect(values["cover"] as? Data == Data([1, 2]))
                #expect(row["note"] == nil)
                request.propertiesToFetch?.removeLast()
            }
        }
    }

    /// The operator may stand before or behind the attribute.
    @Test(
        "A collection operator over a path to many objects is a value of each row",
        arguments: StoreKind.sampled().filter { $0 != .incremental }, ["books.@sum.pages", "books.pages.@sum"])
    func operatorsOfPathsToMany(kind: StoreKind, text: String) throws {
        let context = try Library(kind).context()
        try context.performAndWait {
            for (name, pages) in [("A", [1, 2]), ("B", [4]), ("C", [])] {
                let author = context.make("Author", ["name": name])
                for number in pages { context.make("Book", ["pages": number, "author": author]) }
            }
            try context.save()
            let total = NSExpressionDescription()
            total.name = "total"
            total.expression = CoreData.NSExpression(format: text)
            total.expressionResultType = .integer64AttributeType
            let request = NSFetchRequest<NSDictionary>(entityName: "Author")
            request.resultType = .dictionaryResultType
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.propertiesToFetch = ["name", total]
            let rows = try context.fetch(request)
            #expect(rows.map { $0["name"] as? String } == ["A", "B", "C"])
            #expect(rows.map { $0["total"] as? Int } == [3, 4, 0])
        }
    }

    @Test("Objects of an entity without attributes are empty dictionaries", arguments: StoreKind.sampled())
    func entityWithoutAttributes(kind: StoreKind) throws {
        let model = ModelText.model("abstract entity Being\nentity Person : Being\n  name string")
        let context = try Library(kind, model: model).context()
        try context.performAndWait {
            for name in ["A", "B"] { context.make("Person", ["name": name]) }
            try context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Being")
            request.resultType = .dictionaryResultType
            #expect(try context.fetch(request) == [[:], [:]])
            request.propertiesToFetch = []
            #expect(try context.fetch(request) == [[:], [:]])
        }
    }
}
