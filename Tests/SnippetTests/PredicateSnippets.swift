import CoreData

// Code of Predicates.md.
enum PredicateSnippets {
    final class Author: NSManagedObject {
        var name = ""
    }

    final class Book: NSManagedObject {
        var title = ""
        var pages = 0
        var author: Author?
    }

    static func fetch(context: NSManagedObjectContext) throws -> [Book] {
        // snippet: a predicate in a fetch
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.predicate = NSPredicate(format: "title CONTAINS[cd] %@ AND pages > %d", "garden", 100)
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true, selector: .localizedStandardCompare)]
        let books = try context.fetch(request)
        // snippet end
        return books
    }

    static func swift(request: NSFetchRequest<Book>) {
        // snippet: a predicate of Swift
        request.predicate = NSPredicate(#Predicate<Book> { $0.pages > 100 && $0.author?.name == "Zoë" })
        // snippet end
    }

    static func missing(request: NSFetchRequest<Book>) {
        // snippet: a predicate that names nil
        request.predicate = NSPredicate(format: "rating == nil OR rating != %d", 5)
        // snippet end
    }

    static func inMemory(request: NSFetchRequest<Book>, context: NSManagedObjectContext) throws -> [Book] {
        // snippet: a predicate in two parts
        request.predicate = NSPredicate(format: "pages > %d", 100)
        let hasYear = NSPredicate { object, _ in (object as? Book)?.title.contains("19") ?? false }
        let found = try context.fetch(request).filter { hasYear.evaluate(with: $0) }
        // snippet end
        return found
    }
}
