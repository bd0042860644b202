#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import MigrationTestKit
import TestSupport
import Testing

/// Processes that are killed while they migrate or move a store, and servers' processes that are ended. With
/// OPENCOREDATA_LONG hundreds of random moments, a few otherwise.
@Suite(
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"), .serialized,
    .waiting)
struct PostgreSQLKillTests {
    private static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil
    private static let type = NSPostgreSQLStoreType

    enum Kind: String, CaseIterable, Sendable {
        case inPlace, given, stages

        /// Each kind takes many starts of a program: one of them, unless there is time for all.
        static func some(_ kind: Kind) -> [Kind] { isLong ? allCases : [kind] }

        var arguments: [String] { self == .inPlace ? [] : [rawValue] }

        var versions: (older: NSManagedObjectModel, newer: NSManagedObjectModel) {
            switch self {
            case .inPlace: (ModelText.model(CrashModels.older), ModelText.model(CrashModels.newer))
            case .given: (DepotModels.model(1), DepotModels.model(2))
            case .stages: (ModelText.model(DepotModels.stages[0]), ModelText.model(DepotModels.stages[3]))
            }
        }

        func fill(_ url: URL) throws {
            switch self {
            case .inPlace: try PostgreSQLLaunchTests.fill(url, books: 500)
            case .given: try DepotModels.fill(url, DepotModels.versions[1], items: 200, type: type)
            case .stages: try DepotModels.fill(url, DepotModels.stages[0], items: 200, type: type)
            }
        }
    }

    private func trial(_ kind: Kind) throws -> KillTrial {
        var trial = KillTrial(
            program: try MigrationChild.program(named: "migration-crash-child"), arguments: kind.arguments,
            from: ModelVersion("older", kind.versions.older), to: ModelVersion("newer", kind.versions.newer)
        ) { body in
            try withDatabase { url, _ in
                try kind.fill(url)
                try body(url)
            }
        }
        trial.inspect = { url in
            // Nothing of what was built out of sight is left in the database.
            let tables = try PostgreSQLServer.shared.get().psql(
                url.lastPathComponent, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
            let expected = kind == .inPlace ? "5" : "4"
            return tables == expected ? [] : ["there are \(tables ?? "?") tables"]
        }
        return trial
    }

    @Test(
        "A killed migration by a mapping model begins anew: all is done again, and no file of the first is left"
    )
    func beginsAnew() throws {
        /// Migrates a store, after another process that was killed at a step: the steps, and the files left behind.
        func migrate(killedAt step: String?) throws -> (steps: [String], left: [String]) {
            try withDatabase { url, folder in
                try Kind.given.fill(url)
                func run(_ variable: String, _ value: String) throws -> (output: String, wasKilled: Bool) {
                    let child = try ChildProgram(
                        "migration-crash-child", [url.absoluteString, "given"],
                        environment: ["TMPDIR": folder.path, variable: value])
                    let outcome = child.wait()
                    return (outcome.output, outcome.wasKilled)
                }
                if let step {
                    #expect(try run("OPENCOREDATA_TRIAL_KILL", "\(step):1").wasKilled)
                    #expect(try StoreText.lines(url, Kind.given.versions.older, type: Self.type).count == 217)
                }
                let output = try run("OPENCOREDATA_TRIAL_TRACE", "1").output
                #expect(output.hasSuffix("done\n"), "\(output)")
                #expect(try StoreText.lines(url, Kind.given.versions.newer, type: Self.type).count == 217)
                let steps = output.split(separator: "\n").filter { $0.hasPrefix("moment ") }
                return (steps.map(String.init), try FileManager.default.contentsOfDirectory(atPath: folder.path))
            }
        }
        let (all, _) = try migrate(killedAt: nil)
        #expect(all.contains("moment copyStageDone") && all.last == "moment committed", "\(all)")
        for step in Sample.slice(["batchSaved", "copyStageDone", "stepsDone"], oneIn: 3) {
            let (steps, left) = try migrate(killedAt: step)
            #expect(steps == all && left == [], "\(step)")
        }
    }

    private func expectClean(_ report: MigrationTrialReport, _ location: SourceLocation = #_sourceLocation) {
        #expect(
            report.isClean, "\(report.failures.map(\.description).joined(separator: "\n"))",
            sourceLocation: location)
        #expect(report.entries.allSatisfy { $0.rows > 0 }, sourceLocation: location)
    }

    @Test(
        "A migrating process is killed at every step: the store is older or newer, and whole",
        arguments: Kind.some(.inPlace))
    func steps(_ kind: Kind) throws {
        let report = try trial(kind).killAtSteps(most: Self.isLong ? 8 : 1) { kills in
            // All is done and nothing is committed: the most dangerous step.
            let rest = kills.filter { $0.step != "stepsDone" }
            return kills.filter { $0.step == "stepsDone" } + Sample.slice(rest, oneIn: 3)
        }
        expectClean(report)
        #expect(report.entries.count >= (Self.isLong ? 3 : 2))
    }

    @Test("A migrating process is killed at random moments", arguments: Kind.some(.given))
    func random(_ kind: Kind) throws {
        let report = try trial(kind).killAtRandom(times: Self.isLong ? 100 : 2, seed: Sample.seed &+ 20_261_125)
        expectClean(report)
        #expect(report.refused.isEmpty)
    }

    @Test(
        "Two processes that start the same migration: one migrates, the other waits and opens",
        arguments: Kind.some(.stages))
    func twoProcesses(_ kind: Kind) throws {
        expectClean(try trial(kind).twoProcesses(times: Self.isLong ? 20 : 1))
    }

    @Test("The server's processes are ended at random moments: the save throws, and the store is older or newer")
    func backends() throws {
        var random = SplitMix(state: 7)
        for _ in 0..<(Self.isLong ? 100 : 1) {
            for kind in Sample.slice(Kind.allCases, oneIn: 3, "backends") {
                try withDatabase { url, _ in
                    try kind.fill(url)
                    let child = try ChildProgram("migration-crash-child", [url.absoluteString] + kind.arguments)
                    var text = child.wait(for: "begin\n")
                    usleep(.random(in: 0...300_000, using: &random))
                    let server = try PostgreSQLServer.shared.get()
                    let name = url.lastPathComponent
                    _ = server.psql(
                        "postgres",
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
                    let outcome = child.wait()
                    text += outcome.output
                    #expect(text.hasSuffix("done\n") || text.contains("failed: "), "\(text)")
                    // The next start ends it.
                    let next = try ChildProgram("migration-crash-child", [url.absoluteString] + kind.arguments)
                    #expect(next.wait().output.hasSuffix("done\n"))
                    let entity = kind == .inPlace ? "Volume" : "Item"
                    let count = try withStore(url, kind.versions.newer, type: Self.type) {
                        try $0.all(entity).count
                    }
                    #expect(count == (kind == .inPlace ? 500 : 200))
                }
            }
        }
    }

    // MARK: Moves

    @Test(
        "A program takes no leftovers of a move that was killed at any step for a store, and the next one ends it",
        arguments: Sample.slice([StoreKind.sqlite, .postgreSQL], oneIn: 2, "moves"))
    func moves(from: StoreKind) throws {
        let to: StoreKind = from == .sqlite ? .postgreSQL : .sqlite
        try withTemporaryFolder { folder in
            let model = ModelText.model(CrashModels.older)
            let url = try #require(from.url(in: folder))
            try withStore(url, model, type: from.type) { context in
                let shelves = (0..<10).map { context.make("Shelf", ["room": "room \($0)"]) }
                let tags = (0..<5).map { context.make("Tag", ["label": "tag \($0)"]) }
                for number in 0..<(Self.isLong ? 3_000 : 600) {
                    let book = context.make("Book", ["title": "title \(number)", "pages": number])
                    book.setValue(shelves[number % 10], forKey: "shelf")
                    book.setValue(NSSet(array: [tags[number % 5], tags[(number + 2) % 5]]), forKey: "tags")
                }
                try context.save()
            }
            let before = try StoreText.lines(url, model, type: from.type)
            var moments: [String] = []
            func move(_ number: Int, _ environment: [String: String]) throws -> (target: URL, output: String) {
                let target =
                    to == .postgreSQL
                    ? try PostgreSQLServer.shared.get().url(ofDatabase: folder.lastPathComponent + "-\(number)")
                    : folder.appendingPathComponent("moved-\(number).sqlite")
                let address = target.isFileURL ? target.path : target.absoluteString
                let child = try ChildProgram(
                    "migration-crash-child", [url.isFileURL ? url.path : url.absoluteString, "move", address],
                    environment: environment)
                return (target, child.wait().output)
            }
            let trace = ["OPENCOREDATA_TRIAL_TRACE": "1"]
            let (first, output) = try move(0, trace)
            #expect(output.hasSuffix("done\n"), "\(output)")
            #expect(try StoreText.lines(first, model, type: to.type) == before)
            moments = output.split(separator: "\n").filter { $0.hasPrefix("moment ") }.map {
                String($0.dropFirst(7))
            }
            let batches = moments.filter { $0 == "batchSaved" }.count
            #expect(batches > 4)
            // Without much time only the most important moments.
            let kept: Set = ["transactionBegun", "verified", "committed"]
            var places = Set(moments).subtracting(["batchSaved"]).sorted()
                .filter { Self.isLong || kept.contains($0) }.map { "\($0):1" }
            places += (Self.isLong ? Array(1...batches) : [batches]).map { "batchSaved:\($0)" }
            for (number, place) in Sample.slice(places, oneIn: 2, "\(from)").enumerated() {
                let (target, output) = try move(number + 1, ["OPENCOREDATA_TRIAL_KILL": place])
                #expect(!output.contains("done"), "\(place)")
                let isWhole = place == "committed:1" && to == .postgreSQL
                if to == .postgreSQL, !isWhole, place.hasPrefix("batchSaved") {
                    // The leftover is no store yet.
                    let error = #expect(throws: NSError.self) {
                        try withStore(target, model, type: to.type) { _ in }
                    }
                    #expect(error?.code == NSPersistentStoreOpenError)
                } else if to == .sqlite {
                    #expect(!FileManager.default.fileExists(atPath: target.path), "\(place)")
                }
                if isWhole {
                    #expect(try StoreText.lines(target, model, type: to.type) == before)
                    continue
                }
                let (_, second) = try move(number + 1, trace)
                #expect(second.hasSuffix("done\n"), "\(place): \(second)")
                #expect(try StoreText.lines(target, model, type: to.type) == before, "\(place)")
                if place == "batchSaved:\(batches)" {
                    // Nearly everything was there.
                    let again = second.components(separatedBy: "moment batchSaved").count - 1
                    #expect(again < batches / 2, "\(place): \(again) of \(batches)")
                }
            }
        }
    }

    @Test("A move throws the leftovers of a killed one away where the source has changed since")
    func changedMeanwhile() throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model(CrashModels.older)
            let url = folder.appendingPathComponent("Library.sqlite")
            try withStore(url, model) { context in
                for number in 0..<2_000 { context.make("Book", ["title": "title \(number)"]) }
                try context.save()
            }
            let target = try PostgreSQLServer.shared.get().url(ofDatabase: folder.lastPathComponent)
            let arguments = [url.path, "move", target.absoluteString]
            _ = try ChildProgram(
                "migration-crash-child", arguments, environment: ["OPENCOREDATA_TRIAL_KILL": "copied:1"]
            ).wait()
            try withStore(url, model) { context in
                let books = try context.all("Book")
                books[0].setValue("changed", forKey: "title")
                context.delete(books[1])
                try context.save()
            }
            let output = try ChildProgram("migration-crash-child", arguments).wait().output
            #expect(output.hasSuffix("done\n"), "\(output)")
            #expect(try StoreText.lines(target, model, type: Self.type) == StoreText.lines(url, model))
        }
    }
}
#endif
