import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Objects without a context", .leavesNothingBehind)
struct ObjectsWithoutContextTests {
    private func detached(_ name: String, _ library: Library) throws -> NSManagedObject {
        let entity = try #require(library.coordinator.managedObjectModel.entitiesByName[name])
        return NSManagedObject(entity: entity, insertInto: nil)
    }

    @Test("They can be related to each other, and enter a context together")
    func together() throws {
        let library = try Library(model: PairModel.make())
        let owner = try detached("Owner", library)
        owner.setValue("o", forKey: "name")
        for name in ["a", "b", "c"] {
            let item = try detached("Item", library)
            item.setValue(name, forKey: "name")
            item.setValue(owner, forKey: "owner")
            owner.mutableOrderedSetValue(forKey: "lefts").add(item)
            #expect(item.one("owner") === owner)
            #expect(item.ordered("rights") == [owner])
        }
        #expect(owner.ordered("lefts").map(\.nameText) == ["a", "b", "c"])
        #expect(owner.many("items").count == 3)
        let first = owner.ordered("lefts")[0]
        first.setValue(owner.ordered("lefts")[1], forKey: "partner")
        first.setValue(owner.ordered("lefts")[2], forKey: "partner")
        #expect(owner.ordered("lefts").map { $0.one("partneredBy")?.nameText } == [nil, nil, "a"])
        first.setValue(nil, forKey: "owner")
        #expect(owner.many("items").count == 2)

        let context = library.context()
        try context.performAndWait {
            context.insert(owner)
            #expect(context.insertedObjects.count == 4)
            #expect(owner.ordered("lefts").allSatisfy { $0.managedObjectContext === context })
            try context.save()
        }
        let fresh = try library.beside().context()
        try fresh.performAndWait {
            let owner = try #require(try fresh.all("Owner").first)
            #expect(owner.ordered("lefts").map(\.nameText) == ["a", "b", "c"])
            #expect(Set(owner.many("items").map(\.nameText)) == ["b", "c"])
            #expect(owner.ordered("lefts")[0].one("partner")?.nameText == "c")
        }
    }

    @Test("Relating one to an object of a context stops the process with the framework's words", arguments: [0, 1, 2])
    func mixed(way: Int) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [way] in
            let library = try Library(model: PairModel.make())
            let context = library.context()
            try context.performAndWait {
                let entities = library.coordinator.managedObjectModel.entitiesByName
                let owner = context.make("Owner")
                let item = NSManagedObject(entity: try #require(entities["Item"]), insertInto: nil)
                switch way {
                case 0: item.setValue(owner, forKey: "owner")
                case 1: owner.setValue(Set([item]), forKey: "items")
                default: owner.mutableOrderedSetValue(forKey: "lefts").add(item)
                }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let key = ["owner", "items", "lefts"][way]
        #expect(
            text.contains("Illegal attempt to establish a relationship '\(key)' between objects in different contexts"))
    }

    @Test("An id can be made of no object, and is unlike every other")
    func emptyID() throws {
        let ids = [NSManagedObjectID(), NSManagedObjectID()]
        #expect(ids[0] != ids[1] && ids[0] == ids[0])
        #expect(ids[0].isTemporaryID && ids[0].persistentStore == nil && ids[0].entity.name == "NSManagedObject")
        #expect(ids[0].uriRepresentation().absoluteString.hasPrefix("x-coredata:///NSManagedObject/t"))
    }
}
