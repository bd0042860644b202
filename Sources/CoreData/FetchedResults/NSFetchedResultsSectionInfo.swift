import Foundation

/// A section of a fetched-results controller, as it was when the program asked for it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultssectioninfo)
public protocol NSFetchedResultsSectionInfo {
    /// The value at the section key path as text; empty without a key path.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultssectioninfo/name)
    var name: String { get }
    /// The title of the section in an index.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultssectioninfo/indextitle)
    var indexTitle: String? { get }
    /// The number of the section's objects.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultssectioninfo/numberofobjects)
    var numberOfObjects: Int { get }
    /// The section's objects in order.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultssectioninfo/objects)
    var objects: [Any]? { get }
}

/// A section and its part of the results.
final class FetchedSection: NSFetchedResultsSectionInfo {
    let name: String
    let indexTitle: String?
    private let results: FetchedList
    private let range: Range<Int>

    /// The section of the results at some places.
    init(name: String, indexTitle: String?, of results: FetchedList, at range: Range<Int>) {
        self.name = name
        self.indexTitle = indexTitle
        self.results = results
        self.range = range
    }

    var numberOfObjects: Int { range.count }

    var objects: [Any]? { results[range] }
}
