import CoreData
import Foundation
import Testing

/// Models that the package declares as resources, which Xcode compiles.
@Suite("Models among the resources")
struct ResourceModelTests {
    private func url(_ name: String, _ suffix: String, in folder: String? = nil) throws -> URL {
        try #require(Bundle.module.url(forResource: name, withExtension: suffix, subdirectory: folder))
    }

    @Test("a model in a folder of resources lies in the bundle with all its versions")
    func versions() throws {
        let model = try #require(NSManagedObjectModel(contentsOf: url("Atlas", "momd")))
        #expect(model.entitiesByName["Place"]?.attributesByName.keys.sorted() == ["height", "name"])
        let first = try #require(NSManagedObjectModel(contentsOf: url("Atlas", "mom", in: "Atlas.momd")))
        #expect(first.entitiesByName["Place"]?.attributesByName.keys.sorted() == ["name"])
    }

    @Test("a model that is copied, and one without versions in a subfolder, lie there, too")
    func others() throws {
        let harbours = try #require(NSManagedObjectModel(contentsOf: url("Harbours", "momd")))
        #expect(harbours.entities.map(\.name) == ["Harbour"])
        let gazetteer = try #require(NSManagedObjectModel(contentsOf: url("Gazetteer", "mom")))
        #expect(gazetteer.entities.map(\.name) == ["Entry"])
    }

    @Test("a mapping model lies there, compiled, and leads from one version to the other")
    func mapping() throws {
        let first = try #require(NSManagedObjectModel(contentsOf: url("Atlas", "mom", in: "Atlas.momd")))
        let second = try #require(NSManagedObjectModel(contentsOf: url("Atlas", "momd")))
        #expect(NSMappingModel(contentsOf: try url("AtlasToAtlas2", "cdm")) != nil)
        let mapping = NSMappingModel(from: [Bundle.module], forSourceModel: first, destinationModel: second)
        #expect(mapping?.entityMappings.map(\.name) == ["PlaceToPlace"])
    }

    @Test("a class of such a model is generated, and a container finds the model")
    @MainActor
    func container() throws {
        let container = NSPersistentContainer(name: "Atlas")
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        let place = Place(context: container.viewContext)
        place.name = "Reykjavík"
        place.height = 61
        try container.viewContext.save()
        #expect(try container.viewContext.fetch(Place.fetchRequest()).map(\.height) == [61])
    }

    @Test("all models of the bundle can be merged: none is there twice")
    func merged() throws {
        let merged = try #require(NSManagedObjectModel.mergedModel(from: [Bundle.module]))
        #expect(Set(merged.entitiesByName.keys).isSuperset(of: ["Entry", "Expense", "Harbour", "Place", "Trip"]))
        #expect(merged.entitiesByName["Place"]?.managedObjectClassName == "Place")
    }
}
