import Foundation
import MigrationTestKit
import TestSupport
import Testing

@testable import CoreData

/// Every model of the corpus with more than one version: stores of each version opened by each older one.
@Suite("Older versions on stores of newer ones", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct DowngradeCorpusTests {
    /// Some of the chains take seconds, all of them minutes.
    static let bundles = Sample.slice(VersionChainCorpusTests.bundles, oneIn: 10)

    /// The outcomes of a chain's openings.
    private struct Tally: CustomStringConvertible {
        var versions = 0
        var lossless = 0
        var refused = 0
        /// The models allow no migration, whatever the rows hold.
        var notInferred = 0
        /// Rows do not fit the older version: a value that is mandatory there is missing, say.
        var unfit = 0
        var description: String {
            "\(versions) versions, \(lossless + refused + notInferred + unfit) openings: \(lossless) lossless, "
                + "\(refused) refused for losses, \(notInferred) not to be inferred, \(unfit) refused for rows"
        }
    }

    @Test(
        "A store, filled or empty, goes back where nothing is lost; else each loss is named, and the files stay",
        arguments: bundles)
    func matrix(_ path: String) throws {
        let versions = try VersionChainCorpusTests.versions(path)
        var tally = Tally(versions: versions.count)
        for newer in versions.indices.dropFirst() {
            // In short, the last version only, opened by its predecessor and by the first.
            guard Sample.isWhole || newer == versions.count - 1 else { continue }
            for isFilled in [true, false] {
                try withTemporaryFolder { folder in
                    let url = folder.appendingPathComponent("store.sqlite")
                    try SampleStore(rowsPerEntity: isFilled ? 8 : 0, seed: 11).make(at: url, versions[newer])
                    for older in versions.indices where older < newer {
                        guard Sample.isWhole || older == 0 || older == newer - 1 else { continue }
                        let name = "\(path): \(versions[newer].name) → \(versions[older].name)"
                        try open(url, versions[newer], with: versions[older], isFilled, name, &tally)
                    }
                }
            }
        }
        print("downgrades of \(path): \(tally)")
    }

    private func open(
        _ store: URL, _ newer: ModelVersion, with older: ModelVersion, _ isFilled: Bool, _ name: String,
        _ tally: inout Tally
    ) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("store.sqlite")
            try SQLiteStoreFiles(store).copy(to: SQLiteStoreFiles(url))
            func bytes() -> [Data?] { ["", "-wal"].map { try? Data(contentsOf: URL(fileURLWithPath: url.path + $0)) } }
            let before = bytes()
            let expected = isFilled ? try Self.losses(of: newer.model, in: url, for: older.model) : [:]
            let options: [AnyHashable: Any] = [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            ]
            do {
                try withStore(url, older.model.withPlainClasses(), options: options) { _ in }
                #expect(expected.isEmpty, "\(name) lost \(expected)")
                tally.lossless += 1
            } catch let error as NSError {
                #expect(bytes() == before, "\(name)")
                switch error.code {
                case NSMigrationMissingSourceModelError:
                    tally.refused += 1
                    let losses = error.userInfo[NSMigrationLossesErrorKey] as? [MigrationLoss] ?? []
                    let found = Dictionary(losses.map { ($0.name, $0.count) }, uniquingKeysWith: +)
                    #expect(found == expected && !found.isEmpty, "\(name): \(found) instead of \(expected)")
                    for loss in losses { #expect(error.localizedDescription.contains("“\(loss.name)”"), "\(name)") }
                case NSInferredMappingModelError: tally.notInferred += 1
                default:
                    #expect(MigrationErrors.isAboutRows(error) && expected.isEmpty, "\(name): \(error)")
                    tally.unfit += 1
                }
            }
        }
    }

    // MARK: Expectations

    /// Values of objects for which an older model has no place, by names and renaming identifiers alone: read object
    /// by object.
    private static func losses(
        of newer: NSManagedObjectModel, in url: URL, for older: NSManagedObjectModel
    ) throws -> [String: Int] {
        let model = newer.withPlainClasses()
        func counterpart<Thing>(
            _ name: String, _ former: String?, _ things: [String: Thing], _ formerOf: (Thing) -> String?
        ) -> Thing? {
            if let former, former != name {
                if let same = things[name], formerOf(same) == former { return same }
                if let thing = things[former] { return thing }
            }
            return things[name] ?? things.values.first { formerOf($0) == name }
        }
        func entity(_ entity: NSEntityDescription) -> NSEntityDescription? {
            counterpart(entity.name ?? "", entity.renamingIdentifier, older.entitiesByName) { $0.renamingIdentifier }
        }
        func isKept(_ property: NSPropertyDescription, of owner: NSEntityDescription) -> Bool {
            guard let target = entity(owner) else { return false }
            let found = counterpart(property.name, property.renamingIdentifier, target.propertiesByName) {
                $0.renamingIdentifier
            }
            guard let relationship = property as? NSRelationshipDescription else {
                return found is NSAttributeDescription
            }
            // A relationship to another entity is another relationship.
            guard let other = found as? NSRelationshipDescription, let end = relationship.destinationEntity else {
                return false
            }
            return entity(end) === other.destinationEntity
        }
        var result: [String: Int] = [:]
        try withStore(url, model) { context in
            for owner in model.entities where !owner.isAbstract {
                let request = NSFetchRequest<NSManagedObject>(entityName: owner.name ?? "")
                request.includesSubentities = false
                let objects = try context.fetch(request)
                guard entity(owner) != nil else {
                    if !objects.isEmpty { result[owner.name ?? ""] = objects.count }
                    continue
                }
                for (name, property) in owner.propertiesByName
                where !property.isTransient && !(property is NSDerivedAttributeDescription)
                    && !(property is NSFetchedPropertyDescription)
                {
                    if isKept(property, of: owner) { continue }
                    if let inverse = (property as? NSRelationshipDescription)?.inverseRelationship,
                        isKept(inverse, of: inverse.entity)
                    {
                        continue
                    }
                    let standard = (property as? NSAttributeDescription)?.defaultValue as? NSObject
                    let count = objects.count { object in
                        switch object.value(forKey: name) {
                        case let set as NSSet: set.count > 0
                        case let list as NSOrderedSet: list.count > 0
                        case let value?: standard.map { !$0.isEqual(value) } ?? true
                        case nil: false
                        }
                    }
                    if count > 0 { result["\(property.entity.name ?? "").\(name)", default: 0] += count }
                }
                context.reset()
            }
        }
        return result
    }

    // MARK: A store of Apple's framework

    @Test(
        "a store that Apple's framework wrote is refused by an older version as long as it holds values, and stays as it is"
    )
    func appleStore() throws {
        try withTemporaryFolder { folder in
            for path in Corpus.stores {
                guard
                    let archived = try? NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                        at: Corpus.url(path)),
                    let target = Self.withoutOneAttribute(archived)
                else { continue }
                let url = try Corpus.copyStore(path, to: folder)
                defer { try? SQLiteStoreFiles(url).removeRemains() }
                let rows = try? RawDatabase(url).integer("SELECT COUNT(*) FROM \(target.table)")
                guard rows ?? nil ?? 0 > 0 else { continue }
                func bytes() -> [Data?] {
                    ["", "-wal"].map { try? Data(contentsOf: URL(fileURLWithPath: url.path + $0)) }
                }
                let before = bytes()
                let error = try #require(throws: NSError.self) {
                    try withStore(
                        url, target.model,
                        options: [
                            NSMigratePersistentStoresAutomaticallyOption: true,
                            NSInferMappingModelAutomaticallyOption: true,
                            NSPersistentHistoryTrackingKey: true,
                        ]
                    ) { _ in }
                }
                let losses = error.userInfo[NSMigrationLossesErrorKey] as? [MigrationLoss] ?? []
                #expect(losses.map(\.name) == [target.name], "\(path): \(error)")
                #expect(bytes() == before, "\(path)")
                return
            }
            Issue.record("no store of the corpus has rows with a mandatory value")
        }
    }

    /// A model without one mandatory text, which every row of its table has.
    private static func withoutOneAttribute(
        _ archived: NSManagedObjectModel
    ) -> (model: NSManagedObjectModel, name: String, table: String)? {
        let model = archived.withPlainClasses()
        for entity in model.entities where entity.superentity == nil && entity.subentities.isEmpty && !entity.isAbstract
        {
            let attributes = entity.attributesByName.values.filter {
                !$0.isOptional && !$0.isTransient && $0.attributeType == .stringAttributeType && $0.defaultValue == nil
            }
            guard entity.uniquenessConstraints.isEmpty, entity.indexes.isEmpty,
                let attribute = attributes.first, let name = entity.name
            else { continue }
            entity.properties.removeAll { $0.name == attribute.name }
            return (model, "\(name).\(attribute.name)", "Z\(name.uppercased())")
        }
        return nil
    }
}
