import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A new store, and a new model file, differ from those that Apple's tools made of the same model in nothing but the
/// meant differences.
@Suite("Files in Apple's form", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct AppleFormCorpusTests {
    private typealias Found = [String: [String]]

    /// All XML sources of a repository that made stores or compiled models.
    private static let sources: [String: [(path: String, model: NSManagedObjectModel)]] = {
        var result: [String: [(path: String, model: NSManagedObjectModel)]] = [:]
        for path in Corpus.paths(where: { $0.hasSuffix(".xcdatamodel/contents") }) {
            let folder = String(path.dropLast("/contents".count))
            guard let model = NSManagedObjectModel(contentsOf: Corpus.url(folder)) else { continue }
            result[repository(path), default: []].append((folder, model))
        }
        return result
    }()

    private static func repository(_ path: String) -> String { String(path.prefix { $0 != "/" }) }

    /// The source that Apple's archive is most like, of those with the same hashes. Hashes leave out defaults and
    /// limits, so several versions may have them.
    private static func source(
        of model: NSManagedObjectModel, _ path: String, likest apple: FormEntries,
        encode: (NSManagedObjectModel) throws -> Data
    ) throws -> NSManagedObjectModel? {
        let hashes = model.entityVersionHashesByName
        let candidates = try (sources[repository(path)] ?? [])
            .filter { $0.model.entityVersionHashesByName == hashes }
            .map { ($0.model, apple.differences(to: try ArchiveEntries.entries(of: encode($0.model))).count) }
        return candidates.min { $0.1 < $1.1 }?.0
    }

    @Test("A store that is made of a model has the form of Apple's store of that model, but for the meant differences")
    func stores() throws {
        var found: Found = [:]
        var (stores, sources) = (0, 0)
        for path in Corpus.stores {
            guard let archive = try StoreArchive(path: path), let cache = archive.modelCache else { continue }
            stores += 1
            let apple = try withTemporaryFolder { try StoreEntries.entries(of: Corpus.copyStore(path, to: $0)) }
            let model = try ModelArchive.decode(deflated: cache)
            let entries = try ArchiveEntries.entries(of: RawDeflate.decompress(cache))
            let source = try Self.source(of: model, path, likest: entries) {
                try RawDeflate.decompress(ModelArchive.encodeDeflated($0))
            }
            if source != nil { sources += 1 }
            let made = try NewStoreOfCorpus(like: apple).entries(of: source ?? model)
            Self.note(apple.differences(to: made), in: path, archive.metadata, &found)
            if source != nil {
                let own = try NewStoreOfCorpus(like: apple).entries(of: model)
                Self.note(apple.differences(to: own), in: path, archive.metadata, &found)
            }
        }
        Self.expectMeant(found, MeantDifferences.stores)
        #expect(stores >= 50)
        #expect(sources >= 30)
    }

    @Test("A compiled model has the form of Apple's, but for the meant differences")
    func compiledModels() throws {
        var found: Found = [:]
        var (files, sources) = (0, 0)
        for path in Corpus.paths(where: { $0.hasSuffix(".mom") }) {
            files += 1
            let data = try Data(contentsOf: Corpus.url(path))
            let apple = try ArchiveEntries.entries(of: data)
            let model = try ModelArchive.decode(data)
            let source = try Self.source(of: model, path, likest: apple) { try ModelArchive.encode($0) }
            if source != nil { sources += 1 }
            for model in [model, source].compactMap({ $0 }) {
                let made = try ArchiveEntries.entries(of: ModelArchive.encode(model))
                Self.note(apple.differences(to: made), in: path, [:], &found)
            }
        }
        Self.expectMeant(found, MeantDifferences.compiledModels)
        #expect(files >= 25)
        #expect(sources >= 20)
    }

    // MARK: Differences

    private static func note(
        _ differences: [FormDifference], in path: String, _ metadata: [String: Any], _ found: inout Found
    ) {
        let framework = (metadata["NSPersistenceFrameworkVersion"] as? NSNumber)?.intValue
        for difference in differences {
            // Stores before 2018 have other indexes and constraints, and a migrated one has the order of its changes.
            let kind = difference.kind + (framework.map { $0 < 865 } == true ? " (before 2018)" : "")
            found[kind, default: []].append("\(path): \(difference)")
        }
    }

    private static func expectMeant(_ found: Found, _ meant: [String: String]) {
        for (kind, all) in found.sorted(by: { $0.key < $1.key }) where meant[kind] == nil {
            Issue.record("\(all.count) × \(kind), such as \(all[0].prefix(900))")
        }
        for kind in meant.keys.sorted() where found[kind] == nil { Issue.record("There is no longer a \(kind)") }
    }
}
