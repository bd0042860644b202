import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Mapping models that Xcode and its compiler have written.
/// Proof: Apple's compiled mapping models, read here.
@Suite("Reading real mapping models", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct MappingModelCorpusTests {
    static let compiledFiles = Corpus.paths { $0.hasSuffix(".cdm") }
    static let sourceFolders = Corpus.paths { $0.hasSuffix(".xcmappingmodel/xcmapping.xml") }
        .map { ($0 as NSString).deletingLastPathComponent }

    @Test("there are real mapping models to read")
    func present() {
        #expect(Self.compiledFiles.count >= 8)
        #expect(Self.sourceFolders.count >= 25)
    }

    @Test("a compiled mapping model is read whole, and written again it says the same", arguments: compiledFiles)
    func compiled(_ path: String) throws {
        let data = try Data(contentsOf: Corpus.url(path))
        let model = try MappingModelArchive.decode(data)
        #expect(!model.entityMappings.isEmpty)
        for mapping in model.entityMappings {
            #expect(mapping.name.isEmpty == false)
            #expect(mapping.sourceEntityVersionHash?.count ?? 32 == 32)
            #expect(mapping.destinationEntityVersionHash?.count ?? 32 == 32)
            #expect((mapping.sourceExpression == nil) == (mapping.sourceEntityName == nil))
        }
        let again = try MappingModelArchive.decode(try MappingModelArchive.encode(model))
        #expect(again.entityMappings.count == model.entityMappings.count)
        #expect(zip(again.entityMappings, model.entityMappings).allSatisfy { $0.isSame(as: $1) })
    }

    @Test("a mapping model's source is read whole", arguments: sourceFolders)
    func source(_ path: String) throws {
        let source = try MappingModelSource(at: Corpus.url(path))
        #expect(source.sourceModelPath?.hasSuffix(".xcdatamodel") == true)
        #expect(source.destinationModelPath?.hasSuffix(".xcdatamodel") == true)
    }

    /// Those whose models lie in the same project.
    static let complete = [
        "OpenEmu__OpenEmu/OpenEmu/1.2 to 1.3.xcmappingmodel", "OpenEmu__OpenEmu/OpenEmu/1.1 to 1.2.xcmappingmodel",
        "objcio__core-data/Migrations/Migrations/Moody 2-Moody 3.xcmappingmodel",
        "objcio__core-data/Migrations/Migrations/Moody 5-Moody 6.xcmappingmodel",
        "LoopKit__LoopKit/LoopKit/Persistence/Modelv1v4.xcmappingmodel",
        "jessesquires__JSQCoreDataKit/Example/ExampleModel/ExampleModel/Version2_to_Version3.xcmappingmodel",
        "wibosco__CoreDataMigrationRevised-Example/CoreDataMigration-Example/CoreData/Migration/Mappings/"
            + "Migration2to3ModelMapping.xcmappingmodel",
        "dashpay__dashsync-iOS/DashSync/shared/MappingModels/MappingFrom6To7Model.xcmappingmodel",
    ]

    @Test("a source is completed from the models near it: names, hashes, expressions", arguments: complete)
    func completed(_ path: String) throws {
        let model = try MappingModelFile.load(at: Corpus.url(path))
        #expect(!model.entityMappings.isEmpty)
        for mapping in model.entityMappings {
            #expect(mapping.name.isEmpty == false)
            #expect((mapping.sourceEntityName == nil) == (mapping.sourceEntityVersionHash == nil))
            #expect((mapping.destinationEntityName == nil) == (mapping.destinationEntityVersionHash == nil))
            #expect(mapping.mappingType != .undefinedEntityMappingType)
        }
    }

    @Test("A completed source says the same as the output of Xcode's compiler")
    func likeTheCompiler() throws {
        let folder = "alemar11__CoreDataPlus/Tests/Resources/SampleModel/"
        let versions = try ModelBundle.versions(at: Corpus.url(folder + "SampleModel.xcdatamodeld"))
        let source = try MappingModelSource(at: Corpus.url(folder + "MappingModels/V2toV3.xcmappingmodel"))
        let made = try source.mappingModel(
            from: try #require(versions["SampleModel2"]), to: try #require(versions["SampleModel3"]))
        let compiler = try MappingModelFile.load(at: Corpus.url(folder + "Fixtures/V2toV3.cdm"))
        #expect(made.entityMappings.map(\.name) == compiler.entityMappings.map(\.name))
        #expect(made.entityMappings.map(\.sourceEntityName) == compiler.entityMappings.map(\.sourceEntityName))
        #expect(
            made.entityMappings.map(\.destinationEntityVersionHash)
                == compiler.entityMappings.map(\.destinationEntityVersionHash))
        #expect(
            made.entityMappings.map(\.sourceEntityVersionHash) == compiler.entityMappings.map(\.sourceEntityVersionHash)
        )
        #expect(made.entityMappings.map(\.sourceExpression) == compiler.entityMappings.map(\.sourceExpression))
        for (mapping, other) in zip(made.entityMappings, compiler.entityMappings) {
            func expressions(_ properties: [NSPropertyMapping]?) -> [String: String] {
                Dictionary(
                    uniqueKeysWithValues: (properties ?? []).map {
                        ($0.name ?? "", $0.valueExpression?.description ?? "")
                    })
            }
            #expect(expressions(mapping.attributeMappings) == expressions(other.attributeMappings))
            #expect(expressions(mapping.relationshipMappings) == expressions(other.relationshipMappings))
            #expect(mapping.entityMigrationPolicyClassName == other.entityMigrationPolicyClassName)
        }
    }

    @Test(
        "A source whose models are nowhere near is completed from the copies in its own file", arguments: sourceFolders)
    func embedded(_ path: String) throws {
        try withTemporaryFolder { folder in
            // The file lies deeper than the search for models goes up.
            let copy = folder.appendingPathComponent("a/b/c/d/e/Map.xcmappingmodel")
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: Corpus.url(path), to: copy)
            let model = try MappingModelFile.load(at: copy)
            #expect(!model.entityMappings.isEmpty)
            for mapping in model.entityMappings {
                #expect((mapping.sourceEntityName == nil) == (mapping.sourceEntityVersionHash == nil))
                #expect((mapping.destinationEntityName == nil) == (mapping.destinationEntityVersionHash == nil))
            }
            let near = try? MappingModelFile.load(at: Corpus.url(path))
            if let near, Self.complete.contains(path) {
                #expect(zip(model.entityMappings, near.entityMappings).allSatisfy { $0.isSame(as: $1) })
            }
        }
    }

    @Test("A source that is completed from the copies in its file says the same as the output of Xcode's compiler")
    func embeddedLikeTheCompiler() throws {
        let folder = "alemar11__CoreDataPlus/Tests/Resources/SampleModel/"
        let source = try MappingModelSource(at: Corpus.url(folder + "MappingModels/V2toV3.xcmappingmodel"))
        let made = try source.mappingModel { _ in nil }
        let compiler = try MappingModelFile.load(at: Corpus.url(folder + "Fixtures/V2toV3.cdm"))
        #expect(made.entityMappings.count == compiler.entityMappings.count)
        for (mapping, other) in zip(made.entityMappings, compiler.entityMappings) {
            #expect(mapping.sourceEntityVersionHash == other.sourceEntityVersionHash)
            #expect(mapping.destinationEntityVersionHash == other.destinationEntityVersionHash)
        }
    }
}
