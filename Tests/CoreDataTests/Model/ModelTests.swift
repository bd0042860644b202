import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite
struct ModelTests {
    @Test("a subentity has its own and the inherited properties, each once")
    func inheritance() throws {
        let model = SampleModels.library()
        let publication = try #require(model.entitiesByName["Publication"])
        let book = try #require(model.entitiesByName["Book"])
        #expect(book.superentity === publication)
        #expect(book.propertiesByName["title"] === publication.propertiesByName["title"])
        #expect(book.properties.count == publication.properties.count + book.ownProperties.count)
        #expect(!book.ownProperties.contains { $0.name == "title" })
        book.properties = book.properties + [SampleModels.attribute("extra", .stringAttributeType)]
        #expect(book.ownProperties.last?.name == "extra")
        #expect(!book.ownProperties.contains { $0.name == "title" })
        #expect(publication.propertiesByName["title"]?.entity === publication)
        #expect(book.isKindOf(entity: publication))
        #expect(!publication.isKindOf(entity: book))
    }

    @Test("a property without an entity answers an empty one, which is no relationship's destination")
    func lonelyProperty() {
        let attribute = NSAttributeDescription()
        attribute.name = "title"
        #expect(attribute.entity.name == nil)
        #expect(attribute.entity.uniquenessConstraints.isEmpty)
        attribute.entity.name = "Note"
        #expect(attribute.entity.name == nil)
        let relationship = NSRelationshipDescription()
        relationship.destinationEntity = NSRelationshipDescription().entity
        #expect(relationship.destinationEntity == nil)
    }

    @Test("the request of a fetched property has its entity without keeping it alive")
    func fetchedProperties() throws {
        var model: NSManagedObjectModel? = SampleModels.library()
        model?.freeze()
        weak let book = model?.entitiesByName["Book"]
        let similar = try #require(book?.propertiesByName["similar"] as? NSFetchedPropertyDescription)
        #expect(similar.isTransient && similar.isOptional && similar.isReadOnly)
        #expect(similar.fetchRequest?.entity === book)
        model = nil
        #expect(book == nil)
        #expect(similar.fetchRequest?.entity == nil)
        #expect(similar.fetchRequest?.entityName == "Book")
    }

    @Test("the requests of a model in use cannot be changed, their copies can")
    func frozenRequests() async throws {
        let model = SampleModels.library()
        let template = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        model.setFetchRequestTemplate(template, forName: "books")
        template.fetchLimit = 3
        model.freeze()
        let copy = try #require(
            model.fetchRequestTemplate(forName: "books")?.copy() as? NSFetchRequest<NSFetchRequestResult>)
        copy.fetchLimit = 4
        copy.affectedStores = []
        #expect(template.fetchLimit == 3)
        let named = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let model = SampleModels.library()
            model.setFetchRequestTemplate(NSFetchRequest<NSFetchRequestResult>(entityName: "Book"), forName: "books")
            model.freeze()
            model.fetchRequestTemplatesByName["books"]?.fetchLimit = 4
        }
        #expect(named.said("Can't modify a fetch request of an immutable model"))
        let fetched = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let model = SampleModels.library()
            model.freeze()
            let similar = model.entitiesByName["Book"]?.propertiesByName["similar"] as? NSFetchedPropertyDescription
            similar?.fetchRequest?.affectedStores = []
        }
        #expect(fetched.said("Can't modify a fetch request of an immutable model"))
    }

    @Test("entities are numbered depth first, siblings by name without regard to case")
    func numbering() {
        let model = NSManagedObjectModel()
        let parent = SampleModels.entity("media")
        let names = ["zebra", "Apple"].map { SampleModels.entity($0) }
        parent.subentities = names
        model.entities = [
            SampleModels.entity("SyncFeatureEntity"), SampleModels.entity("SyncableSettingsMetadata"), parent,
        ]
        #expect(
            model.entityNumbering.map(\.name)
                == ["media", "Apple", "zebra", "SyncableSettingsMetadata", "SyncFeatureEntity"])
        model.freeze()
        #expect(model.entitiesByName["zebra"]?.frozen?.number == 3)
    }

    @Test("a copy is equal, and everything in it points inside of it")
    func copying() throws {
        let model = SampleModels.library()
        model.freeze()
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy == model)
        #expect(!copy.isFrozen)
        for entity in copy.entities {
            #expect(entity.managedObjectModel === copy)
            for property in entity.ownProperties { #expect(property.entity === entity) }
            for relationship in entity.relationshipsByName.values {
                #expect(relationship.destinationEntity?.managedObjectModel === copy)
                #expect(relationship.inverseRelationship?.entity.managedObjectModel === copy)
            }
        }
        copy.entitiesByName["Author"]?.attributesByName["name"]?.isOptional = false
        #expect(copy != model)
    }

    @Test("entities and properties outlive their model without dangling references")
    func lifetimes() {
        var model: NSManagedObjectModel? = SampleModels.library()
        model?.freeze()
        let book = model?.entitiesByName["Book"]
        let authors = book?.relationshipsByName["authors"]
        model = nil
        #expect(book?.model == nil)
        #expect(authors?.destinationEntity == nil)
        #expect(authors?.inverseRelationship == nil)
        #expect(book?.superentity == nil)
    }

    @Test("changing a model that is in use stops the process")
    func frozenModels() async {
        let first = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let model = SampleModels.library()
            model.freeze()
            model.entities = []
        }
        #expect(first.said("Can't modify an immutable model."))
        let second = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let model = SampleModels.library()
            model.freeze()
            model.entitiesByName["Book"]?.attributesByName["pages"]?.name = "leaves"
        }
        #expect(second.said("Can't modify an immutable model."))
        let third = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let model = SampleModels.library()
            model.freeze()
            model.entitiesByName["Book"]?.indexes.first?.name = "other"
        }
        #expect(third.said("Can't modify an immutable model."))
    }

    @Test("models merge by taking equal entities once and linking across models by name")
    func merging() throws {
        let library = SampleModels.library()
        let shop = NSManagedObjectModel()
        shop.entities = [SampleModels.entity("Shop")]
        shop.versionIdentifiers = ["shop"]
        let merged = try #require(NSManagedObjectModel(byMerging: [library, shop, library]))
        #expect(Set(merged.entitiesByName.keys) == ["Publication", "Book", "Author", "Tag", "Shop"])
        #expect(merged.versionIdentifiers == ["1.0", "shop"])
        #expect(merged.entitiesByName["Book"]?.superentity === merged.entitiesByName["Publication"])
        #expect(merged.configurations == ["Labels"])
        try merged.validate()
        let metadata: [String: Any] = [NSStoreModelVersionHashesKey: shop.entityVersionHashesByName]
        let found = NSManagedObjectModel(byMerging: [library, shop], forStoreMetadata: metadata)
        #expect(found?.entities.map(\.name) == ["Shop"])
        #expect(NSManagedObjectModel(byMerging: [library], forStoreMetadata: metadata) == nil)
    }

    @Test("merging two different entities of one name stops the process")
    func mergeConflict() async {
        let fourth = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (first, second) = (NSManagedObjectModel(), NSManagedObjectModel())
            first.entities = [SampleModels.entity("A")]
            second.entities = [SampleModels.entity("A", isAbstract: true)]
            _ = NSManagedObjectModel(byMerging: [first, second])
        }
        #expect(fourth.said("Can't merge models with two different entities named 'A'"))
    }

    @Test("a store is compatible with a model or configuration when entities and hashes are the same")
    func compatibility() {
        let model = SampleModels.library()
        let all: [String: Any] = [NSStoreModelVersionHashesKey: model.entityVersionHashesByName]
        let labels: [String: Any] = [
            NSStoreModelVersionHashesKey: model.entityVersionHashesByName.filter { $0.key == "Tag" }
        ]
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: all))
        #expect(model.isConfiguration(withName: "Labels", compatibleWithStoreMetadata: labels))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: labels))
        #expect(!model.isConfiguration(withName: "Other", compatibleWithStoreMetadata: all))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
        var hashes = model.entityVersionHashesByName
        hashes["Book"] = Data(count: 32)
        #expect(
            model.compatibility(
                ofConfiguration: nil, withStoreMetadata: [NSStoreModelVersionHashesKey: hashes])
                == .undecided(entities: ["Book"]))
        hashes["Tag"] = Data(count: 32)
        #expect(
            model.compatibility(
                ofConfiguration: nil, withStoreMetadata: [NSStoreModelVersionHashesKey: hashes])
                == .incompatible(entities: ["Tag"]))
    }

    @Test(
        "a model that cannot be used is refused with entity, property and reason",
        arguments: [
            "no destination", "destination elsewhere", "half an inverse", "same name twice", "inherited name",
            "unknown constraint", "no entity name",
        ])
    func validation(fault: String) throws {
        let model = SampleModels.library()
        let book = try #require(model.entitiesByName["Book"])
        let authors = try #require(book.relationshipsByName["authors"])
        let stranger = SampleModels.entity("Stranger")
        var words = ["'Book'"]
        switch fault {
        case "no destination":
            authors.destinationEntity = nil
            words += ["'authors'", "no destination"]
        case "destination elsewhere":
            authors.destinationEntity = stranger
            words += ["'authors'", "'Stranger' is not in the model"]
        case "half an inverse":
            authors.inverseRelationship?.inverseRelationship = nil
            words += ["'authors'", "no inverse"]
        case "same name twice":
            book.properties = book.ownProperties + [SampleModels.attribute("pages", .stringAttributeType)]
            words += ["'pages'", "two properties"]
        case "inherited name":
            book.properties = book.ownProperties + [SampleModels.attribute("title", .stringAttributeType)]
            words += ["'title'", "inherits"]
        case "unknown constraint":
            book.uniquenessConstraints = [["nothing"]]
            words += ["'nothing'"]
        default:
            book.name = nil
            words = ["without a name"]
        }
        let error = #expect(throws: NSError.self) { try model.validate() }
        #expect(error?.code == NSCoreDataError)
        for word in words { #expect(error?.localizedDescription.contains(word) == true, "\(word): \(error as Any)") }
    }
}
