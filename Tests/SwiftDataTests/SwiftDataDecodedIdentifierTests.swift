import Foundation
import SwiftData
import TestSupport
import Testing

/// Identifiers that went through JSON before the first save of their models.
@Suite("Decoded identifiers of SwiftData's new models")
struct SwiftDataDecodedIdentifierTests {
    @Test("An identifier that was encoded and decoded before the save finds the new model, and its row later")
    func unsaved() throws {
        let container = try CabinetStore.inMemory()
        let context = ModelContext(container)
        context.autosaveEnabled = false
        let cabinets = ["A", "B", "C"].map { Cabinet($0) }
        for cabinet in cabinets { context.insert(cabinet) }
        let ids = try [cabinets[0], cabinets[2]].map { try Self.copy(of: $0.persistentModelID) }
        func check() throws {
            let all = FetchDescriptor<Cabinet>(predicate: #Predicate { ids.contains($0.persistentModelID) })
            #expect(try Set(context.fetch(all).map(\.code)) == ["A", "C"])
            let first = ids[0]
            let one = FetchDescriptor<Cabinet>(predicate: #Predicate { $0.persistentModelID == first })
            #expect(try context.fetch(one).map(\.code) == ["A"])
            #expect((context.model(for: first) as? Cabinet) === cabinets[0])
            let registered: Cabinet? = context.registeredModel(for: ids[1])
            #expect(registered === cabinets[2])
            #expect(ids[0] == cabinets[0].persistentModelID && ids[0].hashValue == cabinets[0].id.hashValue)
        }
        try check()
        #expect(ids.allSatisfy { $0.isTemporary })
        try context.save()
        try check()
        #expect(!ids.contains { $0.isTemporary })
    }

    @Test("A text of a model that has ended, or of another process, finds none")
    func ended() throws {
        let context = ModelContext(try CabinetStore.inMemory())
        let cabinet = Cabinet("A")
        context.insert(cabinet)
        let text = try JSONEncoder().encode(cabinet.persistentModelID)
        let process = try #require(String(data: text, encoding: .utf8))
        let key = try #require(process.firstMatch(of: /"t([0-9A-F-]{36})/)).1
        let foreign = Data(process.replacing(key, with: UUID().uuidString).utf8)
        for data in [foreign, try Self.textOfEnded()] {
            let id = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
            let descriptor = FetchDescriptor<Cabinet>(predicate: #Predicate { $0.persistentModelID == id })
            #expect(try context.fetch(descriptor) == [])
            #expect(id != cabinet.persistentModelID)
        }
    }

    private static func copy(of id: PersistentIdentifier) throws -> PersistentIdentifier {
        try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(id))
    }

    private static func textOfEnded() throws -> Data { try JSONEncoder().encode(Cabinet("B").persistentModelID) }
}
