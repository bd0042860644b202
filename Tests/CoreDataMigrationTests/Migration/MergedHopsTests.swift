import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Several inferred hops together must have the same result as one by one.
@Suite("Inferred hops that are taken together", .leavesNothingBehind)
struct MergedHopsTests {
    /// A chain of versions, rows of the first, and how many runs it makes.
    struct Chain: Sendable, CustomTestStringConvertible {
        var name: String
        var versions: [String]
        var runs: Int
        var rows = MergedHopsTests.items
        var testDescription: String { name }
    }

    private static let items = """
        INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZSIZE) VALUES (1, 1, 1, 'one', 5), (2, 1, 1, NULL, NULL), (3, 1, 1, 'x', 7);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 3;
        """
    private static let first = "entity Item\n  name string\n  size int32"

    static let chains = [
        Chain(
            name: "columns come and are renamed",
            versions: [
                first, "entity Item\n  title string was name\n  size int32\n  a string",
                "entity Item\n  headline string was title\n  size int32\n  a string\n  b string! = none",
                "entity Thing was Item\n  headline string\n  size int64\n  c string was a\n  b string! = none",
            ], runs: 1),
        Chain(
            name: "a default between is another than the last",
            versions: [
                first, "entity Item\n  name string\n  size int32! = 3", "entity Item\n  name string\n  size int32! = 4",
            ], runs: 2),
        Chain(
            name: "a default between is taken away again",
            versions: [first, "entity Item\n  name string\n  size int32! = 3", first + "\n  more string"], runs: 2),
        Chain(
            name: "a new attribute gets another default later",
            versions: [first, first + "\n  a int16! = 1", first + "\n  a int16! = 2"], runs: 2),
        Chain(
            name: "numbers are rounded between",
            versions: [first.replacing("int32", with: "double"), first, first.replacing("int32", with: "double")],
            runs: 2),
        Chain(
            name: "numbers get wider",
            versions: [first.replacing("int32", with: "int16"), first, first.replacing("int32", with: "int64")], runs: 1
        ),
        Chain(
            name: "an attribute goes and comes again",
            versions: [first, "entity Item\n  size int32", first + "\n  b string"], runs: 2),
        Chain(
            name: "an entity goes and comes again",
            versions: [first, "entity Other\n  a string", first + "\n  more string"], runs: 2),
        Chain(
            name: "a name is given to another",
            versions: [
                first, "entity Item\n  title string was name\n  size int32",
                "entity Item\n  title string\n  name string! = new\n  size int32",
            ], runs: 1),
        Chain(
            name: "a list is ordered, and no longer",
            versions: [list("ordered"), list("many"), list("ordered") + "\n  more string"], runs: 2, rows: links),
        Chain(
            name: "both ends get new names, one after the other",
            versions: [
                list("many"),
                "entity Item\n  name string\n  size int32\n  parts many Part.whole was list\nentity Part\n  whole one Item.parts",
                "entity Item\n  name string\n  size int32\n  parts many Portion.of\n"
                    + "entity Portion was Part\n  of one Item.parts was whole",
            ], runs: 1, rows: links),
        Chain(
            name: "one becomes many, and then ordered",
            versions: [
                "entity Item\n  name string\n  size int32\n  list one Part.whole\nentity Part\n  whole one Item.list",
                list("many"), list("ordered"),
            ], runs: 2, rows: links),
        Chain(
            name: "a parent is put in, and an attribute moves up",
            versions: [
                first, "abstract entity Base\n  name string\nentity Item : Base\n  size int32",
                "abstract entity Base\n  title string was name\nentity Item : Base\n  size int32\n  more string! = m",
            ], runs: 1),
        Chain(
            name: "external storage is switched on and off",
            versions: [
                first + "\n  d data! = abc", first + "\n  d data! = abc external", first + "\n  e data! = abc was d",
            ], runs: 2, rows: items + "UPDATE ZITEM SET ZD = x'0102'"),
    ]

    private static func list(_ kind: String) -> String {
        "entity Item\n  name string\n  size int32\n  list \(kind) Part.whole\nentity Part\n  whole one Item.list"
    }

    private static let links =
        items + """
            INSERT INTO ZPART (Z_PK, Z_ENT, Z_OPT, ZWHOLE) VALUES (1, 2, 1, 1), (2, 2, 1, 3);
            """

    /// All values of all objects, by table and column.
    private func values(_ fixture: MigrationFixture) throws -> [String] {
        let connection = try SQLiteConnection(path: fixture.url.path, access: .readOnly)
        let catalog = try StoreCatalog(connection)
        return try catalog.tables.values.sorted { $0.name < $1.name }
            .filter { !["Z_METADATA", "Z_MODELCACHE"].contains($0.name) && !$0.columns.isEmpty }
            .flatMap { table -> [String] in
                let columns = table.columns.map(\.name).sorted().map { "quote(\"\($0)\")" }
                return try fixture.query(
                    "SELECT '\(table.name)', \(columns.joined(separator: ", ")) FROM \(table.name)"
                )
                .sorted()
            }
    }

    @Test("the same rows as one by one, the same tables as new ones, in no more runs than needed", arguments: chains)
    func same(_ chain: Chain) throws {
        let models = chain.versions.map { ModelText.model($0) }
        let merged = MergedHops.merge(
            from: models[0], storing: nil, through: Array(models.dropFirst()), configuration: nil)
        #expect(merged.map(\.count).reduce(0, +) == models.count - 1)
        #expect(merged.count == chain.runs)
        try withTemporaryFolder { folder in
            let (one, other) = (folder.appendingPathComponent("1"), folder.appendingPathComponent("2"))
            for place in [one, other] {
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            }
            let single = try MigrationFixture(one, chain.versions[0], rows: chain.rows)
            let together = try MigrationFixture(other, chain.versions[0], rows: chain.rows)
            for version in chain.versions.dropFirst() { try single.migrate(to: version) }
            try LightweightMigrator(MigrationRequest(at: together.url, to: models[models.count - 1])).apply(
                through: Array(models[1..<(models.count - 1)]))
            #expect(try values(together) == values(single))
            try together.verify(chain.versions[chain.versions.count - 1])
        }
    }

    @Test("a table that every version changes is written once, and the forecast shows each hop")
    func onceWritten() throws {
        let versions = (0..<6).map { number in
            let former = number > 0 ? " was name\(number - 1)" : ""
            let extra = (0..<number).map { "\n  extra\($0) string! = none" }.joined()
            return "entity Item\n  name\(number) string\(former)\n  size int32\(extra)"
        }
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, versions[0], rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME0) VALUES (1, 1, 1, 'kept')")
            let models = versions.map { ModelText.model($0) }
            let stages =
                [NSLightweightMigrationStage([models[0].versionChecksum])]
                + zip(models, models.dropFirst())
                .map { older, newer in
                    NSCustomMigrationStage(
                        migratingFrom: .init(model: older, versionChecksum: older.versionChecksum),
                        to: .init(model: newer, versionChecksum: newer.versionChecksum))
                }
            let options: [AnyHashable: Any] = [
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(stages),
            ]
            let found = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: fixture.url, to: models[5], options: options)
            #expect(found.hops.count == 5)
            #expect(found.hops.dropLast().allSatisfy { $0.isInstant })
            #expect(found.hops.flatMap(\.steps).filter { $0.kind == .rewrite }.count == 1, "\(found)")
            try StoreMigration(MigrationRequest(at: fixture.url, to: models[5], options: options)).prepare()
            #expect(try fixture.query("SELECT ZNAME5, ZEXTRA0, ZEXTRA4 FROM ZITEM") == ["kept|none|none"])
            try fixture.verify(versions[5])
        }
    }
}

@Suite("Versions on the way that forbid rows", .leavesNothingBehind)
struct ForbiddingVersionTests {
    private static let rows = "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'kept'), (2, 1, 1, NULL)"

    private func migrate(
        _ fixture: MigrationFixture, _ model: NSManagedObjectModel, through versions: [NSManagedObjectModel]
    ) throws -> [MigrationHop] {
        var gone: [MigrationHop] = []
        let metadata = try SQLiteStoreMetadata.metadata(at: fixture.url)
        let source = try #require(try SQLiteEngine().cachedModel(at: fixture.url, timeout: 1))
        try MigrationWay(bundles: [], versions: versions).of(metadata, nil).tryHops(from: source, to: model) { hops in
            gone = hops ?? []
            try WayMigration(request: MigrationRequest(at: fixture.url, to: model), hops: gone).carryOut(from: metadata)
        }
        return gone
    }

    @Test("requirements of a version between do not count if no program sees the store at that version")
    func passedBy() throws {
        let texts = [
            "entity Item\n  name string", "entity Item\n  title string! was name\n  unique title",
            "entity Item\n  headline string was title",
        ]
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, texts[0], rows: Self.rows)
            let models = texts.map { ModelText.model($0) }
            let found = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: fixture.url, to: models[2], through: [models[1]])
            #expect(found.isPossible && found.hops.count == 2, "\(found)")
            #expect(try migrate(fixture, models[2], through: [models[1]]).count == 2)
            #expect(try fixture.query("SELECT ZHEADLINE FROM ZITEM ORDER BY Z_PK") == ["kept", "-"])
            try fixture.verify(texts[2])
        }
    }

    /// The size is rounded between, so that the version has to be gone through.
    private static let texts = [
        "entity Item\n  name string\n  size double",
        "entity Item\n  title string! was name\n  size int32",
        "entity Item\n  title string was name\n  size int32\n  more string",
        "entity Item\n  headline string was title\n  size double",
    ]

    @Test("another version that keeps as much is gone through instead, and the forecast has it")
    func another() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.texts[0], rows: Self.rows)
            let models = Self.texts.map { ModelText.model($0) }
            let others = [models[1], models[2]]
            let found = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: fixture.url, to: models[3], through: others)
            #expect(found.isPossible && found.hops.first?.to.checksum == models[2].versionChecksum, "\(found)")
            let hops = try migrate(fixture, models[3], through: others)
            #expect(hops.first?.target.versionChecksum == models[2].versionChecksum)
            #expect(try fixture.query("SELECT ZHEADLINE FROM ZITEM ORDER BY Z_PK") == ["kept", "-"])
        }
    }

    @Test("Error and obstacle name version, property and choice where no other version is there; nothing is lost")
    func refused() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.texts[0], rows: Self.rows)
            let models = Self.texts.map { ModelText.model($0) }
            models[1].versionIdentifiers = ["Shop 2"]
            let before = try fixture.dump()
            let found = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: fixture.url, to: models[3], through: [models[1]])
            #expect(found.obstacles.map(\.property) == ["title"])
            #expect(
                found.description.contains("“Shop 2”") && found.description.contains("remove that version from"),
                "\(found)")
            let error = try #require(throws: NSError.self) { try migrate(fixture, models[3], through: [models[1]]) }
            #expect(error.code == NSMigrationError)
            #expect(error.localizedDescription.contains("“Shop 2”"), "\(error)")
            #expect(error.userInfo["property"] as? String == "title" && error.userInfo["row"] as? Int64 == 2)
            #expect(try fixture.dump() == before)
        }
    }
}
