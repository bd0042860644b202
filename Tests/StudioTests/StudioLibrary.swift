import CoreData
import Foundation
import TestSupport

/// A library whose values can be wrong in many ways, for tests of the studio.
enum StudioLibrary {
    /// A fresh, equal model at every call.
    static func model() -> NSManagedObjectModel {
        let model = ModelText.model(
            """
            entity Author
              name string!
              joined date
              isActive bool
              books many Book.author
            entity Book
              title string!
              isbn string
              year int16
              pages int32
              price decimal
              published date
              identifier uuid
              link uri
              cover data external
              author one Author.books
              tags many Tag.books
              unique isbn
            entity Novel : Book
              genre string
            entity Tag
              name string
              books many Book.tags
            entity Shelf
              name string
              items ordered Book
            """)
        let year = model.entitiesByName["Book"]?.attributesByName["year"]
        year?.setValidationPredicates(
            [NSPredicate(format: "SELF >= 1400"), NSPredicate(format: "SELF <= 2100")],
            withValidationWarnings: ["too old", "too new"])
        return model
    }

    /// Two authors, two books of the first, a novel of the second, a tag, and a shelf with all three books.
    @discardableResult
    static func make(
        in folder: URL, type: String = NSSQLiteStoreType, history: Bool = false,
        _ more: (NSManagedObjectContext) throws -> Void = { _ in }
    ) throws -> URL {
        let url = folder.appendingPathComponent("Library.sqlite")
        try withStore(
            url, model(), type: type, options: history ? [NSPersistentHistoryTrackingKey: true] : nil
        ) { context in
            context.transactionAuthor = "the test"
            let melville = try made("Author", ["name": "Melville", "joined": date(0), "isActive": true], context)
            let poe = try made("Author", ["name": "Poe", "isActive": false], context)
            let whale = try made(
                "Book",
                [
                    "title": "Moby Dick", "isbn": "1851", "year": 1851, "pages": 635, "author": melville,
                    "price": NSDecimalNumber(string: "12.50"), "cover": image, "published": date(86_400.5),
                ], context)
            let typee = try made(
                "Book", ["title": "Typee", "isbn": "1846", "year": 1846, "author": melville], context)
            let raven = try made("Novel", ["title": "The Raven", "genre": "poem", "author": poe], context)
            let tag = try made("Tag", ["name": "sea"], context)
            tag.setValue(NSSet(array: [whale, typee]), forKey: "books")
            let shelf = try made("Shelf", ["name": "upper"], context)
            shelf.setValue(NSOrderedSet(array: [raven, whale, typee]), forKey: "items")
            try more(context)
            try context.save()
        }
        if type != NSSQLiteStoreType {
            try model().archive().write(to: folder.appendingPathComponent("Library.mom"))
        }
        return url
    }

    /// An object that has its number at once, so that the numbers are in the order of the calls.
    static func made(
        _ entity: String, _ values: [String: Any], _ context: NSManagedObjectContext
    ) throws -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        try context.obtainPermanentIDs(for: [object])
        return object
    }

    static func date(_ seconds: TimeInterval) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

    /// A PNG of two red and two blue pixels.
    static let image =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFElEQVR4nGP8z8DAwMDAxMDAwMAAAA0HAQEf0bX/"
                + "AAAAAElFTkSuQmCC"
        ) ?? Data()
}
