import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Models that Apple's compiler made, beside the sources of the same projects: each source and the model that was made
/// from it are equal in every property, defaults and validation predicates included.
@Suite("Sources and the output of Apple's compiler for them", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct SourceTwinCorpusTests {
    /// The project that a path lies in.
    private static func project(_ path: String) -> String { String(path.prefix { $0 != "/" }) }

    /// Every compiled model: `.mom` files, and the models in stores.
    private static func compiled() throws -> [(path: String, model: NSManagedObjectModel)] {
        var result: [(path: String, model: NSManagedObjectModel)] = []
        for path in Corpus.paths(where: { $0.hasSuffix(".mom") }) {
            result.append((path, try ModelFile.load(at: Corpus.url(path))))
        }
        for path in Corpus.stores {
            guard let cache = try StoreArchive(path: path)?.modelCache else { continue }
            result.append((path, try ModelArchive.decode(deflated: cache)))
        }
        return result
    }

    /// The difference between a property of a source and that of the compiled model; nil when they are equal.
    private static func difference(_ source: NSPropertyDescription, _ twin: NSPropertyDescription?) -> String? {
        guard let twin else { return "is not there" }
        func predicates(_ property: NSPropertyDescription) -> [String] { property.validationPredicates.map(\.printed) }
        if predicates(source) != predicates(twin) { return "\(predicates(source)) is \(predicates(twin))" }
        func codes(_ property: NSPropertyDescription) -> [String] { property.validationWarnings.map { "\($0)" } }
        if codes(source) != codes(twin) { return "\(codes(source)) is \(codes(twin))" }
        if source.isOptional != twin.isOptional || source.isTransient != twin.isTransient { return "flags" }
        switch (source, twin) {
        case (let source as NSAttributeDescription, let twin as NSAttributeDescription):
            if source.attributeType != twin.attributeType { return "type \(source.attributeType)" }
            if !sameValue(source.defaultValue, twin.defaultValue) {
                return "default \(source.defaultValue ?? "none") is \(twin.defaultValue ?? "none")"
            }
            if source.allowsExternalBinaryDataStorage != twin.allowsExternalBinaryDataStorage { return "external" }
        case (let source as NSRelationshipDescription, let twin as NSRelationshipDescription):
            if source.minCount != twin.minCount || source.maxCount != twin.maxCount { return "counts" }
            if source.deleteRule != twin.deleteRule || source.isOrdered != twin.isOrdered { return "rule or order" }
            if source.destinationEntity?.name != twin.destinationEntity?.name { return "destination" }
            if source.inverseRelationship?.name != twin.inverseRelationship?.name { return "inverse" }
        default:
            if type(of: source) != type(of: twin) { return "\(type(of: source)) is \(type(of: twin))" }
        }
        return nil
    }

    private static func differences(_ source: NSManagedObjectModel, _ twin: NSManagedObjectModel) -> [String] {
        var result: [String] = []
        for entity in source.entities {
            let other = twin.entitiesByName[entity.name ?? ""]
            for property in entity.ownProperties.sorted(by: { $0.name < $1.name }) {
                if let difference = difference(property, other?.propertiesByName[property.name]) {
                    result.append("\(entity.name ?? "").\(property.name): \(difference)")
                }
            }
        }
        return result
    }

    @Test("Every compiled model equals, in every property, a source of its project with the same hashes")
    func twins() throws {
        var sources: [String: [(path: String, model: NSManagedObjectModel)]] = [:]
        for path in Corpus.paths(where: { $0.hasSuffix(".xcdatamodel/contents") }) {
            sources[Self.project(path), default: []].append((path, try ModelFile.load(at: Corpus.url(path))))
        }
        let hashes = sources.mapValues { $0.map { $0.model.entityVersionHashesByName } }
        var (models, properties) = (0, 0)
        for twin in try Self.compiled() {
            let project = Self.project(twin.path)
            let wanted = twin.model.entityVersionHashesByName
            let candidates = zip(sources[project] ?? [], hashes[project] ?? []).filter { $0.1 == wanted }.map { $0.0 }
            guard !candidates.isEmpty else { continue }
            // Hashes leave out defaults and limits: a source that was changed in these alone is another candidate.
            let found = candidates.map { Self.differences($0.model, twin.model) }.min { $0.count < $1.count } ?? []
            #expect(found.isEmpty, "\(twin.path) and \(candidates.map { $0.path }): \(found)")
            models += 1
            properties += twin.model.entities.reduce(0) { $0 + $1.ownProperties.count }
        }
        #expect(models >= 60)
        #expect(properties >= 700)
    }
}
