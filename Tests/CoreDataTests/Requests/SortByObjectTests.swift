import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Sorting by objects")
struct SortByObjectTests {
    @Test(
        "Objects are sorted by their keys, and new ones come behind saved ones",
        arguments: StoreKind.allCases, ["self", "objectID"])
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

    @Test("Objects are sorted by the key of the object that they lead to", arguments: StoreKind.allCases)
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
