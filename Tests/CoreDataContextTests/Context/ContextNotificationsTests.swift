import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// An item that sets the date of its changes while it is saved.
final class DatedItem: NSManagedObject {
    override func willSave() {
        super.willSave()
        setPrimitiveValue(Date(timeIntervalSinceReferenceDate: 1), forKey: "changed")
    }
}

@Suite("The notifications of a context", .leavesNothingBehind, .onEveryKindOfStore)
struct ContextNotificationsTests {
    /// The notifications that a context posts, with how many objects they have under each key.
    private final class Log: @unchecked Sendable {  // used on one thread alone
        private(set) var entries: [String] = []
        private(set) var infos: [[AnyHashable: Any]] = []
        private var observers: [any NSObjectProtocol] = []

        init(_ context: NSManagedObjectContext, _ names: [(Notification.Name, String)]) {
            observers = names.map { name, text in
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { [weak self] note in
                    let counts = (note.userInfo ?? [:]).compactMap { key, value in
                        (value as? Set<NSManagedObject>).map { "\(key) \($0.count)" }
                            ?? (value as? Set<NSManagedObjectID>).map { "\(key) \($0.count)" }
                    }
                    self?.entries.append(([text] + counts.sorted()).joined(separator: ", "))
                    self?.infos.append(note.userInfo ?? [:])
                }
            }
        }

        deinit { observers.forEach(NotificationCenter.default.removeObserver) }
    }

    @Test("A save without changes is posted, too")
    func emptySave() throws {
        let context = try Library().context()
        try context.performAndWait {
            let log = Log(
                context,
                [
                    (.NSManagedObjectContextWillSave, "will"), (.NSManagedObjectContextDidSave, "did"),
                    (.NSManagedObjectContextDidSaveObjectIDs, "ids"),
                ])
            try context.save()
            #expect(log.entries == ["will", "did", "ids"])
        }
    }

    @Test("An observer's changes at the beginning of a save without changes are saved")
    func changedByObserver() throws {
        let library = try Library()
        let context = library.context()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextWillSave, object: context, queue: nil
        ) { note in
            (note.object as? NSManagedObjectContext)?.make("Author", ["name": "A"])
        }
        try context.performAndWait { try context.save() }
        NotificationCenter.default.removeObserver(observer)
        #expect(try library.saved("Author", "name") == ["A"])
    }

    @Test("A reset names the ids of all objects, also of new ones that were released")
    func reset() throws {
        let context = try Library().context()
        try context.performAndWait {
            let saved = context.make("Author", ["name": "A"])
            try context.save()
            context.make("Author", ["name": "B"])
            context.processPendingChanges()
            let log = Log(context, [(.NSManagedObjectContextObjectsDidChange, "changed")])
            let id = saved.objectID
            context.reset()
            let ids = log.infos.first?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID]
            #expect(ids?.count == 2 && ids?.contains(id) == true)
            #expect(log.entries == ["changed"])
        }
    }

    @Test("A merge lists the objects that it refreshed beside the changes of the other context")
    func merged() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let authors = ["A", "B"].map { context.make("Author", ["name": $0]) }
            try context.save()
            let ids = authors.map(\.objectID)
            let log = Log(context, [(.NSManagedObjectContextDidMergeChangesObjectIDs, "merged")])
            let other = library.context()
            let observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: other, queue: nil
            ) { context.mergeChanges(fromContextDidSave: $0) }
            try other.performAndWait {
                for id in ids { other.object(with: id).setValue("C", forKey: "name") }
                other.make("Author", ["name": "D"])
                try other.save()
            }
            NotificationCenter.default.removeObserver(observer)
            #expect(
                log.entries == ["merged, inserted_objectIDs 1, refreshed_objectIDs 2, updated_objectIDs 2"])
            #expect(authors.map(\.nameText) == ["C", "C"])
        }
    }

    @Test("A primitive value that willSave() sets is saved, and no object is called once more")
    func primitiveValue() throws {
        let model = ModelText.model("entity Item\n  name string\n  changed date")
        model.entitiesByName["Item"]?.managedObjectClassName = NSStringFromClass(DatedItem.self)
        let library = try Library(model: model)
        let context = library.context()
        try context.performAndWait {
            let item = context.make("Item", ["name": "a"])
            try context.save()
            item.setValue(nil, forKey: "changed")
            item.setValue("b", forKey: "name")
            context.make("Item", ["name": "c"])
            let log = Log(context, [(.NSManagedObjectContextObjectsDidChange, "changed")])
            try context.save()
            #expect(log.entries == ["changed, inserted 1, updated 1"])
            #expect(!context.hasChanges)
        }
        let dates = try library.saved("Item", "changed")
        #expect(dates.count == 2 && !dates.contains("nil"))
    }
}
