import Foundation

/// The results of a fetched-results controller at one moment: ids, by section.
///
/// Stands where Apple's delegate gets UIKit's `NSDiffableDataSourceSnapshotReference`, and reads like it. The section
/// of a controller without sections is named "". New objects are in it by the ids that they had when it was made; those
/// of a child context become permanent when the contexts above it save.
public struct NSFetchedResultsSnapshot: Sendable {
    /// The names of the sections, in order.
    public let sectionIdentifiers: [String]
    /// The ids of all objects, in order.
    public let itemIdentifiers: [NSManagedObjectID]
    /// The ids of objects that changed since the last snapshot and are still in the results, whether they moved or not.
    public let reloadedItemIdentifiers: [NSManagedObjectID]
    /// Where each section begins in `itemIdentifiers`.
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

    /// How many objects there are.
    public var numberOfItems: Int { itemIdentifiers.count }

    /// How many sections there are.
    public var numberOfSections: Int { sectionIdentifiers.count }

    /// How many objects a section has; 0 when there is no such section.
    public func numberOfItems(inSection identifier: String) -> Int { range(of: identifier).count }

    /// The ids of a section's objects; empty when there is no such section.
    public func itemIdentifiers(inSection identifier: String) -> [NSManagedObjectID] {
        Array(itemIdentifiers[range(of: identifier)])
    }

    /// The place of a section among the sections.
    public func indexOfSection(_ identifier: String) -> Int? { sectionIdentifiers.firstIndex(of: identifier) }

    /// The place of an object among all objects.
    public func indexOfItem(_ identifier: NSManagedObjectID) -> Int? { itemIdentifiers.firstIndex(of: identifier) }

    /// The section an object is in.
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
