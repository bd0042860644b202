import Foundation
import SwiftData
import TestSupport
import Testing

/// Identifiers over the first save.
@Suite("Identity of SwiftData's models")
struct SwiftDataIdentityTests {
    @Test("Sets and dictionaries of models and of identifiers work beyond the first save")
    func collections() throws {
        let container = try CabinetStore.inMemory()
        let context = ModelContext(container)
        let cabinets = (0..<50).map { Cabinet("\($0)") }
        let detached = cabinets[0].persistentModelID
        for cabinet in cabinets { context.insert(cabinet) }
        let models = Set(cabinets)
        let ids = Set(cabinets.map(\.persistentModelID))
        let names = Dictionary(uniqueKeysWithValues: cabinets.map { ($0.persistentModelID, $0.code) })
        #expect(ids.contains(detached))
        let before = cabinets.map(\.hashValue)
        try context.save()
        #expect(cabinets.map(\.hashValue) == before)
        #expect(cabinets.allSatisfy { models.contains($0) && ids.contains($0.persistentModelID) })
        #expect(cabinets.allSatisfy { names[$0.persistentModelID] == $0.code })
        // Also identifiers that came from elsewhere.
        let other = ModelContext(container)
        for cabinet in try other.fetch(FetchDescriptor<Cabinet>()) {
            #expect(ids.contains(cabinet.persistentModelID) && names[cabinet.id] == cabinet.code)
            let data = try JSONEncoder().encode(cabinet.persistentModelID)
            let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
            #expect(ids.contains(decoded) && names[decoded] == cabinet.code)
        }
        #expect(Set(try other.fetchIdentifiers(FetchDescriptor<Cabinet>())) == ids)
    }

    @Test("A temporary identifier equals the permanent one after the save, and finds the model")
    func oldIdentifiers() throws {
        let container = try CabinetStore.inMemory()
        let context = ModelContext(container)
        let cabinet = Cabinet("A")
        let early = cabinet.persistentModelID
        #expect(early.storeIdentifier == nil)
        context.insert(cabinet)
        let old = cabinet.persistentModelID
        #expect(early == old && early.hashValue == old.hashValue)
        let text = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(old))
        #expect(text == old && text.hashValue == old.hashValue)
        #expect((context.model(for: early) as? Cabinet) === cabinet)
        try context.save()
        let new = cabinet.persistentModelID
        #expect(new.storeIdentifier != nil)
        #expect(new == old && old == new && early == new)
        #expect(Set([old, new, early]).count == 1)
        #expect(!(old < new) && !(new < old))
        #expect((context.model(for: old) as? Cabinet) === cabinet)
        let registered: Cabinet? = context.registeredModel(for: early)
        #expect(registered === cabinet)
        let other = ModelContext(container)
        #expect((other.model(for: old) as? Cabinet)?.code == "A")
        #expect(
            try other.fetchCount(FetchDescriptor<Cabinet>(predicate: #Predicate { $0.persistentModelID == old })) == 1)
        // A copy by way of JSON names the row from now on.
        let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(old))
        #expect(decoded == new && decoded.hashValue == new.hashValue)
    }

    @Test("Two new models have different identifiers, and one that is never saved keeps its own")
    func unsaved() throws {
        let (one, two) = (Cabinet("A"), Cabinet("B"))
        let ids = Set([one.persistentModelID, two.persistentModelID])
        #expect(ids.count == 2 && one != two)
        let context = ModelContext(try CabinetStore.inMemory())
        context.insert(one)
        context.rollback()
        #expect(ids.contains(one.persistentModelID))
        #expect(one.modelContext == nil)
    }

    @Test("A failed save changes neither hash nor equality")
    func failedSave() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        let chapter = BoundChapter("C")
        context.insert(BoundLeaf(1, of: chapter))
        try context.save()
        let cabinet = Cabinet("A")
        context.insert(cabinet)
        context.delete(chapter)
        let (models, id) = (Set([cabinet]), cabinet.persistentModelID)
        #expect(throws: (any Error).self) { try context.save() }
        #expect(models.contains(cabinet) && id == cabinet.persistentModelID && context.hasChanges)
        for leaf in try context.fetch(FetchDescriptor<BoundLeaf>()) { context.delete(leaf) }
        try context.save()
        #expect(models.contains(cabinet) && id == cabinet.persistentModelID)
        #expect(id.hashValue == cabinet.persistentModelID.hashValue)
    }
}
