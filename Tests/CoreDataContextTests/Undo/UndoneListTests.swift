import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Lists after undo", .leavesNothingBehind, .onEveryKindOfStore)
struct UndoneListTests {
    /// How a member leaves its list.
    private enum Way: CaseIterable {
        case toNothing, toAnother, byList, byPair, byDeletion
    }

    @Test(
        "A member that left a list, saved or not, loaded or not, is back in its place after undo",
        arguments: [false, true])
    func places(saves: Bool) throws {
        for way in Way.allCases {
            for isLoaded in [false, true] {
                let library = try Library(model: PairModel.make())
                let context = library.context()
                let list = way == .byPair ? "lefts" : "queue"
                try context.performAndWait {
                    let (o, p) = (context.make("Owner", ["name": "o"]), context.make("Owner", ["name": "p"]))
                    let items = ["1", "2", "3"].map { context.make("Item", ["name": $0]) }
                    o.setValue(NSOrderedSet(array: [items[1], items[2], items[0]]), forKey: list)
                    try context.save()
                    context.refreshAllObjects()
                    context.undoManager = UndoManager()
                    if isLoaded { _ = o.ordered(list) }
                    switch way {
                    case .toNothing: items[1].setValue(nil, forKey: "queuedBy")
                    case .toAnother: items[1].setValue(p, forKey: "queuedBy")
                    case .byList: o.setValue(NSOrderedSet(array: [items[2], items[0]]), forKey: list)
                    case .byPair: items[1].setValue(NSOrderedSet(), forKey: "rights")
                    case .byDeletion: context.delete(items[1])
                    }
                    context.processPendingChanges()
                    if saves { try context.save() }
                }
                let place = "\(way), \(isLoaded ? "loaded" : "not loaded")"
                try context.performAndWait {
                    context.undoManager?.undo()
                    let o = try #require(try context.all("Owner", "name == 'o'").first)
                    #expect(o.ordered(list).map(\.nameText) == ["2", "3", "1"], "\(place), in memory")
                    try context.save()
                }
                let fresh = try library.beside().context()
                try fresh.performAndWait {
                    let o = try #require(try fresh.all("Owner", "name == 'o'").first)
                    #expect(o.ordered(list).map(\.nameText) == ["2", "3", "1"], "\(place), in the store")
                }
            }
        }
    }

    @Test("A member that was deleted before its owner lost it is in the stored list after undo")
    func deletedMember() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let shelf = context.make("Shelf", ["name": "s"])
            let tags = ["a", "b"].map { context.make("Tag", ["name": $0]) }
            shelf.setValue(Set(tags), forKey: "bookmarks")
            try context.save()
            context.undoManager = UndoManager()
            context.delete(tags[0])
            context.processPendingChanges()
            shelf.setValue(Set<NSManagedObject>(), forKey: "bookmarks")
            context.undo()
            context.redo()
            context.undo()
            try context.save()
            context.refreshAllObjects()
            #expect(shelf.texts("bookmarks", "name") == ["a", "b"])
        }
    }

    @Test("An order that leads back to the first one is no change to undo")
    func sameOrder() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let shelf = context.make("Shelf", ["name": "s"])
            let books = ["1", "2", "3"].map { context.make("Book", ["title": $0]) }
            shelf.setValue(NSOrderedSet(array: books), forKey: "items")
            try context.save()
            let manager = UndoManager()
            context.undoManager = manager
            for order in [[2, 1, 0], [0, 1, 2]] {
                shelf.setValue(NSOrderedSet(array: order.map { books[$0] }), forKey: "items")
            }
            context.processPendingChanges()
            #expect(!manager.canUndo)
        }
    }
}
