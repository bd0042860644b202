import CoreData
import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Stores that have unsettled rules in another way, and go through the stages of a plan.
@Suite("Adopted forms in the versions of a plan")
struct SwiftDataAdoptedPlanTests {
    /// Makes a store of the first version whose model is changed, with one rack.
    private func withRack(_ change: (NSManagedObjectModel) throws -> Void, _ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("racks.store")
            let model = try ModelBuilder(schema: Schema(versionedSchema: RacksV1.self)).model()
            try change(model)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            try coordinator.remove(store)
            try fill(url)
            try body(url)
        }
    }

    private func fill(_ url: URL) throws {
        let context = try open(url, RacksV1.self)
        let rack = RacksV1.Rack()
        (rack.labels, rack.height) = (["a", "b"], 200)
        context.insert(rack)
        rack.boxes.append(RacksV1.Box())
        try context.save()
    }

    private func open(_ url: URL, _ version: any VersionedSchema.Type) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: version), migrationPlan: RackPlan.self,
                configurations: [ModelConfiguration(url: url)]))
    }

    /// Opens the store at the newest version twice, checks the values, and changes them.
    private func check(_ url: URL) throws {
        for round in 0..<2 {
            let context = try open(url, RacksV3.self)
            let rack = try #require(try context.fetch(FetchDescriptor<RacksV3.Rack>()).first)
            #expect(rack.words == (round == 0 ? ["a", "b", "v2"] : ["a", "b", "v2", "more"]))
            #expect(rack.height == 200 && rack.boxes.count == 1 && rack.note == "new")
            if round == 0 { rack.words.append("more") }
            try context.save()
        }
        #expect(
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)[
                NSStoreModelVersionIdentifiersKey] as? [String] == ["3.0.0"])
    }

    @Test("A list that the store keeps as JSON stays JSON through a stage with a handler, and under another name")
    func list() throws {
        try withRack { model in
            let attribute = try #require(model.entitiesByName["Rack"]?.attributesByName["labels"])
            attribute.attributeType = .binaryDataAttributeType
            attribute.valueTransformerName = nil
            attribute.attributeValueClassName = nil
        } _: { url in
            try check(url)
            #expect(
                try RawDatabase(url).texts("SELECT CAST(ZWORDS AS TEXT) FROM ZRACK") == [#"["a","b","v2","more"]"#])
        }
    }

    @Test("The inverse of an annotated side stays the store's in later versions")
    func inverse() throws {
        try withRack { model in
            let boxes = try #require(model.entitiesByName["Rack"]?.relationshipsByName["boxes"])
            let rack = try #require(model.entitiesByName["Box"]?.relationshipsByName["rack"])
            #expect(boxes.inverseRelationship == nil)
            boxes.inverseRelationship = rack
            rack.inverseRelationship = boxes
        } _: { url in
            try check(url)
            let context = try open(url, RacksV3.self)
            let rack = try #require(try context.fetch(FetchDescriptor<RacksV3.Rack>()).first)
            #expect(rack.boxes.first?.shelving === rack)
        }
    }

    @Test("A number stays as wide as the store has it, and one whose type changes gets the width of the new type")
    func width() throws {
        try withRack { model in
            model.entitiesByName["Rack"]?.attributesByName["height"]?.attributeType = .integer64AttributeType
        } _: { url in
            try check(url)
            let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
            let attributes = try #require(model.entitiesByName["Rack"]?.attributesByName)
            #expect(attributes["height"]?.attributeType == .integer64AttributeType)
            #expect(attributes["depth"]?.attributeType == .integer64AttributeType)
        }
    }

    @Test("A store in the schema's own form keeps that through the stages")
    func own() throws {
        try withRack { _ in
        } _: { url in
            try check(url)
            let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
            let own = try ManagedSchema.of(Schema(versionedSchema: RacksV3.self)).model
            #expect(model.entityVersionHashesByName == own.entityVersionHashesByName)
        }
    }
}

private enum RacksV1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Rack.self, Box.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

    @Model final class Rack {
        var height: UInt8 = 3
        var depth: Int16 = 4
        var labels: [String] = []
        @Relationship(deleteRule: .cascade) var boxes: [Box] = []

        init() {}
    }

    @Model final class Box {
        var rack: Rack?

        init() {}
    }
}

private enum RacksV2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Rack.self, Box.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

    @Model final class Rack {
        var height: UInt8 = 3
        var depth: Int16 = 4
        @Attribute(originalName: "labels") var words: [String] = []
        @Relationship(deleteRule: .cascade) var boxes: [Box] = []

        init() {}
    }

    @Model final class Box {
        @Relationship(originalName: "rack") var shelving: Rack?

        init() {}
    }
}

private enum RacksV3: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Rack.self, Box.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }

    @Model final class Rack {
        var height: UInt8 = 3
        var depth: Int = 4
        var words: [String] = []
        var note: String = "new"
        @Relationship(deleteRule: .cascade) var boxes: [Box] = []

        init() {}
    }

    @Model final class Box {
        var shelving: Rack?

        init() {}
    }
}

private enum RackPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [RacksV1.self, RacksV2.self, RacksV3.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: RacksV1.self, toVersion: RacksV2.self, willMigrate: nil,
                didMigrate: { context in
                    for rack in try context.fetch(FetchDescriptor<RacksV2.Rack>()) { rack.words.append("v2") }
                    try context.save()
                }),
            .lightweight(fromVersion: RacksV2.self, toVersion: RacksV3.self),
        ]
    }
}
