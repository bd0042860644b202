import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

extension NSManagedObject {
    fileprivate var name: String { value(forKey: "name") as? String ?? "nil" }

    fileprivate func list(_ key: String) -> [NSManagedObject] {
        (value(forKey: key) as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
    }

    fileprivate func names(_ key: String) -> [String] { list(key).map(\.name) }
}

@Suite("Many-to-many relationships in order on both sides", .leavesNothingBehind, .onEveryKindOfStore)
struct OrderedPairsTests {
    @Test("An order survives when pairs are removed and added from the other side")
    func orderOfBothSides() throws {
        let library = try Library(model: ListModel.make())
        let context = library.context()
        try context.performAndWait {
            let owner = context.make("Owner")
            let items = ["a", "b", "c", "d", "e"].map { context.make("Item", ["name": $0]) }
            owner.setValue(NSOrderedSet(array: Array(items[0...3])), forKey: "lefts")
            try context.save()
            for item in items[0...2] { owner.mutableOrderedSetValue(forKey: "lefts").remove(item) }
            try context.save()
            items[4].mutableOrderedSetValue(forKey: "rights").add(owner)
            #expect(owner.names("lefts") == ["d", "e"])
            try context.save()
            #expect(owner.names("lefts") == ["d", "e"])
            context.refreshAllObjects()
            #expect(owner.names("lefts") == ["d", "e"])
        }
    }

    @Test("A member that leaves and comes back from the other side, unread, stands at the end")
    func comesBack() throws {
        let library = try Library(model: ListModel.make())
        let context = library.context()
        try context.performAndWait {
            let owner = context.make("Owner")
            let items = ["a", "b", "c"].map { context.make("Item", ["name": $0]) }
            owner.setValue(NSOrderedSet(array: items), forKey: "lefts")
            try context.save()
            context.refreshAllObjects()
            items[0].setValue(NSOrderedSet(), forKey: "rights")
            items[0].setValue(NSOrderedSet(object: owner), forKey: "rights")
            #expect(owner.names("lefts") == ["b", "c", "a"])
            try context.save()
            context.refreshAllObjects()
            #expect(owner.names("lefts") == ["b", "c", "a"])
        }
    }

    @Test("Undo and redo of a member that left and came back, read in between")
    func comesBackByUndo() throws {
        let library = try Library(model: ListModel.make())
        let context = library.context()
        try context.performAndWait {
            let owner = context.make("Owner")
            let items = ["a", "b", "c"].map { context.make("Item", ["name": $0]) }
            owner.setValue(NSOrderedSet(array: items), forKey: "lefts")
            try context.save()
            context.refreshAllObjects()
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
            manager.beginUndoGrouping()
            items[0].setValue(NSOrderedSet(), forKey: "rights")
            items[0].setValue(NSOrderedSet(object: owner), forKey: "rights")
            manager.endUndoGrouping()
            manager.beginUndoGrouping()
            items[0].setValue(NSOrderedSet(), forKey: "rights")
            manager.endUndoGrouping()
            #expect(owner.names("lefts") == ["b", "c"])
            context.undo()
            #expect(owner.names("lefts") == ["b", "c", "a"])
            context.undo()
            #expect(owner.names("lefts") == ["a", "b", "c"])
            context.redo()
            #expect(owner.names("lefts") == ["b", "c", "a"])
            try context.save()
            context.refreshAllObjects()
            #expect(owner.names("lefts") == ["b", "c", "a"])
        }
    }

    @Test(
        "Lists edited from both sides equal reference lists, in memory, saved, read anew and reopened",
        arguments: Sample.seeds(2, long: 200), [false, true])
    func random(seed: Int, isNested: Bool) throws {
        let library = try Library(model: ListModel.make())
        let root = library.context()
        let context = isNested ? library.child(of: root) : root
        let last = try context.performAndWait {
            var dice = SplitMix.onCurrentKind(seed)
            var lists = Lists(owners: ["o", "p", "q"], items: ["a", "b", "c", "d", "e"])
            for name in lists.owners { context.make("Owner", ["name": name]) }
            for name in lists.items { context.make("Item", ["name": name]) }
            func save() throws {
                try context.save()
                if isNested, Bool.random(using: &dice) { try root.performAndWait { try root.save() } }
            }
            try save()
            for round in 0..<120 {
                let place = Comment(rawValue: "seed \(seed), round \(round)")
                switch Int.random(in: 0..<10, using: &dice) {
                case 0: try save()
                case 1:
                    try save()
                    context.refreshAllObjects()
                case 2:
                    try save()
                    context.reset()
                case 3: #expect(try Lists(of: context) == lists, place)
                default: try edit(&lists, context, &dice)
                }
                if round % 10 == 9 {
                    try save()
                    #expect(try Lists(of: context) == lists, place)
                    if isNested { #expect(try root.performAndWait { try Lists(of: root) } == lists, place) }
                    context.refreshAllObjects()
                    #expect(try Lists(of: context) == lists, place)
                    context.checkInvariants()
                }
            }
            try context.save()
            return lists
        }
        try root.performAndWait { try root.save() }
        let fresh = try library.beside().context()
        let reopened = try fresh.performAndWait { try Lists(of: fresh) }
        #expect(reopened == last, "seed \(seed)")
    }

    /// Changes one list, of either side, in the context and in the reference lists.
    private func edit(_ lists: inout Lists, _ context: NSManagedObjectContext, _ dice: inout SplitMix) throws {
        let (entity, key) = [("Owner", "lefts"), ("Item", "rights"), ("Item", "peers")].randomElement(using: &dice)!
        let name = (entity == "Owner" ? lists.owners : lists.items).randomElement(using: &dice)!
        let others = (key == "rights" ? lists.owners : lists.items).filter { $0 != name }
        func object(_ entity: String, _ name: String) throws -> NSManagedObject {
            try #require(try context.all(entity, "name == %@", name).first)
        }
        func other(_ name: String) throws -> NSManagedObject {
            try object(key == "rights" ? "Owner" : "Item", name)
        }
        let one = try object(entity, name)
        var list = lists[key][name] ?? []
        let proxy = one.mutableOrderedSetValue(forKey: key)
        let member = others.randomElement(using: &dice)!
        switch Int.random(in: 0..<6, using: &dice) {
        case 0...1:
            if list.contains(member) { return }
            proxy.add(try other(member))
            list.append(member)
        case 2:
            if list.contains(member) { return }
            let place = Int.random(in: 0...list.count, using: &dice)
            proxy.insert(try other(member), at: place)
            list.insert(member, at: place)
        case 3:
            guard let gone = list.randomElement(using: &dice) else { return }
            proxy.remove(try other(gone))
            list.removeAll { $0 == gone }
        case 4:
            guard list.count > 1 else { return }
            let (from, to) = (list.indices.randomElement(using: &dice)!, list.indices.randomElement(using: &dice)!)
            proxy.moveObjects(at: IndexSet(integer: from), to: to)
            list.insert(list.remove(at: from), at: to)
        default:
            list = others.shuffled(using: &dice).filter { _ in Bool.random(using: &dice) }
            one.setValue(NSOrderedSet(array: try list.map(other)), forKey: key)
        }
        lists.set(key, name, to: list)
    }
}

/// The reference lists, without Core Data.
private struct Lists: Equatable {
    var owners: [String]
    var items: [String]
    /// Per relationship and name, the names in the list.
    private var lists: [String: [String: [String]]]

    subscript(key: String) -> [String: [String]] { lists[key] ?? [:] }

    init(owners: [String], items: [String]) {
        self.owners = owners
        self.items = items
        let none = Dictionary(uniqueKeysWithValues: items.map { ($0, [String]()) })
        lists = [
            "lefts": Dictionary(uniqueKeysWithValues: owners.map { ($0, []) }), "rights": none, "peers": none,
        ]
    }

    /// As a context has them.
    init(of context: NSManagedObjectContext) throws {
        let (all, others) = (try context.all("Owner"), try context.all("Item"))
        self.init(owners: all.map(\.name).sorted(), items: others.map(\.name).sorted())
        for owner in all { lists["lefts"]?[owner.name] = owner.names("lefts") }
        for item in others {
            lists["rights"]?[item.name] = item.names("rights")
            lists["peers"]?[item.name] = item.names("peers")
        }
    }

    /// Sets one list; a newcomer gets the owner at the end of its own list, a member that goes loses it.
    mutating func set(_ key: String, _ name: String, to list: [String]) {
        let inverse = ["lefts": "rights", "rights": "lefts", "peers": "peers"][key]!
        let old = lists[key]?[name] ?? []
        for gone in old where !list.contains(gone) { lists[inverse]?[gone]?.removeAll { $0 == name } }
        for new in list where !old.contains(new) { lists[inverse]?[new]?.append(name) }
        lists[key]?[name] = list
    }
}

@Suite("Pairs of objects that are written again", .leavesNothingBehind, .onStores(.sqlite, .inMemory))
struct PairsOfReinsertedTests {
    @Test("An object deleted in another context comes back with its pairs, from either side", arguments: [true, false])
    func reinserted(fromNamingSide: Bool) throws {
        let library = try Library(model: ListModel.make())
        let context = library.context()
        let other = library.context()
        let (entity, key, inverse) =
            fromNamingSide ? ("Owner", "lefts", "rights") : ("Item", "rights", "lefts")
        let held = try context.performAndWait {
            context.mergePolicy = NSMergePolicy.overwrite
            let one = context.make(entity, ["name": "one"])
            let members = ["a", "b", "c"].map { context.make(fromNamingSide ? "Item" : "Owner", ["name": $0]) }
            one.setValue(NSOrderedSet(array: members), forKey: key)
            try context.save()
            #expect(one.names(key) == ["a", "b", "c"])
            return Held(one)
        }
        try other.performAndWait {
            for object in try other.all(entity) { other.delete(object) }
            try other.save()
        }
        try context.performAndWait {
            held.value.setValue("other", forKey: "name")
            try context.save()
        }
        let fresh = library.context()
        try fresh.performAndWait {
            let one = try #require(try fresh.all(entity).first)
            #expect(one.names(key) == ["a", "b", "c"])
            #expect(one.list(key).allSatisfy { $0.list(inverse) == [one] })
        }
    }
}
