import Foundation

/// What happened to an object or a section of a fetched-results controller.
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// It is new in the results.
    case insert = 1
    /// It is no longer in the results.
    case delete = 2
    /// It has another place now (and may have changed otherwise). Never said of a section.
    case move = 3
    /// It changed and kept its place. Never said of a section.
    case update = 4
}

/// Who is told what changes in the results of an `NSFetchedResultsController`.
///
/// A change of the context is told in one of three forms: as a snapshot, when the delegate takes one; otherwise,
/// without sections, as a collection difference, when it takes that; otherwise as single changes between
/// `controllerWillChangeContent` and `controllerDidChangeContent`. Every method has an implementation that does
/// nothing; whoever writes one of the first two is told in that form only.
///
/// Called on the context's queue.
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
    /// The results changed; here they are by section and id. Called after each `performFetch()` too.
    ///
    /// Who implements this is told nothing else. (Apple's method takes UIKit's
    /// `NSDiffableDataSourceSnapshotReference`.)
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSFetchedResultsSnapshot)

    /// The results changed; here are the ids that came, went and moved. Only of controllers without sections.
    ///
    /// Who implements this is told nothing else. An object that changed without moving is in no difference.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)

    /// Single changes are about to be told; the controller still shows the results as they were.
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// An object came, went, moved or changed. Told after the sections.
    ///
    /// `indexPath` is its place in the results as they were (nil for an insertion), `newIndexPath` its place in the
    /// results as they are (nil for a deletion). Others that merely make room are not told.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

    /// A section went (`sectionIndex` is its place among the sections as they were) or came (among them as they are).
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType)

    /// Every single change has been told.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// What stands for a section in an index; unless implemented, the controller's own answer.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?
}

/// The methods that a delegate leaves out. That one was left out shows when it is called.
extension NSFetchedResultsControllerDelegate {
    /// Says that the delegate takes no snapshots.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSFetchedResultsSnapshot
    ) {
        controller.core.missingDelegateMethods.insert(.snapshot)
    }

    /// Says that the delegate takes no differences.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        controller.core.missingDelegateMethods.insert(.difference)
    }

    /// Does nothing.
    public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {}

    /// Does nothing.
    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    /// The controller's own answer: `NSFetchedResultsController.sectionIndexTitle(forSectionName:)`.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        controller.core.ownIndexTitle(of: sectionName)
    }
}
