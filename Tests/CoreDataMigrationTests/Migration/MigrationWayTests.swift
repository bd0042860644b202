import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Ways through versions and mapping models", .leavesNothingBehind)
struct MigrationWayTests {
    /// A text becomes a number between the second version and the third, which only a mapping model can do.
    private static let versions = [
        "entity Item\n  name string\n  size string",
        "entity Item\n  title string was name\n  size string",
        "entity Item\n  title string\n  size int32",
        "entity Item\n  title string\n  size int32\n  note string! = none",
    ]
    private static let rows =
        "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZSIZE) VALUES (1, 1, 1, 'one', '11'), (2, 1, 1, 'two', '22');"
        + "UPDATE Z_PRIMARYKEY SET Z_MAX = 2"

    private static func model(_ version: Int) -> NSManagedObjectModel { ModelText.model(versions[version]) }

    /// A folder of resources with some of the versions, and the mapping model from the second to the third.
    private func bundle(_ folder: URL, _ texts: [String], mapping: NSMappingModel?) throws -> Bundle {
        let url = folder.appendingPathComponent("Resources.bundle")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (number, text) in texts.enumerated() {
            try ModelArchive.encode(ModelText.model(text)).write(to: url.appendingPathComponent("Shop \(number).mom"))
        }
        if let mapping {
            try MappingModelArchive.encode(mapping).write(to: url.appendingPathComponent("Sizes.cdm"))
        }
        return try #require(Bundle(url: url))
    }

    /// Numbers from texts.
    private static func sizes(_ older: NSManagedObjectModel, _ newer: NSManagedObjectModel) -> NSMappingModel {
        let mapping = NSEntityMapping()
        mapping.name = "ItemToItem"
        mapping.mappingType = .transformEntityMappingType
        mapping.sourceEntityName = "Item"
        mapping.destinationEntityName = "Item"
        mapping.sourceEntityVersionHash = older.entityVersionHashesByName["Item"]
        mapping.destinationEntityVersionHash = newer.entityVersionHashesByName["Item"]
        mapping.sourceExpression = MappingExpressions.objects(of: "Item", predicate: "TRUEPREDICATE")
        mapping.attributeMappings = [
            MappedMigrationFixture.property("title", "$source.title"),
            MappedMigrationFixture.property("size", "CAST($source.size, 'NSNumber')"),
        ]
        let model = NSMappingModel()
        model.entityMappings = [mapping]
        return model
    }

    private static var both: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    private func forecast(
        _ fixture: MigrationFixture, to model: NSManagedObjectModel, _ bundle: Bundle
    ) throws -> MigrationForecast {
        let forecaster = MigrationForecaster(MigrationRequest(at: fixture.url, to: model, bundles: [bundle]))
        return try forecaster.forecast()
    }

    @Test("a way through a mapping model is found, versions are skipped, the forecast says the same, and it is gone")
    func chain() throws {
        for start in [0, 1, 2] {
            try withTemporaryFolder { folder in
                let fixture = try MigrationFixture(folder, Self.versions[start])
                if start == 0 { try fixture.run(Self.rows) }
                let bundle = try bundle(
                    folder, Self.versions, mapping: Self.sizes(Self.model(1), Self.model(2)))
                let model = Self.model(3)
                let forecast = try forecast(fixture, to: model, bundle)
                #expect(forecast.isPossible && !forecast.description.isEmpty)
                let means = forecast.hops.map(\.means)
                switch start {
                case 0: #expect(means == [.inferred, .mappingModel("Sizes.cdm"), .inferred])
                case 1: #expect(means == [.mappingModel("Sizes.cdm"), .inferred])
                default: #expect(means == [.inferred])
                }
                if start == 0 {
                    #expect(forecast.hops[1].steps.map(\.kind) == [.custom])
                    #expect(forecast.hops[1].steps.first?.rows == 2)
                    #expect(!forecast.isInstant && forecast.diskSpaceNeeded > 0)
                }
                try StoreMigration(MigrationRequest(at: fixture.url, to: model, options: Self.both, bundles: [bundle]))
                    .prepare()
                try fixture.verify(Self.versions[3])
                #expect(!MigrationFolder.exists(for: SQLiteStoreFiles(fixture.url).main))
                if start == 0 {
                    #expect(
                        try fixture.query("SELECT ZTITLE, ZSIZE, ZNOTE FROM ZITEM ORDER BY Z_PK")
                            == ["one|11|none", "two|22|none"])
                }
            }
        }
    }

    @Test("A property that was renamed twice takes the way through the version between, where that is at hand")
    func renamedTwice() throws {
        let first = "entity Item\n  name string\n  size int32"
        let second = "entity Item\n  title string was name\n  size int32"
        for third in [
            "entity Item\n  headline string was title\n  size int32", "entity Item\n  title string\n  size int64",
        ] {
            for isAtHand in [true, false] {
                try withTemporaryFolder { folder in
                    let fixture = try MigrationFixture(
                        folder, first, rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'kept')")
                    let bundle = try bundle(folder, isAtHand ? [first, second, third] : [first, third], mapping: nil)
                    let model = ModelText.model(third)
                    #expect(try forecast(fixture, to: model, bundle).hops.count == (isAtHand ? 2 : 1))
                    try StoreMigration(
                        MigrationRequest(at: fixture.url, to: model, options: Self.both, bundles: [bundle])
                    ).prepare()
                    try fixture.verify(third)
                    let column = third.contains("headline") ? "ZHEADLINE" : "ZTITLE"
                    #expect(try fixture.query("SELECT \(column) FROM ZITEM") == [isAtHand ? "kept" : "-"])
                }
            }
        }
    }

    @Test("removed entities and properties that were never renamed take the direct way")
    func removedForGood() throws {
        let texts = [
            "entity Item\n  name string\n  old string", "entity Item\n  title string was name\n  old string",
            "entity Item\n  title string was name\n  more int32",
        ]
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, texts[0])
            let bundle = try bundle(folder, texts, mapping: nil)
            #expect(try forecast(fixture, to: ModelText.model(texts[2]), bundle).hops.count == 1)
        }
    }

    @Test("No way exists without the mapping model: forecast and error name the property")
    func missing() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.versions[0], rows: Self.rows)
            let bundle = try bundle(folder, Self.versions, mapping: nil)
            let forecast = try forecast(fixture, to: Self.model(3), bundle)
            #expect(forecast.obstacles.map(\.property) == ["size"])
            let before = try fixture.dump()
            let error = #expect(throws: NSError.self) {
                try StoreMigration(
                    MigrationRequest(at: fixture.url, to: Self.model(3), options: Self.both, bundles: [bundle])
                ).prepare()
            }
            #expect(error?.code == NSInferredMappingModelError)
            #expect(try fixture.dump() == before)
        }
    }

    @Test("a chain of inferred hops, where the direct one is impossible, is one transaction in place")
    func inferredChain() throws {
        // The name of the first version is another thing in the third.
        let texts = [
            "entity Item\n  name string", "entity Item\n  title string was name",
            "entity Item\n  title string\n  name int32",
        ]
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, texts[0],
                rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'x'); "
                    + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
            let bundle = try bundle(folder, texts, mapping: nil)
            let forecast = try forecast(fixture, to: ModelText.model(texts[2]), bundle)
            #expect(forecast.hops.map(\.means) == [.inferred, .inferred])
            try StoreMigration(
                MigrationRequest(at: fixture.url, to: ModelText.model(texts[2]), options: Self.both, bundles: [bundle])
            ).prepare()
            #expect(try fixture.query("SELECT ZTITLE, ZNAME FROM ZITEM") == ["x|-"])
            try fixture.verify(texts[2])
        }
    }

    @Test(
        "a new mandatory attribute without a default is an obstacle where there are rows, and none where there are not")
    func mandatory() throws {
        let older = "entity Item\n  name string"
        let newer = "entity Item\n  name string\n  kind int16!"
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, older)
            func forecast() throws -> MigrationForecast {
                try NSPersistentStoreCoordinator.migrationForecast(
                    forPersistentStoreAt: fixture.url, to: ModelText.model(newer))
            }
            #expect(try forecast().isPossible)
            try fixture.run("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (7, 1, 1, 'x')")
            let found = try forecast()
            #expect(!found.isPossible && found.hops.isEmpty)
            let obstacle = try #require(found.obstacles.first)
            #expect(obstacle.entity == "Item" && obstacle.property == "kind")
            #expect(obstacle.reason.contains("“Item.kind”"))
            #expect(obstacle.help == "Give the attribute a default value, or make it optional.")
            let error = try fixture.failure(to: newer)
            #expect(error.code == NSMigrationError)
            #expect(error.userInfo["entity"] as? String == "Item")
            #expect(error.userInfo["row"] as? Int64 == 7)
            #expect(error.localizedDescription.contains("ZITEM 7"))
        }
    }

    @Test("A way through a mapping model is taken where rows forbid the direct one")
    func around() throws {
        let texts = [
            "entity Item\n  size string", "entity Item\n  size string\n  title string",
            "entity Item\n  title string!\n  size string",
        ]
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, texts[0],
                rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZSIZE) VALUES (1, 1, 1, '5'); "
                    + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
            let (middle, last) = (ModelText.model(texts[1]), ModelText.model(texts[2]))
            let mapping = Self.sizes(middle, last)
            mapping.entityMappings[0].attributeMappings = [
                MappedMigrationFixture.property("title", "$source.size"),
                MappedMigrationFixture.property("size", "$source.size"),
            ]
            let bundle = try bundle(folder, texts, mapping: mapping)
            #expect(
                try forecast(fixture, to: last, bundle).hops.map(\.means) == [.inferred, .mappingModel("Sizes.cdm")])
            try StoreMigration(MigrationRequest(at: fixture.url, to: last, options: Self.both, bundles: [bundle]))
                .prepare()
            #expect(try fixture.query("SELECT ZTITLE, ZSIZE FROM ZITEM") == ["5|5"])
        }
    }

    @Test("No way leads through a model that lacks a part of the store that the program still has")
    func forgetful() throws {
        let texts = ["entity Item\n  size string", "entity Other\n  word string", "entity Item\n  size int32"]
        let lacking = ["entity Item\n  size string", "entity Item\n  word string", "entity Item\n  size int32"]
        for texts in [texts, lacking] {
            try withTemporaryFolder { folder in
                let bundle = try bundle(folder, texts, mapping: nil)
                let way = MigrationWay(bundles: [bundle])
                #expect(way.find(from: ModelText.model(texts[0]), to: ModelText.model(texts[2])) == nil)
            }
        }
    }
}
