import Foundation
import MigrationTestKit
import TestSupport
import Testing

@Suite("Made-up objects of real models", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct SampleCorpusTests {
    private static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil

    /// The bundles of versions; with those of repositories' histories where tests may take long.
    static let bundles = Corpus.paths { path in
        (path.hasSuffix(".xcdatamodeld") || path.hasSuffix(".momd")) && (isLong || !path.contains("@history"))
            && !path.hasSuffix("RestKitCoreData.xcdatamodeld")  // Holds no version.
            // A model of Xcode 3 whose mandatory relationships the samples do not satisfy yet.
            && !path.hasSuffix("PonsoTest/MyModel.xcdatamodeld")
    }

    @Test("there are many models")
    func present() { #expect(Self.bundles.count >= 60, "\(Self.bundles.count)") }

    @Test(
        "every property of every entity has a value, or is named with the reason: in the last version, in long runs in each"
    )
    func everyProperty() throws {
        for path in Sample.slice(Self.bundles, oneIn: 3, "properties") {
            let versions = try ModelVersion.all(at: Corpus.url(path)).filter { $0.unreadableReason == nil }
            for version in Self.isLong ? versions[...] : versions.suffix(1) {
                do {
                    try SampleStoreTests.expectEveryProperty(version, 3, path)
                } catch {
                    Issue.record("\(path) \(version.name): \(error.localizedDescription)")
                }
            }
        }
    }
}
