import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Following a migration", .leavesNothingBehind)
struct MigrationMonitorTests {
    private static var both: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }
    private static let older = """
        entity Item
          name string
          size int32
        """
    private static let newer = """
        entity Item
          name string
          size double
        """

    private static func fill(_ count: Int) -> String {
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZSIZE, ZNAME) SELECT i, 1, 1, i, 'item ' || i FROM n
        """
    }

    /// All events of a migration that has ended.
    private func events(_ monitor: MigrationMonitor) async -> [MigrationEvent] {
        var all: [MigrationEvent] = []
        for await event in monitor.events { all.append(event) }
        return all
    }

    private func expectOrder(_ events: [MigrationEvent]) {
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.fraction <= $1.fraction })
        #expect(events.allSatisfy { ($0.rowsTotal == 0 || $0.rowsDone <= $0.rowsTotal) && $0.fraction <= 1 })
        #expect(events.last?.stage == .done)
        #expect(events.last?.fraction == 1)
        #expect(events.last?.secondsLeft == 0)
    }

    @Test("A migration in place reports stages, entity and rows, the fraction never falls, then it ends")
    func inPlace() async throws {
        try await withTemporaryFolder { (folder: URL) async throws in
            let fixture = try MigrationFixture(folder, Self.older, rows: Self.fill(150_000))
            let monitor = MigrationMonitor()
            #expect(monitor.latest == nil)
            var options = Self.both
            options[NSMigrationProgressOption] = monitor.progress
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.newer))
            try coordinator.remove(
                coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.url, options: options))
            let events = await events(monitor)
            expectOrder(events)
            let stages = events.map(\.stage)
            #expect(stages.contains(.rewriting) && stages.contains(.finishing))
            #expect(events.contains { $0.entity == "Item" && $0.rowsTotal == 150_000 })
            #expect(monitor.latest?.stage == .done)
        }
    }

    @Test("a store that fits gives no events, and they end", .timeLimit(.minutes(10)))
    func nothingToDo() async throws {
        try await withTemporaryFolder { (folder: URL) async throws in
            let fixture = try MigrationFixture(folder, Self.older, rows: "")
            let monitor = MigrationMonitor()
            var options = Self.both
            options[NSMigrationProgressOption] = monitor.progress
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.older))
            try coordinator.remove(
                coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.url, options: options))
            let events = await events(monitor)
            #expect(events.isEmpty)
        }
    }

    @Test("A migration by a mapping model reports every entity in both passes")
    func mapped() async throws {
        try await withTemporaryFolder { (folder: URL) async throws in
            let fixture = try MappedMigrationFixture(folder, books: 300)
            let monitor = MigrationMonitor()
            try fixture.manager().migrateStore(
                from: fixture.source, sourceType: NSSQLiteStoreType, options: nil, with: fixture.mapping(),
                toDestinationURL: fixture.destination, destinationType: NSSQLiteStoreType,
                destinationOptions: [NSMigrationProgressOption: monitor.progress])
            let events = await events(monitor)
            expectOrder(events)
            for stage in [MigrationEvent.Stage.creatingObjects, .creatingRelationships] {
                let entities = Set(events.filter { $0.stage == stage }.compactMap(\.entity))
                #expect(entities == ["Author", "Book", "Chapter", "Tag"])
            }
            #expect(events.contains { $0.entity == "Book" && $0.rowsTotal == 300 })
        }
    }

    @Test("The events of a cancelled migration end without being done, and the store is as it was")
    func cancelled() async throws {
        try await withTemporaryFolder { (folder: URL) async throws in
            let fixture = try MigrationFixture(folder, Self.older, rows: Self.fill(10))
            let before = try fixture.dump()
            let monitor = MigrationMonitor()
            monitor.cancel()
            var options = Self.both
            options[NSMigrationProgressOption] = monitor.progress
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.newer))
            let failure = #expect(throws: NSError.self) {
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.url, options: options)
            }
            #expect(failure?.code == NSMigrationCancelledError)
            let events = await events(monitor)
            #expect(!events.contains { $0.stage == .done })
            #expect(try fixture.dump() == before)
        }
    }

    @Test("an event prints its share, stage, entity with rows, and time left")
    func printing() {
        let event = MigrationEvent(
            stage: .rewriting, entity: "Book", rowsDone: 12, rowsTotal: 40, fraction: 0.301, secondsLeft: 2.2)
        #expect("\(event)" == "30 %, rewriting, Book 12 of 40, 3 s left")
    }

    @Test(
        "the time left runs down and does not jump when the pace changes",
        arguments: [nil, 2.0, 10.0, 40.0] as [Double?])
    func estimate(_ expected: Double?) {
        var estimate = MigrationEstimate()
        estimate.expected = expected
        var previous: Double?
        var time = 0.0
        var fraction = 0.0
        var said: [Double] = []
        while fraction < 1 {
            time += 0.05
            // Twice as fast in the second half.
            fraction = min(1, fraction + (fraction < 0.5 ? 0.004 : 0.008))
            guard let left = estimate.secondsLeft(at: time, fraction: fraction) else { continue }
            if let previous { #expect(abs(left - previous) <= 0.05 + 0.25 * max(previous, 0.5)) }
            previous = left
            said.append(left)
        }
        #expect(said.count > 100)
        #expect((said.last ?? 1) < 0.5)
        // In the middle of the first half: the rest of it at this pace, whatever was foreseen.
        #expect(said.allSatisfy { $0 <= max(12.5, (expected ?? 0)) + 1 })
    }
}
