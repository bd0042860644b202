import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Refreshing one side of a relationship", .leavesNothingBehind, .onEveryKindOfStore)
struct RefreshedPairTests {
    @Test("A refresh drops an object's links on the other sides, too, and the object can be deleted and saved")
    func bothSides() throws {
        for (key, back, isMany) in [("lefts", "rights", true), ("partner", "partneredBy", false)] {
            let library = try Library(model: PairModel.make())
            let context = library.context()
            try context.performAndWait {
                let one = context.make(isMany ? "Owner" : "Item", ["name": "a"])
                let other = context.make("Item", ["name": "b"])
                try context.save()
                one.setValue(isMany ? NSOrderedSet(object: other) : other, forKey: key)
                context.refresh(one, mergeChanges: false)
                #expect(isMany ? other.ordered(back).isEmpty : other.one(back) == nil, "\(key)")
                context.delete(one)
                try context.save()
                #expect(try context.all("Item").map(\.nameText) == ["b"], "\(key)")
            }
        }
    }

    @Test("Unsaved changes of other contexts to an object's members stay theirs")
    func members() throws {
        let library = try Library(model: PairModel.make())
        let context = library.context()
        try context.performAndWait {
            let owner = context.make("Owner", ["name": "o", "amount": 1])
            let items = ["1", "2"].map { context.make("Item", ["name": $0]) }
            try context.save()
            for item in items { item.setValue(owner, forKey: "queuedBy") }
            owner.setValue(2, forKey: "amount")
            context.refresh(owner, mergeChanges: false)
            #expect(owner.value(forKey: "amount") as? Int == 1)
            #expect(owner.ordered("queue").map(\.nameText) == ["1", "2"])
            try context.save()
        }
        let fresh = try library.beside().context()
        try fresh.performAndWait {
            let owner = try #require(try fresh.all("Owner").first)
            #expect(owner.ordered("queue").map(\.nameText) == ["1", "2"])
        }
    }

    @Test("A deletion still empties links to the object, though their owner is refreshed")
    func deletedTarget() throws {
        for depth in 0..<2 {
            let library = try Library(model: PairModel.make())
            let root = library.context()
            let context = depth == 0 ? root : library.child(of: root)
            try context.performAndWait {
                let owner = context.make("Owner", ["name": "o"])
                let item = context.make("Item", ["name": "i", "owner": owner])
                try context.save()
                context.delete(owner)
                context.processPendingChanges()
                context.refresh(item, mergeChanges: false)
                #expect(item.one("owner") == nil)
                try context.save()
                #expect(item.one("owner") == nil && !context.hasChanges)
            }
            try root.performAndWait { try root.save() }
            let left = try library.saved("Owner", "name")
            #expect(left.isEmpty)
        }
    }
}
