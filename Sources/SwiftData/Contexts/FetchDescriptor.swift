import CoreData
import Foundation

/// What a fetch returns, and in which order.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/fetchdescriptor)
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable {  // key paths of properties capture nothing
    /// The condition; nil for all models.
    public var predicate: Predicate<T>?
    /// The order; that of the store's numbers if empty.
    public var sortBy: [SortDescriptor<T>]
    /// The largest number of results; nil for all.
    public var fetchLimit: Int?
    /// The number of results that are left out at the beginning.
    public var fetchOffset: Int?
    /// Whether unsaved changes count; true unless set.
    public var includePendingChanges = true
    /// The properties that are read at once; all if empty.
    public var propertiesToFetch: [PartialKeyPath<T>] = []
    /// The relationships whose models are read at once.
    public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

    /// Creates a descriptor.
    ///
    /// - Parameters:
    ///   - predicate: The condition; nil for all models.
    ///   - sortBy: The order.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/fetchdescriptor/init(predicate:sortby:))
    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

extension FetchDescriptor {
    /// The condition of a fetch that has no order and prefetches nothing.
    @inlinable var onlyCondition: (any PredicateExpression<Bool>)? {
        guard sortBy.isEmpty, relationshipKeyPathsForPrefetching.isEmpty else { return nil }
        return predicate?.expression
    }

    /// The limits of the fetch.
    @inlinable var limits: FetchLimits {
        FetchLimits(
            fetchLimit: fetchLimit, fetchOffset: fetchOffset, includePendingChanges: includePendingChanges)
    }
}

/// What a descriptor says of the number of results, without the class of the models.
@usableFromInline
struct FetchLimits {
    let fetchLimit: Int?
    let fetchOffset: Int?
    let includePendingChanges: Bool

    @usableFromInline
    init(fetchLimit: Int?, fetchOffset: Int?, includePendingChanges: Bool) {
        self.fetchLimit = fetchLimit
        self.fetchOffset = fetchOffset
        self.includePendingChanges = includePendingChanges
    }
}
