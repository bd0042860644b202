import CoreData
import Foundation
import Synchronization
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

    @Test(
        "A mapping model without its models is compiled from the copies in its file",
        .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
    func embedded() throws {
        let paths = Corpus.paths { $0.hasSuffix(".xcmappingmodel") }
        #expect(paths.count >= 25)
        for path in paths {
            try withTemporaryFolder { folder in
                // The file lies deeper than the search for models goes up.
                let copy = folder.appendingPathComponent("a/b/c/d/e/Map.xcmappingmodel")
                try FileManager.default.createDirectory(
                    at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
                try FileManager.default.copyItem(at: Corpus.url(path), to: copy)
                let output = folder.appendingPathComponent("Map.cdm")
                var job = Job()
                job.once = folder.appendingPathComponent("Once.swift").path
                job.others = folder.appendingPathComponent("Others.swift").path
                job.mappings = [Job.Mapping(input: copy.path, output: output.path)]
                try job.run()
                let mappings = try #require(NSMappingModel(contentsOf: output)?.entityMappings, "\(path)")
                #expect(!mappings.isEmpty)
                for mapping in mappings {
                    #expect((mapping.sourceEntityName == nil) == (mapping.sourceEntityVersionHash == nil), "\(path)")
                }
            }
        }
    }

    @Test("A mapping model with neither models near it nor copies of them is an error that names the model")
    func noModels() throws {
        try withTemporaryFolder { folder in
            let source = folder.appendingPathComponent("a/b/c/d/e/OneToTwo.xcmappingmodel")
            try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
            try Data(Self.mapping.utf8).write(to: source.appendingPathComponent("xcmapping.xml"))
            let error = #expect(throws: NSError.self) {
                try MappingModelCompiler.compile(
                    source, to: folder.appendingPathComponent("OneToTwo.cdm"), models: [])
            }
            #expect(error?.localizedDescription.contains("App/Shop.xcdatamodeld/Shop.xcdatamodel") == true)
        }
    }

    @Test("Each oddity of a model becomes one warning of the build, in the compiler's form")
    func warnings() throws {
        try withTemporaryFolder { folder in
            let model = folder.appendingPathComponent("Shop.xcdatamodeld/Shop.xcdatamodel")
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            let odd = "<attribute name=\"n\" optional=\"YES\" attributeType=\"Integer 16\" defaultValueString=\"NO\"/>"
            try Data(Self.contents(odd).utf8).write(to: model.appendingPathComponent("contents"))
            var job = Job()
            job.once = folder.appendingPathComponent("Once.swift").path
            job.others = folder.appendingPathComponent("Others.swift").path
            let bundle = folder.appendingPathComponent("Shop.momd")
            job.models = [
                Job.Model(
                    input: model.deletingLastPathComponent().path,
                    classes: folder.appendingPathComponent("Shop.swift").path, bundle: bundle.path)
            ]
            let texts = Mutex<[String]>([])
            try job.run { warning in texts.withLock { $0.append("\(warning)") } }
            let text = try #require(texts.withLock { $0 }.first)
            #expect(texts.withLock { $0.count } == 1)
            #expect(text.hasPrefix(model.appendingPathComponent("contents").path + ":1:49: warning: "))
            let compiled = try #require(NSManagedObjectModel(contentsOf: bundle))
            #expect(compiled.entitiesByName["Item"]?.attributesByName["n"]?.defaultValue as? Int == 0)
        }
    }
}
