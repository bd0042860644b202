import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// The check for leaks sees what is left; were it blind, every suite would pass it.
@Suite("The account of live objects", .onEveryKindOfStore)
struct LiveAccountTests {
    @Test("An object is in the account as long as a reference to it exists")
    func seesWhatIsHeld() async throws {
        let account = LiveAccount()
        let held = try LiveAccount.$current.withValue(account) {
            let library = try Library()
            let root = library.context()
            let child = library.child(of: root)
            return try child.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
                let controller = NSFetchedResultsController(
                    fetchRequest: request, managedObjectContext: child, sectionNameKeyPath: nil, cacheName: nil)
                let author = child.make("Author", ["name": "a"])
                try controller.performFetch()
                return Locked<(NSFetchedResultsController<NSManagedObject>, NSManagedObject)?>((controller, author))
            }
        }
        #expect(
            account.present == [
                .coordinator: 1, .store: 1, .context: 2, .controller: 1, .object(entity: "Author"): 1,
            ])
        let context = try #require(held.withLock { $0?.1.managedObjectContext })
        await context.perform {
            let parent = context.parent
            // The context is made where no account is set: it counts in that of its parent.
            let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            other.performAndWait { other.parent = parent }
            #expect(account.present[.context] == 3)
        }
        #expect(account.present[.context] == 2)
        await context.perform { held.withLock { $0 = nil } }
        #expect(account.present[.controller] == nil && account.present[.object(entity: "Author")] == 1)
        await context.perform { context.reset() }
        #expect(account.present == [.coordinator: 1, .store: 1, .context: 2])
    }
}
