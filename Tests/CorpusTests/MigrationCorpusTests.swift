import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Every store of a chain of versions, migrated to the versions of its model, forwards and backwards: where a mapping
/// can be inferred the result has every row and the schema of a new store, elsewhere the store is as it was.
/// Proof: Apple's migrated stores, changed here.
@Suite("Migrating real stores", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct MigrationCorpusTests {
    struct Chain: CustomTestStringConvertible, Sendable {
        let bundle: String
        /// The common beginning of the stores' paths.
        let stores: String
        /// The version of a store and the one it must be possible to infer a mapping to.
        let inferable: [(from: String, to: String)]
        /// The versions between which the application ships a mapping model because none can be inferred, or because
        /// rows do not fit.
        let impossible: [(from: String, to: String)]

        var testDescription: String { bundle.split(separator: "/").last.map(String.init) ?? bundle }
    }

    static let chains: [Chain] = [
        Chain(
            bundle: "alemar11__CoreDataPlus/Tests/Resources/SampleModel/SampleModel.xcdatamodeld",
            stores: "alemar11__CoreDataPlus/Tests/Resources/SampleModel/",
            inferable: [
                ("SampleModel", "SampleModel2"), ("SampleModel", "SampleModel3"), ("SampleModel2", "SampleModel3"),
            ],
            impossible: [("SampleModel2", "SampleModel")]),
        Chain(
            bundle: "alemar11__CoreDataPlus/Tests/Resources/SampleModel3/SampleModel3.xcdatamodeld",
            stores: "alemar11__CoreDataPlus/Tests/Resources/SampleModel3/",
            inferable: [("SampleModel3", "SampleModel3_v2"), ("SampleModel3", "SampleModel3_v3")], impossible: []),
        Chain(
            bundle: "wibosco__CoreDataMigration-Example/CoreDataMigration-Example/CoreData/Model/"
                + "CoreDataMigration_Example.xcdatamodeld",
            stores: "wibosco__CoreDataMigration-Example/CoreDataMigration-ExampleTests/",
            inferable: [
                ("CoreDataMigration_Example", "CoreDataMigration_Example 2"),
                ("CoreDataMigration_Example 3", "CoreDataMigration_Example 4"),
            ],
            impossible: [("CoreDataMigration_Example 2", "CoreDataMigration_Example 3")]),
        Chain(
            bundle: "duckduckgo__BrowserServicesKit/Sources/Bookmarks/BookmarksModel.xcdatamodeld",
            stores: "duckduckgo__BrowserServicesKit/Tests/BookmarksTests/",
            inferable: (1...5).flatMap { from in
                ((from + 1)...6).map {
                    (from == 1 ? "BookmarksModel" : "BookmarksModel \(from)", "BookmarksModel \($0)")
                }
            },
            impossible: [("BookmarksModel 4", "BookmarksModel 3")]),
        Chain(
            bundle: "duckduckgo__BrowserServicesKit/Sources/DDGSync/SyncMetadata.xcdatamodeld",
            stores: "duckduckgo__BrowserServicesKit/Tests/DDGSyncTests/",
            inferable: [
                ("SyncMetadata 3", "SyncMetadata 4"), ("SyncMetadata 3", "SyncMetadata 2"),
                ("SyncMetadata 3", "SyncMetadata"),
            ],
            impossible: []),
        Chain(
            bundle: "LoopKit__LoopKit/LoopKit/Persistence/Model.xcdatamodeld",
            stores: "LoopKit__LoopKit/LoopKitHostedTests/", inferable: [("Model", "Modelv4")], impossible: []),
        Chain(
            bundle: "objcio__core-data/Migrations/Migrations/Moody.xcdatamodeld",
            stores: "objcio__core-data/Migrations/",
            inferable: [("Moody", "Moody 2"), ("Moody 2", "Moody 3")], impossible: [("Moody 4", "Moody 3")]),
        Chain(
            bundle: "artsy__energy/Resources/CoreData/ArtsyPartner.xcdatamodeld", stores: "artsy__energy/",
            inferable: [
                ("ArtsyPartner 5", "ArtsyFolio v2.7.0"), ("ArtsyFolio v1.4", "ArtsyFolio v2.7.0"),
                ("ArtsyFolio v1.5", "ArtsyFolio v2.7.0"), ("ArtsyFolio v2.0", "ArtsyFolio v2.7.0"),
                ("ArtsyFolio v2.3", "ArtsyFolio v2.7.0"),
            ],
            impossible: []),
    ]

    @Test("a chain of versions", arguments: chains)
    func chain(_ chain: Chain) throws {
        let versions = try ModelBundle.allVersions(at: Corpus.url(chain.bundle))
        let stores = Corpus.stores.filter { $0.hasPrefix(chain.stores) && !$0.contains("@history") }
        #expect(!stores.isEmpty)
        var done: Set<String> = []
        var refused: Set<String> = []
        // Long chains only go where the applications' own tests go.
        let wanted = Set(chain.inferable.map(\.to))
        let targets = versions.count > 10 ? versions.filter { wanted.contains($0.name) } : versions
        for store in stores {
            for target in targets {
                try withTemporaryFolder { folder in
                    let url = try Corpus.copyStore(store, to: folder)
                    let metadata = try SQLiteStoreMetadata.metadata(at: url)
                    let source = try #require(
                        versions.first {
                            $0.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
                        })
                    let step = "\(source.name) → \(target.name)"
                    if source.name == target.name { return }
                    if try migrate(url, source, target, in: folder, "\(store) \(step)") {
                        done.insert(step)
                    } else {
                        refused.insert(step)
                    }
                }
            }
        }
        for (from, to) in chain.inferable { #expect(done.contains("\(from) → \(to)"), "\(from) → \(to)") }
        for (from, to) in chain.impossible { #expect(refused.contains("\(from) → \(to)"), "\(from) → \(to)") }
    }

    @Test("a store with derived attributes' triggers and history keeps both, with the right numbers")
    func triggersAndHistory() throws {
        try withTemporaryFolder { folder in
            let url = try Corpus.copyStore(
                "alemar11__CoreDataPlus/Tests/Resources/SampleModel2/Fixtures/SampleModel2_V1.sqlite", to: folder)
            func column(_ sql: String) throws -> [String] {
                let connection = try SQLiteConnection(path: url.path, access: .readWrite)
                let statement = try connection.prepare(sql)
                var result: [String] = []
                while try statement.step() { result.append(statement.string(0)) }
                return result
            }
            let triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
            let changes =
                "SELECT k.Z_NAME || ' ' || COUNT(*) FROM ACHANGE c JOIN Z_PRIMARYKEY k ON k.Z_ENT = c.ZENTITY "
                + "GROUP BY k.Z_NAME ORDER BY 1"
            let before = try (column(triggers), column(changes))
            #expect(before.0.count == 5)
            #expect(!before.1.isEmpty)

            let added = try #require(try SQLiteStoreSummary(at: url)?.model())
            let note = NSAttributeDescription()
            note.name = "note"
            note.attributeType = .stringAttributeType
            added.entitiesByName["Page"]?.properties.append(note)
            #expect(try LightweightMigrator(MigrationRequest(at: url, to: added)).apply())
            #expect(try column(triggers) == before.0)
            #expect(try column(changes) == before.1)

            let renumbered = try #require(try SQLiteStoreSummary(at: url)?.model())
            let first = NSEntityDescription()
            first.name = "AFirst"
            renumbered.entities.append(first)
            #expect(try LightweightMigrator(MigrationRequest(at: url, to: renumbered)).apply())
            #expect(try column(triggers) == before.0)
            #expect(try column(changes) == before.1)
            #expect(try column("PRAGMA integrity_check") == ["ok"])
        }
    }

    /// False when no mapping can be inferred; then the store must be as it was.
    private func migrate(
        _ url: URL, _ source: ModelBundle.Version, _ target: ModelBundle.Version, in folder: URL, _ comment: String
    ) throws -> Bool {
        let model = try #require(target.model.copy() as? NSManagedObjectModel)
        defer { withExtendedLifetime(model) {} }
        let before = try counts(url, source.model)
        do {
            #expect(
                try LightweightMigrator(MigrationRequest(at: url, to: model)).apply(from: source.model), "\(comment)")
        } catch let error as NSError {
            #expect([NSInferredMappingModelError, NSMigrationError].contains(error.code), "\(comment): \(error)")
            #expect(error.userInfo["entity"] is String, "\(comment): \(error)")
            #expect(try counts(url, source.model) == before, "\(comment)")
            return false
        }
        let store = try SQLiteStore(layout: model.layout, storeNumber: 1, at: url)
        store.close()
        let connection = try SQLiteConnection(path: url.path, access: .readWrite)
        #expect(try connection.text("PRAGMA integrity_check") == "ok", "\(comment)")
        let fresh = folder.appendingPathComponent("fresh.sqlite")
        try SQLiteStore(layout: model.layout, storeNumber: 1, at: fresh).close()
        let (mine, theirs) = try (Self.schema(url), Self.schema(fresh))
        #expect(mine == theirs, "\(comment)")
        // Every row of an entity that is still there, under its new name.
        let after = try counts(url, model)
        let names = try #require(source.model.copy() as? NSManagedObjectModel)
        defer { withExtendedLifetime(names) {} }
        let difference = try ModelDifference(from: names.layout, to: model.layout)
        for entity in model.layout.entities {
            let origin = difference.sourceOf[entity.index].map { names.layout.entities[$0].name }
            #expect(after[entity.name] == origin.map { before[$0] ?? 0 } ?? 0, "\(comment): \(entity.name)")
        }
        return true
    }

    /// Rows per entity.
    private func counts(_ url: URL, _ model: NSManagedObjectModel) throws -> [String: Int] {
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        defer { withExtendedLifetime(copy) {} }
        let connection = try SQLiteConnection(path: url.path, access: .readWrite)
        connection.disableCheckpointOnClose()
        let schema = try IntrospectedSchema(connection).fit(copy.layout, entities: nil, url: url)
        var result: [String: Int] = [:]
        for entity in copy.layout.entities {
            guard let number = schema.numbers[entity.index], let table = schema.table(ofRoot: entity.rootIndex)?.name
            else { continue }
            // The number in the rows of a table of one entity may be a stale one.
            let isSole = schema.soleLayout(ofRoot: entity.rootIndex, in: copy.layout) != nil
            let condition = isSole ? "" : " WHERE Z_ENT = \(number)"
            result[entity.name] = Int(try connection.integer("SELECT COUNT(*) FROM \(table)\(condition)") ?? 0)
        }
        return result
    }

    /// Tables with columns and types, indexes and triggers.
    private static func schema(_ url: URL) throws -> Set<String> {
        let catalog = try StoreCatalog(SQLiteConnection(path: url.path, access: .readWrite))
        var lines = catalog.tables.values.map { table in
            "table \(table.name): "
                + table.columns.map { "\($0.name) \($0.type) \($0.keyPosition)" }.sorted().joined(separator: ", ")
        }
        lines += catalog.indexes.map { index in
            "\(index.isUnique ? "unique " : "")index \(index.name) on \(index.table): "
                + index.columns.map { "\($0.name) \($0.direction == .descending ? "down" : "up")" }
                .joined(separator: ", ") + (index.condition.map { " where \($0)" } ?? "")
        }
        lines += catalog.triggers.map { "trigger \($0.name)" }
        return Set(lines)
    }
}
