import Foundation
import MigrationTestKit
import TestSupport
import Testing

@testable import CoreData

/// Every step between adjacent versions of the corpus' models: the statements of the forecast give the store that the
/// migration makes.
@Suite("The statements of migrations between real versions", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct StatementsCorpusTests {
    private static let bundles = VersionChainCorpusTests.bundles

    @Test("The statements of each adjacent step make what the migration makes")
    func steps() throws {
        let pairs = try Self.bundles.flatMap { path in
            let versions = try VersionChainCorpusTests.versions(path)
            return zip(versions, versions.dropFirst()).map { (path, $0, $1) }
        }
        #expect(pairs.count > 80)
        var (verified, refused, unchanged) = (0, 0, 0)
        for (path, older, newer) in Sample.slice(pairs, oneIn: 40, "statements") {
            try withTemporaryFolder { folder in
                let url = folder.appendingPathComponent("Trial.sqlite")
                try SampleStore(rowsPerEntity: 6, seed: 5).make(at: url, older)
                let name = "\(path): \(older.name) → \(newer.name)"
                do {
                    let verification = try NSPersistentStoreCoordinator.verifyMigrationStatements(
                        forPersistentStoreAt: url, to: newer.model.withPlainClasses(), through: [older.model])
                    let forecast = verification.forecast
                    if !forecast.isPossible {
                        refused += 1
                        print("refused: \(name): \(forecast.obstacles.first?.reason ?? "")")
                    } else if !forecast.isMigrationRequired {
                        unchanged += 1
                        print("no migration: \(name)")
                    } else {
                        verified += 1
                        #expect(
                            verification.isVerified,
                            "\(name): \(verification.differences) \(verification.notCompared)")
                    }
                } catch {
                    Issue.record("\(name): \(error)")
                }
            }
        }
        print("adjacent steps: \(verified) verified, \(refused) refused, \(unchanged) without a migration")
        #expect(verified > 0)
    }
}
