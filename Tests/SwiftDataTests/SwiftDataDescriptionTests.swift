import CoreData
import Foundation
import MigrationTestKit
import SwiftDataTestKit
import TestSupport
import Testing

@testable import SwiftData
@testable import plan_child

/// Descriptions of a plan's versions, with which `coredata model check` compares.
@Suite("Descriptions of SwiftData's plans")
struct SwiftDataDescriptionTests {
    @Test("A description has the versions of a plan by name and hash, and stays as it is")
    func written() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Logbook.modeldescription")
        try LogbookPlan.writeDescription(to: url)
        let data = try Data(contentsOf: url)
        let versions = try ModelDescription.versions(in: data, file: "Logbook.modeldescription")
        #expect(versions.map(\.name) == ["LogbookV1", "LogbookV2", "LogbookV3", "LogbookV4", "LogbookV5"])
        for ((_, source), type) in zip(versions, LogbookPlan.schemas) {
            let model = try ModelFile.model(of: source, file: "Logbook.modeldescription")
            let expected = try ManagedSchema.of(Schema(versionedSchema: type)).model
            #expect(model.entityVersionHashesByName == expected.entityVersionHashesByName, "\(type)")
        }
        #expect(
            ModelDescription.versionsWithHandlers(in: data) == ["LogbookV1", "LogbookV2", "LogbookV3", "LogbookV4"])
        // The default of a key is another one each time.
        try LogbookPlan.writeDescription(to: url)
        #expect(try Data(contentsOf: url) == data)
        try Schema(versionedSchema: LogbookV2.self).writeDescription(to: url)
        let single = try ModelDescription.versions(in: Data(contentsOf: url), file: "")
        #expect(single.map(\.name) == ["2.0.0"])
    }

    @Test("The check finds a loss without a handler, an edited version and a missing one, and passes stages of code")
    func checked() throws {
        let folder = try TemporaryFolder()
        let repository = try ModelRepository(at: folder.url.appendingPathComponent("app"))
        let url = repository.folder.appendingPathComponent("Deck.modeldescription")
        func rules(_ plan: any SchemaMigrationPlan.Type) throws -> [String] {
            try plan.writeDescription(to: url)
            let report = try ModelGate(repository: repository.folder, base: "HEAD").check()
            return report.findings.map { "\($0.rule.rawValue) \($0.entity ?? "").\($0.property ?? "")" }
        }
        try DeckPlan1.writeDescription(to: url)
        try repository.commit()
        #expect(try rules(DeckPlan1.self) == [])
        let found = try rules(InferredDeckPlan.self)
        #expect(found == ["loss Card.hint"])
        #expect(try rules(HandledDeckPlan.self) == [])
        #expect(try rules(EditedDeckPlan.self).contains { $0.hasPrefix("unversioned") })
        try FileManager.default.removeItem(at: url)
        let report = try ModelGate(repository: repository.folder, base: "HEAD").check()
        #expect(report.findings.map(\.rule) == [.deleted])
    }

    @Test("Classes that no store can keep, and a plan that contradicts itself, are errors, and nothing is written")
    func refused() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Deck.modeldescription")
        #expect(throws: SwiftDataError.loadIssueModelContainer) { try TwiceDeckPlan.writeDescription(to: url) }
        #expect(throws: SwiftDataError.loadIssueModelContainer) {
            try Schema([DeckV1.Card.self, DeckV2.Card.self]).writeDescription(to: url)
        }
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }
}

struct DeckSize: Codable {
    var width = 1
    var note: String?
}

enum DeckKind: String, Codable { case plain, gilt }

private enum DeckV1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Card.self] }
    static var versionIdentifier: SwiftData.Schema.Version { Schema.Version(1, 0, 0) }

    @Model final class Card {
        var key = UUID()
        var title: String
        var hint: String?

        init(title: String) { self.title = title }
    }
}

private enum DeckV2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Card.self] }
    static var versionIdentifier: SwiftData.Schema.Version { Schema.Version(2, 0, 0) }

    @Model final class Card {
        var key = UUID()
        var title: String
        var notes: [String] = []
        var marks: [DeckSize] = []
        var size = DeckSize()
        var kind = DeckKind.plain

        init(title: String) { self.title = title }
    }
}

private enum DeckPlan1: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DeckV1.self] }
    static var stages: [MigrationStage] { [] }
}

private enum InferredDeckPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DeckV1.self, DeckV2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: DeckV1.self, toVersion: DeckV2.self)] }
}

private enum HandledDeckPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DeckV1.self, DeckV2.self] }
    static var stages: [MigrationStage] {
        [.custom(fromVersion: DeckV1.self, toVersion: DeckV2.self, willMigrate: { _ in }, didMigrate: nil)]
    }
}

/// The plan of a program whose only version was edited.
private enum EditedDeckPlan: SchemaMigrationPlan {
    private enum DeckV1: VersionedSchema {
        static var models: [any PersistentModel.Type] { DeckV2.models }
        static var versionIdentifier: SwiftData.Schema.Version { Schema.Version(1, 0, 0) }
    }

    static var schemas: [any VersionedSchema.Type] { [DeckV1.self] }
    static var stages: [MigrationStage] { [] }
}

private enum TwiceDeckPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DeckV1.self, DeckV1.self] }
    static var stages: [MigrationStage] { [] }
}
