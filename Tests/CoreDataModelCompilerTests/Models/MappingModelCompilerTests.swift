import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataModelCompiler

@Suite("Compiling mapping models")
struct MappingModelCompilerTests {
    private static func contents(_ attributes: String) -> String {
        "<?xml version=\"1.0\"?><model><entity name=\"Item\">\(attributes)</entity></model>"
    }

    private static let mapping = """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
        <database>
            <object type="XDDEVMAPPINGMODEL" id="z1">
                <attribute name="sourcemodelpath" type="string">App/Shop.xcdatamodeld/Shop.xcdatamodel</attribute>
                <attribute name="destinationmodelpath" type="string">App/Shop.xcdatamodeld/Shop 2.xcdatamodel</attribute>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z2">
                <attribute name="sourcename" type="string">Item</attribute>
                <attribute name="destinationname" type="string">Item</attribute>
                <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z3"></relationship>
            </object>
            <object type="XDDEVATTRIBUTEMAPPING" id="z3"><attribute name="name" type="string">name</attribute></object>
        </database>
        """

    @Test("A target's mapping model is compiled with the hashes of the target's model versions")
    func compiles() throws {
        try withTemporaryFolder { folder in
            func write(_ text: String, _ path: String) throws -> URL {
                let url = folder.appendingPathComponent(path)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: url)
                return url
            }
            let name = "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>"
            let more = "<attribute name=\"size\" optional=\"YES\" attributeType=\"Integer 16\"/>"
            let older = try write(Self.contents(name), "Models/Shop.xcdatamodeld/Shop.xcdatamodel/contents")
            let newer = try write(Self.contents(name + more), "Models/Shop.xcdatamodeld/Shop 2.xcdatamodel/contents")
            let source = try write(Self.mapping, "Maps/OneToTwo.xcmappingmodel/xcmapping.xml")
            let output = folder.appendingPathComponent("Out/OneToTwo.cdm")
            try MappingModelCompiler.compile(
                source.deletingLastPathComponent(), to: output,
                models: [folder.appendingPathComponent("Models/Shop.xcdatamodeld")])

            let model = try #require(NSMappingModel(contentsOf: output))
            let mapping = try #require(model.entityMappingsByName["ItemToItem"])
            let models = [older, newer].compactMap {
                NSManagedObjectModel(contentsOf: $0.deletingLastPathComponent())
            }
            #expect(mapping.sourceEntityVersionHash == models.first?.entityVersionHashesByName["Item"])
            #expect(mapping.destinationEntityVersionHash == models.last?.entityVersionHashesByName["Item"])
            #expect(mapping.attributeMappings?.first?.valueExpression?.description == "$source.name")
            let bundle = try #require(Bundle(path: output.deletingLastPathComponent().path))
            #expect(NSMappingModel(from: [bundle], forSourceModel: models.first, destinationModel: models.last) != nil)
        }
    }
}
