import CoreData
import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// A store that has an unsettled rule in another way than new stores.
@Suite("Adoption of stores by their own models")
struct SwiftDataAdoptionTests {
    /// Makes a store of a changed model, and opens it by the classes.
    private func withChanged(
        _ change: (NSManagedObjectModel) throws -> Void, _ body: (ModelContainer, URL) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("store.store")
            let model = try ModelBuilder(schema: Schema([Shelf.self])).model()
            try change(model)
            let hashes = model.entityVersionHashesByName
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            try coordinator.remove(store)
            let container = try ModelContainer(for: Shelf.self, configurations: ModelConfiguration(url: url))
            try body(container, url)
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url)
            #expect(metadata[NSStoreModelVersionHashesKey] as? [String: Data] == hashes)
        }
    }

    @Test("The inverse of an annotated side is the store's")
    func inverse() throws {
        try withChanged { model in
            let books = try #require(model.entitiesByName["Shelf"]?.relationshipsByName["books"])
            let shelf = try #require(model.entitiesByName["Volume"]?.relationshipsByName["shelf"])
            #expect(books.inverseRelationship == nil)
            books.inverseRelationship = shelf
            shelf.inverseRelationship = books
        } _: { container, _ in
            let context = ModelContext(container)
            let (shelf, volume) = (Shelf(), Volume())
            context.insert(shelf)
            shelf.books.append(volume)
            #expect(volume.shelf === shelf)
            try context.save()
        }
    }

    @Test("A list that the store keeps as JSON stays JSON")
    func list() throws {
        try withChanged { model in
            let attribute = try #require(model.entitiesByName["Shelf"]?.attributesByName["labels"])
            attribute.attributeType = .binaryDataAttributeType
            attribute.valueTransformerName = nil
            attribute.attributeValueClassName = nil
        } _: { container, url in
            let context = ModelContext(container)
            let shelf = Shelf()
            shelf.labels = ["a", "b"]
            context.insert(shelf)
            try context.save()
            #expect(try RawDatabase(url).texts("SELECT CAST(ZLABELS AS TEXT) FROM ZSHELF") == [#"["a","b"]"#])
            #expect(try ModelContext(container).fetch(FetchDescriptor<Shelf>()).first?.labels == ["a", "b"])
        }
    }

    @Test("A number of another width stays as wide as the store has it")
    func width() throws {
        try withChanged { model in
            model.entitiesByName["Shelf"]?.attributesByName["height"]?.attributeType = .integer64AttributeType
        } _: { container, _ in
            let context = ModelContext(container)
            context.insert(Shelf())
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<Shelf>(predicate: #Predicate { $0.height == 3 })) == 1)
        }
    }
}

@Model final class Shelf {
    var height: UInt8 = 3
    var labels: [String] = []
    @Relationship(deleteRule: .cascade) var books: [Volume] = []

    init() {}
}

@Model final class Volume {
    var shelf: Shelf?

    init() {}
}

@Model final class WithClosure {
    var name = ""
    var work: Unstorable = Unstorable()

    init() {}
}

struct Unstorable {
    var closure: (@Sendable () -> Void)?
}
