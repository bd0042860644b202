import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("A fetched-results controller beside saves of other contexts", .leavesNothingBehind, .onEveryKindOfStore)
struct FetchedResultsMergingTests {
    @Test("A saved change of an unregistered object, or of one that decides about it, reaches the delegate")
    func unknownObjects() throws {
        let library = try Library()
        let other = library.context()
        let (bookID, authorID) = try other.performAndWait {
            let author = other.make("Author", ["name": "A", "active": false])
            other.make("Book", ["title": "hidden", "pages": 50, "author": author])
            let book = other.make("Book", ["title": "short", "pages": 5])
            try other.save()
            return (book.objectID, author.objectID)
        }
        let context = library.context()
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "pages > 20 AND (author == nil OR author.active == YES)")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            try controller.performFetch()
            let delegate = RecordingDelegate(copying: controller)
            controller.delegate = delegate
            func titles() -> [String] {
                controller.fetchedObjects?.compactMap { $0.value(forKey: "title") as? String } ?? []
            }
            #expect(titles().isEmpty)
            #expect(context.registeredObjects.isEmpty)
            try other.performAndWait {
                other.object(with: bookID).setValue(100, forKey: "pages")
                try other.save()
            }
            let updated = [NSUpdatedObjectsKey: [bookID]]
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: updated, into: [context])
            #expect(titles() == ["short"])
            try other.performAndWait {
                other.object(with: authorID).setValue(true, forKey: "active")
                try other.save()
            }
            let related = [NSUpdatedObjectsKey: [authorID]]
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: related, into: [context])
            #expect(titles() == ["hidden", "short"])
            #expect(delegate.copy.flatMap(\.objects) == controller.fetchedObjects)
            #expect(delegate.faults == [])
        }
    }
}
