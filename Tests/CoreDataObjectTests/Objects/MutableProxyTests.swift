import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Live collections of relationships", .leavesNothingBehind, .onEveryKindOfStore)
struct MutableProxyTests {
    private func inContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = try Library().context()
        try context.performAndWait { try body(context) }
    }

    @Test("An object that is added to the live set is in the relationship, and the inverse follows")
    func adding() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let books = author.mutableSetValue(forKey: "books")
            let one = context.make("Book", ["title": "1"])
            let two = context.make("Book", ["title": "2"])
            books.add(one)
            books.addObjects(from: [one, two])
            #expect(books.count == 2)
            #expect(one.value(forKey: "author") as? NSManagedObject === author)
            books.remove(one)
            #expect(one.value(forKey: "author") == nil)
            #expect(!books.contains(one))
            #expect(books.contains(two))
            try context.save()
        }
        let other = library.context()
        try other.performAndWait {
            let author = try #require(try other.all("Author").first)
            #expect(author.mutableSetValue(forKey: "books").count == 1)
        }
    }

    @Test("The live set shows later changes of the relationship")
    func liveness() throws {
        try inContext { context in
            let author = context.make("Author", ["name": "A"])
            let books = author.mutableSetValue(forKey: "books")
            let book = context.make("Book")
            book.setValue(author, forKey: "author")
            #expect(books.count == 1)
            #expect(books.anyObject() as? NSManagedObject === book)
            author.setValue(NSSet(), forKey: "books")
            #expect(books.count == 0)
            #expect(books.anyObject() == nil)
        }
    }

    @Test("The live set is an NSMutableSet in every use: iteration, bridging, set algebra, copies")
    func asSet() throws {
        try inContext { context in
            let author = context.make("Author", ["name": "A"])
            let books = author.mutableSetValue(forKey: "books")
            let all = (1...4).map { context.make("Book", ["title": "\($0)"]) }
            books.union(Set(all))
            #expect(Set(books.allObjects as? [NSManagedObject] ?? []) == Set(all))
            #expect(books.map { ($0 as? NSManagedObject)?.value(forKey: "title") as? String }.count == 4)
            #expect(books.isEqual(to: Set(all)))
            #expect(books.isEqual(NSSet(array: all)))
            let copy = try #require(books.copy() as? NSSet)
            let mutable = try #require(books.mutableCopy() as? NSMutableSet)
            books.minus([all[0]])
            #expect(books.count == 3)
            #expect(copy.count == 4)
            mutable.removeAllObjects()
            #expect(books.count == 3)
            books.intersect([all[1], all[2]])
            #expect(books.count == 2)
            books.setSet([all[3]])
            #expect(books.allObjects as? [NSManagedObject] == [all[3]])
            let found = books.filtered(using: NSPredicate(format: "title == %@", "4"))
            #expect(found.count == 1)
            books.removeAllObjects()
            #expect(books.count == 0)
            #expect(all.allSatisfy { $0.value(forKey: "author") == nil })
        }
    }

    @Test("The live ordered set keeps the order, and the order is saved")
    func ordered() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let shelf = context.make("Shelf", ["name": "S"])
            let items = shelf.mutableOrderedSetValue(forKey: "items")
            let books = (0..<4).map { context.make("Book", ["title": "\($0)"]) }
            items.addObjects(from: [books[0], books[1]])
            items.insert(books[2], at: 0)
            items.add(books[1])
            #expect(items.count == 3)
            #expect(items.array as? [NSManagedObject] == [books[2], books[0], books[1]])
            #expect(items.index(of: books[1]) == 2)
            #expect(items.contains(books[0]))
            items.exchangeObject(at: 0, withObjectAt: 2)
            #expect(items.object(at: 0) as? NSManagedObject === books[1])
            items.replaceObject(at: 1, with: books[3])
            #expect(books[0].value(forKey: "shelf") == nil)
            items.moveObjects(at: IndexSet(integer: 0), to: 2)
            #expect(items.array as? [NSManagedObject] == [books[3], books[2], books[1]])
            items.remove(books[2])
            items.removeObject(at: 0)
            #expect(items.array as? [NSManagedObject] == [books[1]])
            items.add(books[3])
            items.insert([books[2]], at: IndexSet(integer: 1))
            #expect(items.firstObject as? NSManagedObject === books[1])
            #expect(items.lastObject as? NSManagedObject === books[3])
            #expect(items.reversed.count == 3)
            #expect(items.set.count == 3)
            try context.save()
        }
        let other = library.context()
        try other.performAndWait {
            let shelf = try #require(try other.all("Shelf").first)
            let items = shelf.mutableOrderedSetValue(forKey: "items")
            #expect(items.map { ($0 as? NSManagedObject)?.value(forKey: "title") as? String } == ["1", "2", "3"])
            items.sort(using: [NSSortDescriptor(key: "title", ascending: false)])
            #expect(items.map { ($0 as? NSManagedObject)?.value(forKey: "title") as? String } == ["3", "2", "1"])
            items.removeAllObjects()
            #expect((shelf.value(forKey: "items") as? NSOrderedSet)?.count == 0)
        }
    }

    @Test("First, last and reversed members of a live ordered set, and a loop over it, are those of its last use")
    func lastUse() throws {
        try inContext { context in
            let shelf = context.make("Shelf", ["name": "S"])
            let items = shelf.mutableOrderedSetValue(forKey: "items")
            let book = context.make("Book", ["shelf": shelf])
            #expect(items.firstObject == nil && items.lastObject == nil && items.reversed.count == 0)
            for item in items { Issue.record("The loop finds \(item)") }
            #expect(items.count == 1)
            #expect(items.firstObject as? NSManagedObject === book && items.lastObject as? NSManagedObject === book)
            #expect(items.reversed.count == 1 && items.map { $0 as? NSManagedObject } == [book])
        }
    }

    @Test("A live collection is found through to-one relationships")
    func keyPaths() throws {
        try inContext { context in
            let author = context.make("Author", ["name": "A"])
            let book = context.make("Book", ["author": author])
            let shelf = context.make("Shelf", ["items": NSOrderedSet(object: book)])
            book.mutableSetValue(forKeyPath: "author.books").add(context.make("Book"))
            #expect((author.value(forKey: "books") as? NSSet)?.count == 2)
            book.mutableOrderedSetValue(forKeyPath: "shelf.items").insert(context.make("Book"), at: 0)
            #expect((shelf.value(forKey: "items") as? NSOrderedSet)?.index(of: book) == 1)
        }
    }
}
