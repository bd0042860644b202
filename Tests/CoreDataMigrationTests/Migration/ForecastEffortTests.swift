import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Work is counted here, not time.
@Suite("The cost of a forecast with many versions at hand", .leavesNothingBehind)
struct ForecastEffortTests {
    private static let count = 40

    /// An attribute gets a new name in every version, or in one; another one goes with the last.
    private static func text(_ number: Int, isRenamedOften: Bool, hasOld: Bool) -> String {
        let name =
            isRenamedOften
            ? "name\(number) string" + (number > 0 ? " was name\(number - 1)" : "")
            : number < 20 ? "name string" : "title string was name"
        return "entity Item\n  \(name)\n  size int32" + (hasOld ? "\n  old string" : "")
            + (0..<number).map { "\n  extra\($0) string" }.joined()
            // Another entity's attribute once had the name of one of ours.
            + "\nentity Other\n  word string was old"
    }

    private func bundle(_ folder: URL, _ models: [NSManagedObjectModel]) throws -> URL {
        let url = folder.appendingPathComponent("Resources.bundle/Shop.momd")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        var checksums: [String: String] = [:]
        for (number, model) in models.enumerated() {
            checksums["Shop \(number)"] = model.versionChecksum
            try ModelArchive.encode(model).write(to: url.appendingPathComponent("Shop \(number).mom"))
        }
        let list: [String: Any] = [
            "NSManagedObjectModel_VersionChecksums": checksums,
            "NSManagedObjectModel_CurrentVersionName": "Shop \(models.count - 1)",
        ]
        try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            .write(to: url.appendingPathComponent("VersionInfo.plist"))
        return url
    }

    /// The forecast of a store of the first version, with what it cost.
    private func forecast(
        _ texts: [String], rows: String = ""
    ) throws -> (forecast: MigrationForecast, effort: ModelEffort) {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, texts[0], rows: rows)
            let models = texts.map { ModelText.model($0) }
            let momd = try bundle(folder, models)
            let forecaster = MigrationForecaster(
                MigrationRequest(
                    at: fixture.url, to: models[models.count - 1],
                    bundles: [try #require(Bundle(url: momd.deletingLastPathComponent()))]))
            let effort = ModelEffort()
            let forecast = try ModelEffort.$counting.withValue(effort) { try forecaster.forecast() }
            return (forecast, effort)
        }
    }

    @Test("A direct hop without a loss reads no version and compares only the two ends")
    func direct() throws {
        let texts = (0..<Self.count).map { Self.text($0, isRenamedOften: false, hasOld: true) }
        // No model lacks one of the names: the last version names the first.
        let found = try forecast(texts)
        #expect(found.forecast.hops.count == 1)
        #expect(found.effort.models.load(ordering: .relaxed) == 0)
        #expect(found.effort.comparisons.load(ordering: .relaxed) <= 4)
    }

    @Test("A loss has each version read once, and not all pairs compared")
    func losing() throws {
        let texts = (0..<Self.count).map {
            Self.text($0, isRenamedOften: false, hasOld: $0 < Self.count - 1)
        }
        let found = try forecast(texts)
        #expect(found.forecast.hops.count == 1)
        // The last one is in memory. The first is in the store, and is read to check that the program has that version.
        #expect(found.effort.models.load(ordering: .relaxed) == Self.count - 1)
        #expect(found.effort.comparisons.load(ordering: .relaxed) <= 2 * Self.count)
    }

    @Test("A property with a new name in every version is found again with as many comparisons as there are versions")
    func renamedOften() throws {
        let texts = (0..<Self.count).map { Self.text($0, isRenamedOften: true, hasOld: true) }
        let found = try forecast(texts)
        #expect(found.forecast.hops.count == Self.count - 1)
        #expect(found.effort.models.load(ordering: .relaxed) == Self.count - 2)
        #expect(found.effort.comparisons.load(ordering: .relaxed) <= 5 * Self.count)
    }

    @Test("A last version without a way to it is found without a comparison of all pairs")
    func impossible() throws {
        var texts = (0..<Self.count).map { Self.text($0, isRenamedOften: false, hasOld: true) }
        texts[Self.count - 1] = texts[Self.count - 1].replacing("size int32", with: "size date")
        let found = try forecast(texts)
        #expect(found.forecast.obstacles.map(\.property) == ["size"])
        #expect(found.effort.models.load(ordering: .relaxed) == Self.count - 2)
        #expect(found.effort.comparisons.load(ordering: .relaxed) <= 3 * Self.count)
    }

    @Test("a reference reads the version that has the checksum, not all of them")
    func references() throws {
        try withTemporaryFolder { folder in
            let models = (0..<Self.count).map { ModelText.model(Self.text($0, isRenamedOften: true, hasOld: true)) }
            let momd = try bundle(folder, models)
            let effort = ModelEffort()
            try ModelEffort.$counting.withValue(effort) {
                for model in models {
                    let reference = NSManagedObjectModelReference(
                        fileURL: momd, versionChecksum: model.versionChecksum)
                    _ = try reference.resolve()
                }
            }
            #expect(effort.models.load(ordering: .relaxed) == Self.count)
        }
    }
}
