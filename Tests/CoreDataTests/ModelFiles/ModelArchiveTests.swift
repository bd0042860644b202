import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Proof: our compiled models, read here.
@Suite
struct ModelArchiveTests {
    @Test("a model that is archived and read again is equal, down to defaults, validation and templates")
    func roundTrip() throws {
        let model = SampleModels.library()
        let copy = try ModelArchive.decode(ModelArchive.encode(model))
        #expect(copy.isEqual(model))
        for (name, entity) in model.entitiesByName {
            let twin = try #require(copy.entitiesByName[name])
            #expect(twin.isEqual(entity), "\(name)")
            for (key, property) in entity.propertiesByName {
                let other = try #require(twin.propertiesByName[key])
                #expect(other.isEqual(property), "\(name).\(key)")
                #expect(other.versionHash == property.versionHash, "\(name).\(key)")
            }
        }
        #expect(copy.versionIdentifiers == ["1.0"])
        #expect(copy.entities(forConfigurationName: "Labels")?.map(\.name) == ["Tag"])
        #expect(copy.fetchRequestTemplatesByName == model.fetchRequestTemplatesByName)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test("An archive of a model is the content of a .mom file; other bytes are no model")
    func publicArchive() throws {
        try withTemporaryFolder { folder in
            let model = SampleModels.library()
            let file = folder.appendingPathComponent("Library.mom")
            try model.archive().write(to: file)
            #expect(try NSManagedObjectModel.read(contentsOf: file).isEqual(model))
            #expect(try NSManagedObjectModel.read(archive: Data(contentsOf: file)).isEqual(model))
            #expect(throws: (any Error).self) { try NSManagedObjectModel.read(archive: Data("model".utf8)) }
        }
    }

    @Test("Models are compared whose default values are sets with lists and sets in them")
    func setsOfLists() throws {
        func model(_ last: Int) -> NSManagedObjectModel {
            let attribute = NSAttributeDescription()
            attribute.name = "tags"
            attribute.attributeType = .transformableAttributeType
            attribute.defaultValue = NSSet(array: [["a", 1] as NSArray, NSSet(array: [["b", last] as NSArray])])
            let entity = NSEntityDescription()
            entity.name = "Item"
            entity.properties = [attribute]
            let model = NSManagedObjectModel()
            model.entities = [entity]
            return model
        }
        let copy = try NSManagedObjectModel.read(archive: model(1).archive())
        #expect(copy.isEqual(model(1)))
        #expect(!copy.isEqual(model(2)))
    }

    @Test("An archive of a model that contradicts itself is refused when it is read")
    func contradictory() throws {
        let entity = NSEntityDescription()
        entity.name = "Person"
        let attributes = ["name", "number"].map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            return attribute
        }
        entity.properties = attributes
        let model = NSManagedObjectModel()
        model.entities = [entity]
        attributes[1].name = "name"
        let archive = try model.archive()
        let error = #expect(throws: NSError.self) { try NSManagedObjectModel.read(archive: archive) }
        #expect(error?.localizedDescription.contains("two properties of this name") == true)
    }

    @Test("relationships of a decoded model lead to its own entities and back")
    func links() throws {
        let copy = try ModelArchive.decode(ModelArchive.encode(SampleModels.library()))
        let book = try #require(copy.entitiesByName["Book"])
        let author = try #require(copy.entitiesByName["Author"])
        let authors = try #require(book.relationshipsByName["authors"])
        #expect(authors.destinationEntity === author)
        #expect(authors.inverseRelationship === author.relationshipsByName["books"])
        #expect(book.relationshipsByName["sequel"]?.inverseRelationship === book.relationshipsByName["sequel"])
        #expect(book.superentity === copy.entitiesByName["Publication"])
        #expect(book.managedObjectModel === copy)
    }

    @Test("a compressed archive is raw DEFLATE and decodes to an equal model")
    func deflated() throws {
        let model = SampleModels.library()
        let compressed = try ModelArchive.encodeDeflated(model)
        #expect(compressed.count < (try ModelArchive.encode(model)).count)
        #expect(try ModelArchive.decode(deflated: compressed).isEqual(model))
        #expect(throws: NSError.self) { try ModelArchive.decode(deflated: compressed.dropLast(9)) }
        #expect(throws: NSError.self) { try ModelArchive.decode(deflated: Data("no deflate at all".utf8)) }
    }

    @Test("A part of a model that no archive can hold is refused in a file and left out in a store")
    func unarchivable() throws {
        struct Swatch {}
        let model = SampleModels.library()
        let tag = try #require(model.entitiesByName["Tag"])
        let label = try #require(tag.attributesByName["label"])
        label.setValidationPredicates(
            [NSPredicate(block: { _, _ in true }), NSPredicate(format: "length < 9")],
            withValidationWarnings: ["block", "long"])
        tag.attributesByName["label"]?.defaultValue = Swatch()
        tag.userInfo = ["swatch": Swatch(), "kept": "yes"]
        #expect(throws: NSError.self) { try ModelArchive.encode(model) }
        let copy = try ModelArchive.decode(deflated: ModelArchive.encodeDeflated(model))
        let twin = try #require(copy.entitiesByName["Tag"]?.attributesByName["label"])
        #expect(twin.validationPredicates.map(\.printed) == ["length < 9"])
        #expect(twin.validationWarnings as? [String] == ["long"])
        #expect(twin.defaultValue == nil)
        #expect(copy.entitiesByName["Tag"]?.userInfo?.count == 1)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test("a compressed archive that grows beyond any model is refused")
    func decompressionLimit() throws {
        let compressed = try RawDeflate.compress(Data(count: 100_000))
        #expect(try RawDeflate.decompress(compressed, limit: 100_000).count == 100_000)
        #expect(throws: NSError.self) { try RawDeflate.decompress(compressed, limit: 99_999) }
    }

    @Test("an archive that is cut off anywhere is refused with an error")
    func truncation() throws {
        let archive = try ModelArchive.encode(smallModel())
        for length in 0..<archive.count {
            #expect(throws: (any Error).self, "\(length)") { try ModelArchive.decode(archive.prefix(length)) }
        }
    }

    @Test("an archive with damaged bytes decodes or throws, and never stops the process")
    func damage() throws {
        let archive = try ModelArchive.encode(smallModel())
        var outcomes: Set<Bool> = []
        for index in archive.indices {
            var damaged = archive
            damaged[index] ^= index.isMultiple(of: 2) ? 1 << (index / 2 & 7) : 0xFF
            outcomes.insert(Self.decodes(damaged))
        }
        // Both ends were reached: most damage is noticed, some lands in a name.
        #expect(outcomes == [true, false])
    }

    /// Whether the bytes decode; a decoded model is also validated, hashed and archived again.
    private static func decodes(_ data: Data) -> Bool {
        do {
            let model = try ModelArchive.decode(data)
            try model.validate()
            model.freeze()
            return try !model.versionChecksum.isEmpty && !ModelArchive.encode(model).isEmpty
        } catch {
            return false
        }
    }

    private func smallModel() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let parent = SampleModels.entity("A", isAbstract: true)
        let child = SampleModels.entity("B")
        let name = SampleModels.attribute("n", .stringAttributeType, default: "d")
        name.setValidationPredicates([NSPredicate(format: "length > 1")], withValidationWarnings: ["w"])
        parent.properties = [
            name, SampleModels.attribute("p", .decimalAttributeType, default: NSDecimalNumber(value: 1)),
        ]
        let link = SampleModels.relationship("r", to: parent, maxCount: 0)
        child.properties = [link]
        parent.subentities = [child]
        model.entities = [parent]
        return model
    }

    @Test("parts that refer to each other without end are refused")
    func selfReference() throws {
        // A list whose only element is itself.
        var list = Data("bplist00".utf8)
        list.append(contentsOf: [0xA1, 0x00, 0x08])
        list.append(contentsOf: [0, 0, 0, 0, 0, 0, 1, 1])
        for number in [1, 0, 10] as [UInt64] { withUnsafeBytes(of: number.bigEndian) { list.append(contentsOf: $0) } }
        #expect(throws: NSError.self) { try BinaryPropertyListReader.read(list) }
    }

    @Test("an archive of something else is refused by name")
    func otherRoot() throws {
        var writer = KeyedArchiveWriter()
        let root = writer.add(["NSMappingModel", "NSObject"], [:])
        let error = #expect(throws: NSError.self) { try ModelArchive.decode(writer.archive(root: root)) }
        #expect(error?.localizedDescription.contains("NSMappingModel") == true)
    }

    @Test("a default value of an unknown class is kept as it is")
    func opaqueDefault() throws {
        var writer = KeyedArchiveWriter()
        let text = writer.add(string: "red")
        let opaque = writer.add(["App.Color", "NSObject"], ["text": text])
        let archive = try KeyedArchive(writer.archive(root: opaque))
        let model = NSManagedObjectModel()
        let entity = SampleModels.entity("Car")
        let color = SampleModels.attribute("color", .transformableAttributeType)
        color.opaqueDefaultValue = OpaqueArchivedValue(object: try archive.root())
        entity.properties = [color]
        model.entities = [entity]
        let copy = try ModelArchive.decode(ModelArchive.encode(model))
        let kept = try #require(copy.entitiesByName["Car"]?.attributesByName["color"]?.opaqueDefaultValue)
        #expect(kept.object.description.chain == ["App.Color", "NSObject"])
        #expect(try kept.object.string("text") == "red")
        #expect(copy.entitiesByName["Car"]?.attributesByName["color"]?.defaultValue == nil)
    }

    @Test(
        "a default that is infinite or no number is read for floating-point attributes, and an error for other types",
        arguments: [Double.infinity, -.infinity, .nan, 1e300, 1e-200])
    func unusualDefaults(number: Double) throws {
        func readBack(_ type: NSAttributeType) throws -> Any? {
            let model = NSManagedObjectModel()
            let entity = SampleModels.entity("Car")
            entity.properties = [SampleModels.attribute("speed", type, default: NSNumber(value: number))]
            model.entities = [entity]
            let copy = try ModelArchive.decode(ModelArchive.encode(model))
            return copy.entitiesByName["Car"]?.attributesByName["speed"]?.defaultValue
        }
        let double = try #require(try readBack(.doubleAttributeType) as? NSNumber).doubleValue
        #expect(double == number || double.isNaN && number.isNaN)
        let float = try #require(try readBack(.floatAttributeType) as? NSNumber).floatValue
        #expect(float == Float(number) || float.isNaN && number.isNaN)
        let types: [NSAttributeType] =
            number.isFinite
            ? [.decimalAttributeType] : [.decimalAttributeType, .integer64AttributeType, .dateAttributeType]
        for type in types {
            let error = #expect(throws: NSError.self) { try readBack(type) }
            #expect(error?.localizedDescription.contains("'speed'") == true)
            #expect(error?.localizedDescription.contains("\(number)") == true)
        }
    }

    @Test(
        "decimal numbers survive the archive exactly",
        arguments: ["0", "1", "-1", "0.1", "-12.345", "99999999999999999999999999999999999999", "1e-30", "-3e40"])
    func decimals(text: String) throws {
        let number = NSDecimalNumber(string: text)
        var writer = KeyedArchiveWriter()
        let root = try writer.add(value: [number])
        let archive = try KeyedArchive(writer.archive(root: root))
        let values = try #require(try archive.value(.reference(root.index ?? 0)) as? [Any])
        #expect(values.first as? NSDecimalNumber == number)
    }
}

extension PropertyListValue {
    fileprivate var index: Int? { if case .reference(let index) = self { index } else { nil } }
}
