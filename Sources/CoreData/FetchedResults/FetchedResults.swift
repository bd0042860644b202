import Foundation

/// The results of a fetch request at one moment, and what has changed since the value before.
///
/// ``NSManagedObjectContext/results(of:sectionNameKeyPath:)`` gives the values. Managed objects in it are to be used on
/// the context's queue. Their ids, and everything else of a value, may be used on any thread.
///
/// OpenCoreData only.
public struct FetchedResults<ResultType> {
    /// The results in the request's order.
    public let results: [ResultType]
    /// The sections in order. Without a section key path there is one, whose name is "".
    public let sections: [FetchedResultsSection]
    /// What leads from the value before to this one; nil for the first value, and for results that are dictionaries or
    /// numbers.
    ///
    /// The removal and the insertion of an object that has moved are associated. A new object whose id has become
    /// permanent is removed under the temporary id and inserted under the permanent one.
    public let difference: CollectionDifference<NSManagedObjectID>?
    /// The ids of the objects that were in the value before as well and have changed since.
    public let updatedObjectIDs: [NSManagedObjectID]

    /// The ids of the results in order; empty if the results are dictionaries or numbers.
    public var objectIDs: [NSManagedObjectID] {
        if let ids = results as? [NSManagedObjectID] { return ids }
        return results.compactMap { ($0 as? NSManagedObject)?.objectID }
    }
}

extension FetchedResults: Sendable where ResultType: Sendable {}

/// A section of fetched results: the results whose section key path has one value.
///
/// OpenCoreData only.
public struct FetchedResultsSection: Sendable, Hashable {
    /// The name of the section: the value of the section key path as text.
    public let name: String
    /// The places of the section's results among all results.
    public let range: Range<Int>
}

extension FetchedArrangement {
    /// The sections in the form of the values of a sequence.
    var resultsSections: [FetchedResultsSection] {
        sections.indices.map { FetchedResultsSection(name: sections[$0].name, range: range(ofSection: $0)) }
    }
}
