import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Ids of a child's objects", .leavesNothingBehind, .onEveryKindOfStore)
struct ChildIDTests {
    @Test("Objects of several entities that have the same number are found by their new ids")
    func sameNumbers() throws {
        let library = try Library()
        let root = library.context()
        let child = library.child(of: root)
        let made = try child.performAndWait {
            let made = ["Author", "Book", "Tag", "Shelf"].map { child.make($0, $0 == "Author" ? ["name": "a"] : [:]) }
            try child.save()
            return Held(made)
        }
        try root.performAndWait { try root.save() }
        let ids = made.value.map(\.objectID)
        child.performAndWait {
            for (id, object) in zip(ids, made.value) {
                #expect(!id.isTemporaryID)
                #expect(child.object(with: id) === object)
            }
            child.checkInvariants()
        }
    }

    @Test("Ids become permanent with the root's save, also for a caller that only asks for the id", arguments: 1...3)
    func becomePermanent(depth: Int) throws {
        let library = try Library()
        var chain = [library.context()]
        for _ in 0..<depth { chain.append(library.child(of: chain[chain.count - 1])) }
        let child = chain[depth]
        let (book, author) = try child.performAndWait {
            let author = child.make("Author", ["name": "A"])
            let book = child.make("Book", ["author": author])
            try child.save()
            #expect(book.objectID.isTemporaryID)
            return (Held(book), Held(author))
        }
        for context in chain.dropLast().reversed() { try context.performAndWait { try context.save() } }
        // Ids may be read on any thread.
        let id = book.value.objectID
        #expect(!id.isTemporaryID)
        child.performAndWait {
            #expect(book.value.objectID == id)
            #expect(child.object(with: id) === book.value)
            #expect(child.registeredObject(for: author.value.objectID) === author.value)
            #expect(book.value.value(forKey: "author") as? NSManagedObject === author.value)
            #expect(author.value.value(forKey: "books") as? Set<NSManagedObject> == [book.value])
            child.checkInvariants()
        }
        let root = chain[0]
        #expect(root.performAndWait { root.object(with: id).value(forKeyPath: "author.name") as? String } == "A")
    }

    @Test("An object that a middle context inserts during its root's save is one object below and one controller line")
    func insertedAbove() throws {
        let library = try Library()
        let root = library.context()
        let middle = library.child(of: root)
        let low = library.child(of: middle)
        for context in [root, middle, low] {
            context.performAndWait { context.automaticallyMergesChangesFromParent = true }
        }
        try root.performAndWait {
            root.make("Author", ["name": "a", "active": true])
            try root.save()
        }
        let held = try low.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "author.active == YES")
            request.sortDescriptors = [NSSortDescriptor(key: "isbn", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: low, sectionNameKeyPath: nil, cacheName: nil)
            try controller.performFetch()
            let delegate = RecordingDelegate(copying: controller)
            controller.delegate = delegate
            return Held((controller, delegate))
        }
        for round in 0..<60 {
            try middle.performAndWait {
                let author = try #require(try middle.all("Author").first)
                middle.make("Book", ["isbn": "\(1000 + round)", "author": author])
                author.setValue("a\(round)", forKey: "name")
                try middle.save()
            }
            try root.performAndWait { try root.save() }
            try low.performAndWait {
                low.processPendingChanges()
                let ids = low.registeredObjects.map(\.objectID)
                try #require(Set(ids).count == ids.count)
                let lines = held.value.0.fetchedObjects?.map(\.objectID) ?? []
                try #require(Set(lines).count == lines.count && lines.count == round + 1)
            }
        }
        low.performAndWait { held.value.0.delegate = nil }
    }

    @Test("An object read above under its permanent id is the one registered here under a temporary id")
    func readUnderPermanentIDs() throws {
        let library = try Library(model: PairModel.make())
        let root = library.context()
        let middle = library.child(of: root)
        let low = library.child(of: middle)
        let item = root.performAndWait { root.make("Item", ["name": "i"]).objectID }
        let owner = try middle.performAndWait {
            let owner = middle.make("Owner", ["name": "o"]).objectID
            try middle.save()
            return owner
        }
        let pair = try low.performAndWait {
            let (owner, item) = (low.object(with: owner), low.object(with: item))
            owner.setValue(NSOrderedSet(array: [item]), forKey: "queue")
            try low.save()
            item.setValue(5, forKey: "rank")
            return Held((owner, item))
        }
        try root.performAndWait { try root.save() }
        low.performAndWait {
            let (owner, item) = pair.value
            low.refresh(item, mergeChanges: true)
            #expect(item.one("queuedBy") === owner)
            #expect(owner.ordered("queue") == [item])
        }
    }

    @Test("An object that was saved since is found by its temporary id, as the one that there is")
    func savedSince() throws {
        let library = try Library()
        let root = library.context()
        let middle = library.child(of: root)
        let low = library.child(of: middle)
        for maker in [middle, low] {
            let made = try maker.performAndWait {
                let author = maker.make("Author", ["name": "a"])
                let id = author.objectID
                try maker.save()
                return Held((author, id))
            }
            for context in [middle, root] { try context.performAndWait { try context.save() } }
            try maker.performAndWait {
                let found = try maker.existingObject(with: made.value.1)
                #expect(found === made.value.0)
            }
        }
    }
}
