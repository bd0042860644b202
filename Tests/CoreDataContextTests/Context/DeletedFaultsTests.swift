import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Objects that are deleted without having been read", .leavesNothingBehind, .onEveryKindOfStore)
struct DeletedFaultsTests {
    /// The ways to objects whose values have not been read.
    private enum Way: CaseIterable {
        case withoutValues, identifiers, batches
    }

    /// Notes what the observers of a context's saves read of the deleted objects.
    private final class Reader: @unchecked Sendable {  // used on the context's queue
        private(set) var texts: [String] = []
        private var observer: (any NSObjectProtocol)?

        init(_ context: NSManagedObjectContext, _ read: @escaping (NSManagedObject) -> String) {
            let read = Held(read)
            observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: context, queue: nil
            ) { [weak self] note in
                let deleted = note.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject> ?? []
                self?.texts = deleted.map { read.value($0) }.sorted()
            }
        }

        deinit { observer.map(NotificationCenter.default.removeObserver) }
    }

    private func faults(_ way: Way, _ entity: String, in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        switch way {
        case .withoutValues: request.includesPropertyValues = false
        case .batches: request.fetchBatchSize = 2
        case .identifiers:
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: entity)
            ids.resultType = .managedObjectIDResultType
            return try context.fetch(ids).map { context.object(with: $0) }
        }
        return try context.fetch(request)
    }

    private func library(tags: [String]) throws -> Library {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            for name in tags { context.make("Tag", ["name": name]) }
            try context.save()
        }
        return library
    }

    @Test("Members of many owners that lie between each other in the store go with their own owners")
    func membersOfManyOwners() throws {
        let library = try Library()
        let (context, count) = (library.context(), 30)
        try context.performAndWait {
            let authors = (0..<count).map { context.make("Author", ["name": String($0)]) }
            for number in 0..<3 * count {
                context.make("Book", ["isbn": String(number), "author": authors[number * 7 % count]])
            }
            try context.save()
        }
        func books(_ author: NSManagedObject) -> Set<String> {
            Set((author.value(forKey: "books") as? Set<NSManagedObject> ?? []).compactMap { $0.text("isbn") })
        }
        func expected(_ author: NSManagedObject) -> Set<String> {
            let number = author.text("name").flatMap(Int.init)
            return Set((0..<3 * count).filter { $0 * 7 % count == number }.map(String.init))
        }
        let other = try library.beside().context()
        try other.performAndWait {
            let authors = try other.all("Author")
            let kept = try #require(authors.first { $0.text("name") == "5" })
            let moved = try #require(try other.all("Book").first { $0.text("isbn") == "0" })
            moved.setValue(kept, forKey: "author")
            for author in authors where author !== kept { other.delete(author) }
            other.processPendingChanges()
            #expect(other.deletedObjects.count == 4 * (count - 1) - 1)
            #expect(books(kept) == expected(kept).union(["0"]))
            other.rollback()
            for author in authors { #expect(books(author) == expected(author)) }
            for author in authors where author !== kept { other.delete(author) }
            try other.save()
        }
        let fresh = try library.beside().context()
        try fresh.performAndWait {
            let authors = try fresh.all("Author")
            #expect(authors.map { $0.text("name") } == ["5"])
            for author in authors { #expect(books(author) == expected(author)) }
            #expect(try fresh.all("Book").count == 3)
        }
    }

    @Test("The did-save notification has them with their values, in whatever way they were found")
    func valuesAfterSave() throws {
        for way in Way.allCases {
            let library = try library(tags: ["a", "b", "c"])
            let context = try library.beside().context()
            try context.performAndWait {
                let reader = Reader(context) { $0.value(forKey: "name") as? String ?? "nil" }
                let tags = try faults(way, "Tag", in: context)
                for tag in tags { context.delete(tag) }
                try context.save()
                #expect(reader.texts == ["a", "b", "c"], "\(way)")
                // A program that holds them reads on.
                #expect(Set(tags.map { $0.value(forKey: "name") as? String }) == ["a", "b", "c"])
                #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag")) == 0)
            }
        }
    }

    @Test("The notifications of a child's save and of its parent's have them with their values")
    func children() throws {
        let library = try library(tags: ["a", "b"])
        let parent = try library.beside().context()
        let child = library.child(of: parent)
        let parentReader = parent.performAndWait {
            Held(Reader(parent) { $0.value(forKey: "name") as? String ?? "nil" })
        }
        try child.performAndWait {
            let reader = Reader(child) { $0.value(forKey: "name") as? String ?? "nil" }
            for tag in try faults(.withoutValues, "Tag", in: child) { child.delete(tag) }
            try child.save()
            #expect(reader.texts == ["a", "b"])
        }
        try parent.performAndWait {
            try parent.save()
            #expect(parentReader.value.texts == ["a", "b"])
        }
    }

    @Test("Relationships lead where they led")
    func relationships() throws {
        let library = try Library()
        let writer = library.context()
        let author = try writer.performAndWait {
            let author = writer.make("Author", ["name": "Author"])
            writer.make("Book", ["title": "one", "author": author])
            writer.make("Profile", ["text": "two", "author": author])
            try writer.save()
            return author.objectID
        }
        let context = library.context()
        try context.performAndWait {
            for (entity, key) in [("Book", "title"), ("Profile", "text")] {
                let reader = Reader(context) { object in
                    let ids = object.objectIDs(forRelationshipNamed: "author")
                    return "\(object.value(forKey: key) as? String ?? "nil") \(ids == [author])"
                }
                for object in try faults(.withoutValues, entity, in: context) { context.delete(object) }
                try context.save()
                #expect(reader.texts == [entity == "Book" ? "one true" : "two true"])
            }
        }
    }

    @Test("A row that another context has changed since is no conflict, because its values were never compared")
    func changedSince() throws {
        let library = try library(tags: ["a"])
        let context = library.context()
        let tag = try context.performAndWait {
            let tag = try #require(try faults(.withoutValues, "Tag", in: context).first)
            context.delete(tag)
            return Held(tag)
        }
        let other = try library.beside().context()
        try other.performAndWait {
            let tag = try #require(try other.all("Tag").first)
            tag.setValue("b", forKey: "name")
            try other.save()
        }
        try context.performAndWait {
            try context.save()
            #expect(tag.value.isDeleted || tag.value.managedObjectContext == nil)
            #expect(try context.all("Tag").isEmpty)
        }
    }

    @Test("A reference to an object whose row is gone can be emptied or changed, and saved")
    func leavesTheGone() throws {
        let model = PairModel.make()
        let owner = try #require(model.entitiesByName["Owner"])
        owner.relationshipsByName["items"]?.deleteRule = .noActionDeleteRule
        owner.attributesByName["name"]?.isOptional = false
        let library = try Library(model: model)
        let first = library.context()
        try first.performAndWait {
            let owner = first.make("Owner", ["name": "gone"])
            for name in ["1", "2"] { first.make("Item", ["name": name, "owner": owner]) }
            try first.save()
            first.delete(owner)
            try first.save()
        }
        let context = library.context()
        try context.performAndWait {
            let items = try context.all("Item")
            items[0].setValue(nil, forKey: "owner")
            items[1].setValue(context.make("Owner", ["name": "new"]), forKey: "owner")
            try context.save()
            context.checkInvariants()
            context.reset()
            #expect(try context.all("Owner").map(\.nameText) == ["new"])
            #expect(try context.all("Item").map { $0.one("owner")?.nameText ?? "-" }.sorted() == ["-", "new"])
        }
    }
}
