import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("The forecast of a migration", .leavesNothingBehind)
struct MigrationForecastTests {
    private func forecast(
        _ fixture: MigrationFixture, to text: String, through versions: [String] = []
    ) throws -> MigrationForecast {
        try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: fixture.url, to: ModelText.model(text), through: versions.map { ModelText.model($0) })
    }

    /// The bytes of the main file and of the -wal.
    private func bytes(_ fixture: MigrationFixture) -> [Data?] {
        ["", "-wal", "-journal"].map { try? Data(contentsOf: URL(fileURLWithPath: fixture.url.path + $0)) }
    }

    @Test("The machine is measured, though the files of the measurement lose their names at once")
    func calibration() throws {
        let machine = try MachineCalibration.measured()
        #expect(machine.scan > 0 && machine.rewrite > 0 && machine.index > 0 && machine.transaction > 0)
    }

    @Test("a store that is not there, or that fits, needs no migration")
    func notRequired() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, StoreMigrationTests.older)
            let fits = try forecast(fixture, to: StoreMigrationTests.older)
            #expect(!fits.isMigrationRequired && fits.isPossible && fits.hops.isEmpty && fits.estimatedSeconds == 0)
            #expect(fits.description == "“store.sqlite” needs no migration.")
            let missing = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: folder.appendingPathComponent("none.sqlite"),
                to: ModelText.model(StoreMigrationTests.older))
            #expect(!missing.isMigrationRequired)
        }
    }

    @Test("new nullable columns are instant, however many rows there are, and nothing on disk changes")
    func instant() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, StoreMigrationTests.older, rows: StoreMigrationTests.fill(5000))
            let before = bytes(fixture)
            let found = try forecast(fixture, to: StoreMigrationTests.older + "\n  note string\n  weight double")
            #expect(found.isMigrationRequired && found.isPossible && found.isInstant && found.hasDiskSpace)
            #expect(found.hops.count == 1)
            #expect(found.rows == 0 && found.bytes == 0)
            #expect(found.hops[0].steps.filter { $0.summary.hasPrefix("add column ZITEM.") }.count == 2)
            #expect(found.description.contains("instant at any size"))
            #expect(bytes(fixture) == before)
            // The forecast has not changed the store's version.
            #expect(try fixture.migrate(to: StoreMigrationTests.older) == false)
        }
    }

    @Test("a rewritten table comes with its rows, its bytes, the disk it needs and a time")
    func rewrite() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, StoreMigrationTests.older, rows: StoreMigrationTests.fill(5000))
            let found = try forecast(fixture, to: StoreMigrationTests.newer)
            #expect(!found.isInstant)
            let steps = found.hops[0].steps.filter { $0.kind == .rewrite && $0.table == "ZITEM" }
            #expect(!steps.isEmpty)
            #expect(steps.allSatisfy { $0.rows == 5000 && $0.seconds > 0 })
            // A row holds a text of some 34 bytes, keys and numbers.
            #expect(steps.contains { (5000 * 35...5000 * 90).contains($0.bytes) }, "\(steps)")
            #expect(found.diskSpaceNeeded >= found.bytes)
            #expect(found.estimatedSeconds > 0)
            #expect(found.diskSpaceAvailable ?? 1 > 0)
        }
    }

    @Test("obstacles name entity, property and remedy")
    func obstacles() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, "entity Item\n  name string\n  size int32\n  tint string")
            let before = bytes(fixture)
            let found = try forecast(fixture, to: "entity Item\n  name data\n  size date\n  tint string")
            #expect(found.isMigrationRequired && !found.isPossible && !found.isInstant)
            #expect(found.obstacles.map(\.entity) == ["Item", "Item"])
            #expect(Set(found.obstacles.map(\.property)) == ["name", "size"])
            #expect(found.obstacles.allSatisfy { $0.help.contains("mapping model") }, "\(found)")
            #expect(found.description.contains("cannot be migrated"))
            #expect(bytes(fixture) == before)
        }
    }

    @Test("a store whose model is nowhere is an obstacle of its own")
    func missingSource() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, StoreMigrationTests.older)
            try fixture.run("DELETE FROM Z_MODELCACHE")
            let found = try forecast(fixture, to: StoreMigrationTests.newer)
            #expect(found.obstacles.count == 1)
            #expect(found.obstacles.first?.entity == nil)
            #expect(found.description.contains("older versions of the model"))
        }
    }

    @Test("a file that is no store is an error, not a forecast")
    func noStore() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("text.sqlite")
            try Data(repeating: 65, count: 4096).write(to: url)
            #expect(throws: (any Error).self) {
                try NSPersistentStoreCoordinator.migrationForecast(
                    forPersistentStoreAt: url, to: ModelText.model(StoreMigrationTests.older))
            }
        }
    }

    @Test("the rows of a -wal that a killed process left are counted, and the -wal stays")
    func log() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, StoreMigrationTests.older)
            let writer = try fixture.log(StoreMigrationTests.fill(700))
            let copy = try withExtendedLifetime(writer) { try fixture.copyAsKilled() }
            let before = try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: copy.path + $0)) }
            let found = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: copy, to: ModelText.model(StoreMigrationTests.newer))
            #expect(found.hops[0].steps.contains { $0.table == "ZITEM" && $0.rows == 700 })
            #expect(try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: copy.path + $0)) } == before)
        }
    }

    @Test("the disk it needs counts files of external data: those that are copied, and those that come into the rows")
    func externalData() throws {
        let older = "entity Picture\n  bytes data external\n  note string"
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, older)
            let files = SQLiteStoreFiles(fixture.url).externalDataFolder
            try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
            for number in 1...3 {
                let name = UUID().uuidString
                try Data(count: 2_000_000).write(to: files.appendingPathComponent(name))
                let tag = "CAST(x'02' || '\(name)' || x'00' AS BLOB)"
                try fixture.run("INSERT INTO ZPICTURE (Z_PK, Z_ENT, Z_OPT, ZBYTES) VALUES (\(number), 1, 1, \(tag))")
            }
            let columns = try forecast(fixture, to: older + "\n  more string")
            #expect(columns.isInstant && columns.diskSpaceNeeded < 1_000_000)
            let inside = try forecast(fixture, to: "entity Picture\n  bytes data\n  note string")
            #expect(inside.bytes >= 6_000_000 && inside.diskSpaceNeeded >= 12_000_000, "\(inside)")
            let (source, model) = (ModelText.model(older), ModelText.model(older + "\n  more string"))
            let stage = NSCustomMigrationStage(
                migratingFrom: .init(model: source, versionChecksum: source.versionChecksum),
                to: .init(model: model, versionChecksum: model.versionChecksum))
            stage.didMigrateHandler = { _, _ in }
            let copied = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: fixture.url, to: model,
                options: [NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage])])
            #expect((6_000_000..<8_000_000).contains(copied.diskSpaceNeeded), "\(copied)")
        }
    }

    @Test("The disk it needs counts content in the -wal alone: the main file grows by it, and so does a copy")
    func sizeOfLog() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, StoreMigrationTests.older)
            let writer = try fixture.log(StoreMigrationTests.fill(20_000))
            defer { withExtendedLifetime(writer) {} }
            let size = try StoreSize(fixture.url, writer).database
            let main = StoreSize.bytes(of: fixture.url)
            #expect(size > main + 500_000)
            let found = try forecast(fixture, to: StoreMigrationTests.older + "\n  note string")
            #expect(found.isInstant)
            #expect(found.diskSpaceNeeded >= size - main && found.diskSpaceNeeded < size - main + 1_000_000)
        }
    }
}

@Suite("The way through versions", .leavesNothingBehind)
struct MigrationRouteTests {
    private func route(_ edges: [(Int, Int)], from start: Int, to end: Int, count: Int) -> [Int]? {
        MigrationRoute.shortest(from: start, to: end, count: count) { from, to in
            edges.contains { $0 == (from, to) }
        }
    }

    @Test("the direct way wins over longer ones")
    func direct() {
        #expect(route([(0, 1), (1, 2), (0, 2)], from: 0, to: 2, count: 3) == [2])
    }

    @Test("versions are skipped where that makes the way shorter")
    func shortest() {
        #expect(route([(0, 1), (1, 2), (2, 3), (3, 4), (1, 3)], from: 0, to: 4, count: 5) == [1, 3, 4])
    }

    @Test("no way is nil, and a way to the same place is empty")
    func none() {
        #expect(route([(1, 0), (0, 2)], from: 0, to: 1, count: 3) == nil)
        #expect(route([], from: 1, to: 1, count: 2) == [])
    }

    @Test("circles do not hold it up")
    func circles() {
        #expect(route([(0, 1), (1, 0), (1, 2), (2, 1), (2, 3)], from: 0, to: 3, count: 4) == [1, 2, 3])
    }
}
