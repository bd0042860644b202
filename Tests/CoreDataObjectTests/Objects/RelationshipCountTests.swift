import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("The counts of to-many relationships, checked at a save", .leavesNothingBehind, .onEveryKindOfStore)
struct RelationshipCountTests {
    /// A coordinator for shelves, whose `books` are mandatory and have the given minimum count.
    private func context(minimum: Int, isOptional: Bool) throws -> NSManagedObjectContext {
        let (shelf, book) = (NSEntityDescription(), NSEntityDescription())
        (shelf.name, book.name) = ("Shelf", "Book")
        let (books, place) = (NSRelationshipDescription(), NSRelationshipDescription())
        (books.name, books.destinationEntity, books.inverseRelationship) = ("books", book, place)
        (books.minCount, books.maxCount, books.isOptional) = (minimum, 0, isOptional)
        (place.name, place.destinationEntity, place.inverseRelationship) = ("shelf", shelf, books)
        (place.maxCount, place.isOptional) = (1, true)
        (shelf.properties, book.properties) = ([books], [place])
        let model = NSManagedObjectModel()
        model.entities = [shelf, book]
        return try Library(model: model).context()
    }

    @Test("A to-many relationship that is not optional may be empty when it has no minimum count")
    func mandatoryWithoutMinimum() throws {
        let context = try context(minimum: 0, isOptional: false)
        try context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
            try context.save()
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Shelf")) == 1)
        }
    }

    @Test("A minimum count that is not reached is error 1580, unless the relationship is optional and empty")
    func minimum() throws {
        let mandatory = try context(minimum: 2, isOptional: false)
        mandatory.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: mandatory)
            let error = #expect(throws: NSError.self) { try mandatory.save() }
            #expect(error?.code == NSValidationRelationshipLacksMinimumCountError)
            #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "books")
        }
        let optional = try context(minimum: 2, isOptional: true)
        try optional.performAndWait {
            let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: optional)
            try optional.save()
            shelf.setValue(
                NSSet(object: NSEntityDescription.insertNewObject(forEntityName: "Book", into: optional)),
                forKey: "books")
            let error = #expect(throws: NSError.self) { try optional.save() }
            #expect(error?.code == NSValidationRelationshipLacksMinimumCountError)
        }
    }
}
