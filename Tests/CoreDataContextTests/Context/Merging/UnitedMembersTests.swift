import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Two contexts change the members of one relationship; the second one resolves it by its policy.
@Suite("Members that two contexts have changed are united", .leavesNothingBehind, .onEveryKindOfStore)
struct UnitedMembersTests {
    private let library: Library
    private let context: NSManagedObjectContext
    private let other: NSManagedObjectContext

    init() throws {
        library = try Library()
        context = library.context()
        other = library.context()
    }

    static let policies: [NSMergePolicyType] = [
        .mergeByPropertyObjectTrumpMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
        .overwriteMergePolicyType,
    ]

    private func object(_ entity: String, _ name: String, in context: NSManagedObjectContext) throws -> NSManagedObject
    {
        let key = entity == "Book" ? "title" : "name"
        return try #require(try context.all(entity, "\(key) == %@", name).first)
    }

    /// Saves what the first body makes, has both contexts read everything, then changes and saves in the other context
    /// and in this one.
    private func meet(
        _ policy: NSMergePolicyType, _ make: (NSManagedObjectContext) throws -> Void,
        theirs: (NSManagedObjectContext) throws -> Void, mine: (NSManagedObjectContext) throws -> Void
    ) throws {
        let held = try context.performAndWait {
            context.mergePolicy = NSMergePolicy(merge: policy)
            try make(context)
            try context.save()
            return Held(try ["Author", "Book", "Tag", "Shelf"].flatMap { try context.all($0) })
        }
        context.performAndWait {
            for object in held.value {
                for name in object.entity.relationshipsByName.keys { _ = object.value(forKey: name) }
            }
        }
        try other.performAndWait {
            try theirs(other)
            try other.save()
        }
        try context.performAndWait {
            try mine(context)
            try context.save()
            #expect(!context.hasChanges)
            context.checkInvariants()
        }
        withExtendedLifetime(held) {}
    }

    /// The members that a new coordinator reads, and those of the context itself.
    private func check(_ body: (NSManagedObjectContext) throws -> Void) throws {
        try context.performAndWait { try body(context) }
        context.performAndWait { context.refreshAllObjects() }
        try context.performAndWait { try body(context) }
        let fresh = try library.beside().context()
        try fresh.performAndWait { try body(fresh) }
    }

    @Test("Both add to a many-to-many relationship; the other one removes, too", arguments: policies)
    func manyToMany(policy: NSMergePolicyType) throws {
        try meet(policy) { context in
            let tags = ["a", "b", "c", "d"].map { context.make("Tag", ["name": $0]) }
            context.make("Book", ["title": "B", "tags": NSSet(array: Array(tags[0...1]))])
        } theirs: { context in
            let book = try object("Book", "B", in: context)
            book.mutableSetValue(forKey: "tags").add(try object("Tag", "c", in: context))
            book.mutableSetValue(forKey: "tags").remove(try object("Tag", "a", in: context))
        } mine: { context in
            try object("Book", "B", in: context).mutableSetValue(forKey: "tags").add(
                try object("Tag", "d", in: context))
        }
        context.performAndWait { context.refreshAllObjects() }
        try check { context in
            let tags = try object("Book", "B", in: context).texts("tags", "name")
            #expect(tags == ["b", "c", "d"])
            for (name, isIn) in [("a", false), ("b", true), ("c", true), ("d", true)] {
                let books = try object("Tag", name, in: context).texts("books", "title")
                #expect(books == (isIn ? ["B"] : []))
            }
        }
    }

    @Test("Both add to a one-to-many relationship", arguments: policies)
    func oneToMany(policy: NSMergePolicyType) throws {
        try meet(policy) { context in
            let author = context.make("Author", ["name": "A"])
            context.make("Book", ["title": "1", "author": author])
            for title in ["2", "3"] { context.make("Book", ["title": title]) }
        } theirs: { context in
            try object("Book", "2", in: context).setValue(try object("Author", "A", in: context), forKey: "author")
        } mine: { context in
            try object("Book", "3", in: context).setValue(try object("Author", "A", in: context), forKey: "author")
            context.make("Book", ["title": "4", "author": try object("Author", "A", in: context)])
        }
        context.performAndWait { context.refreshAllObjects() }
        try check { context in
            let author = try object("Author", "A", in: context)
            #expect(author.texts("books", "title") == ["1", "2", "3", "4"])
            let books = try context.all("Book")
            #expect(books.allSatisfy { $0.value(forKey: "author") as? NSManagedObject === author })
        }
    }

    @Test(
        "Both move a member to another owner: one of the owners has it, in its record and in the member's",
        arguments: policies + [.rollbackMergePolicyType])
    func moved(policy: NSMergePolicyType) throws {
        try meet(policy) { context in
            let authors = ["from", "theirs", "mine"].map { context.make("Author", ["name": $0]) }
            context.make("Book", ["title": "B", "author": authors[0]])
        } theirs: { context in
            try object("Book", "B", in: context).setValue(try object("Author", "theirs", in: context), forKey: "author")
        } mine: { context in
            try object("Book", "B", in: context).setValue(try object("Author", "mine", in: context), forKey: "author")
        }
        let isMine = policy == .mergeByPropertyObjectTrumpMergePolicyType || policy == .overwriteMergePolicyType
        try check { context in
            let owner = isMine ? "mine" : "theirs"
            let book = try object("Book", "B", in: context)
            #expect(book.value(forKeyPath: "author.name") as? String == owner)
            for author in try context.all("Author") {
                #expect(author.texts("books", "title") == (author.text("name") == owner ? ["B"] : []))
            }
        }
    }

    @Test("One adds to an ordered relationship, the other arranges it", arguments: policies)
    func ordered(policy: NSMergePolicyType) throws {
        try meet(policy) { context in
            let books = ["a", "b", "c", "d"].map { context.make("Book", ["title": $0]) }
            context.make("Shelf", ["name": "S", "items": NSOrderedSet(array: Array(books[0...2]))])
        } theirs: { context in
            try object("Shelf", "S", in: context).mutableOrderedSetValue(forKey: "items").add(
                try object("Book", "d", in: context))
        } mine: { context in
            try object("Shelf", "S", in: context).mutableOrderedSetValue(forKey: "items").moveObjects(
                at: IndexSet(integer: 2), to: 0)
        }
        context.performAndWait { context.refreshAllObjects() }
        try check { context in
            let items = try object("Shelf", "S", in: context).value(forKey: "items") as? NSOrderedSet
            let titles = (items?.array as? [NSManagedObject])?.map { $0.text("title") }
            #expect(titles == ["c", "a", "b", "d"])
        }
    }
}
