import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Sorting by objects")
struct SortByObjectTests {
    @Test(
        "Objects are sorted by their keys, and new ones come behind saved ones",
        arguments: StoreKind.sampled(), ["self", "objectID"])
    func byKey(kind: StoreKind, key: String) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            for title in ["a", "b"] {
                context.make("Book", ["title": title])
                try context.save()
            }
            for title in ["c", "d"] { context.make("Book", ["title": title]) }
            for ascending in [true, false] {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.sortDescriptors = [NSSortDescriptor(key: key, ascending: ascending)]
                let titles = try context.fetch(request).map { $0.value(forKey: "title") as? String }
                #expect(titles == (ascending ? ["a", "b", "c", "d"] : ["d", "c", "b", "a"]))
            }
        }
    }

    @Test("Objects are sorted by the key of the object that they lead to", arguments: StoreKind.sampled())
    func byRelationship(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let first = context.make("Author", ["name": "first"])
            try context.save()
            let second = context.make("Author", ["name": "second"])
            try context.save()
            context.make("Book", ["title": "of second", "author": second])
            context.make("Book", ["title": "of first", "author": first])
            try context.save()
            context.make("Book", ["title": "of none"])
            context.make("Book", ["title": "of new", "author": context.make("Author", ["name": "new"])])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "author", ascending: true)]
            let titles = try context.fetch(request).map { $0.value(forKey: "title") as? String }
            #expect(titles == ["of none", "of first", "of second", "of new"])
        }
    }

    @Test("A number that is none comes before the others, in a fetch and in an array", arguments: StoreKind.sampled())
    func notANumber(kind: StoreKind) throws {
        let context = try Library(kind).context()
        try context.performAndWait {
            context.make("Book", ["title": "2", "rating": 2, "price": 2])
            context.make("Book", ["title": "-1", "rating": -1, "price": -1])
            try context.save()
            let late = Date(timeIntervalSinceReferenceDate: .nan)
            context.make("Book", ["title": "0", "rating": 0, "price": 0, "published": Date()])
            context.make(
                "Book",
                ["title": "NaN", "rating": Float.nan, "price": NSDecimalNumber.notANumber, "published": late])
            for key in ["rating", "price"] {
                for ascending in [true, false] {
                    let order = [NSSortDescriptor(key: key, ascending: ascending)]
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                    request.sortDescriptors = order
                    let fetched = try context.fetch(request)
                    let arranged = NSArray(array: fetched.reversed()).sortedArray(using: order)
                    let expected = ["NaN", "-1", "0", "2"]
                    for list in [fetched, arranged.compactMap { $0 as? NSManagedObject }] {
                        let titles = list.compactMap { $0.value(forKey: "title") as? String }
                        #expect(titles == (ascending ? expected : expected.reversed()), "\(key)")
                    }
                }
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "published", ascending: false)]
            let titles = try context.fetch(request).map { $0.value(forKey: "title") as? String }
            #expect(titles.prefix(2) == ["0", "NaN"])
        }
    }

    @Test("A fetch by values that have no order is error 134060", arguments: StoreKind.sampled())
    func withoutOrder(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        let child = library.child(of: context)
        try context.performAndWait {
            let tags = ["s", "t"].map { context.make("Tag", ["name": $0]) }
            for title in ["a", "b"] {
                let book = context.make("Book", ["title": title, "keywords": [title] as NSArray])
                book.setValue(NSSet(array: tags), forKey: "tags")
            }
            try context.save()
            context.make("Book", ["title": "c", "keywords": ["c"] as NSArray])
        }
        for reader in [context, child] {
            reader.performAndWait {
                for key in ["tags", "tags.name"] {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
                    let error = #expect(throws: NSError.self, "\(key)") { try reader.fetch(request) }
                    #expect(error?.code == NSCoreDataError, "\(key)")
                }
            }
        }
    }

    @Test("Objects are sorted by their entities in the order of the model")
    func byEntity() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            context.make("Novel", ["title": "saved novel"])
            context.make("Book", ["title": "saved book"])
            try context.save()
            context.make("Novel", ["title": "new novel"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [
                NSSortDescriptor(key: "entity", ascending: true), NSSortDescriptor(key: "title", ascending: true),
            ]
            let titles = try context.fetch(request).map { $0.value(forKey: "title") as? String }
            #expect(titles == ["saved book", "new novel", "saved novel"])
        }
    }
}
