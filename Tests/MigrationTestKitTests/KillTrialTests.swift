import Foundation
import MigrationTestKit
import TestSupport
import Testing

@testable import CoreData

/// Real processes, killed with SIGKILL. With OPENCOREDATA_LONG a thousand random moments, a few dozen otherwise.
@Suite("Killing processes on every kind of migration", .serialized)
struct KillTrialTests {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case inPlace, plain, mapped, chain, staged
        var testDescription: String { rawValue }
    }

    private static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil
    private static let items = 300

    /// A folder with the program, its resources, and a store of the older version.
    private func withTrial(_ kind: Kind, _ body: (KillTrial) throws -> Void) throws {
        try withTemporaryFolder { folder in
            // A mapping model is found among the resources, which lie beside the program.
            let program = folder.appendingPathComponent("migration-crash-child")
            let built = try #require(Self.program, "the child program was not built")
            if link(built.path, program.path) != 0 { try FileManager.default.copyItem(at: built, to: program) }
            chmod(folder.path, 0o755)
            let store = folder.appendingPathComponent("store/Depot.sqlite")
            try FileManager.default.createDirectory(
                at: store.deletingLastPathComponent(), withIntermediateDirectories: true)
            var trial: KillTrial
            switch kind {
            case .inPlace:
                let bench = try makeStore(store, CrashModels.older, CrashModels.makeRows(books: 5000))
                trial = KillTrial(
                    program: program, store: bench, from: ModelVersion("older", ModelText.model(CrashModels.older)),
                    to: ModelVersion("newer", ModelText.model(CrashModels.newer)))
            case .plain, .mapped, .chain:
                let (start, end) = kind == .chain ? (0, 3) : (1, 2)
                for (number, text) in DepotModels.versions.enumerated() {
                    try ModelArchive.encode(ModelText.model(text))
                        .write(to: folder.appendingPathComponent("Depot \(number).mom"))
                }
                try MappingModelArchive.encode(DepotModels.mapping(hasPolicy: kind != .plain))
                    .write(to: folder.appendingPathComponent("Sizes.cdm"))
                try DepotModels.fill(store, DepotModels.versions[start], items: Self.items)
                trial = KillTrial(
                    program: program, arguments: ["resources", "\(end)"], store: store,
                    from: ModelVersion("\(start)", DepotModels.model(start)),
                    to: ModelVersion("\(end)", DepotModels.model(end)))
                trial.inspect = { try Self.problems($0, DepotModels.versions[end], "size") }
            case .staged:
                try DepotModels.fill(store, DepotModels.stages[0], items: Self.items)
                trial = KillTrial(
                    program: program, arguments: ["stages"], store: store,
                    from: ModelVersion("first", ModelText.model(DepotModels.stages[0])),
                    to: ModelVersion("last", ModelText.model(DepotModels.stages[3])))
                trial.inspect = { try Self.problems($0, DepotModels.stages[3], "number") }
            }
            try body(trial)
        }
    }

    /// The program beside the test's own, whatever the build folder is called.
    private static let program: URL? = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        for _ in 0..<4 {
            let candidate = folder.appendingPathComponent("migration-crash-child")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            folder = folder.deletingLastPathComponent()
        }
        return nil
    }()

    /// Every item has its number, its cover, its shelf and its tags.
    private static func problems(_ url: URL, _ text: String, _ key: String) throws -> [String] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(text))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let problems = try context.performAndWait {
            let items = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
            let numbers = items.compactMap { ($0.value(forKey: key) as? NSNumber)?.intValue }.sorted()
            var problems = numbers == (0..<Self.items).map { $0 * 3 } ? [] : ["numbers are missing or wrong"]
            for item in items {
                let number = ((item.value(forKey: key) as? NSNumber)?.intValue ?? 0) / 3
                let cover = item.value(forKey: "cover") as? Data
                if cover != Data(repeating: UInt8(number % 251), count: number % 50 == 0 ? 130_000 : 20) {
                    problems.append("the cover of \(number) is another one")
                }
                if (item.value(forKeyPath: "shelf.room") as? String) != "Shelf \(number % 10)" {
                    problems.append("the shelf of \(number) is another one")
                }
                if (item.value(forKey: "tags") as? NSSet)?.count != 2 { problems.append("\(number) lacks tags") }
                if text.contains("note string\n"), item.value(forKey: "note") as? String != "number \(number * 3)" {
                    problems.append("\(number) has another note")
                }
            }
            return problems
        }
        try coordinator.remove(store)
        return problems
    }

    private func expectClean(_ report: MigrationTrialReport, _ location: SourceLocation = #_sourceLocation) {
        #expect(
            report.isClean, "\(report.failures.map(\.description).joined(separator: "\n"))", sourceLocation: location)
        #expect(report.entries.allSatisfy { $0.rows > 0 }, sourceLocation: location)
    }

    @Test("at random moments", arguments: Kind.allCases)
    func random(_ kind: Kind) throws {
        try withTrial(kind) { trial in
            let report = try trial.killAtRandom(times: Self.isLong ? 250 : 15, seed: 20_261_120)
            expectClean(report)
            #expect(report.refused.isEmpty)
        }
    }

    @Test("at every step, the journal's among them", arguments: Kind.allCases)
    func steps(_ kind: Kind) throws {
        try withTrial(kind) { trial in
            let steps = Set(try trial.steps())
            if kind != .inPlace {
                for step in StoreExchange.Step.allCases { #expect(steps.contains(step.rawValue), "\(step)") }
            }
            let report = try trial.killAtEveryStep(most: Self.isLong ? 8 : 2)
            expectClean(report)
            #expect(report.entries.count >= steps.count)
        }
    }

    @Test("what was done before the kill is not repeated")
    func resumed() throws {
        try withTrial(.staged) { trial in
            let all = try trial.steps()
            #expect(all.filter { $0 == "legDone" }.count == 3)
            #expect(all.filter { $0 == "didHandled" }.count == 2)
            // After the first stage's checkpoint only the others run.
            let second = try trial.stepsAfterKill(at: "checkpointWritten")
            #expect(second.filter { $0 == "legDone" }.count == 2)
            #expect(second.filter { $0 == "didHandled" }.count == 1)
            // In the middle of the last one: only that.
            let third = try trial.stepsAfterKill(at: "willHandled", occurrence: 2)
            #expect(third.filter { $0 == "legDone" }.count == 1)
            #expect(try trial.stepsAfterKill(at: "verified").filter { $0 == "legDone" }.isEmpty)
            // Before the first checkpoint there is nothing to go on with.
            #expect(try trial.stepsAfterKill(at: "didHandled").filter { $0 == "legDone" }.count == 3)
        }
        try withTrial(.chain) { trial in
            #expect(try trial.steps().filter { $0 == "legDone" }.count == 3)
            let second = try trial.stepsAfterKill(at: "checkpointWritten", occurrence: 2)
            #expect(second.filter { $0 == "legDone" }.count == 1)
            #expect(!second.contains("batchSaved"), "the mapping model's leg was done")
        }
    }

    @Test(
        "a disk that is full at any write: the error is reported, and the store is as it was", arguments: Kind.allCases)
    func fullDisk(_ kind: Kind) throws {
        try withTrial(kind) { trial in
            let report = try trial.fullDisk(steps: Self.isLong ? 120 : 16)
            expectClean(report)
            #expect(report.refused.count > 3 && report.refused.count < report.entries.count, "\(report)")
        }
    }

    @Test(
        "two processes that start the same migration: one migrates, the other waits and opens", arguments: Kind.allCases
    )
    func twoProcesses(_ kind: Kind) throws {
        try withTrial(kind) { trial in expectClean(try trial.twoProcesses(times: Self.isLong ? 20 : 4)) }
    }

    @Test(
        "a folder that cannot be written: the error is reported, and the store is as it was", arguments: Kind.allCases)
    func readOnlyFolder(_ kind: Kind) throws {
        try withTrial(kind) { trial in expectClean(try trial.readOnlyFolder()) }
    }
}

/// Makes a store at an address and runs SQL on it.
private func makeStore(_ url: URL, _ text: String, _ sql: String) throws -> URL {
    let model = ModelText.model(text)
    try withExtendedLifetime(model) {
        try SQLiteStore(layout: model.layout, storeNumber: 1, at: url).close()
    }
    let connection = try SQLiteConnection(path: url.path, access: .readWrite)
    SQLiteFunctions.register(on: connection)
    try connection.execute(sql)
    return url
}
