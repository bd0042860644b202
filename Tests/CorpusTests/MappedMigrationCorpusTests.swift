import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Real mapping models carried out: on the repositories' own stores, and on objects made up for their models.
@Suite("Migrating by real mapping models", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct MappedMigrationCorpusTests {
    @Test("posts become posts with sections, as the application's policy does it")
    func posts() throws {
        let folder = "wibosco__CoreDataMigrationRevised-Example/CoreDataMigration-Example"
        let data = folder + "/CoreData/"
        let versions = try ModelBundle.versions(
            at: Corpus.url(data + "Model/CoreDataMigration_Example.xcdatamodeld"))
        let older = try #require(versions["CoreDataMigration_Example 2"])
        let newer = try #require(versions["CoreDataMigration_Example 3"])
        let mapping = try MappingModelFile.load(
            at: Corpus.url(data + "Migration/Mappings/Migration2to3ModelMapping.xcmappingmodel"))
        #expect(
            mapping.entityMappingsByName["PostToPost"]?.entityMigrationPolicyClassName
                == "CoreDataMigration_Example.Post2ToPost3MigrationPolicy")
        #expect(mapping.fits(older, newer))
        for entity in mapping.entityMappings where entity.entityMigrationPolicyClassName != nil {
            entity.entityMigrationPolicyClassName = NSStringFromClass(SectionsPolicy.self)
        }
        try withTemporaryFolder { temporary in
            let store = "\(folder)Tests/Resources/SQLite/CoreDataMigration_Example_2.sqlite"
            let url = try Corpus.copyStore(store, to: temporary)
            let posts = try contents(url, older, "Post", "postID")
            #expect(!posts.isEmpty)
            try migrateInPlace(url, older, newer, mapping)
            #expect(try contents(url, newer, "Post", "postID") == posts)
            #expect(try contents(url, newer, "Section", "post.postID") == posts)
            try expectFreshSchema(url, newer, temporary)
        }
    }

    @Test("cars get makers of their own, and owners become previous owners, by the compiled mapping model")
    func cars() throws {
        let folder = "alemar11__CoreDataPlus/Tests/Resources/SampleModel/"
        let versions = try ModelBundle.versions(at: Corpus.url(folder + "SampleModel.xcdatamodeld"))
        let older = try #require(versions["SampleModel2"])
        let newer = try #require(versions["SampleModel3"])
        let mapping = try MappingModelFile.load(at: Corpus.url(folder + "Fixtures/V2toV3.cdm"))
        #expect(mapping.fits(older, newer))
        for entity in mapping.entityMappings where entity.entityMigrationPolicyClassName != nil {
            entity.entityMigrationPolicyClassName = NSStringFromClass(MakersPolicy.self)
        }
        try withTemporaryFolder { temporary in
            let url = try Corpus.copyStore(folder + "Fixtures/SampleModel_V2.sqlite", to: temporary)
            let cars = try contents(url, older, "Car", "numberPlate")
            let owned = try contents(url, older, "Car", "owner.firstName")
            let makers = Set(try contents(url, older, "Car", "maker"))
            #expect(cars.count > 10 && makers.count > 1)
            try migrateInPlace(url, older, newer, mapping)
            #expect(try contents(url, newer, "Car", "numberPlate") == cars)
            #expect(try contents(url, newer, "Car", "owner.firstName") == owned)
            #expect(Set(try contents(url, newer, "Maker", "name")) == makers)
            #expect(Set(try contents(url, newer, "Car", "createdBy.name")) == makers)
            try rows(url, newer, "Car") { car in
                let owner = car.value(forKey: "owner") as? NSManagedObject
                #expect((car.value(forKey: "previousOwners") as? NSSet) == NSSet(array: owner.map { [$0] } ?? []))
            }
            try expectFreshSchema(url, newer, temporary)
        }
    }

    static let onMadeUpObjects = [
        "OpenEmu__OpenEmu/OpenEmu/1.2 to 1.3.xcmappingmodel", "OpenEmu__OpenEmu/OpenEmu/1.1 to 1.2.xcmappingmodel",
        "objcio__core-data/Migrations/Migrations/Moody 2-Moody 3.xcmappingmodel",
        "objcio__core-data/Migrations/Migrations/Moody 3-Moody 4.xcmappingmodel",
        "objcio__core-data/Migrations/Migrations/Moody 4-Moody 5.xcmappingmodel",
        "objcio__core-data/Migrations/Migrations/Moody 5-Moody 6.xcmappingmodel",
        "LoopKit__LoopKit/LoopKit/Persistence/Modelv1v4.xcmappingmodel",
        "jessesquires__JSQCoreDataKit/Example/ExampleModel/ExampleModel/Version2_to_Version3.xcmappingmodel",
        "dashpay__dashsync-iOS/DashSync/shared/MappingModels/MappingFrom6To7Model.xcmappingmodel",
    ]

    /// The applications' policies are not there: their entities are mapped by the expressions alone, and what only a
    /// policy could fill may stay empty.
    @Test(
        "made-up objects arrive, each as one of its new entity, with the relationships of the old",
        arguments: Sample.slice(onMadeUpObjects, oneIn: 2, "made up"))
    func madeUp(_ path: String) throws {
        let source = try MappingModelSource(at: Corpus.url(path))
        let mapping = try MappingModelFile.load(at: Corpus.url(path))
        let (older, newer) = try models(of: source, near: Corpus.url(path))
        #expect(mapping.fits(older, newer), "the hashes are those of the models")
        for entity in mapping.entityMappings { entity.entityMigrationPolicyClassName = nil }
        for entity in newer.entities {
            for property in entity.properties {
                property.isOptional = true
                property.setValidationPredicates(nil, withValidationWarnings: nil)
            }
        }
        try withTemporaryFolder { temporary in
            let url = temporary.appendingPathComponent("Made.sqlite")
            try MadeUpObjects.fill(url, older, perEntity: 7)
            var before: [String: Int] = [:]
            for entity in mapping.entityMappings {
                guard let name = entity.sourceEntityName else { continue }
                before[name] = try count(url, older, name)
            }
            try migrateInPlace(url, older, newer, mapping)
            var expected: [String: Int] = [:]
            for entity in mapping.entityMappings {
                guard let name = entity.destinationEntityName else { continue }
                expected[name, default: 0] += entity.sourceEntityName.map { before[$0] ?? 0 } ?? 0
            }
            for (name, number) in expected { #expect(try count(url, newer, name) == number, "\(name)") }
            try expectFreshSchema(url, newer, temporary)
        }
    }

    // MARK: Helpers

    private func models(
        of source: MappingModelSource, near url: URL
    ) throws -> (NSManagedObjectModel, NSManagedObjectModel) {
        func find(_ path: String?) throws -> NSManagedObjectModel {
            let parts = (path ?? "").split(separator: "/").suffix(2).joined(separator: "/")
            let project = url.path.split(separator: "/").first { $0.contains("__") }.map(String.init) ?? ""
            let found = Corpus.paths { $0.hasPrefix(project) && !$0.contains("@history") && $0.contains(parts + "/") }
            let file = try #require(found.first { $0.hasSuffix("/contents") })
            return try ModelFile.load(at: Corpus.url((file as NSString).deletingLastPathComponent))
        }
        return (try find(source.sourceModelPath), try find(source.destinationModelPath))
    }

    private func copy(_ model: NSManagedObjectModel) -> NSManagedObjectModel { model.withPlainClasses() }

    private func migrateInPlace(
        _ url: URL, _ older: NSManagedObjectModel, _ newer: NSManagedObjectModel, _ mapping: NSMappingModel
    ) throws {
        let hop = MigrationHop(source: copy(older), target: copy(newer), means: .mapping(mapping))
        try WayMigration(request: MigrationRequest(at: url, to: hop.target), hops: [hop])
            .carryOut(from: SQLiteStoreMetadata.metadata(at: url))
    }

    private func rows(
        _ url: URL, _ model: NSManagedObjectModel, _ entity: String, _ body: (NSManagedObject) throws -> Void
    ) throws {
        try withStore(url, copy(model)) { context in
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) { try body(object) }
        }
    }

    private func contents(
        _ url: URL, _ model: NSManagedObjectModel, _ entity: String, _ path: String
    ) throws -> [String] {
        var found: [String] = []
        try rows(url, model, entity) { object in
            if let value = object.value(forKeyPath: path) { found.append("\(value)") }
        }
        return found.sorted()
    }

    private func count(_ url: URL, _ model: NSManagedObjectModel, _ entity: String) throws -> Int {
        try withStore(url, copy(model)) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.includesSubentities = false
            return try context.count(for: request)
        }
    }

    private func expectFreshSchema(_ url: URL, _ model: NSManagedObjectModel, _ folder: URL) throws {
        let fresh = folder.appendingPathComponent("Fresh.sqlite")
        try withStore(fresh, copy(model)) { _ in }
        let sql = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY 1"
        #expect(try RawDatabase(url).column(sql) == RawDatabase(fresh).column(sql))
    }
}

/// Makes one section of each post's content.
final class SectionsPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let post = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance]).first
        let section = NSEntityDescription.insertNewObject(forEntityName: "Section", into: manager.destinationContext)
        section.setValue(sInstance.value(forKey: "content"), forKey: "body")
        section.setValue(post, forKey: "post")
    }
}

/// Makes an object of each maker's name and keeps it for the next car.
final class MakersPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        guard let name = sInstance.value(forKey: "maker") as? String else { return }
        var makers = manager.userInfo?["makers"] as? [String: NSManagedObject] ?? [:]
        let maker =
            makers[name]
            ?? NSEntityDescription.insertNewObject(forEntityName: "Maker", into: manager.destinationContext)
        maker.setValue(name, forKey: "name")
        makers[name] = maker
        manager.userInfo = ["makers": makers]
        let car = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance]).first
        car?.setValue(maker, forKey: "createdBy")
    }
}

/// Objects with a value for every attribute and something at the end of every relationship.
enum MadeUpObjects {
    static func fill(_ url: URL, _ model: NSManagedObjectModel, perEntity count: Int) throws {
        try withStore(url, model.withPlainClasses()) { context in
            // The model's rules about values are of no matter here.
            context.saveState.deferredValidation = { _ in }
            var objects: [String: [NSManagedObject]] = [:]
            let entities = context.persistentStoreCoordinator?.managedObjectModel.entities ?? []
            // No number twice: constraints may span several entities.
            var number = 0
            for entity in entities where !entity.isAbstract {
                for _ in 0..<count {
                    number += 1
                    let object = NSManagedObject(entity: entity, insertInto: context)
                    for (name, attribute) in entity.attributesByName where !(attribute is NSDerivedAttributeDescription)
                    {
                        object.setValue(value(attribute, "\(entity.name ?? "") \(name)", number), forKey: name)
                    }
                    var next: NSEntityDescription? = entity
                    while let current = next {
                        objects[current.name ?? "", default: []].append(object)
                        next = current.superentity
                    }
                }
            }
            for entity in entities where !entity.isAbstract {
                for (number, object) in (objects[entity.name ?? ""] ?? []).enumerated() where object.entity == entity {
                    for (name, relationship) in entity.relationshipsByName where !relationship.isToMany {
                        let targets = objects[relationship.destinationEntity?.name ?? ""] ?? []
                        if !targets.isEmpty { object.setValue(targets[number * 3 % targets.count], forKey: name) }
                    }
                }
            }
            try context.save()
        }
    }

    private static func value(_ attribute: NSAttributeDescription, _ text: String, _ number: Int) -> Any? {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: NSNumber(value: number)
        case .doubleAttributeType, .floatAttributeType: NSNumber(value: Double(number) + 0.5)
        case .decimalAttributeType: NSDecimalNumber(value: number)
        case .booleanAttributeType: NSNumber(value: number % 2 == 0)
        case .stringAttributeType: "\(text) \(number)"
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: Double(number) * 1000)
        case .binaryDataAttributeType: Data("\(text) \(number)".utf8)
        case .UUIDAttributeType: UUID()
        case .URIAttributeType: URL(string: "http://example.com/\(number)")
        default: nil
        }
    }
}
