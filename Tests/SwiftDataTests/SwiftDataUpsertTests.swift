import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// New models whose unique values are taken.
@Suite("Upsert of SwiftData")
struct SwiftDataUpsertTests {
    @Test("A new model whose unique value is taken becomes the row's, and the other model shows the values as well")
    func taken() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        let first = Cabinet("A", title: "first")
        first.binders = [Binder("P")]
        context.insert(first)
        try context.save()
        let id = first.persistentModelID
        let second = Cabinet("A", title: "second")
        second.seen = 4
        second.binders = [Binder("Q")]
        context.insert(second)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Cabinet>()) == 1)
        #expect(first == second)
        #expect(second.persistentModelID == id && !second.isDeleted && second.modelContext === context)
        for cabinet in [first, second] {
            #expect(cabinet.title == "second")
            #expect(Set(cabinet.binders.map(\.name)) == ["P", "Q"])
        }
        #expect(second.seen == 4)
        #expect(!context.hasChanges)
        second.title = "third"
        #expect(first.title == "third" && first.hasChanges && second.hasChanges)
        try context.save()
        first.binders.append(Binder("R"))
        #expect(second.binders.count == 3)
        context.delete(second)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Binder>()) == 0)
        #expect(first.modelContext == nil && second.modelContext == nil)
    }

    @Test("A row without a model gets the new one, which later fetches give")
    func withoutModel() throws {
        let container = try CabinetStore.inMemory()
        let context = ModelContext(container)
        do {
            let other = ModelContext(container)
            other.insert(Cabinet("A", title: "first"))
            try other.save()
        }
        let mine = Cabinet("A")
        mine.width = 9
        context.insert(mine)
        try context.save()
        let found = try #require(try context.fetch(FetchDescriptor<Cabinet>()).first)
        #expect(found === mine)
        #expect(found.width == 9)
    }

    @Test("Of two new models with one key the later one's values count, and both stay")
    func twoNew() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        let (one, two) = (Cabinet("A", title: "one"), Cabinet("A", title: "two"))
        one.binders = [Binder("P")]
        two.binders = [Binder("Q")]
        context.insert(one)
        context.insert(two)
        try context.save()
        #expect(one == two && one.title == "two" && two.title == "two")
        #expect(Set(two.binders.map(\.name)) == ["P", "Q"])
        #expect(one.persistentModelID == two.persistentModelID)
        #expect(try context.fetch(FetchDescriptor<Cabinet>()).count == 1)
    }

    @Test("Members of relationships in both directions are united, and links to the new model lead to the row")
    func united() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        let first = Cabinet("A")
        first.labels = [CabinetLabel("old")]
        context.insert(first)
        try context.save()
        let second = Cabinet("A")
        let label = CabinetLabel("new")
        label.cabinets = [second]
        let binder = Binder("Q", on: second)
        context.insert(second)
        try context.save()
        #expect(Set(first.labels.map(\.name)) == ["old", "new"])
        #expect(binder.cabinet == first)
        #expect(label.cabinets.map(\.code) == ["A"])
    }

    @Test("Several attributes that are unique together")
    func together() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        let first = SeatTicket("F", 7, owner: "Ann")
        context.insert(first)
        context.insert(SeatTicket("F", 8))
        try context.save()
        let second = SeatTicket("F", 7, owner: "Bob")
        context.insert(second)
        try context.save()
        #expect(first.owner == "Bob" && second == first)
        #expect(try context.fetchCount(FetchDescriptor<SeatTicket>()) == 2)
    }

    @Test("Two contexts that race for one key, in memory and in a file", arguments: [false, true])
    func racing(inFile: Bool) throws {
        try withTemporaryFolder { folder in
            let container =
                try inFile
                ? CabinetStore.file(folder.appendingPathComponent("a.store").path) : CabinetStore.inMemory()
            let (one, two) = (ModelContext(container), ModelContext(container))
            let (mine, theirs) = (Cabinet("A", title: "mine"), Cabinet("A", title: "theirs"))
            mine.binders = [Binder("P")]
            theirs.binders = [Binder("Q")]
            one.insert(mine)
            two.insert(theirs)
            try one.save()
            try two.save()
            #expect(mine == theirs && theirs.title == "theirs")
            _ = try one.fetch(FetchDescriptor<Cabinet>())
            #expect(mine.title == "theirs")
            #expect(Set(mine.binders.map(\.name)) == ["P", "Q"])
        }
    }

    @Test("A transaction that fails leaves the row as it was, and the next save takes it over")
    func failing() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        let first = Cabinet("A", title: "first")
        let chapter = BoundChapter("C")
        context.insert(first)
        context.insert(BoundLeaf(1, of: chapter))
        try context.save()
        let second = Cabinet("A", title: "second")
        #expect(throws: (any Error).self) {
            try context.transaction {
                context.insert(second)
                context.delete(chapter)
            }
        }
        #expect(!context.hasChanges && first.title == "first" && !chapter.isDeleted)
        let third = Cabinet("A", title: "third")
        context.insert(third)
        try context.save()
        #expect(first.title == "third" && third == first)
    }

    @Test("The temporary identifier of a new model leads to the row that it becomes")
    func oldIdentifier() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        let first = Cabinet("A", title: "first")
        context.insert(first)
        try context.save()
        let second = Cabinet("A", title: "second")
        context.insert(second)
        let old = second.persistentModelID
        let row = first.persistentModelID
        let hash = row.hashValue
        try context.save()
        #expect((context.model(for: old) as? Cabinet) === first)
        #expect(second.persistentModelID == row && row.hashValue == hash)
        #expect(
            try context.fetch(FetchDescriptor<Cabinet>(predicate: #Predicate { $0.persistentModelID == old })) == [
                first
            ])
    }
}
