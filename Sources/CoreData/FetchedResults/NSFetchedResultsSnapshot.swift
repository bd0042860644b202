import Foundation

/// The results of a fetched-results controller at one moment: ids by section.
///
/// It takes the place of UIKit's `NSDiffableDataSourceSnapshotReference` and has the same properties. The section of a
/// controller without sections has the name "". New objects have the ids that they had when the snapshot was made;
/// those of a child context become permanent when the contexts above it save.
///
/// OpenCoreData only.
public struct NSFetchedResultsSnapshot: Sendable {
    /// The names of the sections, in order.
    public let sectionIdentifiers: [String]
    /// The ids of all objects, in order.
    public let itemIdentifiers: [NSManagedObjectID]
    /// The ids of the objects that have changed since the last snapshot and are still in the results.
    public let reloadedItemIdentifiers: [NSManagedObjectID]
    /// The place in `itemIdentifiers` at which each section begins.
    private let starts: [Int]

    init(
        sections: [(name: String, start: Int)], itemIdentifiers: [NSManagedObjectID],
        reloadedItemIdentifiers: [NSManagedObjectID]
    ) {
        sectionIdentifiers = sections.map(\.name)
        starts = sections.map(\.start)
        self.itemIdentifiers = itemIdentifiers
        self.reloadedItemIdentifiers = reloadedItemIdentifiers
    }

    /// The number of all objects.
    public var numberOfItems: Int { itemIdentifiers.count }

    /// The number of sections.
    public var numberOfSections: Int { sectionIdentifiers.count }

    /// Returns the number of a section's objects.
    ///
    /// - Parameter identifier: The name of the section.
    /// - Returns: The number; 0 if there is no such section.
    public func numberOfItems(inSection identifier: String) -> Int { range(of: identifier).count }

    /// Returns the ids of a section's objects.
    ///
    /// - Parameter identifier: The name of the section.
    /// - Returns: The ids in order; empty if there is no such section.
    public func itemIdentifiers(inSection identifier: String) -> [NSManagedObjectID] {
        Array(itemIdentifiers[range(of: identifier)])
    }

    /// Returns the number of a section.
    ///
    /// - Parameter identifier: The name of the section.
    /// - Returns: The number, or nil if there is no such section.
    public func indexOfSection(_ identifier: String) -> Int? { sectionIdentifiers.firstIndex(of: identifier) }

    /// Returns the place of an object among all objects.
    ///
    /// - Parameter identifier: The id of the object.
    /// - Returns: The place, or nil if the object is not in the results.
    public func indexOfItem(_ identifier: NSManagedObjectID) -> Int? { itemIdentifiers.firstIndex(of: identifier) }

    /// Returns the name of the section that an object is in.
    ///
    /// - Parameter identifier: The id of the object.
    /// - Returns: The name, or nil if the object is not in the results.
    public func sectionIdentifier(containingItem identifier: NSManagedObjectID) -> String? {
        guard let index = indexOfItem(identifier), let section = starts.lastIndex(where: { $0 <= index }) else {
            return nil
        }
        return sectionIdentifiers[section]
    }

    private func range(of identifier: String) -> Range<Int> {
        guard let section = indexOfSection(identifier) else { return 0..<0 }
        return starts[section]..<(section + 1 < starts.count ? starts[section + 1] : itemIdentifiers.count)
    }
}
