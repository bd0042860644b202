import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// An author or a book that records the calls that it gets, with its state at that time.
final class CalledObject: NSManagedObject {
    var calls: [String] = []
    /// The action of `willSave()`, once.
    var beforeSave: ((CalledObject) -> Void)?

    private var label: String { primitiveValue(forKey: entity.name == "Book" ? "title" : "name") as? String ?? "-" }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        calls.append("awakeFromInsert \(label)")
    }

    override func awakeFromFetch() {
        super.awakeFromFetch()
        calls.append("awakeFromFetch \(label)")
    }

    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        calls.append("awake \(Self.name(flags)) \(label)")
    }

    override func willSave() {
        super.willSave()
        calls.append("willSave \(state)")
        beforeSave?(self)
        beforeSave = nil
    }

    override func didSave() {
        super.didSave()
        calls.append("didSave \(state)")
    }

    override func prepareForDeletion() {
        super.prepareForDeletion()
        let books = entity.name == "Author" ? (value(forKey: "books") as? Set<NSManagedObject>)?.count : nil
        calls.append("prepareForDeletion \(label)\(books.map { " of \($0)" } ?? "")")
    }

    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        calls.append("willTurnIntoFault \(label)")
    }

    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        calls.append("didTurnIntoFault \(isFault)")
    }

    private var state: String {
        isInserted ? "inserted" : isDeleted ? "deleted" : isUpdated ? "updated" : "clean"
    }

    private static func name(_ flags: NSSnapshotEventType) -> String {
        switch flags {
        case .undoInsertion: "undoInsertion"
        case .undoDeletion: "undoDeletion"
        case .undoUpdate: "undoUpdate"
        case .rollback: "rollback"
        case .refresh: "refresh"
        case .mergePolicy: "mergePolicy"
        default: "\(flags.rawValue)"
        }
    }

    func forget() { calls = [] }
}

@Suite("The calls that an object gets in its life", .leavesNothingBehind, .onEveryKindOfStore)
struct LifeCycleCallsTests {
    private static func model() -> NSManagedObjectModel {
        let model = LibraryModel.make()
        for name in ["Author", "Book"] {
            model.entitiesByName[name]?.managedObjectClassName = NSStringFromClass(CalledObject.self)
        }
        return model
    }

    private func withContext(
        undo: Bool = false, _ body: (NSManagedObjectContext, Library) throws -> Void
    ) throws {
        let library = try Library(model: Self.model())
        let context = library.context()
        try context.performAndWait {
            if undo {
                context.undoManager = UndoManager()
                context.undoManager?.groupsByEvent = false
            }
            try body(context, library)
        }
    }

    private func make(_ context: NSManagedObjectContext, _ entity: String, _ name: String) throws -> CalledObject {
        try #require(context.make(entity, [entity == "Book" ? "title" : "name": name]) as? CalledObject)
    }

    @Test("A new object awakes once, before its values are set; a saved one each time it is read from its row")
    func awaking() throws {
        try withContext { context, library in
            let author = try make(context, "Author", "A")
            #expect(author.calls == ["awakeFromInsert -"])
            try context.save()
            let id = author.objectID
            let other = library.context()
            try other.performAndWait {
                let same = try #require(other.object(with: id) as? CalledObject)
                #expect(same.calls == [])
                _ = same.value(forKey: "active")
                _ = same.value(forKey: "name")
                #expect(same.calls == ["awakeFromFetch A"])
                same.forget()
                other.refresh(same, mergeChanges: false)
                #expect(same.calls == ["willTurnIntoFault A", "didTurnIntoFault true"])
                same.forget()
                _ = same.value(forKey: "name")
                #expect(same.calls == ["awakeFromFetch A"])
            }
        }
    }

    @Test("Each saved object is called before and after the save as new, changed or deleted")
    func saving() throws {
        try withContext { context, _ in
            let author = try make(context, "Author", "A")
            let other = try make(context, "Author", "B")
            author.forget()
            try context.save()
            #expect(author.calls == ["willSave inserted", "didSave clean"])
            author.forget()
            other.forget()
            author.setValue(true, forKey: "active")
            try context.save()
            #expect(author.calls == ["willSave updated", "didSave clean"])
            #expect(other.calls == [])
            author.forget()
            context.delete(author)
            try context.save()
            #expect(author.calls == ["prepareForDeletion A of 0", "willSave deleted", "didSave clean"])
            #expect(other.calls == [])
        }
    }

    @Test("An object's changes to itself and to another one before a save are saved, and the other one is called, too")
    func changesBeforeSave() throws {
        try withContext { context, library in
            let author = try make(context, "Author", "A")
            let other = try make(context, "Author", "B")
            try context.save()
            other.forget()
            author.beforeSave = { object in
                object.setValue("A2", forKey: "name")
                other.setValue("B2", forKey: "name")
                context.make("Author", ["name": "C"])
            }
            author.setValue(true, forKey: "active")
            try context.save()
            #expect(other.calls == ["willSave updated", "didSave clean"])
            #expect(!context.hasChanges)
            let reader = library.context()
            try reader.performAndWait {
                let names = try reader.all("Author").compactMap { $0.value(forKey: "name") as? String }
                #expect(names.sorted() == ["A2", "B2", "C"])
            }
        }
    }

    @Test("A save that fails calls no object's didSave()")
    func failedSave() throws {
        try withContext { context, _ in
            let author = try make(context, "Author", "A")
            author.forget()
            author.setValue(nil, forKey: "name")
            #expect(throws: NSError.self) { try context.save() }
            #expect(author.calls == ["willSave inserted"])
        }
    }

    @Test("The notifications come around the calls to objects")
    func notifications() throws {
        try withContext { context, _ in
            let author = try make(context, "Author", "A")
            author.forget()
            let carried = Carried(author)
            let tokens = [
                Notification.Name.NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
            ].map { name in
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in
                    carried.value.calls.append(name == .NSManagedObjectContextWillSave ? "before" : "after")
                }
            }
            defer { tokens.forEach(NotificationCenter.default.removeObserver) }
            try context.save()
            #expect(author.calls == ["before", "willSave inserted", "didSave clean", "after"])
        }
    }

    @Test("Everything is still there before a deletion, also for objects that go along with it")
    func deletion() throws {
        try withContext { context, _ in
            let author = try make(context, "Author", "A")
            let book = try make(context, "Book", "b")
            book.setValue(author, forKey: "author")
            try context.save()
            author.forget()
            book.forget()
            context.delete(author)
            #expect(author.calls == ["prepareForDeletion A of 1"])
            context.processPendingChanges()
            #expect(book.calls == ["prepareForDeletion b"])
            context.rollback()
            #expect(author.calls == ["prepareForDeletion A of 1", "awake rollback A"])
        }
    }

    @Test("Undo and redo post the changes that they put back, with the values that are back")
    func undo() throws {
        try withContext(undo: true) { context, _ in
            func event(_ body: () throws -> Void) rethrows {
                context.undoManager?.beginUndoGrouping()
                try body()
                context.processPendingChanges()
                context.undoManager?.endUndoGrouping()
            }
            var made: CalledObject?
            try event { made = try make(context, "Author", "A") }
            let author = try #require(made)
            event { author.setValue("B", forKey: "name") }
            author.forget()
            context.undo()
            #expect(author.calls == ["awake undoUpdate A"])
            context.redo()
            #expect(author.calls == ["awake undoUpdate A", "awake undoUpdate B"])
            context.undo()
            author.forget()
            context.undo()
            #expect(author.calls.map { $0.prefix(19) } == ["awake undoInsertion"])
            context.redo()
            author.forget()
            event { context.delete(author) }
            author.forget()
            context.undo()
            #expect(author.calls == ["awake undoDeletion A"])
        }
    }

    @Test(
        "A merge policy that resolves a conflict calls the object, with the values that it leaves",
        arguments: [
            (NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, "mine"),
            (.mergeByPropertyStoreTrumpMergePolicyType, "theirs"),
            (.overwriteMergePolicyType, "mine"), (.rollbackMergePolicyType, "theirs"),
        ])
    func mergePolicy(type: NSMergePolicyType, name: String) throws {
        try withContext { context, library in
            context.mergePolicy = NSMergePolicy(merge: type)
            let author = try make(context, "Author", "first")
            try context.save()
            let id = author.objectID
            let other = library.context()
            try other.performAndWait {
                other.object(with: id).setValue("theirs", forKey: "name")
                try other.save()
            }
            author.setValue("mine", forKey: "name")
            author.forget()
            try context.save()
            #expect(author.calls.filter { $0.hasPrefix("awake") } == ["awake mergePolicy \(name)"])
            #expect(author.value(forKey: "name") as? String == name)
        }
    }

    // @unchecked Sendable: the observers run on the context's queue, within the save.
    private final class Carried: @unchecked Sendable {
        let value: CalledObject
        init(_ value: CalledObject) { self.value = value }
    }
}
