import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// An author with accessors, a computed property that names its keys, and one that does not.
class SeenAuthor: NSManagedObject {
    private static let names = ManagedSlot("name")
    private static let primitiveNames = ManagedSlot("primitiveName", or: "name")
    private static let activeness = ManagedSlot("active")
    private static let bookSet = ManagedSlot("books")
    private static let profiles = ManagedSlot("profile")

    var name: String? {
        get { Self.names.value(of: self) }
        set { Self.names.set(newValue, of: self) }
    }
    var primitiveName: String? {
        get { Self.primitiveNames.value(of: self) }
        set { Self.primitiveNames.set(newValue, of: self) }
    }
    var active: Bool? {
        get { boolean(Self.activeness) }
        set { set(Self.activeness, boolean: newValue) }
    }
    var books: NSSet? {
        get { Self.bookSet.value(of: self) }
        set { Self.bookSet.set(newValue, of: self) }
    }
    var profile: SeenProfile? {
        get { Self.profiles.value(of: self) }
        set { Self.profiles.set(newValue, of: self) }
    }

    /// Reads two properties.
    var label: String { "\(name ?? "") \(active == true)" }

    /// As a program writes it that reports by hand.
    var handWritten: String? {
        get { primitiveValue(forKey: "name") as? String }
        set {
            willChangeValue(forKey: "name")
            setPrimitiveValue(newValue, forKey: "name")
            didChangeValue(forKey: "name")
        }
    }

    /// Reads nothing of the model by itself; its list of methods and its keys make it observable.
    var title: String { Self.prefix + (value(forKeyPath: "profile.text") as? String ?? "") }
    static let prefix = "Dr. "

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "title" ? ["active", "profile.text"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }
}

class SeenProfile: NSManagedObject {
    private static let texts = ManagedSlot("text")
    var text: String? {
        get { Self.texts.value(of: self) }
        set { Self.texts.set(newValue, of: self) }
    }
}

@Suite("Key-value observing of objects, contexts and migration managers", .leavesNothingBehind)
struct KeyValueObservingTests {
    /// A list of reports, as texts.
    private final class Log {
        var lines: [String] = []
        func take() -> [String] {
            defer { lines = [] }
            return lines
        }
    }

    private static func model() -> NSManagedObjectModel {
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(SeenAuthor.self)
        model.entitiesByName["Profile"]?.managedObjectClassName = NSStringFromClass(SeenProfile.self)
        return model
    }

    private func withAuthor(_ body: (NSManagedObjectContext, SeenAuthor, Library) throws -> Void) throws {
        let library = try Library(model: Self.model())
        let context = library.context()
        try context.performAndWait {
            let author = try #require(context.make("Author", ["name": "a"]) as? SeenAuthor)
            try context.save()
            try body(context, author, library)
        }
    }

    private func text<Value>(_ change: NSKeyValueObservedChange<Value>) -> String {
        func text(_ value: Value?) -> String {
            guard let value else { return "–" }
            if let optional = value as? String? { return optional ?? "nil" }
            if let set = value as? NSSet? { return "\(set?.count ?? -1) objects" }
            return "\(value)"
        }
        return "\(change.kind) \(text(change.oldValue)) → \(text(change.newValue))\(change.isPrior ? " prior" : "")"
    }

    @Test("A handler comes after each assignment, with the values that the options ask for")
    func values() throws {
        try withAuthor { _, author, _ in
            let log = Log()
            let token = author.observe(\.name, options: [.old, .new]) { object, change in
                #expect(object === author)
                log.lines.append("\(self.text(change)), now \(object.name ?? "nil")")
            }
            author.name = "b"
            #expect(log.take() == ["setting a → b, now b"])
            author.setValue("c", forKey: "name")
            author.name = "c"
            author.name = nil
            #expect(
                log.take() == [
                    "setting b → c, now c", "setting c → c, now c", "setting c → nil, now nil",
                ])
            author.active = true
            token.invalidate()
            author.name = "d"
            #expect(log.take() == [])
        }
    }

    @Test("Options: at once, and before the change")
    func options() throws {
        try withAuthor { _, author, _ in
            let log = Log()
            let token = author.observe(\.name, options: [.old, .new, .initial, .prior]) { object, change in
                log.lines.append("\(self.text(change)), now \(object.name ?? "nil")")
            }
            #expect(log.take() == ["setting – → a, now a"])
            author.name = "b"
            #expect(log.take() == ["setting a → – prior, now a", "setting a → b, now b"])
            withExtendedLifetime(token) {}
        }
    }

    @Test("An observation ends with its token, and does not keep its object")
    func ends() throws {
        try withAuthor { context, author, _ in
            let log = Log()
            var token: NSKeyValueObservation? = author.observe(\.name) { _, _ in log.lines.append("called") }
            author.name = "b"
            #expect(token != nil && log.take() == ["called"])
            token = nil
            author.name = "c"
            #expect(log.take() == [])
            weak var gone: NSManagedObject?
            do {
                let other = context.make("Author", ["name": "x"])
                gone = other
                token = (other as? SeenAuthor)?.observe(\.name) { _, _ in }
                context.reset()
            }
            #expect(gone == nil && token != nil)
        }
    }

    @Test("A hand-written setter reports by its two calls, a primitive one not at all")
    func primitives() throws {
        try withAuthor { _, author, _ in
            let log = Log()
            let token = author.observe(\.name, options: [.old, .new]) { _, change in
                log.lines.append(self.text(change))
            }
            author.setPrimitiveValue("b", forKey: "name")
            author.primitiveName = "c"
            #expect(log.take() == [])
            author.handWritten = "d"
            #expect(log.take() == ["setting c → d"])
            author.willChangeValue(forKey: "name")
            author.willChangeValue(forKey: "name")
            author.setPrimitiveValue("e", forKey: "name")
            author.didChangeValue(forKey: "name")
            author.didChangeValue(forKey: "name")
            #expect(log.take() == ["setting d → e", "setting d → e"])
            withExtendedLifetime(token) {}
        }
    }

    @Test("Members that join and leave come as insertions and removals, a new set as a setting")
    func members() throws {
        try withAuthor { context, author, _ in
            let log = Log()
            let token = author.observe(\.books, options: [.old, .new]) { _, change in
                log.lines.append(self.text(change))
            }
            let book = context.make("Book")
            author.mutableSetValue(forKey: "books").add(book)
            #expect(log.take() == ["insertion – → 1 objects"])
            book.setValue(nil, forKey: "author")
            #expect(log.take() == ["removal 1 objects → –"])
            author.books = NSSet(array: [book, context.make("Book")])
            #expect(log.take() == ["setting 0 objects → 2 objects"])
            withExtendedLifetime(token) {}
        }
    }

    @Test("A path through a to-one relationship follows both of its keys")
    func paths() throws {
        try withAuthor { context, author, _ in
            let log = Log()
            let one = try #require(context.make("Profile", ["text": "one"]) as? SeenProfile)
            let two = try #require(context.make("Profile", ["text": "two"]) as? SeenProfile)
            author.profile = one
            let token = author.observe(\.profile?.text, options: [.old, .new]) { _, change in
                log.lines.append(
                    "\(change.oldValue.flatMap { $0 } ?? "nil") → \(change.newValue.flatMap { $0 } ?? "nil")")
            }
            one.text = "uno"
            author.profile = two
            one.text = "unseen"
            two.text = "due"
            author.profile = nil
            #expect(log.take() == ["one → uno", "uno → two", "two → due", "due → nil"])
            withExtendedLifetime(token) {}
        }
    }

    @Test("A computed property changes with the properties that it reads, and those that its class names")
    func computed() throws {
        try withAuthor { context, author, _ in
            let log = Log()
            let token = author.observe(\.label, options: [.old, .new]) { _, change in
                log.lines.append(self.text(change))
            }
            author.name = "b"
            author.active = true
            author.books = NSSet()
            #expect(log.take() == ["setting a false → b false", "setting b false → b true"])
            let profile = try #require(context.make("Profile", ["text": "x"]) as? SeenProfile)
            author.profile = profile
            let other = author.observe(\.title, options: [.new]) { _, change in log.lines.append(self.text(change)) }
            profile.text = "y"
            #expect(log.take() == ["setting – → Dr. y"])
            withExtendedLifetime((token, other)) {}
        }
    }

    @Test("Operations of the framework report what they changed, with the old values", .onEveryKindOfStore)
    func operations() throws {
        try withAuthor { context, author, library in
            let log = Log()
            let token = author.observe(\.name, options: [.old, .new]) { _, change in
                log.lines.append(self.text(change))
            }
            context.undoManager = UndoManager()
            author.name = "b"
            context.undo()
            context.redo()
            context.rollback()
            #expect(
                log.take() == ["setting a → b", "setting b → a", "setting a → b", "setting b → a"])
            let other = library.context()
            try other.performAndWait {
                try other.existingObject(with: author.objectID).setValue("c", forKey: "name")
                try other.save()
            }
            context.refresh(author, mergeChanges: true)
            #expect(log.take() == ["setting a → c"])
            author.active = true
            try context.save()
            #expect(log.take() == [])
            withExtendedLifetime(token) {}
        }
    }

    @Test("A deletion is the change of isDeleted")
    func deletion() throws {
        try withAuthor { context, author, _ in
            let log = Log()
            let token = author.observe(\.isDeleted, options: [.new]) { _, change in log.lines.append(self.text(change))
            }
            context.delete(author)
            context.rollback()
            #expect(log.take() == ["setting – → true", "setting – → false"])
            withExtendedLifetime(token) {}
        }
    }

    @Test("hasChanges of a context")
    func contexts() throws {
        try withAuthor { context, author, _ in
            let log = Log()
            let token = context.observe(\.hasChanges, options: [.old, .new, .initial]) { context, change in
                log.lines.append("\(self.text(change)), now \(context.hasChanges)")
            }
            author.name = "b"
            author.name = "c"
            #expect(log.take() == ["setting – → false, now false", "setting false → true, now true"])
            try context.save()
            #expect(log.take() == ["setting true → false, now false"])
            _ = context.make("Author", ["name": "n"])
            context.rollback()
            context.delete(author)
            context.reset()
            #expect(log.take().map { $0.suffix(8) } == ["now true", "ow false", "now true", "ow false"])
            token.invalidate()
            _ = context.make("Author", ["name": "n"])
            #expect(log.take() == [])
        }
    }

    @Test("Objects of a context that observes no properties are written as before after the last observation")
    func withoutTracking() throws {
        try withAuthor { context, author, _ in
            let token = author.observe(\.name) { _, _ in }
            #expect(!context.observesProperties && !author.flags.contains(.tracksReads))
            token.invalidate()
            author.name = "b"
            #expect(author.name == "b")
        }
    }
}
