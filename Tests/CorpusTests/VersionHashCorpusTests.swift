import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Version hashes of real models against the ones Apple's tools wrote down.
@Suite(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct VersionHashCorpusTests {
    struct Pair: Decodable {
        let entity: String
        let model_source_path: String?
        let archived_model: String?
        let hash_hex: String
        let confidence: String?
    }

    private func pairs(_ name: String) throws -> [Pair] {
        try JSONDecoder().decode([Pair].self, from: Data(contentsOf: Corpus.url(name)))
    }

    private func hex(_ data: Data?) -> String {
        (data ?? Data()).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test("every XML entity that is proven to be the stored one has the stored hash")
    func xmlPairs() throws {
        var models: [String: NSManagedObjectModel] = [:]
        var checked = 0
        for pair in try pairs("pairs_unique.json") where pair.confidence != "low" {
            let path = try #require(pair.model_source_path)
            let model = try models[path] ?? ModelFile.load(at: Corpus.url(path).deletingLastPathComponent())
            models[path] = model
            let entity = try #require(model.entitiesByName[pair.entity], "\(path)")
            if entity.isVersionHashExact {
                #expect(hex(entity.versionHash) == pair.hash_hex, "\(path): \(pair.entity)")
                checked += 1
            }
        }
        #expect(checked >= 112)
    }

    @Test(
        "stores that SwiftData wrote have the hashes of their models, composite attributes included, and open by them")
    func swiftData() throws {
        let paths = Corpus.stores.filter { path in
            ["MetaCocktailsSwiftData/", "ResourcesManager/", "WelcomeTo/"].contains { path.contains($0) }
        }
        var composites = 0
        for path in paths {
            let archive = try #require(try StoreArchive(path: path), "\(path)")
            let model = try ModelArchive.decode(deflated: try #require(archive.modelCache, "\(path)"))
            let isExact = model.entities.allSatisfy(\.isVersionHashExact)
            #expect(isExact, "\(path)")
            #expect(
                model.compatibility(ofConfiguration: nil, withStoreMetadata: archive.metadata) == .compatible, "\(path)"
            )
            composites += model.entities.filter { $0.formerVersionHash != nil }.count
        }
        #expect(paths.count == 6)
        #expect(composites == 11)
    }

    @Test("elements of composite attributes that SwiftData wrote are read from their own columns")
    func elements() throws {
        let store = try #require(CorpusStore.all.first { $0.path.hasSuffix("cocktails-2025-03-29-b1b50c.store") })
        try store.withCopy { url in
            let context = try CorpusStore.open(url, store.model)
            try context.performAndWait {
                let cocktails = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Cocktail"))
                // An element of the author's is called `id`, too, and has the column without a number.
                #expect(Set(cocktails.compactMap { $0.value(forKey: "id") as? UUID }).count == 416)
                #expect(cocktails.count { $0.value(forKeyPath: "author.id") != nil } == 388)
                #expect(cocktails.count { $0.value(forKeyPath: "author.person") != nil } == 292)
            }
        }
    }

    @Test("every archived entity has the stored hash, also those with derived attributes")
    func archivedPairs() throws {
        var inexact: Set<String> = []
        var checked = 0
        var models: [String: NSManagedObjectModel] = [:]
        for pair in try pairs("pairs_archived.json") {
            let path = try #require(pair.archived_model)
            let model = try models[path] ?? archivedModel(path)
            models[path] = model
            let entity = try #require(model.entitiesByName[pair.entity], "\(path)")
            #expect(hex(entity.versionHash) == pair.hash_hex, "\(path): \(pair.entity)")
            if entity.isVersionHashExact { checked += 1 } else { inexact.insert(pair.entity) }
        }
        #expect(inexact == ["Book", "ChildEntity", "GraphicNovel"])
        #expect(checked >= 180)
    }

    private func archivedModel(_ path: String) throws -> NSManagedObjectModel {
        if path.hasSuffix(".mom") { return try ModelFile.load(at: Corpus.url(path)) }
        let name = path.components(separatedBy: "#")[0]
        let cache = try #require(try StoreArchive(path: name)?.modelCache, "\(path)")
        return try ModelArchive.decode(deflated: cache)
    }
}
