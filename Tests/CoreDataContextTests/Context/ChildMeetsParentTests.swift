import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("A child's save meets its parent's changes since", .leavesNothingBehind)
struct ChildMeetsParentTests {
    private static let kinds: [StoreKind] = [.sqlite, .inMemory, .atomic, .incremental]

    @Test(
        "A child that leads to an object deleted by its parent cannot be saved, and nothing is pushed", arguments: kinds
    )
    func deletedTarget(kind: StoreKind) throws {
        let library = try Library(kind, model: PairModel.make())
        let root = library.context()
        let child = library.child(of: root)
        let id = try root.performAndWait {
            let owner = root.make("Owner")
            try root.save()
            return owner.objectID
        }
        child.performAndWait {
            child.make("Item", ["name": "i"]).setValue(child.object(with: id), forKey: "owner")
        }
        root.performAndWait {
            root.delete(root.object(with: id))
            root.processPendingChanges()
        }
        let error = try #require(#expect(throws: NSError.self) { try child.performAndWait { try child.save() } })
        // Which of the two comes depends on whether the child has read its owner before.
        #expect([NSManagedObjectValidationError, NSManagedObjectMergeError].contains(error.code))
        try root.performAndWait {
            #expect(root.insertedObjects.isEmpty)
            try root.save()
        }
        #expect(try library.saved("Item", "name").isEmpty)
    }

    @Test(
        "A child's order leaves out objects that its parent has deleted or removed, and keeps those that it has added",
        arguments: kinds)
    func order(kind: StoreKind) throws {
        let library = try Library(kind, model: PairModel.make())
        let root = library.context()
        let child = library.child(of: root)
        let ids = try root.performAndWait {
            let owner = root.make("Owner")
            let items = ["a", "b", "c", "d"].map { root.make("Item", ["name": $0]) }
            owner.setValue(NSOrderedSet(array: items), forKey: "lefts")
            try root.save()
            return [owner.objectID] + items.map(\.objectID)
        }
        child.performAndWait {
            child.object(with: ids[0]).mutableOrderedSetValue(forKey: "lefts")
                .moveObjects(at: IndexSet(integer: 2), to: 0)
        }
        root.performAndWait {
            root.delete(root.object(with: ids[2]))
            let lefts = root.object(with: ids[0]).mutableOrderedSetValue(forKey: "lefts")
            lefts.remove(root.object(with: ids[4]))
            lefts.add(root.make("Item", ["name": "e"]))
            root.processPendingChanges()
        }
        try child.performAndWait { try child.save() }
        try root.performAndWait {
            let owner = root.object(with: ids[0])
            #expect(owner.ordered("lefts").map(\.nameText) == ["c", "a", "e"])
            try root.save()
            #expect(owner.ordered("lefts").map(\.nameText) == ["c", "a", "e"])
        }
        let fresh = try library.beside().context()
        try fresh.performAndWait {
            let owner = try #require(try fresh.all("Owner").first)
            #expect(owner.ordered("lefts").map(\.nameText) == ["c", "a", "e"])
        }
    }

    @Test("An object that parent and child give to different owners is the child's owner's alone", arguments: kinds)
    func owners(kind: StoreKind) throws {
        let library = try Library(kind, model: PairModel.make())
        let root = library.context()
        let child = library.child(of: root)
        let ids = try root.performAndWait {
            let made = [root.make("Item"), root.make("Owner", ["name": "p"]), root.make("Owner", ["name": "q"])]
            try root.save()
            return made.map(\.objectID)
        }
        let item = child.performAndWait {
            let item = child.object(with: ids[0])
            #expect(item.one("owner") == nil)
            return Held(item)
        }
        root.performAndWait {
            #expect(root.object(with: ids[1]).many("items").isEmpty)
            root.object(with: ids[0]).setValue(root.object(with: ids[1]), forKey: "owner")
        }
        try child.performAndWait {
            item.value.setValue(child.object(with: ids[2]), forKey: "owner")
            try child.save()
        }
        try root.performAndWait {
            #expect(root.object(with: ids[0]).one("owner")?.objectID == ids[2])
            #expect(root.object(with: ids[1]).many("items").isEmpty)
            #expect(root.object(with: ids[2]).many("items").count == 1)
            try root.save()
        }
    }

    @Test(
        "A child's reads count as its parents' reads: their save finds other contexts' writes since",
        arguments: kinds, [(1, 2), (2, 2), (1, 100), (2, 100)])
    func readThrough(kind: StoreKind, levels: (depth: Int, value: Int)) throws {
        let (depth, value) = levels
        let library = try Library(kind, model: PairModel.make())
        let root = library.context()
        let chain = (0..<depth).reduce(into: [root]) { chain, _ in
            chain.append(library.child(of: chain[chain.count - 1]))
        }
        let child = chain[depth]
        let other = library.context()
        try other.performAndWait {
            other.make("Owner", ["name": "o", "amount": 1])
            try other.save()
        }
        let owner = try child.performAndWait {
            let owner = try #require(try child.all("Owner").first)
            #expect(owner.value(forKey: "amount") as? Int == 1)
            return Held(owner)
        }
        try other.performAndWait {
            try other.all("Owner").first?.setValue(100, forKey: "amount")
            try other.save()
        }
        for context in chain.reversed() {
            try context.performAndWait {
                // The same value is another change all the same: two who count one up are two.
                if context === child { owner.value.setValue(value, forKey: "amount") }
                if context !== root { return try context.save() }
                let error = try #require(#expect(throws: NSError.self) { try context.save() })
                #expect(error.code == NSManagedObjectMergeError)
            }
        }
        #expect(try library.saved("Owner", "amount") == ["100"])
    }

    @Test(
        "A deletion in a child takes the object out of relationships that the parent has set in between",
        arguments: kinds, ["owner", "queuedBy"])
    func deletedMember(kind: StoreKind, key: String) throws {
        let library = try Library(kind, model: PairModel.make())
        let root = library.context()
        let child = library.child(of: root)
        let ids = try root.performAndWait {
            let made = [root.make("Owner"), root.make("Item", ["name": "i"])]
            try root.save()
            return made.map(\.objectID)
        }
        let item = child.performAndWait {
            let item = child.object(with: ids[1])
            #expect(item.one(key) == nil)
            return Held(item)
        }
        root.performAndWait { root.object(with: ids[1]).setValue(root.object(with: ids[0]), forKey: key) }
        try child.performAndWait {
            item.value.setValue(child.object(with: ids[0]), forKey: key)
            child.delete(item.value)
            try child.save()
        }
        try root.performAndWait {
            #expect(
                root.object(with: ids[0]).many("items").isEmpty && root.object(with: ids[0]).ordered("queue").isEmpty)
            try root.save()
        }
        #expect(try library.saved("Item", "name").isEmpty)
    }

    @Test(
        "A member that a child takes out of a list, without having read it as one, is out on both sides",
        arguments: kinds)
    func takenOut(kind: StoreKind) throws {
        let library = try Library(kind, model: PairModel.make())
        let root = library.context()
        let middle = library.child(of: root)
        let low = library.child(of: middle)
        let item = try root.performAndWait {
            let item = root.make("Item", ["name": "i", "rank": 1])
            try root.save()
            return Held(item)
        }
        let id = item.value.objectID
        let known = low.performAndWait {
            let known = low.object(with: id)
            #expect(known.value(forKey: "rank") as? Int == 1)
            return Held(known)
        }
        let owner = middle.performAndWait {
            let owner = middle.make("Owner", ["name": "o"])
            owner.setValue(NSOrderedSet(object: middle.object(with: id)), forKey: "queue")
            return Held(owner)
        }
        try low.performAndWait {
            let owner = try #require(try low.all("Owner").first)
            owner.setValue(NSOrderedSet(), forKey: "queue")
            known.value.setValue(2, forKey: "rank")
            try low.save()
        }
        try middle.performAndWait {
            #expect(owner.value.ordered("queue").isEmpty)
            #expect(middle.object(with: id).one("queuedBy") == nil)
            try middle.save()
        }
        try root.performAndWait { try root.save() }
        #expect(try library.saved("Item", "rank") == ["2"])
        let fresh = try library.beside().context()
        try fresh.performAndWait {
            let saved = try #require(try fresh.all("Item").first)
            #expect(saved.one("queuedBy") == nil)
        }
    }

    @Test(
        "A member that two contexts give to different owners is in one owner's record", arguments: kinds, [false, true])
    func records(kind: StoreKind, isNested: Bool) throws {
        let library = try Library(kind, model: PairModel.make())
        let (first, other) = (library.context(), library.context())
        let child = isNested ? library.child(of: other) : other
        let ids = try first.performAndWait {
            let made = [first.make("Owner", ["name": "o"]), first.make("Item", ["name": "i"])]
            try first.save()
            return made.map(\.objectID)
        }
        let kept = child.performAndWait {
            child.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let item = child.object(with: ids[1])
            item.setValue(child.object(with: ids[0]), forKey: "queuedBy")
            return Held(item)
        }
        other.performAndWait { other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
        try first.performAndWait {
            let another = first.make("Owner", ["name": "p"])
            first.object(with: ids[1]).setValue(another, forKey: "queuedBy")
            try first.save()
        }
        try child.performAndWait {
            if !isNested { child.refreshAllObjects() }
            try child.save()
        }
        if isNested { try other.performAndWait { try other.save() } }
        withExtendedLifetime(kept) {}
        let fresh = try library.beside().context()
        try fresh.performAndWait {
            let queues = try fresh.all("Owner").map { "\($0.nameText): \($0.ordered("queue").map(\.nameText))" }
            #expect(queues.sorted() == [#"o: ["i"]"#, "p: []"])
            #expect(try fresh.all("Item").first?.one("queuedBy")?.nameText == "o")
        }
    }
}
