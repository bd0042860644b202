import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Every model of the corpus can be read, whatever form it has, and has the contents of Apple's files.
/// Proof: Apple's compiled models, read here.
@Suite(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct ModelFileCorpusTests {
    private static let compiled = Corpus.paths { $0.hasSuffix(".mom") }
    private static let compiledBundles = Corpus.paths { $0.hasSuffix(".momd") }
    private static let sources = Corpus.paths {
        $0.hasSuffix(".xcdatamodel/contents")
    }.map { String($0.dropLast("/contents".count)) }

    @Test("every compiled model decodes, and survives being written and read again")
    func compiledModels() throws {
        #expect(Self.compiled.count >= 20)
        for path in Self.compiled {
            let model = try ModelFile.load(at: Corpus.url(path))
            #expect(!model.entities.isEmpty, "\(path)")
            try model.validate()
            try expectRoundTrip(of: model, path)
        }
    }

    @Test("the description of every model has the model's version hashes")
    func descriptions() throws {
        var count = 0
        for path in Sample.slice(Self.sources + Self.compiled, oneIn: 3, "descriptions") {
            guard let model = try? ModelFile.load(at: Corpus.url(path)) else { continue }
            let text = ModelDescription.text(of: [(name: "1", model: model)])
            let source = try #require(ModelDescription.versions(in: Data(text.utf8), file: path).first?.source)
            let again = try ModelFile.model(of: source, file: path)
            for entity in again.entities where entity.isVersionHashExact {
                #expect(
                    entity.versionHash == model.entitiesByName[entity.name ?? ""]?.versionHash,
                    "\(path): \(entity.name ?? "")")
            }
            count += 1
        }
        #expect(count >= (Sample.isWhole ? 200 : 60))
    }

    @Test("the hashes of every compiled bundle's versions are the ones in its version information")
    func compiledBundles() throws {
        #expect(Self.compiledBundles.count >= 8)
        for path in Self.compiledBundles {
            let url = Corpus.url(path)
            let information = url.appendingPathComponent("VersionInfo.plist")
            let list = try #require(
                try PropertyListSerialization.propertyList(
                    from: Data(contentsOf: information), options: [], format: nil) as? [String: Any])
            let recorded = try #require(list["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
            let checksums = list["NSManagedObjectModel_VersionChecksums"] as? [String: String] ?? [:]
            for (name, model) in try ModelBundle.versions(at: url) {
                #expect(model.entityVersionHashesByName == recorded[name], "\(path) \(name)")
                if let checksum = checksums[name] { #expect(model.versionChecksum == checksum, "\(path) \(name)") }
            }
            #expect(NSManagedObjectModel(contentsOf: url) != nil)
        }
    }

    @Test("the model in every store decodes, has the store's hashes, and survives being written and read again")
    func modelCaches() throws {
        var count = 0
        for path in Corpus.stores {
            guard let store = try StoreArchive(path: path), let cache = store.modelCache else { continue }
            count += 1
            let model = try ModelArchive.decode(deflated: cache)
            try model.validate()
            #expect(Set(model.entities.compactMap(\.name)) == Set(store.hashes.keys), "\(path)")
            for entity in model.entities where entity.isVersionHashExact {
                #expect(entity.versionHash == store.hashes[entity.name ?? ""], "\(path): \(entity.name ?? "")")
            }
            if model.entities.allSatisfy(\.isVersionHashExact) {
                #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: store.metadata), "\(path)")
                if let digest = store.metadata["NSStoreModelVersionHashesDigest"] as? String {
                    #expect(model.storeDigest == digest, "\(path)")
                }
                if let checksum = store.metadata["NSStoreModelVersionChecksumKey"] as? String {
                    #expect(model.versionChecksum == checksum, "\(path)")
                }
            }
            try expectRoundTrip(of: model, path)
        }
        #expect(count >= 50)
    }

    @Test("every XML source loads")
    func xmlSources() throws {
        #expect(Self.sources.count >= 240)
        let written = Set(Sample.slice(Self.sources, oneIn: 3, "round trip"))
        for path in Self.sources {
            #expect(throws: Never.self, "\(path)") {
                let model = try ModelFile.load(at: Corpus.url(path))
                if written.contains(path) { try expectRoundTrip(of: model, path) }
            }
        }
    }

    @Test("every model of Xcode 3 loads, and its tree is there for the generator of classes")
    func binarySources() throws {
        let sources = Corpus.paths { $0.hasSuffix(".xcdatamodel/elements") }
        #expect(sources.count >= 8)
        for path in sources.map({ ($0 as NSString).deletingLastPathComponent }) {
            let model = try ModelFile.load(at: Corpus.url(path))
            #expect(!model.entities.isEmpty, "\(path)")
            #expect(model.entities.contains { !$0.ownProperties.isEmpty }, "\(path)")
            try expectRoundTrip(of: model, path)
            let tree = try ModelFile.source(at: Corpus.url(path))
            #expect(tree.children(named: "entity").count == model.entities.count, "\(path)")
        }
    }

    @Test("an XML source and its compiled form are the same model")
    func sourceEqualsCompiled() throws {
        let bundle = "alemar11__CoreDataPlus/Tests/Resources/SampleModel/"
        let compiled = try ModelBundle.versions(at: Corpus.url(bundle + "Fixtures/SampleModel.momd"))
        for (name, source) in try ModelBundle.versions(at: Corpus.url(bundle + "SampleModel.xcdatamodeld")) {
            let other = try #require(compiled[name])
            for entity in source.entities {
                let twin = try #require(other.entitiesByName[entity.name ?? ""])
                for (property, copy) in zip(byName(entity.ownProperties), byName(twin.ownProperties)) {
                    // Compilers of the time dropped the class of a transformable attribute.
                    for case let attribute as NSAttributeDescription in [property, copy]
                    where attribute.attributeType == .transformableAttributeType {
                        attribute.attributeValueClassName = nil
                    }
                    #expect(property.isEqual(copy), "\(name) \(entity.name ?? ""): \(property) \(copy)")
                }
                #expect(entity.uniquenessConstraintNames == twin.uniquenessConstraintNames)
                #expect(entity.indexes.sorted { $0.name < $1.name } == twin.indexes.sorted { $0.name < $1.name })
            }
        }
    }

    private func byName(_ properties: [NSPropertyDescription]) -> [NSPropertyDescription] {
        properties.sorted { $0.name < $1.name }
    }

    private func expectRoundTrip(of model: NSManagedObjectModel, _ path: String) throws {
        let copy = try ModelArchive.decode(deflated: ModelArchive.encodeDeflated(model))
        #expect(copy.isEqual(model), "\(path)")
        #expect(copy.entityVersionHashesByName == model.computedHashes, "\(path)")
        #expect(copy.versionIdentifiers == model.versionIdentifiers, "\(path)")
    }
}

extension NSManagedObjectModel {
    /// The hashes as they are computed, without what a bundle recorded.
    fileprivate var computedHashes: [String: Data] {
        guard let copy = self.copy() as? NSManagedObjectModel else { return [:] }
        for entity in copy.entities { entity.forgetRecordedVersionHash() }
        return copy.entityVersionHashesByName
    }
}
