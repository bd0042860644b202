import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Proof: our compiled mapping models, read here.
@Suite("Mapping models", .leavesNothingBehind)
struct MappingModelTests {
    private static let older = """
        entity Author
          name string
          books many Book.author
        entity Book
          title string
          pages int32
          author one Author.books
        entity Draft
          text string
        """
    private static let newer = """
        entity Author
          name string
          books many Book.author
        entity Book
          heading string was title
          pages int64! = 1
          author one Author.books
        entity Shelf
          label string
        """

    private func inferred() throws -> NSMappingModel {
        try NSMappingModel.inferredMappingModel(
            forSourceModel: ModelText.model(Self.older), destinationModel: ModelText.model(Self.newer))
    }

    @Test("an inferred mapping model says for every entity whether it is copied, transformed, added or removed")
    func inferredTypes() throws {
        // Books lead back to their author by the same name, so the hash of Author stays what it was.
        #expect(
            try inferred().entityMappingsByName.mapValues(\.mappingType) == [
                "IEM_Copy_Author": .copyEntityMappingType, "IEM_Transform_Book": .transformEntityMappingType,
                "IEM_Add_Shelf": .addEntityMappingType, "IEM_Remove_Draft": .removeEntityMappingType,
            ])
    }

    @Test("Its expressions follow renaming identifiers, relationships ask the manager, defaults fill missing values")
    func inferredExpressions() throws {
        let book = try #require(try inferred().entityMappings.first { $0.destinationEntityName == "Book" })
        let attributes = Dictionary(
            uniqueKeysWithValues: (book.attributeMappings ?? []).map {
                ($0.name ?? "", $0.valueExpression?.description)
            })
        #expect(attributes["heading"] == "$source.title")
        #expect(attributes["pages"] == "TERNARY($source.pages == nil, 1, $source.pages)")
        let author = try #require(book.relationshipMappings?.first)
        #expect(
            author.valueExpression?.description
                == "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\" , \"author\" , $source.author)"
        )
        #expect(
            book.sourceExpression?.description
                == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\" , \"Book\" , \"TRUEPREDICATE\"), $manager.sourceContext, NO)"
        )
    }

    @Test("an inferred mapping's user info names the properties that stay, come and go")
    func inferredProperties() throws {
        let newer = ModelText.model(
            Self.newer.replacingOccurrences(of: "pages int64! = 1", with: "rating int16"))
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: ModelText.model(Self.older), destinationModel: newer)
        let book = try #require(mapping.entityMappings.first { $0.destinationEntityName == "Book" })
        #expect(book.userInfo?["mappedProperties"] as? Set<String> == ["heading", "author"])
        #expect(book.userInfo?["addedProperties"] as? Set<String> == ["rating"])
        #expect(book.userInfo?["removedProperties"] as? Set<String> == ["pages"])
        let shelf = try #require(mapping.entityMappings.first { $0.destinationEntityName == "Shelf" })
        #expect(shelf.userInfo == nil)
    }

    @Test("a change that cannot be inferred is error 134190, which names entity and property")
    func cannotInfer() throws {
        let older = ModelText.model("entity Item\n  code string")
        let newer = ModelText.model("entity Item\n  code date")
        let failure = try #require(throws: NSError.self) {
            _ = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
        }
        #expect(failure.code == NSInferredMappingModelError)
        #expect(failure.userInfo["entity"] as? String == "Item")
        #expect(failure.userInfo["property"] as? String == "code")
    }

    @Test("inferring leaves the two models as they are: they can still be changed")
    func inferringFreezesNothing() throws {
        let (older, newer) = (ModelText.model(Self.older), ModelText.model(Self.newer))
        _ = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
        older.versionIdentifiers = ["1"]
        newer.versionIdentifiers = ["2"]
        #expect(older.versionIdentifiers == ["1"])
    }

    @Test("a compiled mapping model comes back from its archive as it was")
    func archived() throws {
        let model = try inferred()
        let mapping = try #require(model.entityMappings.first)
        mapping.entityMigrationPolicyClassName = "Shop.Policy"
        mapping.userInfo = ["hint": "slow"]
        let read = try MappingModelArchive.decode(try MappingModelArchive.encode(model))
        #expect(read.entityMappings.count == model.entityMappings.count)
        for (left, right) in zip(read.entityMappings, model.entityMappings) {
            #expect(left.isSame(as: right), "\(left)\n\(right)")
            #expect(left.sourceEntityVersionHash == right.sourceEntityVersionHash)
            #expect(left.destinationEntityVersionHash == right.destinationEntityVersionHash)
        }
        #expect(read.entityMappings.first?.userInfo?["hint"] as? String == "slow")
    }

    @Test("mapping models that say the same are equal, whether they were found or read")
    func equalMappings() throws {
        let (one, other) = (try inferred(), try inferred())
        #expect(one == other)
        #expect(one.hash == other.hash)
        #expect(one != NSMappingModel())
        let read = try MappingModelArchive.decode(try MappingModelArchive.encode(one))
        #expect(read == one)
        let book = try #require(other.entityMappings.first { $0.destinationEntityName == "Book" })
        book.attributeMappings?.first?.valueExpression = NSExpression(forConstantValue: "Untitled")
        #expect(one != other)
        let (left, right) = (NSEntityMapping(), NSEntityMapping())
        #expect(left == right)
        right.userInfo = ["hint": "slow"]
        #expect(left != right)
    }

    @Test("a mapping model is found in a bundle by the version hashes of the two models, and by nothing else")
    func foundInBundle() throws {
        try withTemporaryFolder { folder in
            let model = try inferred()
            try MappingModelArchive.encode(model).write(to: folder.appendingPathComponent("OneToTwo.cdm"))
            let bundle = try #require(Bundle(path: folder.path))
            let (older, newer) = (ModelText.model(Self.older), ModelText.model(Self.newer))
            let found = try #require(NSMappingModel(from: [bundle], forSourceModel: older, destinationModel: newer))
            #expect(Set(found.entityMappingsByName.keys) == Set(model.entityMappingsByName.keys))
            #expect(NSMappingModel(from: [bundle], forSourceModel: newer, destinationModel: older) == nil)
            let third = ModelText.model(Self.newer + "\n  place int16")
            #expect(NSMappingModel(from: [bundle], forSourceModel: older, destinationModel: third) == nil)
            #expect(NSMappingModel(from: [bundle], forSourceModel: nil, destinationModel: newer) == nil)
            let file = try #require(NSMappingModel(contentsOf: folder.appendingPathComponent("OneToTwo.cdm")))
            #expect(file.entityMappings.count == model.entityMappings.count)
        }
    }

    @Test("a file that is missing or holds something else gives no mapping model")
    func noMappingModel() throws {
        try withTemporaryFolder { folder in
            #expect(NSMappingModel(contentsOf: nil) == nil)
            #expect(NSMappingModel(contentsOf: folder.appendingPathComponent("Missing.cdm")) == nil)
            let url = folder.appendingPathComponent("Model.cdm")
            try ModelArchive.encode(ModelText.model(Self.older)).write(to: url)
            #expect(NSMappingModel(contentsOf: url) == nil)
        }
    }

    @Test("a fetch within an expression is read, printed and evaluated")
    func fetchExpression() throws {
        let expression = NSExpression(format: "FETCH($request, $context, YES)")
        #expect(expression.description == "FETCH($request, $context, YES)")
        #expect(expression.expressionType == NSFetchRequestExpressionType)
        let fetch = try #require(
            NSFetchRequestExpression.expression(
                forFetch: NSExpression(forVariable: "request"), context: NSExpression(forVariable: "context"),
                countOnly: true) as? NSFetchRequestExpression)
        #expect(fetch == expression)
        #expect(fetch.expressionType == NSFetchRequestExpressionType)
        #expect(fetch.isCountOnlyRequest)
        #expect(fetch.requestExpression.variable == "request")
        #expect(fetch.contextExpression.variable == "context")
        let container = NSPersistentContainer(
            name: "Memory", managedObjectModel: ModelText.model("entity Item\n  name string"))
        container.persistentStoreDescriptions[0].type = NSInMemoryStoreType
        container.loadPersistentStores { _, error in #expect(error == nil) }
        let context = container.newBackgroundContext()
        try context.performAndWait {
            for name in ["a", "b"] {
                NSEntityDescription.insertNewObject(forEntityName: "Item", into: context).setValue(name, forKey: "name")
            }
            let values: NSMutableDictionary = [
                "request": NSFetchRequest<NSManagedObject>(entityName: "Item"), "context": context,
            ]
            #expect(expression.expressionValue(with: nil, context: values) as? Int == 2)
            let objects = NSExpression(format: "FETCH($request, $context, NO)")
                .expressionValue(with: nil, context: values)
            let found = try #require(objects as? [NSManagedObject])
            #expect(Set(found.compactMap { $0.value(forKey: "name") as? String }) == ["a", "b"])
        }
    }
}
