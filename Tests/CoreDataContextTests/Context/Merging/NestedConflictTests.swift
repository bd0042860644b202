import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Conflicts between a child and its parent", .leavesNothingBehind, .onEveryKindOfStore)
struct NestedConflictTests {
    private let library: Library
    private let parent: NSManagedObjectContext
    private let child: NSManagedObjectContext
    private let original: Held<NSManagedObject>
    private let copy: Held<NSManagedObject>

    init() throws {
        library = try Library()
        parent = library.context()
        child = library.child(of: parent)
        original = try parent.performAndWait { [parent] in
            let book = parent.make("Book", ["title": "old", "note": "old", "pages": 1])
            try parent.save()
            return Held(book)
        }
        copy = try child.performAndWait { [child] in
            let book = try #require(try child.all("Book").first)
            #expect(book.text("title") == "old")
            return Held(book)
        }
    }

    /// The parent changes title and pages, the child title and note.
    private func change() {
        parent.performAndWait { original.value.setValuesForKeys(["title": "parent", "pages": 2]) }
        child.performAndWait { copy.value.setValuesForKeys(["title": "child", "note": "child"]) }
    }

    @Test(
        "Values that both changed are the child's unless its policy decides otherwise; the rest stay the parent's",
        arguments: [
            (NSMergePolicyType.errorMergePolicyType, ["child", "2", "child"]),
            (.mergeByPropertyStoreTrumpMergePolicyType, ["parent", "2", "child"]),
            (.mergeByPropertyObjectTrumpMergePolicyType, ["child", "2", "child"]),
            (.overwriteMergePolicyType, ["child", "1", "child"]), (.rollbackMergePolicyType, ["parent", "2", "old"]),
        ])
    func values(expected: (type: NSMergePolicyType, values: [String])) throws {
        change()
        try child.performAndWait {
            child.mergePolicy = NSMergePolicy(merge: expected.type)
            try child.save()
            #expect(!child.hasChanges)
        }
        try parent.performAndWait {
            let book = original.value
            #expect([book.text("title"), "\(book.number("pages") ?? 0)", book.text("note")] == expected.values)
            try parent.save()
        }
        #expect(try library.saved("Book", "title") == [expected.values[0]])
    }

    @Test(
        "A child's deletion of an object that its parent changed goes through, unless the parent's change counts more")
    func deletion() throws {
        change()
        try child.performAndWait {
            child.mergePolicy = NSMergeByPropertyStoreTrumpMergePolicy
            child.delete(copy.value)
            try child.save()
            #expect(!copy.value.isDeleted)
            #expect(copy.value.text("title") == "parent")
            child.mergePolicy = NSErrorMergePolicy
            child.delete(copy.value)
            try child.save()
        }
        try parent.performAndWait {
            #expect(parent.deletedObjects == [original.value])
            try parent.save()
        }
        #expect(try library.saved("Book", "title").isEmpty)
    }

    @Test(
        "A child's change of an object that its parent deleted goes with it, or brings it back, by policy",
        arguments: [
            NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType,
            .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
        ], [true, false])
    func parentDeleted(type: NSMergePolicyType, isSaved: Bool) throws {
        change()
        try parent.performAndWait {
            parent.delete(original.value)
            if isSaved { try parent.save() }
        }
        let comesBack = type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
        try child.performAndWait {
            child.mergePolicy = NSMergePolicy(merge: type)
            try child.save()
            #expect((copy.value.managedObjectContext == nil) == !comesBack)
            if comesBack { #expect(copy.value.text("title") == "child") }
        }
        try parent.performAndWait { try parent.save() }
        #expect(try library.saved("Book", "title") == (comesBack ? ["child"] : []))
    }

    @Test(
        "An object that was set back to its old values is nothing to lose when the parent has lost it",
        arguments: [false, true])
    func setBack(besideConflicts: Bool) throws {
        let ids = parent.performAndWait { [parent] in
            ["a", "b", "c"].map { parent.make("Book", ["title": $0]).objectID }
        }
        let books = child.performAndWait { [child] in
            if besideConflicts { child.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
            let books = ids.map(child.object(with:))
            for book in books {
                let title = book.value(forKey: "title")
                book.setValue("other", forKey: "title")
                book.setValue(title, forKey: "title")
                #expect(book.isUpdated)
            }
            return Held(books)
        }
        parent.performAndWait { [parent] in parent.rollback() }
        change()
        try child.performAndWait { [child] in
            try child.save()
            child.processPendingChanges()
            #expect(!child.hasChanges && books.value.allSatisfy { $0.managedObjectContext == nil })
        }
        parent.performAndWait { #expect(original.value.text("title") == "child") }
    }
}
