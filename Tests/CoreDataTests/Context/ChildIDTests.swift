import CoreData
import TestSupport
import Testing

/// Takes objects from one block on its context's queue to another.
private struct Kept: @unchecked Sendable {  // used on its context's queue, but for its id
    let objects: [NSManagedObject]

    var object: NSManagedObject { objects[0] }

    init(_ object: NSManagedObject) { objects = [object] }

    init(_ objects: [NSManagedObject]) { self.objects = objects }
}

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
            return Kept(made)
        }
        try root.performAndWait { try root.save() }
        let ids = made.objects.map(\.objectID)
        child.performAndWait {
            for (id, object) in zip(ids, made.objects) {
                #expect(!id.isTemporaryID)
                #expect(child.object(with: id) === object)
            }
            child.checkInvariants()
        }
    }

    @Test("They become permanent with the root's save, also for who only asks for the id", arguments: 1...3)
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
            return (Kept(book), Kept(author))
        }
        for context in chain.dropLast().reversed() { try context.performAndWait { try context.save() } }
        // Ids may be asked for on any thread.
        let id = book.object.objectID
        #expect(!id.isTemporaryID)
        child.performAndWait {
            #expect(book.object.objectID == id)
            #expect(child.object(with: id) === book.object)
            #expect(child.registeredObject(for: author.object.objectID) === author.object)
            #expect(book.object.value(forKey: "author") as? NSManagedObject === author.object)
            #expect(author.object.value(forKey: "books") as? Set<NSManagedObject> == [book.object])
            child.checkInvariants()
        }
        let root = chain[0]
        #expect(root.performAndWait { root.object(with: id).value(forKeyPath: "author.name") as? String } == "A")
    }
}
