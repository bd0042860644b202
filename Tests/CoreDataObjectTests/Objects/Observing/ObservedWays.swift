import Foundation
import TestSupport

@testable import CoreData

/// One way to change values, and the properties that fire.
struct ObservedWay: Sendable {
    /// The row's heading in the article.
    let name: String
    /// The properties that fire, each once.
    let fires: [String]
    /// The stores that have it.
    enum Stores {
        case any, tables, database
    }

    var needs = Stores.any
    /// Whether the change comes from outside of the context's queue, and the context merges it by itself.
    var isAutomatic = false
    /// What must have happened before the trackers begin.
    var prepare: @Sendable (ObservedStage) throws -> Void = { _ in }
    let change: @Sendable (ObservedStage) throws -> Void

    private static let title = ManagedSlot("title")
    private static let author = ManagedSlot("author")
    private static let books = ManagedSlot("books")
    private static let tags = ManagedSlot("tags")
    private static let items = ManagedSlot("items")
    private static let primitive = ManagedSlot("primitiveTitle", or: "title")

    static let all: [ObservedWay] = attributes + relationships + undoing + refreshing + merging + deleting + saving

    private static let attributes: [ObservedWay] = [
        ObservedWay(name: "an accessor sets an attribute", fires: ["one.title"]) { $0["one"].set(title, string: "x") },
        ObservedWay(name: "an accessor sets the value that is there", fires: []) {
            $0["one"].set(title, string: "One")
        },
        ObservedWay(name: "an accessor sets nil", fires: ["one.title"]) { $0["one"].set(title, string: nil) },
        ObservedWay(name: "`setValue(_:forKey:)`", fires: ["one.pages"]) { $0["one"].setValue(7, forKey: "pages") },
        ObservedWay(name: "the subscript by name", fires: ["one.title"]) { $0["one"]["title"] = "x" },
        ObservedWay(name: "`setValuesForKeys(_:)` with one other value and one equal one", fires: ["one.pages"]) {
            $0["one"].setValuesForKeys(["pages": 7, "title": "One"])
        },
        ObservedWay(name: "`setValue(_:forKeyPath:)`", fires: ["ann.name"]) {
            $0["one"].setValue("x", forKeyPath: "author.name")
        },
        ObservedWay(name: "`setPrimitiveValue(_:forKey:)`", fires: ["one.title"]) {
            $0["one"].setPrimitiveValue("x", forKey: "title")
        },
        ObservedWay(name: "a primitive accessor", fires: ["one.title"]) { $0["one"].set(primitive, string: "x") },
        ObservedWay(name: "a hand-written setter with a primitive value", fires: ["one.title"]) {
            $0["one"].willChangeValue(forKey: "title")
            $0["one"].setPrimitiveValue("x", forKey: "title")
            $0["one"].didChangeValue(forKey: "title")
        },
        ObservedWay(name: "a transformable attribute gets another object", fires: ["one.keywords"]) {
            $0["one"].setValue(["x"], forKey: "keywords")
        },
        ObservedWay(name: "a transformable attribute gets an equal object", fires: []) {
            $0["one"].setValue(["k"], forKey: "keywords")
        },
        ObservedWay(name: "a composite attribute", fires: ["account.address"]) {
            $0["account"].setValue(["city": "Oslo", "street": "x"], forKey: "address")
        },
        ObservedWay(name: "an element of a composite attribute", fires: ["account.address"]) {
            $0["account"].setValue("Oslo", forKeyPath: "address.city")
        },
    ]

    private static let relationships: [ObservedWay] = [
        ObservedWay(name: "a to-one relationship", fires: ["ann.books", "bob.books", "one.author"]) {
            $0["one"].set(author, toOne: $0["bob"])
        },
        ObservedWay(name: "a to-one relationship gets the object that is there", fires: []) {
            $0["one"].set(author, toOne: $0["ann"])
        },
        ObservedWay(name: "a to-one relationship gets nil", fires: ["ann.books", "one.author"]) {
            $0["one"].setValue(nil, forKey: "author")
        },
        ObservedWay(
            name: "a one-to-one relationship", fires: ["ann.profile", "bob.profile", "profile.author"]
        ) { $0["profile"].setValue($0["bob"], forKey: "author") },
        ObservedWay(
            name: "a to-many relationship gets other members", fires: ["ann.books", "bob.books", "one.author"]
        ) { $0["bob"].set(books, toMany: [$0["one"]]) },
        ObservedWay(name: "a live set adds a member", fires: ["ann.books", "bob.books", "one.author"]) {
            $0["bob"].mutableSetValue(forKey: "books").add($0["one"])
        },
        ObservedWay(name: "a live set removes a member", fires: ["ann.books", "one.author"]) {
            $0["ann"].mutableSetValue(forKey: "books").remove($0["one"])
        },
        ObservedWay(name: "`addToTags(_:)`, of a many-to-many relationship", fires: ["tag.books", "two.tags"]) {
            tags.add($0["tag"], to: $0["two"])
        },
        ObservedWay(name: "`addToTags(_:)` with a member", fires: []) { tags.add($0["tag"], to: $0["one"]) },
        ObservedWay(name: "`removeFromTags(_:)`", fires: ["one.tags", "tag.books"]) {
            tags.remove($0["tag"], from: $0["one"])
        },
        ObservedWay(name: "a live ordered set moves a member", fires: ["shelf.items"]) {
            $0["shelf"].mutableOrderedSetValue(forKey: "items").exchangeObject(at: 0, withObjectAt: 1)
        },
        ObservedWay(name: "`removeFromItems(at:)`, of an ordered relationship", fires: ["one.shelf", "shelf.items"]) {
            items.remove(at: 0, from: $0["shelf"])
        },
        ObservedWay(name: "an ordered relationship gets the order that is there", fires: []) {
            $0["shelf"].set(items, toMany: [$0["one"], $0["two"]])
        },
        ObservedWay(name: "a relationship without an inverse", fires: ["shelf.bookmarks"]) {
            $0["shelf"].mutableSetValue(forKey: "bookmarks").add($0["tag"])
        },
    ]

    private static let undoing: [ObservedWay] = [
        ObservedWay(
            name: "`undo()`", fires: ["ann.books", "bob.books", "one.author", "one.title"],
            prepare: { stage in
                stage.context.undoManager = UndoManager()
                stage["one"].setValue("x", forKey: "title")
                stage["one"].setValue(stage["bob"], forKey: "author")
            }, change: { $0.context.undo() }),
        ObservedWay(
            name: "`redo()`", fires: ["one.title"],
            prepare: { stage in
                stage.context.undoManager = UndoManager()
                stage["one"].setValue("x", forKey: "title")
                stage.context.undo()
            }, change: { $0.context.redo() }),
        ObservedWay(
            name: "`undo()` of a deletion", fires: ["one.tags", "tag.isDeleted"],
            prepare: { stage in
                stage.context.undoManager = UndoManager()
                stage.context.delete(stage["tag"])
                stage.context.processPendingChanges()
            }, change: { $0.context.undo() }),
        ObservedWay(
            name: "`rollback()`", fires: ["ann.books", "bob.books", "one.author", "one.title", "shelf.items"],
            prepare: { stage in
                stage["one"].setValue("x", forKey: "title")
                stage["one"].setValue(stage["bob"], forKey: "author")
                stage["shelf"].mutableOrderedSetValue(forKey: "items").exchangeObject(at: 0, withObjectAt: 1)
            }, change: { $0.context.rollback() }),
        ObservedWay(
            name: "`rollback()` of an insertion", fires: ["bob.books"],
            prepare: { _ = $0.context.make("Book", ["author": $0["bob"]]) }, change: { $0.context.rollback() }),
    ]

    private static let refreshing: [ObservedWay] = [
        ObservedWay(
            name: "`refresh(_:mergeChanges: false)` of a changed object", fires: ["one.title"],
            prepare: { $0["one"].setValue("x", forKey: "title") },
            change: { $0.context.refresh($0["one"], mergeChanges: false) }),
        ObservedWay(name: "`refresh(_:mergeChanges: false)` of an unchanged object", fires: []) {
            $0.context.refresh($0["one"], mergeChanges: false)
        },
        ObservedWay(
            name: "`refresh(_:mergeChanges: true)` after a save elsewhere", fires: ["one.pages"],
            prepare: { stage in
                stage["one"].setValue("x", forKey: "title")
                try stage.changeOutside { try stage.outside("one").setValue(7, forKey: "pages") }
            }, change: { $0.context.refresh($0["one"], mergeChanges: true) }),
        ObservedWay(
            name: "`refreshAllObjects()` after a save elsewhere", fires: ["bob.name", "one.pages"],
            prepare: { stage in
                try stage.changeOutside {
                    try stage.outside("one").setValue(7, forKey: "pages")
                    try stage.outside("bob").setValue("x", forKey: "name")
                }
            }, change: { $0.context.refreshAllObjects() }),
        ObservedWay(
            name: "a fetch with `shouldRefreshRefetchedObjects` after a save elsewhere", fires: ["one.pages"],
            prepare: { stage in
                try stage.changeOutside { try stage.outside("one").setValue(7, forKey: "pages") }
            },
            change: { stage in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.shouldRefreshRefetchedObjects = true
                _ = try stage.context.fetch(request)
            }),
        ObservedWay(
            name: "`reset()`: every value",
            fires: [
                "account.address", "account.folded", "account.mail", "account.text", "ann.books", "ann.name",
                "ann.profile", "bob.name", "one.author", "one.keywords", "one.pages", "one.shelf", "one.tags",
                "one.title", "profile.author", "profile.text", "shelf.items", "shelf.name", "tag.books", "tag.name",
                "two.author", "two.pages", "two.shelf", "two.title",
            ]
        ) { $0.context.reset() },
    ]

    private static let merging: [ObservedWay] = [
        ObservedWay(name: "`mergeChanges(fromContextDidSave:)`", fires: ["one.pages"]) { stage in
            try stage.mergeOutside { try stage.outside("one").setValue(7, forKey: "pages") }
        },
        ObservedWay(
            name: "`mergeChanges(fromContextDidSave:)` over an unsaved value", fires: [],
            prepare: { $0["one"].setValue(9, forKey: "pages") },
            change: { stage in
                try stage.mergeOutside { try stage.outside("one").setValue(7, forKey: "pages") }
            }),
        ObservedWay(
            name: "a merged change of a relationship", fires: ["ann.books", "bob.books", "one.author"]
        ) { stage in
            try stage.mergeOutside { try stage.outside("one").setValue(stage.outside("bob"), forKey: "author") }
        },
        ObservedWay(name: "a merged insertion", fires: ["bob.books"]) { stage in
            try stage.mergeOutside { _ = try stage.other.make("Book", ["author": stage.outside("bob")]) }
        },
        ObservedWay(name: "a merged deletion", fires: ["one.tags", "tag.books"]) { stage in
            try stage.mergeOutside { try stage.other.delete(stage.outside("tag")) }
        },
        ObservedWay(
            name: "an automatic merge", fires: ["one.pages"], isAutomatic: true,
            prepare: { $0.context.automaticallyMergesChangesFromParent = true },
            change: { stage in
                try stage.changeOutside { try stage.outside("one").setValue(7, forKey: "pages") }
            }),
        ObservedWay(name: "a batch update, merged", fires: ["one.pages", "two.pages"], needs: .database) { stage in
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.propertiesToUpdate = ["pages": 7]
            request.predicate = NSPredicate(format: "self IN %@", [stage["one"], stage["two"]])
            request.resultType = .updatedObjectIDsResultType
            let result = try stage.context.execute(request) as? NSBatchUpdateResult
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectsKey: result?.result ?? []], into: [stage.context])
        },
        ObservedWay(
            name: "a batch deletion, merged", fires: ["one.tags", "tag.books"], needs: .database
        ) { stage in
            let request = NSBatchDeleteRequest(objectIDs: [stage["tag"].objectID])
            try stage.context.execute(request)
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectsKey: [stage["tag"].objectID]], into: [stage.context])
        },
        ObservedWay(name: "the save of a child context", fires: ["ann.books", "bob.books", "one.author", "two.title"]) {
            stage in
            let child = stage.library.child(of: stage.context)
            try child.performAndWait {
                try child.existingObject(with: stage["two"].objectID).setValue("x", forKey: "title")
                try child.existingObject(with: stage["one"].objectID).setValue(
                    child.existingObject(with: stage["bob"].objectID), forKey: "author")
                try child.save()
            }
        },
    ]

    private static let deleting: [ObservedWay] = [
        ObservedWay(name: "`delete(_:)`, before its rules apply", fires: ["tag.isDeleted"]) {
            $0.context.delete($0["tag"])
        },
        ObservedWay(name: "the delete rule Nullify", fires: ["one.tags", "tag.isDeleted"]) {
            $0.context.delete($0["tag"])
            $0.context.processPendingChanges()
        },
        ObservedWay(
            name: "the delete rule Cascade",
            fires: [
                "ann.isDeleted", "one.author", "one.isDeleted", "profile.author", "shelf.items",
                "tag.books", "two.author", "two.isDeleted",
            ]
        ) {
            $0.context.delete($0["ann"])
            $0.context.processPendingChanges()
        },
        ObservedWay(
            name: "a saved deletion, whose object leaves the context", fires: ["tag.books", "tag.isDeleted"],
            prepare: { stage in
                stage.context.delete(stage["tag"])
                stage.context.processPendingChanges()
            }, change: { try $0.context.save() }),
    ]

    private static let saving: [ObservedWay] = [
        ObservedWay(
            name: "a save", fires: [], prepare: { $0["one"].setValue("x", forKey: "title") },
            change: { try $0.context.save() }),
        ObservedWay(
            name: "a save that gives new objects permanent ids", fires: [],
            prepare: { stage in
                stage.add(stage.context.make("Book", ["author": stage["bob"], "title": "n"]), as: "new")
                stage["shelf"].mutableOrderedSetValue(forKey: "items").add(stage["new"])
            }, change: { try $0.context.save() }),
        ObservedWay(
            name: "a save and a refresh, after which a derived attribute is new", fires: ["account.folded"],
            prepare: { $0["account"].setValue("Ä@x", forKey: "mail") },
            change: { stage in
                try stage.context.save()
                stage.context.refresh(stage["account"], mergeChanges: true)
            }),
        ObservedWay(
            name: "a conflict in which this context wins", fires: ["one.title"],
            prepare: { stage in
                stage.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                stage["one"].setValue(9, forKey: "pages")
                try stage.changeOutside {
                    try stage.outside("one").setValuesForKeys(["pages": 7, "title": "x"])
                }
            }, change: { try $0.context.save() }),
        ObservedWay(
            name: "a conflict in which the store wins", fires: ["one.pages", "one.title"],
            prepare: { stage in
                stage.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
                stage["one"].setValue(9, forKey: "pages")
                try stage.changeOutside {
                    try stage.outside("one").setValuesForKeys(["pages": 7, "title": "x"])
                }
            }, change: { try $0.context.save() }),
        ObservedWay(
            name: "a uniqueness conflict, resolved", fires: ["account.text", "new.isDeleted"], needs: .tables,
            prepare: { stage in
                stage.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                let mail = stage["account"].value(forKey: "mail") as? String ?? ""
                stage.add(stage.context.make("Account", ["mail": mail, "text": "n"]), as: "new")
            }, change: { try $0.context.save() }),
    ]
}

extension ObservedStage {
    /// Changes objects in the other context, saves it, and merges the save.
    func mergeOutside(_ body: () throws -> Void) throws {
        let context = Held(context)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { context.value.mergeChanges(fromContextDidSave: $0) }
        defer { NotificationCenter.default.removeObserver(token) }
        try changeOutside(body)
    }
}
