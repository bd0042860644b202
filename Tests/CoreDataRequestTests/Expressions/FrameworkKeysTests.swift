import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Key paths through the framework's own objects")
struct FrameworkKeysTests {
    private static let predicates: [(format: String, isTrue: Bool)] = [
        ("entity.name == 'Novel'", true), ("entity.name == 'Book'", false), ("entity.superentity.name == 'Book'", true),
        ("entity.superentity.superentity == nil", true), ("entity.abstract == NO", true),
        ("entity.isAbstract == NO", true), ("entity.managedObjectClassName == 'NSManagedObject'", true),
        ("entity.attributesByName.title.name == 'title'", true),
        ("entity.relationshipsByName.author.optional == YES", true), ("objectID.isTemporaryID == YES", true),
        ("objectID.temporaryID == NO", false), ("objectID.entity.name == 'Novel'", true),
        ("objectID.persistentStore == nil", true), ("managedObjectContext != nil", true),
        ("managedObjectContext.hasChanges == YES", true), ("managedObjectContext.parentContext == nil", true),
        ("managedObjectContext.name == 'reader'", true), ("hasPersistentChangedValues == YES", true),
        ("faultingState == 0", true), ("entity.name == 'Novel' AND faultingState == 1", false),
        ("entity.attributesByName.title.attributeType == 700", true),
        ("entity.attributesByName.copies.defaultValue == 1", true),
        ("entity.attributesByName.title.attributeValueClassName == 'NSString'", true),
        ("entity.attributesByName.cover.allowsExternalBinaryDataStorage == NO", true),
        ("entity.relationshipsByName.tags.isToMany == YES", true),
        ("entity.relationshipsByName.author.toMany == YES", false),
        ("entity.relationshipsByName.author.destinationEntity.name == 'Author'", true),
        ("entity.relationshipsByName.author.inverseRelationship.name == 'books'", true),
        ("entity.relationshipsByName.author.deleteRule == 1", true),
        ("entity.relationshipsByName.author.maxCount == 1 AND entity.relationshipsByName.author.minCount == 0", true),
        ("entity.relationshipsByName.shelf.inverseRelationship.isOrdered == YES", true),
        ("entity.managedObjectModel.entities.@count == 6", true),
        ("entity.managedObjectModel.entitiesByName.Tag.name == 'Tag'", true),
        ("entity.uniquenessConstraints.@count == 0", true),
        ("managedObjectContext.persistentStoreCoordinator.persistentStores.@count == 1", true),
        ("managedObjectContext.persistentStoreCoordinator.managedObjectModel.entitiesByName.Book.abstract == NO", true),
        ("managedObjectContext.concurrencyType == 1", true), ("managedObjectContext.undoManager == nil", true),
        ("managedObjectContext.stalenessInterval < 0", true),
        ("managedObjectContext.automaticallyMergesChangesFromParent == NO", true),
    ]

    @Test("A predicate reads the properties of entities, ids and contexts", arguments: predicates.indices)
    func reads(place: Int) throws {
        let (format, isTrue) = Self.predicates[place]
        let library = try Library()
        let context = library.context()
        context.performAndWait {
            context.name = "reader"
            let novel = context.make("Novel", ["title": "a"])
            #expect(NSPredicate(format: format).evaluate(with: novel) == isTrue, "\(format)")
        }
    }

    @Test("A predicate reads the properties of stores and coordinators")
    func stores() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book")
            try context.save()
            for format in [
                "objectID.persistentStore.persistentStoreCoordinator != nil",
                "objectID.persistentStore.isReadOnly == NO", "objectID.persistentStore.type == 'SQLite'",
                "objectID.persistentStore.persistentStoreCoordinator.name == nil",
            ] { #expect(NSPredicate(format: format).evaluate(with: book), "\(format)") }
        }
    }

    @Test("An object without a context has none, and a saved id has a store")
    func others() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book")
            try context.save()
            let store = "objectID.persistentStore.type == %@ AND objectID.isTemporaryID == NO"
            #expect(NSPredicate(format: store, NSSQLiteStoreType).evaluate(with: book))
            let loose = NSManagedObject(entity: book.entity, insertInto: nil)
            #expect(NSPredicate(format: "managedObjectContext == nil").evaluate(with: loose))
        }
    }

    @Test("A key that an entity does not have is refused by a request that asks objects")
    func unknown() throws {
        let library = try Library(.atomic)
        let context = library.context()
        try context.performAndWait {
            context.make("Book")
            try context.save()
            let error = #expect(throws: NSError.self) { try context.all("Book", "entity.nothing == 1") }
            #expect(error?.localizedDescription.contains("nothing") == true, "\(String(describing: error))")
        }
    }
}
