import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

// Rows of DEVIATIONS.md that no other suite holds.

/// A tag that writes down the calls around a change.
final class OverheardTag: NSManagedObject {
    private static let slot = ManagedSlot("name")
    var label: String? {
        get { Self.slot.value(of: self) }
        set { Self.slot.set(newValue, of: self) }
    }
    var heard: [String] = []

    override func willChangeValue(forKey key: String) {
        heard.append("will \(key)")
        super.willChangeValue(forKey: key)
    }

    override func didChangeValue(forKey key: String) {
        heard.append("did \(key)")
        super.didChangeValue(forKey: key)
    }

    class func keyPathsForValuesAffectingName() -> Set<String> { ["label"] }
}

@Suite("Objects that behave otherwise than on a Mac", .leavesNothingBehind)
struct DeviatingObjectsTests {
    private func inContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = try Library().context()
        try context.performAndWait { try body(context) }
    }

    @Test("A key path through sets gives one flat array, which has equal values as often as they are there")
    func keyPaths() throws {
        try inContext { context in
            let author = context.make("Author", ["name": "A"])
            for number in 1...2 {
                let tag = context.make("Tag", ["name": "t\(number)"])
                context.make("Book", ["title": "same", "author": author, "tags": NSSet(array: [tag])])
            }
            #expect(author.value(forKeyPath: "books.title") as? [String] == ["same", "same"])
            let names = author.value(forKeyPath: "books.tags.name") as? [String]
            #expect(names?.sorted() == ["t1", "t2"])
        }
    }

    @Test("A primitive value of a relationship updates the inverse, and the object counts as changed")
    func primitiveRelationship() throws {
        try inContext { context in
            let author = context.make("Author", ["name": "A"])
            let book = context.make("Book", ["title": "T"])
            try context.save()
            book.setPrimitiveValue(author, forKey: "author")
            #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [book])
            #expect(book.hasChanges)
            try context.save()
            #expect(try context.all("Book", "author.name == 'A'").count == 1)
        }
    }

    @Test("A live set cast to Set is empty, and allObjects has the members")
    func castOfLiveSet() throws {
        try inContext { context in
            let author = context.make("Author", ["name": "A"])
            let book = context.make("Book", ["author": author])
            let books = author.mutableSetValue(forKey: "books")
            #expect((books as? Set<NSManagedObject>)?.isEmpty == true)
            #expect(books.allObjects as? [NSManagedObject] == [book])
            #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [book])
        }
    }

    @Test("A deleted member of a relationship without inverse is left out of it")
    func memberWithoutInverse() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let tags = ["a", "b"].map { context.make("Tag", ["name": $0]) }
            context.make("Shelf", ["name": "S", "bookmarks": NSSet(array: tags)])
            try context.save()
            context.delete(tags[0])
            try context.save()
        }
        let other = library.context()
        try other.performAndWait {
            let shelf = try #require(try other.all("Shelf").first)
            let bookmarks = try #require(shelf.value(forKey: "bookmarks") as? Set<NSManagedObject>)
            #expect(bookmarks.map { $0.value(forKey: "name") as? String } == ["b"])
        }
    }

    @Test("The description of an object that another queue prints has its id and no values")
    func description() throws {
        let context = try Library().context()
        let book = context.performAndWait { context.make("Book", ["title": "secret"]) }
        let text = book.description
        #expect(text.contains("\(book.objectID.uriRepresentation())") && !text.contains("secret"), "\(text)")
        context.performAndWait { #expect(book.description.contains("secret")) }
    }

    private final class Count: @unchecked Sendable {  // used on one thread at a time
        var value = 0
    }

    @Test("The end of performAndWait posts changes only with an undo manager; calls that process changes always do")
    func notifications() throws {
        for hasUndoManager in [false, true] {
            let context = try Library().context()
            if hasUndoManager { context.performAndWait { context.undoManager = UndoManager() } }
            let count = Count()
            let observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { _ in count.value += 1 }
            defer { NotificationCenter.default.removeObserver(observer) }
            context.performAndWait { _ = context.make("Tag") }
            #expect(count.value == (hasUndoManager ? 1 : 0))
            context.performAndWait {
                _ = context.make("Tag")
                let before = count.value
                context.processPendingChanges()
                #expect(count.value == before + 1)
                context.rollback()
                #expect(count.value == before + 2)
            }
        }
    }

    @Test("A typed accessor calls neither willChangeValue nor didChangeValue; a setter may do so")
    func callsAroundChanges() throws {
        let model = ModelText.model("entity OverheardTag\n  name string")
        model.entities[0].managedObjectClassName = NSStringFromClass(OverheardTag.self)
        let context = try Library(model: model).context()
        try context.performAndWait {
            let tag = try #require(context.make("OverheardTag") as? OverheardTag)
            try context.save()
            tag.label = "a"
            #expect(tag.heard.isEmpty && tag.hasChanges)
            tag.willChangeValue(forKey: "name")
            tag.setPrimitiveValue("b", forKey: "name")
            tag.didChangeValue(forKey: "name")
            #expect(tag.heard == ["will name", "did name"] && tag.label == "b")
        }
    }

    @Test("A method such as keyPathsForValuesAffectingName() is not found by its name")
    func affectingPaths() {
        #expect(OverheardTag.keyPathsForValuesAffectingName() == ["label"])
        #expect(OverheardTag.keyPathsForValuesAffectingValue(forKey: "name").isEmpty)
    }

    private func isSendable<T: Sendable>(_: T.Type) -> Bool { true }

    @Test("Models, their parts, stores and nodes are Sendable")
    func sendable() {
        #expect(isSendable(NSManagedObjectModel.self) && isSendable(NSEntityDescription.self))
        #expect(isSendable(NSAttributeDescription.self) && isSendable(NSRelationshipDescription.self))
        #expect(isSendable(NSFetchIndexDescription.self) && isSendable(NSPersistentStore.self))
        #expect(isSendable(NSAtomicStoreCacheNode.self) && isSendable(NSIncrementalStoreNode.self))
    }
}
