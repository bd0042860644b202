import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite
struct VersionHashTests {
    private func hex(_ data: Data) -> String {
        data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test("the entity of the project template has its published hash")
    func templateEntity() {
        let event = SampleModels.entity("Event")
        event.properties = [SampleModels.attribute("timeStamp", .dateAttributeType)]
        #expect(hex(event.versionHash) == "5431c046d30e7f32c2cc809958add1e7579ad104a3aa8fc4846e97d7af01cc79")
    }

    @Test("attributes and relationships have the hashes of the published examples")
    func properties() {
        let name = SampleModels.attribute("name", .stringAttributeType)
        name.isOptional = false
        #expect(hex(name.versionHash) == "8cb9965c0031ac68913984f3110941ad965395be9fd9b17de7be54bc7ad46890")
        let id = SampleModels.attribute("id", .UUIDAttributeType)
        id.isOptional = false
        id.preservesValueInHistoryOnDeletion = true
        #expect(hex(id.versionHash) == "3f41bba0910aa0eeb185058d518a6415630c2839c3b12a0287d912205b2de797")
        let (car, person) = (SampleModels.entity("Car"), SampleModels.entity("Person"))
        let owner = SampleModels.relationship("owner", to: person, maxCount: 1)
        let cars = SampleModels.relationship("cars", to: car, maxCount: 0)
        car.properties = [owner]
        person.properties = [cars]
        owner.inverseRelationship = cars
        cars.inverseRelationship = owner
        #expect(hex(owner.versionHash) == "de1c089788a726f3fe40c12bfbf0f4d48833e8afa94bf16d82bf8dec1f49ef0d")
        #expect(hex(cars.versionHash) == "3c620a49254a65e4fdd1816f9dcb43be5310e63cd52f762a262a9831a688f86f")
    }

    @Test("a change that leaves the layout as it is leaves the hash as it is")
    func indifference() throws {
        let model = SampleModels.library()
        let before = model.entityVersionHashesByName
        let book = try #require(model.entitiesByName["Book"])
        book.attributesByName["pages"]?.defaultValue = NSNumber(value: 1)
        book.relationshipsByName["authors"]?.deleteRule = .denyDeleteRule
        book.managedObjectClassName = "Other"
        book.indexes = []
        book.userInfo = ["a": "b"]
        #expect(model.entityVersionHashesByName == before)
    }

    @Test("a change of the layout changes the hash, of subentities too")
    func difference() throws {
        let model = SampleModels.library()
        let before = model.entityVersionHashesByName
        model.entitiesByName["Publication"]?.attributesByName["title"]?.isOptional = true
        let after = model.entityVersionHashesByName
        #expect(after["Publication"] != before["Publication"])
        #expect(after["Book"] != before["Book"])
        #expect(after["Tag"] == before["Tag"])
        model.entitiesByName["Tag"]?.versionHashModifier = "1"
        #expect(model.entityVersionHashesByName["Tag"] != before["Tag"])
    }

    @Test("a derived attribute makes the hash of its entity our own, and so does a recorded hash until a change")
    func derivedAttributes() throws {
        let model = SampleModels.library()
        let book = try #require(model.entitiesByName["Book"])
        #expect(!book.isVersionHashExact)
        #expect(model.entitiesByName["Tag"]?.isVersionHashExact == true)
        let recorded = Data(repeating: 7, count: 32)
        book.recordedVersionHash = recorded
        #expect(book.versionHash == recorded)
        book.superentity?.attributesByName["title"]?.isOptional = true
        #expect(book.versionHash != recorded)
    }

    /// A model with a derived attribute. If `recordsHash` is true, it records another hash of its entity.
    private func model(deriving format: String, recordsHash: Bool) -> NSManagedObjectModel {
        let derived = NSDerivedAttributeDescription()
        derived.name = "derived"
        derived.attributeType = .stringAttributeType
        derived.isOptional = true
        derived.derivationExpression = CoreData.NSExpression(format: format)
        let model = ModelText.model("entity Item\n  name string")
        model.entities[0].properties.append(derived)
        if recordsHash { model.entities[0].recordedVersionHash = Data(repeating: 7, count: 32) }
        return model
    }

    @Test("a SQLite store with another hash of an entity with a derived attribute is compared by structure")
    func comparedByStructure() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("store.sqlite")
            try withStore(url, model(deriving: "uppercase:(name)", recordsHash: false)) { context in
                context.make("Item", ["name": "a"])
                try context.save()
            }
            let same = model(deriving: "uppercase:(name)", recordsHash: true)
            #expect(try withStore(url, same) { try $0.all("Item").count } == 1)
            let other = model(deriving: "lowercase:(name)", recordsHash: true)
            let error = #expect(throws: NSError.self) { try withStore(url, other) { _ in } }
            #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        }
    }

    @Test("a frozen model computes its hashes once and keeps them")
    func frozen() {
        let model = SampleModels.library()
        let before = model.entityVersionHashesByName
        model.freeze()
        #expect(model.entityVersionHashesByName == before)
        #expect(model.entitiesByName["Book"]?.versionHash == before["Book"])
        #expect(Data(base64Encoded: model.versionChecksum)?.count == 32)
        #expect(Data(base64Encoded: model.storeDigest)?.count == 64)
    }
}
