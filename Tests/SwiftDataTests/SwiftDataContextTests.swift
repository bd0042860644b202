import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// Relationships before insertion, deletions by class, transactions, undo, notifications and errors of a save.
@Suite("Contexts of SwiftData")
struct SwiftDataContextTests {
    // MARK: Before the insertion

    @Test("A relationship that an initialiser sets leads back to the same model, before it is inserted")
    func backwards() throws {
        let cabinet = Cabinet("A")
        let binder = Binder("P", on: cabinet)
        #expect(cabinet.binders.first === binder)
        let chapter = BoundChapter("C")
        let leaf = BoundLeaf(1, of: chapter)
        #expect(chapter.leaves.first === leaf)
        #expect(leaf.chapter === chapter)
        let context = ModelContext(try CabinetStore.inMemory())
        context.insert(chapter)
        #expect(leaf.modelContext === context)
        #expect(context.insertedModelsArray.contains { $0 === leaf })
        try context.save()
        #expect(try context.fetch(FetchDescriptor<BoundLeaf>()).first === leaf)
    }

    @Test("Initialisers read properties that they have set, also in a subclass")
    func ownProperties() throws {
        #expect(CabinetNote("four").length == 4)
        let note = DatedCabinetNote("five5", day: 3, of: BoundChapter("C"))
        #expect(note.length == 5 && note.day == 3 && note.chapter?.title == "C")
    }

    @Test("An empty array before the insertion leaves models that lead here by themselves, and removes those it had")
    func emptyArray() throws {
        let cabinet = Cabinet("A")
        let binder = Binder("P", on: cabinet)
        cabinet.binders = []
        #expect(binder.cabinet === cabinet)
        let other = Cabinet("B")
        other.binders = [Binder("Q")]
        other.binders = []
        #expect(other.binders.isEmpty)
        let context = ModelContext(try CabinetStore.inMemory())
        context.insert(cabinet)
        #expect(cabinet.binders.first === binder)
        cabinet.binders = []
        #expect(binder.cabinet == nil)
    }

    @Test("A model that an inserted one gets is inserted")
    func reached() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        let binder = Binder("P")
        context.insert(binder)
        binder.cabinet = Cabinet("A")
        #expect(binder.cabinet?.modelContext === context)
        binder.cabinet?.labels.append(CabinetLabel("L"))
        #expect(context.insertedModelsArray.count == 3)
    }

    // MARK: Deleting by class

    @Test("Deleting by class obeys the rules object by object, and goes by one statement where there are none")
    func deletingByClass() throws {
        try withTemporaryFolder { folder in
            let container = try CabinetStore.file(folder.appendingPathComponent("a.store").path)
            let context = ModelContext(container)
            for number in 0..<4 {
                let cabinet = Cabinet("\(number)", title: number < 3 ? "few" : "last")
                cabinet.binders = [Binder("P\(number)")]
                context.insert(cabinet)
                context.insert(CabinetNote("note \(number)"))
            }
            let dated = DatedCabinetNote("dated", day: 1)
            context.insert(dated)
            try context.save()
            let reader = ModelContext(container)
            let seen = try #require(
                try reader.fetch(FetchDescriptor<CabinetNote>(predicate: #Predicate { $0.text == "note 1" })).first)

            // Rules: the binders go as well.
            try context.delete(model: Cabinet.self, where: #Predicate { $0.title == "few" })
            #expect(context.deletedModelsArray.count == 6)
            try context.save()
            #expect(try reader.fetch(FetchDescriptor<Binder>()).map(\.name) == ["P3"])

            // None: another context without models, so that nothing is in memory.
            let plain = ModelContext(container)
            #expect(try plain.fetchCount(FetchDescriptor<CabinetNote>()) == 5)
            try plain.delete(
                model: CabinetNote.self, where: #Predicate { $0.text != "note 0" }, includeSubclasses: false)
            #expect(plain.hasChanges && plain.managedObjectContext.deletedObjects.isEmpty)
            let posted = PostedNotifications(ModelContext.didSave, of: plain)
            try plain.save()
            #expect(!plain.hasChanges)
            #expect(posted.identifiers("deletedIdentifiers")?.count == 3)
            let left = try reader.fetch(FetchDescriptor<CabinetNote>(sortBy: [SortDescriptor(\.text)]))
            #expect(left.map(\.text) == ["dated", "note 0"])
            #expect(seen.modelContext == nil)
        }
    }

    @Test("A fetch after a deletion by class finds nothing, rolling back ends it, and other changes go in one save")
    func collectedDeletions() throws {
        try withTemporaryFolder { folder in
            let container = try CabinetStore.file(folder.appendingPathComponent("a.store").path)
            let first = ModelContext(container)
            for number in 0..<3 { first.insert(CabinetNote("\(number)")) }
            try first.save()
            let context = ModelContext(container)
            try context.delete(model: CabinetNote.self)
            context.rollback()
            #expect(!context.hasChanges)
            #expect(try context.fetchCount(FetchDescriptor<CabinetNote>()) == 3)
            try context.delete(model: CabinetNote.self)
            #expect(try context.fetchCount(FetchDescriptor<CabinetNote>()) == 0)
            context.rollback()
            try context.delete(model: CabinetNote.self)
            context.insert(CabinetNote("new"))
            try context.save()
            #expect(try first.fetch(FetchDescriptor<CabinetNote>()).map(\.text) == ["new"])
            try context.delete(model: CabinetNote.self, where: #Predicate { $0.text == "none" })
            #expect(!context.hasChanges)
        }
    }

    // MARK: Transactions, rolling back, undo

    @Test("A transaction that throws takes back its own changes, and no earlier ones")
    func transactions() throws {
        struct Refusal: Error {}
        let context = ModelContext(try CabinetStore.inMemory())
        let cabinet = Cabinet("A", title: "saved")
        try context.transaction { context.insert(cabinet) }
        #expect(!context.hasChanges)
        #expect(throws: Refusal.self) {
            try context.transaction {
                cabinet.title = "taken back"
                context.insert(Cabinet("B"))
                throw Refusal()
            }
        }
        #expect(!context.hasChanges && cabinet.title == "saved")
        cabinet.width = 5
        #expect(throws: Refusal.self) {
            try context.transaction {
                cabinet.title = "taken back"
                context.insert(Cabinet("B"))
                try context.transaction { cabinet.binders.append(Binder("P")) }
                throw Refusal()
            }
        }
        #expect(cabinet.title == "saved" && cabinet.width == 5 && cabinet.binders.isEmpty)
        #expect(context.insertedModelsArray.isEmpty && context.changedModelsArray.count == 1)
        try context.transaction { cabinet.title = "both" }
        #expect(!context.hasChanges)
        let other = ModelContext(context.container)
        let found = try #require(try other.fetch(FetchDescriptor<Cabinet>()).first)
        #expect(found.title == "both" && found.width == 5)
        #expect(try other.fetchCount(FetchDescriptor<Cabinet>()) == 1)
    }

    @Test("Rolling back leaves no changes, and the models as they were saved")
    func rollingBack() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        let (cabinet, gone) = (Cabinet("A"), Cabinet("B"))
        cabinet.binders = [Binder("P")]
        context.insert(cabinet)
        context.insert(gone)
        try context.save()
        cabinet.title = "x"
        cabinet.binders = [Binder("Q")]
        context.insert(Cabinet("C"))
        context.delete(gone)
        #expect(context.hasChanges)
        context.rollback()
        #expect(!context.hasChanges && !cabinet.hasChanges && !gone.isDeleted)
        #expect(cabinet.title.isEmpty && cabinet.binders.map(\.name) == ["P"])
        #expect(context.insertedModelsArray.isEmpty && context.changedModelsArray.isEmpty)
        #expect(context.deletedModelsArray.isEmpty)
    }

    @Test("An undo manager takes changes, insertions and deletions back, and makes them again")
    func undo() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        #expect(context.undoManager == nil)
        let undo = UndoManager()
        context.undoManager = undo
        let cabinet = Cabinet("A", title: "one")
        cabinet.binders = [Binder("P")]
        context.insert(cabinet)
        try context.save()
        context.processPendingChanges()
        undo.removeAllActions()
        cabinet.title = "two"
        context.processPendingChanges()
        undo.undo()
        #expect(cabinet.title == "one")
        undo.redo()
        #expect(cabinet.title == "two")
        try context.save()
        undo.removeAllActions()
        context.delete(cabinet)
        context.processPendingChanges()
        #expect(cabinet.isDeleted)
        undo.undo()
        #expect(!cabinet.isDeleted && cabinet.binders.map(\.name) == ["P"])
        // A transaction is one step.
        try context.transaction {
            cabinet.title = "three"
            context.insert(Cabinet("B"))
        }
        undo.undo()
        #expect(cabinet.title == "two")
        #expect(try context.fetchCount(FetchDescriptor<Cabinet>()) == 1)
    }

    // MARK: Saving

    @Test("A save posts two notifications; the second has the identifiers under the keys and their raw values")
    func notifications() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        let (cabinet, gone) = (Cabinet("A"), Cabinet("B"))
        context.insert(cabinet)
        context.insert(gone)
        let before = PostedNotifications(ModelContext.willSave, of: context)
        let after = PostedNotifications(ModelContext.didSave, of: context)
        try context.save()
        #expect(before.count == 1 && before.hadChanges && before.userInfo?.isEmpty != false)
        let ids = Set([cabinet.persistentModelID, gone.persistentModelID])
        #expect(after.identifiers("insertedIdentifiers").map(Set.init) == ids)
        #expect(
            (after.userInfo?[ModelContext.NotificationKey.insertedIdentifiers] as? [PersistentIdentifier]).map(Set.init)
                == ids)
        cabinet.title = "x"
        context.delete(gone)
        try context.save()
        #expect(after.identifiers("updatedIdentifiers") == [cabinet.persistentModelID])
        #expect(after.identifiers("deletedIdentifiers") == [gone.persistentModelID])
        #expect(after.identifiers("insertedIdentifiers") == [])
        #expect(!after.hadChanges)
        try context.save()
        #expect(before.count == 2 && after.count == 2)
    }

    @Test("A model that misses a required one is error 1570 with the property, and the changes stay")
    func required() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        let chapter = BoundChapter("C")
        let leaf = BoundLeaf(1, of: chapter)
        context.insert(leaf)
        try context.save()
        leaf.number = 2
        context.delete(chapter)
        let error = #expect(throws: (any Error).self) { try context.save() }
        let cocoa = try #require(error as NSError?)
        #expect(cocoa.code == NSValidationMissingMandatoryPropertyError)
        #expect(cocoa.userInfo[NSValidationKeyErrorKey] as? String == "chapter")
        #expect(context.hasChanges && chapter.isDeleted && leaf.number == 2)
        leaf.chapter = BoundChapter("D")
        try context.save()
        #expect(try context.fetch(FetchDescriptor<BoundChapter>()).map(\.title) == ["D"])
    }

    @Test("The arrays of changes have each model once, in order")
    func arrays() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        let cabinets = (0..<3).map { Cabinet("\($0)") }
        for cabinet in cabinets { context.insert(cabinet) }
        let binder = Binder("P", on: cabinets[1])
        #expect(context.insertedModelsArray.count == 4)
        #expect(cabinets.allSatisfy { cabinet in context.insertedModelsArray.contains { $0 === cabinet } })
        try context.save()
        cabinets[0].title = "x"
        context.delete(cabinets[1])
        #expect(binder.isDeleted && binder.cabinet == nil)
        #expect(context.changedModelsArray.map { $0 as? Cabinet } == [cabinets[0]])
        #expect(context.deletedModelsArray.contains { $0 === cabinets[1] } && context.deletedModelsArray.count == 2)
    }
}

/// The notifications of one name from one context.
private final class PostedNotifications: @unchecked Sendable {  // used on one thread
    private(set) var count = 0
    private(set) var userInfo: [AnyHashable: Any]?
    private(set) var hadChanges = false
    private var observer: (any NSObjectProtocol)?

    init(_ name: Notification.Name, of context: ModelContext) {
        observer = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
            [unowned self] notification in
            count += 1
            userInfo = notification.userInfo
            hadChanges = (notification.object as? ModelContext)?.hasChanges == true
        }
    }

    deinit { observer.map(NotificationCenter.default.removeObserver) }

    func identifiers(_ key: String) -> [PersistentIdentifier]? { userInfo?[key] as? [PersistentIdentifier] }
}
