import CoreData
import Foundation
import Observation
import SwiftData

/// How often followed results have said that they change.
///
/// Unchecked: one thread uses it.
private final class ChangeCount: NSObject, NSFetchedResultsControllerDelegate, @unchecked Sendable {
    var count = 0

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) { count += 1 }
}

/// Results that an observer follows.
enum ModelResults {
    private static func observer(in context: ModelContext) throws -> ResultsObserver<Models.Book, Never> {
        try ResultsObserver(
            sortBy: [SortDescriptor(\.rating), SortDescriptor(\.isbn, comparator: .lexical)], modelContext: context)
    }

    static func read(in context: ModelContext) throws -> Measurement {
        try Measurement.of {
            let observer = try observer(in: context)
            let books = observer.results
            let read = stride(from: 0, to: books.count, by: ComparedWork.readDistance)
            return (observer, books.count, read.reduce(0) { $0 + Double(books[$1].pages) })
        }
    }

    static func change(in context: ModelContext) throws -> Measurement {
        let observer = try observer(in: context)
        let changes = ChangeCount()
        let books = observer.results
        let distance = max(books.count / (ComparedWork.movements * ComparedWork.movedBooks), 1)
        let moved = (0..<ComparedWork.movements * ComparedWork.movedBooks).map { books[$0 * distance] }
        // Freeing all books would take longer than the movements.
        defer { withExtendedLifetime((observer, books)) {} }
        return Measurement.of {
            var sum = 0.0
            for movement in 0..<ComparedWork.movements {
                withObservationTracking {
                    sum += Double(observer.results.first?.pages ?? 0)
                } onChange: {
                    changes.count += 1
                }
                let first = movement * ComparedWork.movedBooks
                for book in moved[first..<first + ComparedWork.movedBooks] { book.rating += 0.5 }
                context.processPendingChanges()
            }
            return ((), changes.count, sum)
        }
    }
}

/// Results that a controller follows.
enum ObjectResults {
    private static func controller(
        in context: NSManagedObjectContext, _ delegate: ChangeCount
    ) throws -> NSFetchedResultsController<Book> {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = ["rating", "isbn"].map { NSSortDescriptor(key: $0, ascending: true) }
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        controller.delegate = delegate
        try controller.performFetch()
        return controller
    }

    static func read(in context: NSManagedObjectContext) throws -> Measurement {
        let changes = ChangeCount()
        return try Measurement.of {
            let controller = try controller(in: context, changes)
            let books = controller.fetchedObjects ?? []
            let read = stride(from: 0, to: books.count, by: ComparedWork.readDistance)
            return (controller, books.count, read.reduce(0) { $0 + Double(books[$1].pages) })
        }
    }

    static func change(in context: NSManagedObjectContext) throws -> Measurement {
        let changes = ChangeCount()
        let controller = try controller(in: context, changes)
        let books = controller.fetchedObjects ?? []
        let distance = max(books.count / (ComparedWork.movements * ComparedWork.movedBooks), 1)
        let moved = (0..<ComparedWork.movements * ComparedWork.movedBooks).map { books[$0 * distance] }
        defer { withExtendedLifetime((controller, books)) {} }
        return Measurement.of {
            var sum = 0.0
            for movement in 0..<ComparedWork.movements {
                sum += Double(controller.fetchedObjects?.first?.pages ?? 0)
                let first = movement * ComparedWork.movedBooks
                for book in moved[first..<first + ComparedWork.movedBooks] { book.rating += 0.5 }
                context.processPendingChanges()
            }
            return ((), changes.count, sum)
        }
    }
}
