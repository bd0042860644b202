import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Following and cancelling migrations of every kind", .leavesNothingBehind)
struct CopyProgressTests {
    private static let versions = [
        "entity Item\n  name string\n  size int32",
        "entity Item\n  name string\n  size double",
        "entity Item\n  name string\n  size double\n  note string! = none",
        "entity Item\n  title string was name\n  size int64\n  note string! = none",
    ]
    private static func reference(_ version: Int) -> NSManagedObjectModelReference {
        let model = ModelText.model(versions[version])
        return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }

    private static func fill(_ count: Int) -> String {
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZSIZE, ZNAME) SELECT i, 1, 1, i, 'item ' || i FROM n;
        UPDATE Z_PRIMARYKEY SET Z_MAX = \(count)
        """
    }

    /// Follows a migration on its own thread, so that what happens does not depend on time, and cancels it at a stage.
    private final class Watcher: @unchecked Sendable {  // guarded by `lock`
        let progress = Progress(totalUnitCount: 1)
        private let lock = NSLock()
        private var all: [MigrationEvent] = []
        private var hasCancelled = false
        private let feed: MigrationFeed

        init(cancellingAt stage: MigrationEvent.Stage? = nil) {
            let receiver = Receiver()
            feed = MigrationFeed { event in receiver.take(event) }
            receiver.body = { [weak self] event in self?.note(event, stage) }
            feed.attach(to: progress)
        }

        private func note(_ event: MigrationEvent?, _ stage: MigrationEvent.Stage?) {
            guard let event else { return }
            let isNow = lock.withLock {
                all.append(event)
                guard let stage, event.stage == stage, !hasCancelled else { return false }
                hasCancelled = true
                return true
            }
            if isNow { progress.cancel() }
        }

        var events: [MigrationEvent] { lock.withLock { all } }
        var isCancelled: Bool { lock.withLock { hasCancelled } }
    }

    private final class Receiver: @unchecked Sendable {  // set up before the feed is used
        var body: (MigrationEvent?) -> Void = { _ in }
        func take(_ event: MigrationEvent?) { body(event) }
    }

    enum Kind: String, CaseIterable, Sendable {
        case staged, stagedInPlace, inPlace
    }

    private func migrate(_ kind: Kind, _ fixture: MigrationFixture, _ progress: Progress) throws {
        var options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            NSMigrationProgressOption: progress,
        ]
        let stages = (0..<3).map { number in
            let stage = NSCustomMigrationStage(
                migratingFrom: Self.reference(number), to: Self.reference(number + 1))
            if kind == .staged, number == 1 {
                stage.willMigrateHandler = { _, _ in }
                stage.didMigrateHandler = { manager, _ in
                    let context = try #require(manager.container).newBackgroundContext()
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                    #expect(try context.performAndWait { try context.count(for: request) } > 0)
                }
            }
            return stage
        }
        if kind != .inPlace {
            options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager(stages)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.versions[3]))
        try coordinator.remove(
            coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.url, options: options))
    }

    private func expectOrder(_ events: [MigrationEvent]) {
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.fraction <= $1.fraction })
        #expect(events.last?.stage == .done && events.last?.fraction == 1)
    }

    @Test("Every part of a migration in stages reports its stage, the fraction never falls, and the progress ends")
    func staged() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.versions[0], rows: Self.fill(50_000))
            let watcher = Watcher()
            try migrate(.staged, fixture, watcher.progress)
            try fixture.verify(Self.versions[3])
            let events = watcher.events
            expectOrder(events)
            #expect(watcher.progress.fractionCompleted == 1)
            var stages: [MigrationEvent.Stage] = []
            for event in events where stages.last != event.stage { stages.append(event.stage) }
            for stage in [MigrationEvent.Stage.copying, .handling, .rewriting, .verifying, .finishing] {
                #expect(stages.contains(stage), "\(stage)")
            }
            #expect(events.contains { $0.entity == "Item" && $0.rowsTotal == 50_000 })
            // The progress has the rows of three versions one after the other, and not those of each as the whole.
            let middle = events.filter { $0.stage == .handling }.map(\.fraction)
            #expect(middle.allSatisfy { (0.1...0.95).contains($0) }, "\(middle)")
        }
    }

    @Test("Stages without code of the program's own are one transaction, followed through all versions")
    func stagedInPlace() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.versions[0], rows: Self.fill(50_000))
            let watcher = Watcher()
            try migrate(.stagedInPlace, fixture, watcher.progress)
            try fixture.verify(Self.versions[3])
            expectOrder(watcher.events)
            #expect(!watcher.events.contains { $0.stage == .copying })
            #expect(watcher.progress.fractionCompleted == 1)
        }
    }

    @Test("A migration by a mapping model in place of the store reports making, linking, verifying, exchanging")
    func mapped() throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 200)
            let watcher = Watcher()
            try fixture.migrateInPlace(fixture.mapping(), progress: watcher.progress)
            #expect(try fixture.books(at: fixture.source).count == 200)
            expectOrder(watcher.events)
            let stages = Set(watcher.events.map(\.stage))
            #expect(
                stages.isSuperset(of: [
                    .creatingObjects, .creatingRelationships, .validating, .verifying, .finishing,
                ]))
            #expect(watcher.progress.fractionCompleted == 1)
        }
    }

    struct Cancelled: CustomTestStringConvertible, Sendable {
        var kind: Kind
        var stage: MigrationEvent.Stage
        var testDescription: String { "\(kind), \(stage)" }
    }
    static let moments =
        [MigrationEvent.Stage.copying, .handling, .rewriting, .verifying, .finishing]
        .map { Cancelled(kind: .staged, stage: $0) }
        + [Kind.inPlace, .stagedInPlace].flatMap { kind in
            [MigrationEvent.Stage.preparing, .rewriting, .finishing].map { Cancelled(kind: kind, stage: $0) }
        }

    @Test(
        "A migration cancelled at any stage is error 134120, and the store is as it was, with nothing beside it",
        arguments: moments)
    func cancelled(_ test: Cancelled) throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.versions[0], rows: Self.fill(100_000))
            let before = try fixture.query("SELECT COUNT(*), SUM(ZSIZE), MAX(ZNAME) FROM ZITEM")
            let watcher = Watcher(cancellingAt: test.stage)
            let failure = #expect(throws: NSError.self) { try migrate(test.kind, fixture, watcher.progress) }
            #expect(failure?.code == NSMigrationCancelledError, "\(String(describing: failure))")
            #expect(watcher.isCancelled)
            #expect(!watcher.events.contains { $0.stage == .done })
            #expect(!MigrationFolder.exists(for: SQLiteStoreFiles(fixture.url).main))
            #expect(try fixture.query("SELECT COUNT(*), SUM(ZSIZE), MAX(ZNAME) FROM ZITEM") == before)
            #expect(try fixture.migrate(to: Self.versions[0]) == false)
        }
    }

    @Test(
        "a migration by a mapping model that is cancelled while it verifies or exchanges leaves the store as it was",
        arguments: [MigrationEvent.Stage.creatingObjects, .creatingRelationships, .verifying, .finishing])
    func cancelledMapping(_ stage: MigrationEvent.Stage) throws {
        try withTemporaryFolder { folder in
            let fixture = try MappedMigrationFixture(folder, books: 300)
            let watcher = Watcher(cancellingAt: stage)
            let failure = #expect(throws: NSError.self) {
                try fixture.migrateInPlace(fixture.mapping(), progress: watcher.progress)
            }
            #expect(failure?.code == NSMigrationCancelledError)
            #expect(watcher.isCancelled)
            #expect(try fixture.content().count == 300)
            #expect(try fixture.files() == ["Old.sqlite"])
        }
    }

    @Test(
        "a large migration that is cancelled at random moments leaves the store as it was",
        .serialized, .enabled(if: ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil, "takes a minute"),
        arguments: Kind.allCases)
    func cancelledAtRandom(_ kind: Kind) throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.versions[0], rows: Self.fill(1_500_000))
            try fixture.run("PRAGMA wal_checkpoint(TRUNCATE)")
            let template = folder.appendingPathComponent("template")
            try FileManager.default.copyItem(at: fixture.url, to: template)
            let start = ContinuousClock.now
            try migrate(kind, fixture, Progress(totalUnitCount: 1))
            let whole = (ContinuousClock.now - start) / .seconds(1)
            var random = SplitMix(state: 11)
            var cancelled = 0
            for _ in 0..<12 {
                try SQLiteStoreFiles(fixture.url).removeRemains()
                try FileManager.default.copyItem(at: template, to: fixture.url)
                let progress = Progress(totalUnitCount: 1)
                let seconds = Double.random(in: 0.02...(whole * 0.95), using: &random)
                DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { progress.cancel() }
                do {
                    // The commit of a migration in place cannot be ended, and then it is done.
                    try migrate(kind, fixture, progress)
                    continue
                } catch let error as NSError {
                    #expect(error.code == NSMigrationCancelledError)
                    cancelled += 1
                }
                #expect(!MigrationFolder.exists(for: SQLiteStoreFiles(fixture.url).main))
                #expect(try fixture.query("SELECT COUNT(*) FROM ZITEM") == ["1500000"])
            }
            #expect(cancelled >= 3)
        }
    }
}
