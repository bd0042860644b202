import CoreData
import Foundation
import TestSupport
import Testing

@testable import SwiftData

// Rules of Apple's that are not known: for each of them a store that has it in another way than new stores is opened,
// read and written in its own way.
extension SwiftDataSchemaTests {
    /// Another way to keep a property, and what the column then has.
    struct Reading: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (NSEntityDescription) -> Void
        /// The start of an expression over the row, and its value.
        let sql: String
        let value: String

        init(
            _ description: String, of property: String, _ sql: String, is value: String,
            change: @escaping @Sendable (NSEntityDescription, NSAttributeDescription) -> Void
        ) {
            testDescription = description
            self.sql = sql
            self.value = value
            self.change = { entity in
                guard let attribute = entity.attributesByName[property] else { return }
                change(entity, attribute)
            }
        }
    }

    /// Puts a plain attribute in the place of another one.
    private static func replace(
        _ old: NSAttributeDescription, of entity: NSEntityDescription, by type: NSAttributeType
    ) {
        let new = NSAttributeDescription()
        new.name = old.name
        new.renamingIdentifier = old.renamingIdentifier
        new.attributeType = type
        new.isOptional = old.isOptional
        if type == .transformableAttributeType {
            new.valueTransformerName = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
        }
        entity.properties = entity.properties.map { $0.name == old.name ? new : $0 }
    }

    static let readings = [
        Reading("A list of texts as JSON", of: "labels", "CAST(ZLABELS AS TEXT)", is: #"["a","b"]"#) {
            replace($1, of: $0, by: .binaryDataAttributeType)
        },
        Reading("A set of numbers as an archive", of: "numbers", "substr(ZNUMBERS, 1, 6)", is: "bplist") {
            replace($1, of: $0, by: .transformableAttributeType)
        },
        Reading("A dictionary of numbers as an archive", of: "counts", "substr(ZCOUNTS, 1, 6)", is: "bplist") {
            replace($1, of: $0, by: .transformableAttributeType)
        },
        Reading("A list of structures as an archive", of: "places", "substr(ZPLACES, 1, 6)", is: "bplist") {
            replace($1, of: $0, by: .transformableAttributeType)
        },
        Reading(
            "An enumeration with a payload as JSON", of: "load", "CAST(ZLOAD AS TEXT)", is: #"{"coal":{"tonnes":4}}"#
        ) {
            replace($1, of: $0, by: .binaryDataAttributeType)
        },
        Reading("A payload as a text", of: "load", "ZCOAL", is: #"{"tonnes":4}"#) { _, attribute in
            let elements = (attribute as? NSCompositeAttributeDescription)?.elements
            elements?.first { $0.name == "coal" }?.attributeType = .stringAttributeType
        },
        Reading("A structure as JSON", of: "place", "CAST(ZPLACE AS TEXT)", is: #"{"name":"P"}"#) {
            replace($1, of: $0, by: .binaryDataAttributeType)
        },
        Reading("A structure as an archive", of: "place", "substr(ZPLACE, 1, 6)", is: "bplist") {
            replace($1, of: $0, by: .transformableAttributeType)
        },
        Reading("A raw value without a composite", of: "kind", "ZKIND", is: "broad") {
            replace($1, of: $0, by: .stringAttributeType)
        },
        Reading("A wider number", of: "height", "ZHEIGHT", is: "200") { $1.attributeType = .integer64AttributeType },
    ]

    /// Makes a store of a changed model, and opens it by the classes. Its hashes stay.
    private func withStore(
        _ change: (NSManagedObjectModel) throws -> Void, _ body: (ModelContainer, URL) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("depot.store")
            let model = try ModelBuilder(schema: Schema([Depot.self])).model()
            let own = model.entityVersionHashesByName
            try change(model)
            let hashes = model.entityVersionHashesByName
            #expect(hashes != own)
            try TestSupport.withStore(url, model) { try $0.save() }
            try body(try ModelContainer(for: Depot.self, configurations: ModelConfiguration(url: url)), url)
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url)
            #expect(metadata[NSStoreModelVersionHashesKey] as? [String: Data] == hashes)
        }
    }

    @Test("A store that keeps values in another way is read and written in its own way", arguments: readings)
    func values(_ reading: Reading) throws {
        try withStore { model in
            reading.change(try #require(model.entitiesByName["Depot"]))
        } _: { container, url in
            let context = ModelContext(container)
            let depot = Depot()
            (depot.labels, depot.numbers, depot.counts) = (["a", "b"], [3], ["c": 1])
            (depot.places, depot.place) = ([Depot.Place(name: "Q")], Depot.Place(name: "P"))
            (depot.load, depot.kind, depot.height) = (.coal(tonnes: 4), .broad, 200)
            context.insert(depot)
            try context.save()
            #expect(try RawDatabase(url).texts("SELECT CAST(\(reading.sql) AS TEXT) FROM ZDEPOT") == [reading.value])
            let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Depot>()).first)
            #expect(read.labels == ["a", "b"] && read.numbers == [3] && read.counts == ["c": 1])
            #expect(read.places == [Depot.Place(name: "Q")] && read.place == Depot.Place(name: "P"))
            #expect(read.load == .coal(tonnes: 4) && read.kind == .broad && read.height == 200)
            try read.validateStoredValues()
        }
    }

    /// Joins or parts two relationships.
    private func join(_ model: NSManagedObjectModel, _ one: (String, String), _ other: (String, String), _ joined: Bool)
    {
        let first = model.entitiesByName[one.0]?.relationshipsByName[one.1]
        let second = model.entitiesByName[other.0]?.relationshipsByName[other.1]
        #expect((first?.inverseRelationship == nil) == joined)
        first?.inverseRelationship = joined ? second : nil
        second?.inverseRelationship = joined ? first : nil
    }

    @Test("The inverse of one annotated side, and that of two, are the store's")
    func annotatedInverses() throws {
        try withStore { model in
            join(model, ("Depot", "tracks"), ("DepotTrack", "depot"), true)
            join(model, ("Depot", "chief"), ("DepotChief", "depot"), true)
        } _: { container, _ in
            let context = ModelContext(container)
            let (depot, track, chief) = (Depot(), DepotTrack(), DepotChief())
            context.insert(depot)
            depot.tracks.append(track)
            chief.depot = depot
            #expect(track.depot === depot && depot.chief === chief)
            try context.save()
            let other = ModelContext(container)
            let read = try #require(try other.fetch(FetchDescriptor<Depot>()).first)
            #expect(read.tracks.first?.depot === read && read.chief?.depot === read)
        }
    }

    @Test("An inverse that new stores infer is absent where the store has none")
    func inferredInverse() throws {
        try withStore { model in
            join(model, ("Depot", "yard"), ("DepotYard", "depot"), false)
        } _: { container, _ in
            let context = ModelContext(container)
            let (depot, yard) = (Depot(), DepotYard())
            context.insert(depot)
            depot.yard = yard
            #expect(yard.depot == nil)
            try context.save()
            let other = ModelContext(container)
            let read = try #require(try other.fetch(FetchDescriptor<Depot>()).first)
            #expect(read.yard != nil && read.yard?.depot == nil)
        }
    }

    @Test("Of two relationships that name one inverse the first one has it, and neither gets the models of the other")
    func sharedInverse() throws {
        func use(_ container: ModelContainer) throws -> DepotGarden {
            let context = ModelContext(container)
            let garden = DepotGarden()
            context.insert(garden)
            garden.left = [DepotTree(), DepotTree()]
            garden.right = [DepotTree()]
            try context.save()
            let other = ModelContext(container)
            return try withExtendedLifetime(other) {
                let read = try #require(try other.fetch(FetchDescriptor<DepotGarden>()).first)
                #expect(read.left.allSatisfy { $0.garden === read })
                #expect(read.left.count + read.right.count == (read.right.first?.garden == nil ? 3 : 6))
                return read
            }
        }
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("own.store")
            _ = try use(try ModelContainer(for: DepotGarden.self, configurations: ModelConfiguration(url: url)))
            #expect(
                try RawDatabase(url).texts("SELECT count(ZGARDEN) || count(Z1RIGHT) FROM ZDEPOTTREE") == ["21"])
        }
        // A store in which both have it keeps that form.
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shared.store")
            let model = try ModelBuilder(schema: Schema([DepotGarden.self])).model()
            let garden = model.entitiesByName["DepotTree"]?.relationshipsByName["garden"]
            model.entitiesByName["DepotGarden"]?.relationshipsByName["right"]?.inverseRelationship = garden
            try TestSupport.withStore(url, model) { try $0.save() }
            let hashes = model.entityVersionHashesByName
            _ = try use(try ModelContainer(for: DepotGarden.self, configurations: ModelConfiguration(url: url)))
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url)
            #expect(metadata[NSStoreModelVersionHashesKey] as? [String: Data] == hashes)
        }
    }

    @Test("A line on standard error says what to write where an inverse may be meant")
    func advice() async {
        let end = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for _ in 0..<2 { _ = Schema([Depot.self, DepotGarden.self, DepotSign.self]) }
        }
        let lines = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("SwiftData: note: ") }
        #expect(
            lines.contains(
                """
                SwiftData: note: Depot.tracks has no inverse; write @Relationship(inverse: \\DepotTrack.depot) if it is \
                meant to have one.
                """), "\(lines)")
        #expect(
            lines.contains(
                "SwiftData: note: DepotGarden.right has no inverse: DepotTree.garden is that of left."), "\(lines)")
        #expect(
            lines.contains(
                "SwiftData: note: DepotSign.kind is not unique: a constraint cannot have enumerations and structures."),
            "\(lines)")
        #expect(!lines.contains { $0.contains("DepotSign.text") })
        #expect(Set(lines).count == lines.count)
    }

    @Test("A store that differs in a settled rule is another version, and is not adopted")
    func settled() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("depot.store")
            let model = try ModelBuilder(schema: Schema([Depot.self])).model()
            // The program names this inverse.
            join(model, ("Depot", "named"), ("DepotNamed", "depot"), false)
            try TestSupport.withStore(url, model) { try $0.save() }
            let adoption = try #require(StoreAdoption(schema: Schema([Depot.self]), url: url))
            #expect(try adoption.managedSchema() == nil)
            // An inferred migration brings the store to the classes.
            _ = try ModelContainer(for: Depot.self, configurations: ModelConfiguration(url: url))
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url)
            let own = try ModelBuilder(schema: Schema([Depot.self])).model().entityVersionHashesByName
            #expect(metadata[NSStoreModelVersionHashesKey] as? [String: Data] == own)
        }
    }
}

@Model final class Depot {
    struct Place: Codable, Equatable {
        var name: String
    }

    var labels: [String] = []
    var numbers: Set<Int> = []
    var counts: [String: Int] = [:]
    var places: [Place] = []
    var place: Place?
    var load: Cargo = Cargo.nothing
    var kind: Gauge = Gauge.narrow
    var height: UInt8 = 0
    @Relationship(deleteRule: .cascade) var tracks: [DepotTrack] = []
    @Relationship var chief: DepotChief?
    var yard: DepotYard?
    @Relationship(inverse: \DepotNamed.depot) var named: DepotNamed?

    init() {}
}

@Model final class DepotTrack {
    var depot: Depot?
    init() {}
}

@Model final class DepotChief {
    @Relationship var depot: Depot?
    init() {}
}

@Model final class DepotYard {
    var depot: Depot?
    init() {}
}

@Model final class DepotNamed {
    var depot: Depot?
    init() {}
}

@Model final class DepotGarden {
    @Relationship(inverse: \DepotTree.garden) var left: [DepotTree] = []
    @Relationship(inverse: \DepotTree.garden) var right: [DepotTree] = []
    init() {}
}

@Model final class DepotTree {
    var garden: DepotGarden?
    init() {}
}

@Model final class DepotSign {
    @Attribute(.unique) var kind: Gauge = Gauge.narrow
    @Attribute(.unique) var text: String = ""
    init() {}
}
