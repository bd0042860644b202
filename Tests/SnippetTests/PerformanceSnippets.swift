import CoreData

// Code of FaultingAndPerformance.md.
enum PerformanceSnippets {
    final class Author: NSManagedObject {
        var name = ""
    }

    final class Book: NSManagedObject {
        var title = ""
        var author: Author?
        var tags: Set<NSManagedObject> = []
    }

    static func prefetch(context: NSManagedObjectContext) throws {
        // snippet: prefetched relationships
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.relationshipKeyPathsForPrefetching = ["author", "tags"]
        for book in try context.fetch(request) {
            print(book.title, book.author?.name ?? "", book.tags.count)
        }
        // snippet end
    }

    @MainActor
    static func update(context: NSManagedObjectContext, container: NSPersistentContainer) throws {
        // snippet: a batch update that contexts learn of
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.predicate = NSPredicate(format: "pages > %d", 1_000)
        request.propertiesToUpdate = ["isLong": true]
        request.resultType = .updatedObjectIDsResultType
        let result = try context.execute(request) as? NSBatchUpdateResult
        let ids = result?.result as? [NSManagedObjectID] ?? []
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectIDsKey: ids], into: [container.viewContext])
        // snippet end
    }

    static func explain(context: NSManagedObjectContext, request: NSFetchRequest<Book>) throws {
        // snippet: an explained fetch
        for explanation in try context.explain(request) {
            print(explanation.statement)
            for step in explanation.plan { print(String(repeating: "  ", count: step.depth) + step.text) }
        }
        // snippet end
    }
}
