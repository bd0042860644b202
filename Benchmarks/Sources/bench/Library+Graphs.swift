import CoreData

// Work of several contexts, and results that follow changes.
extension Library {
    /// Ratings change by so much: every moved book finds another section.
    static let ratingStep: Float = 0.5

    /// Makes objects in a child, saves it into its private parent, and that into the store.
    static func saveUp(_ rows: SwiftRows, through coordinator: NSPersistentStoreCoordinator) throws -> Measurement {
        let parent = context(coordinator)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        return try Measurement.of {
            try child.performAndWait {
                rows.makeObjects(in: child)
                try child.save()
            }
            try parent.performAndWait { try parent.save() }
            return ((), rows.authors.count + rows.books.count, 0)
        }
    }

    /// Brings what one context saved into another that holds the same objects.
    static func merge(books limit: Int, in coordinator: NSPersistentStoreCoordinator) throws -> Measurement {
        let (editor, viewer) = (context(coordinator), context(coordinator))
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.returnsObjectsAsFaults = false
        request.fetchLimit = limit
        // The viewer's queue has them alone.
        nonisolated(unsafe) let books = try viewer.performAndWait { try viewer.fetch(request) }
        let saved = Box<Notification>()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: editor, queue: nil
        ) { saved.value = $0 }
        defer { NotificationCenter.default.removeObserver(observer) }
        try editor.performAndWait {
            for book in try editor.fetch(request) { book.pages += 1 }
            try editor.save()
        }
        guard let notification = saved.value else {
            throw BenchmarkFailure(description: "no notification came of the save that is to be merged")
        }
        return Measurement.of {
            let sum = viewer.performAndWait {
                viewer.mergeChanges(fromContextDidSave: notification)
                return books.reduce(0) { $0 + Double($1.pages) }
            }
            return ((), books.count, sum)
        }
    }

    // MARK: - Fetched results

    private static func controller(in context: NSManagedObjectContext) -> NSFetchedResultsController<Book> {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [
            NSSortDescriptor(key: "rating", ascending: true), NSSortDescriptor(key: "isbn", ascending: true),
        ]
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "rating", cacheName: nil)
    }

    static func fetchResults(in context: NSManagedObjectContext) throws -> Measurement {
        try Measurement.of {
            let controller = controller(in: context)
            try controller.performFetch()
            return (controller, controller.fetchedObjects?.count ?? 0, Double(controller.sections?.count ?? 0))
        }
    }

    static func changeResults(in context: NSManagedObjectContext) throws -> Measurement {
        let controller = controller(in: context)
        let listener = ResultsListener()
        controller.delegate = listener
        try controller.performFetch()
        let books = controller.fetchedObjects ?? []
        let wanted = min(Work.movedBooks, books.count)
        let distance = max(books.count / max(wanted, 1), 1)
        return Measurement.of {
            for index in 0..<wanted { books[index * distance].rating += ratingStep }
            context.processPendingChanges()
            return ((), listener.count, Double(controller.sections?.count ?? 0))
        }
    }
}

/// Counts the objects that a controller reports.
private final class ResultsListener: NSObject, NSFetchedResultsControllerDelegate {
    var count = 0

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        count += 1
    }
}

/// A place for what a block leaves.
///
/// Unchecked: the block runs on the thread that reads the value, before it does.
private final class Box<Value>: @unchecked Sendable {
    var value: Value?
}
