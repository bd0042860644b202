import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("One-to-one relationships that several contexts set", .leavesNothingBehind)
struct PartnerTests {
    private static let kinds: [StoreKind] = [.sqlite, .inMemory, .atomic, .incremental]

    @Test(
        "Parent and child give an object different partners: the child's stays, the other one is alone",
        arguments: kinds)
    func parentAndChild(kind: StoreKind) throws {
        let library = try Library(kind, model: PairModel.make())
        let root = library.context()
        let child = library.child(of: root)
        let ids = try items(["x", "y", "z"], in: root)
        child.performAndWait {
            child.object(with: ids[0]).setValue(child.object(with: ids[1]), forKey: "partner")
        }
        root.performAndWait {
            root.object(with: ids[2]).setValue(root.object(with: ids[1]), forKey: "partner")
        }
        try child.performAndWait { try child.save() }
        try root.performAndWait {
            #expect(root.object(with: ids[0]).one("partner")?.objectID == ids[1])
            #expect(root.object(with: ids[2]).one("partner") == nil)
            try root.save()
        }
        #expect(try pairs(library) == ["x-y"])
    }

    @Test(
        "Two contexts give an object different partners: the policy says whose stays, the other one is alone",
        arguments: kinds,
        [
            NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
            .overwriteMergePolicyType, .rollbackMergePolicyType,
        ])
    func policies(kind: StoreKind, policy: NSMergePolicyType) throws {
        let library = try Library(kind, model: PairModel.make())
        let context = library.context()
        let other = library.context()
        let ids = try items(["x", "y", "z"], in: context)
        context.performAndWait {
            context.mergePolicy = NSMergePolicy(merge: policy)
            context.object(with: ids[0]).setValue(context.object(with: ids[1]), forKey: "partner")
        }
        try other.performAndWait {
            other.object(with: ids[2]).setValue(other.object(with: ids[1]), forKey: "partner")
            try other.save()
        }
        try context.performAndWait { try context.save() }
        let objectWins = [.mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType].contains(policy)
        #expect(try pairs(library) == [objectWins ? "x-y" : "z-y"])
    }

    @Test(
        "An overwriting save keeps a pair whole, also where only one side is in memory",
        arguments: kinds)
    func overwritten(kind: StoreKind) throws {
        let library = try Library(kind, model: PairModel.make())
        let (context, other) = (library.context(), library.context())
        let ids = try items(["x", "y", "z"], in: context)
        for context in [context, other] { context.performAndWait { context.mergePolicy = NSMergePolicy.overwrite } }
        let kept = try context.performAndWait {
            let x = context.object(with: ids[0])
            x.setValue(context.object(with: ids[1]), forKey: "partner")
            try context.save()
            return Held(x)
        }
        try other.performAndWait {
            other.object(with: ids[0]).setValue(other.object(with: ids[2]), forKey: "partner")
            try other.save()
        }
        try context.performAndWait {
            kept.value.setValue(5, forKey: "rank")
            try context.save()
        }
        #expect(try pairs(library) == ["x-y"])
    }

    @Test("One side of a pair is rolled back together with the other", arguments: kinds, [0, 1])
    func rollback(kind: StoreKind, changed: Int) throws {
        for isCut in [false, true] {
            let library = try Library(kind, model: PairModel.make())
            let context = library.context()
            let other = library.context()
            let ids = try items(["x", "y", "z"], in: other)
            try other.performAndWait {
                other.object(with: ids[0]).setValue(other.object(with: ids[1]), forKey: "partner")
                try other.save()
            }
            context.performAndWait {
                context.mergePolicy = NSMergePolicy.rollback
                let new = isCut ? nil : context.object(with: ids[2])
                context.object(with: ids[0]).setValue(new, forKey: "partner")
            }
            try other.performAndWait {
                other.object(with: ids[changed]).setValue(9, forKey: "rank")
                try other.save()
            }
            try context.performAndWait { try context.save() }
            #expect(try pairs(library) == ["x-y"], "cut: \(isCut)")
        }
    }

    @Test("A merge before the save changes nothing about that", arguments: kinds)
    func merged(kind: StoreKind) throws {
        let library = try Library(kind, model: PairModel.make())
        let context = library.context()
        let other = library.context()
        let ids = try items(["x", "y", "z"], in: context)
        try context.performAndWait {
            context.automaticallyMergesChangesFromParent = true
            context.object(with: ids[0]).setValue(context.object(with: ids[1]), forKey: "partner")
            try other.performAndWait {
                other.object(with: ids[2]).setValue(other.object(with: ids[1]), forKey: "partner")
                try other.save()
            }
        }
        try context.performAndWait { try context.save() }
        #expect(try pairs(library) == ["x-y"])
    }

    @Test(
        "Both sides of every pair agree, after random changes of two contexts and their children",
        arguments: kinds,
        [
            NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
            .mergeByPropertyStoreTrumpMergePolicyType,
        ])
    func random(kind: StoreKind, policy: NSMergePolicyType) throws {
        for seed in 1...6 {
            var generator = SplitMix(state: UInt64(seed))
            let library = try Library(kind, model: PairModel.make())
            let roots = [library.context(), library.context()]
            for root in roots { root.performAndWait { root.mergePolicy = NSMergePolicy(merge: policy) } }
            let contexts = roots + roots.map { library.child(of: $0) }
            let ids = try items((0..<6).map { "\($0)" }, in: roots[0])
            for _ in 0..<60 {
                let context = contexts[Int.random(in: 0..<4, using: &generator)]
                let (a, b) = (ids.randomElement(using: &generator)!, ids.randomElement(using: &generator)!)
                let choice = Int.random(in: 0..<10, using: &generator)
                try context.performAndWait {
                    switch choice {
                    case 0..<4: context.object(with: a).setValue(context.object(with: b), forKey: "partner")
                    case 4: context.object(with: a).setValue(nil, forKey: "partner")
                    default: try context.save()
                    }
                    context.checkInvariants()
                }
            }
            // The children first, then their parents.
            for context in contexts.reversed() { try context.performAndWait { try context.save() } }
            _ = try pairs(library)
        }
    }

    /// New items with the given names, saved.
    private func items(_ names: [String], in context: NSManagedObjectContext) throws -> [NSManagedObjectID] {
        try context.performAndWait {
            let items = names.map { context.make("Item", ["name": $0]) }
            try context.save()
            return items.map(\.objectID)
        }
    }

    /// The pairs in the file; both sides of each must have it.
    private func pairs(_ library: Library) throws -> [String] {
        let context = try library.beside().context()
        return try context.performAndWait {
            var pairs: [String] = []
            for item in try context.all("Item") {
                if let partner = item.one("partner") {
                    pairs.append("\(item.nameText)-\(partner.nameText)")
                    #expect(partner.one("partneredBy") === item)
                }
                if let partner = item.one("partneredBy") { #expect(partner.one("partner") === item) }
            }
            return pairs
        }
    }
}
