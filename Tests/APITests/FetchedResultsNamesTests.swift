import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's names of the fetched-results controller")
struct FetchedResultsNamesTests {
    private typealias Controller = NSFetchedResultsController<NSManagedObject>
    private typealias Told = NSFetchedResultsController<any NSFetchRequestResult>

    /// Leaves out every method, as it may.
    private final class Delegate: NSObject, NSFetchedResultsControllerDelegate {}

    @Test("NSFetchedResultsController has its members")
    func controller() {
        let _: (NSFetchRequest<NSManagedObject>, NSManagedObjectContext, String?, String?) -> Controller = Controller
            .init(fetchRequest:managedObjectContext:sectionNameKeyPath:cacheName:)
        let _: (Controller) -> () throws -> Void = Controller.performFetch
        let _: KeyPath<Controller, NSFetchRequest<NSManagedObject>> = \.fetchRequest
        let _: KeyPath<Controller, NSManagedObjectContext> = \.managedObjectContext
        let _: KeyPath<Controller, String?> = \.sectionNameKeyPath
        let _: KeyPath<Controller, String?> = \.cacheName
        let _: ReferenceWritableKeyPath<Controller, (any NSFetchedResultsControllerDelegate)?> = \.delegate
        let _: (String?) -> Void = Controller.deleteCache(withName:)
        let _: KeyPath<Controller, [NSManagedObject]?> = \.fetchedObjects
        let _: (Controller) -> (IndexPath) -> NSManagedObject = Controller.object(at:)
        let _: (Controller) -> (NSManagedObject) -> IndexPath? = Controller.indexPath(forObject:)
        let _: KeyPath<Controller, [any NSFetchedResultsSectionInfo]?> = \.sections
        let _: KeyPath<Controller, [String]> = \.sectionIndexTitles
        let _: (Controller) -> (String) -> String? = Controller.sectionIndexTitle(forSectionName:)
        let _: (Controller) -> (String, Int) -> Int = Controller.section(forSectionIndexTitle:at:)
    }

    @Test("NSFetchedResultsSectionInfo has its members")
    func sectionInfo() {
        let _: KeyPath<any NSFetchedResultsSectionInfo, String> = \.name
        let _: KeyPath<any NSFetchedResultsSectionInfo, String?> = \.indexTitle
        let _: KeyPath<any NSFetchedResultsSectionInfo, Int> = \.numberOfObjects
        let _: KeyPath<any NSFetchedResultsSectionInfo, [Any]?> = \.objects
    }

    @Test("NSFetchedResultsControllerDelegate has its members, each of which may be left out")
    func delegate() {
        let _: any NSObjectProtocol.Type = Delegate.self
        let _: (Delegate) -> (Told) -> Void = Delegate.controllerWillChangeContent(_:)
        let _: (Delegate) -> (Told) -> Void = Delegate.controllerDidChangeContent(_:)
        let _: (Delegate) -> (Told, Any, IndexPath?, NSFetchedResultsChangeType, IndexPath?) -> Void =
            Delegate.controller(_:didChange:at:for:newIndexPath:)
        let _: (Delegate) -> (Told, any NSFetchedResultsSectionInfo, Int, NSFetchedResultsChangeType) -> Void =
            Delegate.controller(_:didChange:atSectionIndex:for:)
        let _: (Delegate) -> (Told, String) -> String? = Delegate.controller(_:sectionIndexTitleForSectionName:)
        let _: (Delegate) -> (Told, CollectionDifference<NSManagedObjectID>) -> Void = Delegate.controller(
            _:didChangeContentWith:)
        // Apple's takes UIKit's snapshot type.
        let _: (Delegate) -> (Told, NSFetchedResultsSnapshot) -> Void = Delegate.controller(_:didChangeContentWith:)
    }

    @Test("NSFetchedResultsChangeType has Apple's values")
    func changeType() {
        #expect(NSFetchedResultsChangeType.insert.rawValue == 1 as UInt)
        #expect(NSFetchedResultsChangeType.delete.rawValue == 2)
        #expect(NSFetchedResultsChangeType.move.rawValue == 3)
        #expect(NSFetchedResultsChangeType.update.rawValue == 4)
    }
}
