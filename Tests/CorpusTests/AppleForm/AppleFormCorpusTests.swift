import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A new store, and a new model file, differ from those that Apple's tools made of the same model in nothing but the
/// meant differences.
@Suite("Files in Apple's form", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct AppleFormCorpusTests {
    /// The differences of a folder of files, with where each of them was found.
    private struct Comparison {
        var found: [(difference: FormDifference, origin: FormOrigin)] = []
        var files = 0
        var sources = 0

        mutating func note(_ differences: [FormDifference], from origin: FormOrigin) {
            found += differences.map { ($0, origin) }
        }
    }

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

    private static let stores = Result {
        var comparison = Comparison()
        for path in Corpus.stores {
            guard let archive = try StoreArchive(path: path), let cache = archive.modelCache else { continue }
            comparison.files += 1
            let apple = try withTemporaryFolder { try StoreEntries.entries(of: Corpus.copyStore(path, to: $0)) }
            let model = try ModelArchive.decode(deflated: cache)
            let entries = try ArchiveEntries.entries(of: RawDeflate.decompress(cache))
            let source = try source(of: model, path, likest: entries) {
                try RawDeflate.decompress(ModelArchive.encodeDeflated($0))
            }
            if source != nil { comparison.sources += 1 }
            for (model, isSource) in [(source, true), (model, false)] {
                guard let model else { continue }
                var origin = FormOrigin(path: path, model: model, isOfSource: isSource)
                origin.framework = (archive.metadata["NSPersistenceFrameworkVersion"] as? NSNumber)?.intValue
                origin.isMigrated = FormOrigin.isOfMigrated(apple)
                comparison.note(
                    apple.differences(to: try NewStoreOfCorpus(like: apple).entries(of: model)), from: origin)
            }
        }
        return comparison
    }

    private static let compiledModels = Result {
        var comparison = Comparison()
        for path in Corpus.paths(where: { $0.hasSuffix(".mom") }) {
            comparison.files += 1
            let data = try Data(contentsOf: Corpus.url(path))
            let apple = try ArchiveEntries.entries(of: data)
            let model = try ModelArchive.decode(data)
            let source = try source(of: model, path, likest: apple) { try ModelArchive.encode($0) }
            if source != nil { comparison.sources += 1 }
            for (model, isSource) in [(source, true), (model, false)] {
                guard let model else { continue }
                let made = try ArchiveEntries.entries(of: ModelArchive.encode(model))
                comparison.note(
                    apple.differences(to: made),
                    from: FormOrigin(path: path, model: model, isOfSource: isSource))
            }
        }
        return comparison
    }

    @Test("A store that is made of a model has the form of Apple's store of that model, but for the meant differences")
    func stores() throws {
        let comparison = try Self.stores.get()
        expectMeant(comparison, MeantDifferences.stores)
        #expect(comparison.files >= 50)
        #expect(comparison.sources >= 30)
    }

    @Test("A compiled model has the form of Apple's, but for the meant differences")
    func compiledModels() throws {
        let comparison = try Self.compiledModels.get()
        expectMeant(comparison, MeantDifferences.compiledModels)
        #expect(comparison.files >= 25)
        #expect(comparison.sources >= 20)
    }

    private func expectMeant(_ comparison: Comparison, _ meant: [MeantDifference]) {
        var isUsed = Array(repeating: false, count: meant.count)
        var others: [String: [String]] = [:]
        for (difference, origin) in comparison.found {
            let rules = meant.indices.filter { meant[$0].covers(difference, from: origin) }
            for rule in rules { isUsed[rule] = true }
            if rules.isEmpty { others[difference.kind, default: []].append("\(origin.path): \(difference)") }
        }
        for (kind, all) in others.sorted(by: { $0.key < $1.key }) {
            Issue.record("\(all.count) × \(kind), such as \(all[0].prefix(900))")
        }
        for (rule, isUsed) in zip(meant, isUsed) where !isUsed {
            Issue.record("There is no longer a difference \(rule.kind) (\(rule.reason))")
        }
    }

    // MARK: Planted differences

    @Test("A difference beside each meant one is reported: another value, another place, more parts, or the other way")
    func planted() throws {
        var hidden: [String: String] = [:]
        var count = 0
        for (comparison, meant) in [
            (try Self.stores.get(), MeantDifferences.stores),
            (try Self.compiledModels.get(), MeantDifferences.compiledModels),
        ] {
            for (difference, origin) in comparison.found {
                guard let rule = meant.first(where: { $0.covers(difference, from: origin) }) else { continue }
                let neighbours = Self.neighbours(of: difference, rule.free)
                count += neighbours.count
                for (name, planted) in neighbours
                where meant.contains(where: { $0.covers(planted, from: origin) }) {
                    hidden["\(name) is hidden by \(rule.kind) (\(rule.reason))"] = "\(planted)"
                }
            }
        }
        #expect(hidden == [:])
        #expect(count > 4_000)
    }

    /// Differences like a meant one that are not meant.
    private static func neighbours(
        of difference: FormDifference, _ free: Set<MeantDifference.Part>
    ) -> [(String, FormDifference)] {
        var result: [(String, FormDifference)] = []
        let isOrder = difference.place.first == .word("order of creation")
        func plant(_ name: String, _ change: (inout FormDifference) -> Void) {
            var copy = difference
            change(&copy)
            // Lists with one thing in common have no order in common.
            if isOrder, copy.place == difference.place, copy.parts.isEmpty, copy.commonCount < 2 { return }
            result.append((name, copy))
        }
        func other(_ text: String) -> String {
            isOrder ? text.components(separatedBy: ", ").reversed().joined(separator: ", ") : text + "~"
        }
        if !free.contains(.apple), let text = difference.apple { plant("Apple's value") { $0.apple = other(text) } }
        if !free.contains(.ours), let text = difference.ours { plant("our value") { $0.ours = other(text) } }
        if !free.contains(.parts) { plant("a part") { $0.parts = ["NSOther"] } }
        if case .word(let word)? = difference.place.last {
            plant("a place") { $0.place[$0.place.count - 1] = .word(word + "~") }
        }
        plant("a deeper place") { $0.place.append(.word("NSOther")) }
        if isOrder || difference.isReordered { return result }
        plant("the other way") { ($0.apple, $0.ours) = ($0.ours, $0.apple) }
        return result
    }
}
