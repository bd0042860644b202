import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Descriptions of models in code")
struct ModelDescriptionTests {
    /// A model with every form of property that a store keeps.
    private static func everything() -> NSManagedObjectModel {
        let model = ModelText.model(
            """
            abstract entity Thing was Item
              name string! = a"<b>&c was label
              size int64 = 7 index modifier m1
              price decimal = 1.25
              isNew bool = true
              made date = 0
              picture data external
              scratch string transient
            entity Box : Thing
              lids ordered Lid.box
              boxes many Box.inside
              inside one Box.boxes
            entity Lid
              box one! Box.lids
              color string
              unique color
            """)
        guard let box = model.entitiesByName["Box"], let lid = model.entitiesByName["Lid"] else { return model }
        let count = NSDerivedAttributeDescription()
        count.name = "count"
        count.attributeType = .integer64AttributeType
        count.isOptional = true
        count.derivationExpression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "lids")])
        let inner = NSCompositeAttributeDescription()
        inner.name = "inner"
        inner.elements = [attribute("x", .doubleAttributeType)]
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.isOptional = true
        place.elements = [inner, attribute("shelf", .stringAttributeType)]
        box.properties += [count, place]
        lid.indexes = [
            NSFetchIndexDescription(
                name: "byColor",
                elements: [
                    NSFetchIndexElementDescription(
                        property: lid.attributesByName["color"] ?? count, collationType: .binary)
                ])
        ]
        lid.versionHashModifier = "second"
        model.versionIdentifiers = ["Boxes & lids"]
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    private static func read(_ text: String) throws -> [(name: String, model: NSManagedObjectModel)] {
        try ModelDescription.versions(in: Data(text.utf8), file: "a.modeldescription").map {
            ($0.name, try ModelFile.model(of: $0.source, file: "a.modeldescription"))
        }
    }

    @Test("A description gives a model with equal stores, names of older elements and values for new rows")
    func readAgain() throws {
        let model = Self.everything()
        let read = try Self.read(ModelDescription.text(of: [(name: "1", model: model)]))
        let again = try #require(read.first?.model)
        #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(again.layoutChecksum == model.layoutChecksum)
        #expect(again.versionIdentifiers == ["Boxes & lids"])
        let thing = try #require(again.entitiesByName["Thing"])
        #expect(thing.renamingIdentifier == "Item")
        #expect(thing.attributesByName["name"]?.renamingIdentifier == "label")
        #expect(thing.attributesByName["name"]?.defaultValue as? String == "a\"<b>&c")
        #expect(thing.attributesByName["price"]?.defaultValue as? NSDecimalNumber == NSDecimalNumber(string: "1.25"))
        #expect(thing.attributesByName["isNew"]?.defaultValue as? Bool == true)
        #expect(again.entitiesByName["Lid"]?.indexes.map(\.name) == ["color", "byColor"])
        #expect(again.entitiesByName["Lid"]?.uniquenessConstraintNames == [["color"]])
        let derived = again.entitiesByName["Box"]?.attributesByName["count"] as? NSDerivedAttributeDescription
        #expect(derived?.derivationExpression?.description == "count:(lids)")
        // What was read is written in the same way.
        #expect(
            ModelDescription.text(of: [(name: "1", model: again)])
                == ModelDescription.text(of: [(name: "1", model: model)]))
    }

    @Test("A program writes its versions, the current one last, and leaves a file that stays alone")
    func written() throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("Boxes.modeldescription")
            let older = ModelText.model("entity Box\n  name string")
            try Self.everything().writeDescription(to: file, after: [older])
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(try Self.read(text).map(\.name) == ["1", "Boxes & lids"])
            let written = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
            try Self.everything().writeDescription(to: file, after: [older])
            let again = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
            #expect(written == again)
        }
    }

    @Test(
        "A file that is no description is refused with its line",
        arguments: [
            ("<model name=\"1\"/>", "line 1: a description of models has <modelDescription>"),
            ("<modelDescription/>", "line 1: a description of models has <modelDescription>"),
            ("<modelDescription>\n<model/>\n</modelDescription>", "line 2: the version has no name of its own."),
            (
                "<modelDescription>\n<model name=\"1\"/>\n<model name=\"1\"/></modelDescription>",
                "line 3: the version has no name of its own."
            ),
            ("<modelDescription>\n<model", "line 2: "),
        ])
    func refused(_ text: String, _ reason: String) throws {
        let error = #expect(throws: NSError.self) {
            _ = try ModelDescription.versions(in: Data(text.utf8), file: "a.modeldescription")
        }
        #expect(error?.localizedDescription.contains("a.modeldescription") == true)
        #expect(error?.localizedDescription.contains(reason) == true, "\(error?.localizedDescription ?? "")")
    }
}
