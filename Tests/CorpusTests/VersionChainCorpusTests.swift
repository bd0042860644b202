import Foundation
import MigrationTestKit
import TestSupport
import Testing

@testable import CoreData

/// Every model of the corpus with more than one version: from each version to each later one, on made-up objects.
@Suite("Migrating between all versions of real models", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct VersionChainCorpusTests {
    /// The bundles of versions, as sources or compiled, of the newest state of every repository.
    static let bundles: [String] = Corpus.paths { path in
        guard !path.contains("@history"), path.hasSuffix(".xcdatamodeld") || path.hasSuffix(".momd") else {
            return false
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Corpus.url(path).path)) ?? []
        let versions = names.filter { $0.hasSuffix(".xcdatamodel") || $0.hasSuffix(".mom") }
        return versions.count > 1 && !unreadable.contains((path as NSString).lastPathComponent)
    }

    /// Its versions are in the binary format of Xcode 3.
    private static let unreadable: Set<String> = ["Recipes.xcdatamodeld"]

    /// The versions that can be read, in their order, by the number in a name. "Partner" is the former name of "Folio".
    static func versions(_ path: String) throws -> [ModelVersion] {
        try ModelVersion.all(at: Corpus.url(path)).filter { $0.unreadableReason == nil }.sorted { first, second in
            let isFirstOlder = first.name.contains("Partner")
            if isFirstOlder != second.name.contains("Partner") { return isFirstOlder }
            return first.name.compare(second.name, options: .numeric) == .orderedAscending
        }
    }

    @Test("there are many models with several versions")
    func present() { #expect(Self.bundles.count >= 20) }

    @Test(
        "Made-up objects of each version reach each later one with every row, value and link, or a refusal says why",
        arguments: Sample.slice(bundles, oneIn: 3, "pairs"))
    func pairs(_ path: String) throws {
        let versions = try Self.versions(path)
        var trial = MigrationTrial(versions)
        trial.samples = SampleStore(rowsPerEntity: 8, seed: 5)
        var report = MigrationTrialReport()
        let pairs = versions.indices.flatMap { older in
            versions.indices.filter { $0 > older }.map { (older, $0) }
        }
        for (older, newer) in Sample.slice(pairs, oneIn: 10, path) {
            report.entries.append(try trial.hop(versions[older], versions[newer]))
        }
        let wrong = report.entries.filter { !$0.problems.isEmpty }
        #expect(wrong.isEmpty, "\(path):\n\(wrong.map(\.description).joined(separator: "\n"))")
        let known = (Self.refused[String(path.prefix { $0 != "/" })] ?? []).intersection(report.entries.map(\.name))
        let found = Set(report.refused)
        #expect(
            found == known,
            "\(path): \(report.entries.filter { $0.refusal != nil }.map(\.description).joined(separator: "\n"))")
        for entry in report.entries { if let refusal = entry.refusal { #expect(refusal.contains("“"), "\(entry)") } }
        // The forecast finds it beforehand.
        for entry in report.entries where entry.refusal != nil { try expectObstacle(entry.name, versions, trial) }
    }

    private func expectObstacle(_ name: String, _ versions: [ModelVersion], _ trial: MigrationTrial) throws {
        let ends = name.components(separatedBy: " → ").compactMap { name in versions.first { $0.name == name } }
        try #require(ends.count == 2)
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Trial.sqlite")
            try trial.samples.make(at: url, ends[0])
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: url, to: ends[1].model.withPlainClasses())
            #expect(!forecast.isPossible, "\(name)")
            #expect(forecast.obstacles.allSatisfy { $0.entity != nil && !$0.help.isEmpty }, "\(name): \(forecast)")
        }
    }

    /// The refused migrations, by repository: a value that may be missing becomes mandatory; an attribute becomes a
    /// relationship; an object's target becomes mandatory, or is of an entity that is removed.
    private static let refused: [String: Set<String>] = [
        "SwiftGen__SwiftGen": ["Model → Model 2"],
        "wibosco__CoreDataMigration-Example": Set(
            ["", " 2"].flatMap { older in
                [" 3", " 4"].map { "CoreDataMigration_Example\(older) → CoreDataMigration_Example\($0)" }
            }),
        "dashpay__dashsync-iOS": Set(
            (7...21).flatMap { newer in [5, 6].map { "DashSync \($0) → DashSync \(newer)" } }),
    ]

    // MARK: Ways through mapping models

    /// Models with mapping models, and the versions between which a way leads through at least one of these. The
    /// applications' policies are not there: values that only they could fill are the reason why other ways end.
    struct Way: CustomTestStringConvertible, Sendable {
        var bundle: String
        var mappings: String
        var testDescription: String { name }
        var name: String { (bundle as NSString).lastPathComponent }
    }

    static let mapped: [Way] = [
        Way(
            bundle: "objcio__core-data/Migrations/Migrations/Moody.xcdatamodeld",
            mappings: "objcio__core-data/Migrations/Migrations/"),
        Way(
            bundle: "OpenEmu__OpenEmu/OpenEmu/OEDatabase.xcdatamodeld", mappings: "OpenEmu__OpenEmu/OpenEmu/"),
        Way(
            bundle: "jessesquires__JSQCoreDataKit/Example/ExampleModel/ExampleModel/ExampleModel.xcdatamodeld",
            mappings: "jessesquires__JSQCoreDataKit/Example/ExampleModel/ExampleModel/"),
        Way(
            bundle: "alemar11__CoreDataPlus/Tests/Resources/SampleModel/SampleModel.xcdatamodeld",
            mappings: "alemar11__CoreDataPlus/Tests/Resources/SampleModel/"),
        Way(
            bundle: "wibosco__CoreDataMigrationRevised-Example/CoreDataMigration-Example/CoreData/Model/"
                + "CoreDataMigration_Example.xcdatamodeld",
            mappings: "wibosco__CoreDataMigrationRevised-Example/"),
        Way(
            bundle: "dashpay__dashsync-iOS/DashSync/shared/DashSync.xcdatamodeld", mappings: "dashpay__dashsync-iOS/"),
    ]

    @Test(
        "Mapping models without their policies lead a store to the last version, or leave it as it was",
        arguments: Sample.slice(mapped, oneIn: 2, "ways"))
    func throughMappings(_ way: Way) throws {
        let versions = try Self.versions(way.bundle)
        let last = try #require(versions.last)
        try withTemporaryFolder { folder in
            let resources = folder.appendingPathComponent("Resources.bundle")
            try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
            for (number, version) in versions.enumerated() {
                try ModelArchive.encode(version.model).write(to: resources.appendingPathComponent("\(number).mom"))
            }
            let mappings = Corpus.paths {
                $0.hasPrefix(way.mappings) && !$0.contains("@history")
                    && ($0.hasSuffix(".xcmappingmodel") || $0.hasSuffix(".cdm"))
            }
            #expect(!mappings.isEmpty)
            var loaded = 0
            for (number, path) in mappings.enumerated() {
                guard let mapping = try? MappingModelFile.load(at: Corpus.url(path)) else { continue }
                for entity in mapping.entityMappings { entity.entityMigrationPolicyClassName = nil }
                try MappingModelArchive.encode(mapping).write(to: resources.appendingPathComponent("\(number).cdm"))
                loaded += 1
            }
            #expect(loaded > 0)
            let bundle = try #require(Bundle(url: resources))
            var reached = 0
            var refused: [String] = []
            for version in Sample.slice(Array(versions.dropLast()), oneIn: 4, way.name) {
                let comment = Comment(rawValue: "\(version.name) → \(last.name)")
                let url = folder.appendingPathComponent("Way.sqlite")
                defer { try? SQLiteStoreFiles(url).removeRemains() }
                try SampleStore(rowsPerEntity: 6, seed: 3).make(at: url, version)
                let model = last.model.withPlainClasses()
                let request = MigrationRequest(
                    at: url, to: model,
                    options: [
                        NSMigratePersistentStoresAutomaticallyOption: true,
                        NSInferMappingModelAutomaticallyOption: true,
                    ], bundles: [bundle])
                let forecast = try MigrationForecaster(request).forecast()
                let rows = try RawDatabase(url).column("SELECT COUNT(*) FROM Z_PRIMARYKEY")
                do {
                    try StoreMigration(request).prepare()
                } catch let error as NSError {
                    // Refused: by the models, or by rows that only a policy could have filled.
                    #expect(
                        [NSInferredMappingModelError, NSMigrationError].contains(error.code), "\(comment): \(error)")
                    #expect(try RawDatabase(url).column("SELECT COUNT(*) FROM Z_PRIMARYKEY") == rows, comment)
                    #expect(!MigrationFolder.exists(for: SQLiteStoreFiles(url).main), comment)
                    refused.append("\(comment): \(error.localizedDescription)")
                    continue
                }
                #expect(forecast.isPossible, "\(comment): \(forecast)")
                let fresh = folder.appendingPathComponent("Fresh.sqlite")
                defer { try? SQLiteStoreFiles(fresh).removeRemains() }
                try withStore(fresh, last.model.withPlainClasses()) { _ in }
                #expect(try StoreSchema(of: url).difference(from: StoreSchema(of: fresh)).isEmpty, comment)
                reached += 1
            }
            let least = Sample.isWhole ? Self.reached[way.name] ?? 1 : 0
            #expect(reached >= least, "\(way): \(reached) of \(versions.count - 1); \(refused)")
        }
    }

    /// How many of the older versions reach the last one. The fifth of Moody has a value that a transformer of the
    /// program's makes, which no test registers.
    private static let reached = [
        "Moody.xcdatamodeld": 4, "OEDatabase.xcdatamodeld": 8, "ExampleModel.xcdatamodeld": 1,
        "SampleModel.xcdatamodeld": 2, "CoreDataMigration_Example.xcdatamodeld": 3, "DashSync.xcdatamodeld": 18,
    ]
}
