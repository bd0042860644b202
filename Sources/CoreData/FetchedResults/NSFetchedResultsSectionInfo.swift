import Foundation

/// One section of a fetched-results controller, as it was when it was asked for.
public protocol NSFetchedResultsSectionInfo {
    /// The value at the section key path, as text; empty where there is none.
    var name: String { get }
    /// What stands for the section in an index.
    var indexTitle: String? { get }
    /// How many objects it has.
    var numberOfObjects: Int { get }
    /// Its objects, in order.
    var objects: [Any]? { get }
}

/// A section and its part of the results.
final class FetchedSection: NSFetchedResultsSectionInfo {
    let name: String
    let indexTitle: String?
    private let items: ArraySlice<NSObject>

    init(name: String, indexTitle: String?, items: ArraySlice<NSObject>) {
        self.name = name
        self.indexTitle = indexTitle
        self.items = items
    }

    var numberOfObjects: Int { items.count }

    var objects: [Any]? { Array(items) }
}
