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
