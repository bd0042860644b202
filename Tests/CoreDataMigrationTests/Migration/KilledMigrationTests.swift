import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Killing a migrating process", .leavesNothingBehind)
struct KilledMigrationTests {
    private enum Outcome {
        case older
        case newer
    }

    @Test("A migration killed at random moments leaves the old or the new version and every row")
    func killedAnywhere() throws {
        try withTemporaryFolder { folder in
            let template = try MigrationFixture(folder, CrashModels.older, rows: CrashModels.rows).url
            try run(on: template, "PRAGMA wal_checkpoint(TRUNCATE)")
            // How long a migration takes here and now, from the child's "begin" to its "done".
            let (first, length) = try child(on: copy(template, to: folder, "measure"), killedAfter: nil)
            #expect(first == .newer)

            var generator = Sample.generator("killed migration")
            var outcomes: [Outcome] = []
            func trial(killedAfter moment: Double) throws {
                let url = try copy(template, to: folder, "round\(outcomes.count)")
                let (outcome, _) = try child(on: url, killedAfter: moment)
                outcomes.append(outcome)
                // The next start ends it in every case.
                let model = ModelText.model(CrashModels.newer)
                let removed = [NSMigrationAllowedLossesOption as AnyHashable: CrashModels.removed as Any]
                try withStore(url, model, options: StoreMigrationTests.both.merging(removed) { $1 }) { _ in }
                #expect(try state(of: url) == .newer)
                for file in SQLiteStoreFiles(url).existing { try FileManager.default.removeItem(at: file) }
            }
            // A tenth beyond the end: some kills hit the moments around the commit.
            for _ in 0..<(Sample.isWhole ? 100 : 8) {
                try trial(killedAfter: Double.random(in: 0...1.1, using: &generator) * length)
            }
            // On a machine that has become busy since, the migration takes longer than it did.
            for factor in [0, 0.1] where !outcomes.contains(.older) { try trial(killedAfter: factor * length) }
            for factor in [1.5, 2, 4, 8, 16] where !outcomes.contains(.newer) {
                try trial(killedAfter: factor * length)
            }
            // Moments on both sides of the commit were met.
            #expect(outcomes.contains(.older))
            #expect(outcomes.contains(.newer))
        }
    }

    @Test("A migration killed at its last step, or behind it, leaves the old version; behind the commit, the new one")
    func killedAtTheEnd() throws {
        try withTemporaryFolder { folder in
            let template = try MigrationFixture(folder, CrashModels.older, rows: CrashModels.rows).url
            try run(on: template, "PRAGMA wal_checkpoint(TRUNCATE)")
            let traced = try ChildProgram(
                "migration-crash-child", [copy(template, to: folder, "traced").path],
                environment: ["OPENCOREDATA_TRIAL_TRACE": "1"]
            ).wait().output
            let steps = traced.split(separator: "\n").count { $0 == "moment stepDone" }
            #expect(steps > 5)
            let outcomes: KeyValuePairs<String, Outcome> = [
                "stepDone:\(steps)": .older, "stepsDone:1": .older, "committed:1": .newer,
            ]
            for (moment, outcome) in outcomes {
                let url = try copy(template, to: folder, moment)
                let end = try ChildProgram(
                    "migration-crash-child", [url.path], environment: ["OPENCOREDATA_TRIAL_KILL": moment]
                ).wait()
                #expect(end.wasKilled, "\(moment): \(end.output)")
                #expect(try state(of: url) == outcome, "\(moment)")
            }
        }
    }

    private func copy(_ template: URL, to folder: URL, _ name: String) throws -> URL {
        let url = folder.appendingPathComponent(name + ".sqlite")
        try FileManager.default.copyItem(at: template, to: url)
        return url
    }

    private func run(on url: URL, _ sql: String) throws {
        try SQLiteConnection(path: url.path, access: .readWrite).execute(sql)
    }

    /// Lets a child migrate a store and kills it after some seconds; returns what it left, and how long the child took.
    private func child(on url: URL, killedAfter moment: Double?) throws -> (Outcome, Double) {
        let process = try ChildProgram("migration-crash-child", [url.path])
        var text = process.wait(for: "begin\n")
        let start = ContinuousClock.now
        if let moment {
            usleep(UInt32(moment * 1_000_000))
            process.kill()
        }
        text += process.wait().output
        let elapsed = ContinuousClock.now - start
        if moment == nil { #expect(text.hasSuffix("done\n"), "\(text)") }
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        return (try state(of: url), seconds)
    }

    /// Which version a store is, by SQL and by opening it with the model of that version. Every row must be there.
    private func state(of url: URL) throws -> Outcome {
        let connection = try SQLiteConnection(path: url.path, access: .readWrite)
        connection.disableCheckpointOnClose()
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        func row(_ sql: String) throws -> [String] {
            let statement = try connection.prepare(sql)
            guard try statement.step() else { return [] }
            return (0..<statement.columnCount).map { statement.isNull($0) ? "-" : statement.string($0) }
        }
        let isOlder = try connection.tableNames().contains("ZBOOK")
        let books = CrashModels.books
        let pages = (1...books).reduce(0) { $0 + $1 % 700 }
        let text = isOlder ? CrashModels.older : CrashModels.newer
        if isOlder {
            #expect(
                try row("SELECT COUNT(*), SUM(Z_ENT), SUM(ZPAGES), COUNT(ZOBSOLETE), COUNT(DISTINCT ZTITLE) FROM ZBOOK")
                    == ["\(books)", "\(books)", "\(pages)", "\(books)", "\(books)"])
            #expect(try row("SELECT COUNT(*), COUNT(ZROOM) FROM ZSHELF") == ["100", "50"])
            #expect(try row("SELECT COUNT(*) FROM Z_1TAGS") == ["\(books * 2)"])
            #expect(try row("SELECT COUNT(*) FROM ZDRAFT") == ["1"])
        } else {
            #expect(
                try row(
                    "SELECT COUNT(*), SUM(Z_ENT), SUM(ZPAGES), SUM(ZSTARS), COUNT(DISTINCT ZNAME), COUNT(Z_FOK_SHELF) "
                        + "FROM ZVOLUME")
                    == ["\(books)", "\(books * 4)", "\(Double(pages))", "\(books * 3)", "\(books)", "\(books)"])
            #expect(try row("SELECT COUNT(*), SUM(Z_ENT), COUNT(ZROOM) FROM ZRACK") == ["100", "300", "100"])
            #expect(try row("SELECT COUNT(*) FROM Z_2BOOKS") == ["\(books * 2)"])
            #expect(try !connection.tableNames().contains("ZDRAFT"))
        }
        let model = ModelText.model(text)
        defer { withExtendedLifetime(model) {} }
        let store = try SQLiteStore(layout: model.layout, storeNumber: 1, at: url)
        let entity = try #require(model.layout.layout(named: isOlder ? "Book" : "Volume"))
        guard case .count(let count) = try store.fetch(StoreFetch(layout: entity, result: .count)) else {
            Issue.record("No count.")
            return .older
        }
        #expect(count == books)
        store.close()
        return isOlder ? .older : .newer
    }
}
