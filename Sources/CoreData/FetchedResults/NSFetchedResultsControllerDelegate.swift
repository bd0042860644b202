import Foundation

/// The kind of change of an object or a section of a fetched-results controller.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultschangetype)
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// It is new in the results.
    case insert = 1
    /// It is no longer in the results.
    case delete = 2
    /// It has another place and may have other values. Sections never have this type.
    case move = 3
    /// It has other values and the same place. Sections never have this type.
    case update = 4
}

/// Receives the changes of an ``NSFetchedResultsController``'s results.
///
/// Each change comes in one of three forms. A delegate that implements the method with a snapshot gets snapshots.
/// Otherwise, for a controller without sections, a delegate that implements the method with a difference gets
/// differences. All other delegates get single changes between `controllerWillChangeContent` and
/// `controllerDidChangeContent`.
///
/// Every method has a default implementation that does nothing. All methods are called on the context's queue.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontrollerdelegate)
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
    /// The results have changed; gets them as ids by section. It is also called after each `performFetch()`.
    ///
    /// A delegate with this method gets no other form. Apple's method has UIKit's
    /// `NSDiffableDataSourceSnapshotReference` in the place of the snapshot.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - snapshot: The results after the change.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontrollerdelegate)
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSFetchedResultsSnapshot)

    /// The results of a controller without sections have changed; gets the ids that were inserted, removed and moved.
    ///
    /// A delegate with this method gets no single changes. An object that changed without moving is in no difference.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - diff: The difference between the results before and after the change.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontrollerdelegate/controller(_:didchangecontentwith:)-5ullb)
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)

    /// Single changes follow. The controller still has the results from before the change.
    ///
    /// - Parameter controller: The controller.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontrollerdelegate/controllerwillchangecontent(_:))
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// An object was inserted, removed or moved, or its values changed.
    ///
    /// It is called after the calls for sections. Objects whose places only shift get no call.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - anObject: The object.
    ///   - indexPath: The place before the change; nil for an insertion.
    ///   - type: The kind of change.
    ///   - newIndexPath: The place after the change; nil for a deletion.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontrollerdelegate/controller(_:didchange:at:for:newindexpath:))
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

    /// A section was removed or inserted.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - sectionInfo: The section. A removed one has no objects.
    ///   - sectionIndex: For a removed section its number before the change, for an inserted one its number after it.
    ///   - type: `delete` or `insert`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontrollerdelegate/controller(_:didchange:atsectionindex:for:))
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType)

    /// All single changes have been reported.
    ///
    /// - Parameter controller: The controller.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontrollerdelegate/controllerdidchangecontent(_:))
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// Returns the title of a section in an index.
    ///
    /// Without an implementation it is ``NSFetchedResultsController/sectionIndexTitle(forSectionName:)``.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - sectionName: The name of the section.
    /// - Returns: The title, or nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontrollerdelegate/controller(_:sectionindextitleforsectionname:))
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?
}

/// Default implementations of the delegate's methods. A call of one of the first two shows that the delegate does not
/// implement the method.
extension NSFetchedResultsControllerDelegate {
    /// Notes that the delegate does not implement the method for snapshots.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSFetchedResultsSnapshot
    ) {
        controller.core.missingDelegateMethods.insert(.snapshot)
    }

    /// Notes that the delegate does not implement the method for differences.
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

    /// Returns the controller's own title, ``NSFetchedResultsController/sectionIndexTitle(forSectionName:)``.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        controller.core.ownIndexTitle(of: sectionName)
    }
}
