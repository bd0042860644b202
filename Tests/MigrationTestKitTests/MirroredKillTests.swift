import Foundation
import MigrationTestKit
import TestSupport
import Testing

@testable import CoreData

/// Real processes, killed with SIGKILL: sixty of them at random moments with `bin/test --long`.
@Suite("Killing processes that migrate stores which CloudKit mirrors", .serialized)
struct MirroredKillTests {
    private static let kills = Sample.isWhole ? 20 : 2

    @Test(
        "A kill leaves a migration whole or not begun, and CloudKit's tables as they were",
        arguments: [KindOfTrial.chain, .staged])
    func allowed(_ kind: KindOfTrial) throws {
        try kind.withTrial(items: 200) { given in
            var trial = given
            if kind == .chain {
                // One hop, in place.
                trial.arguments = ["resources", "1"]
                trial.newer = ModelVersion("1", DepotModels.model(1))
                trial.inspect = nil
            }
            try MirroredStore.mirror(trial.store)
            let account = try MirroredStore.account(of: trial.store)
            let inspect = trial.inspect
            trial.inspect = { url in
                let isSame = try MirroredStore.account(of: url) == account
                return try (inspect?(url) ?? []) + (isSame ? [] : ["CloudKit's tables changed"])
            }
            let steps = Set(try trial.steps())
            #expect(steps.contains("folderLocked") == (kind == .staged) && steps.contains("committed"))
            var report = try trial.killAtRandom(times: Self.kills, seed: Sample.seed &* 0x9E37 &+ 7)
            report.entries += try trial.killAtSteps(most: Sample.isWhole ? 3 : 1) {
                Sample.slice($0, oneIn: 12, kind.rawValue)
            }.entries
            #expect(report.isClean, "\(report.failures.map(\.description).joined(separator: "\n"))")
            #expect(report.refused.isEmpty)
        }
    }

    @Test(
        "A migration that changes entities is refused, and a kill before that leaves the store and its tables as well")
    func refused() throws {
        try withTemporaryFolder { folder in
            let store = folder.appendingPathComponent("Store.sqlite")
            let model = ModelText.model(CrashModels.older)
            try withExtendedLifetime(model) {
                try SQLiteStore(layout: model.layout, storeNumber: 1, at: store).close()
            }
            let connection = try SQLiteConnection(path: store.path, access: .readWrite)
            SQLiteFunctions.register(on: connection)
            try connection.execute(CrashModels.makeRows(books: 2000))
            try MirroredStore.mirror(store)
            let account = try MirroredStore.account(of: store)
            func check() throws {
                #expect(try MirroredStore.account(of: store) == account)
                let database = try RawDatabase(store)
                let damage = try database.integrityCheck()
                let books = try database.integer("SELECT COUNT(*) FROM ZBOOK WHERE Z_ENT = 1")
                #expect(damage == ["ok"] && books == 2000)
            }
            let start = ContinuousClock.now
            let whole = try ChildProgram("migration-crash-child", [store.path]).wait()
            let elapsed = (ContinuousClock.now - start).components
            let length = Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
            #expect(
                whole.status != 0 && !whole.wasKilled && whole.output.contains("CloudKit mirrors"), "\(whole.output)")
            try check()
            var random = Sample.generator("mirrored")
            for _ in 0..<Self.kills {
                let child = try ChildProgram("migration-crash-child", [store.path])
                usleep(UInt32(Double.random(in: 0...1.1, using: &random) * length * 1_000_000))
                child.kill()
                #expect(!child.wait().output.contains("done"))
                try check()
            }
            try withStore(store, model) { context in
                let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
                #expect(count == 2000)
            }
        }
    }
}
