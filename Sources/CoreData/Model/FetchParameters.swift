import Foundation

/// All settings of a fetch request, independent of its result type.
///
/// `NSFetchRequest` is generic, and the members of a generic class cannot be read without its argument. Internal code
/// reads `NSPersistentStoreRequest.fetchParameters` instead.
struct FetchParameters {
    var entity: NSEntityDescription?
    /// The name given to `init(entityName:)`; the coordinator's model resolves it to an entity.
    var givenEntityName: String?
    var predicate: NSPredicate?
    var sortDescriptors: [NSSortDescriptor]?
    /// 0 means no limit.
    var fetchLimit = 0
    var fetchOffset = 0
    /// 0 means everything at once.
    var fetchBatchSize = 0
    var resultType = NSFetchRequestResultType.managedObjectResultType
    var includesSubentities = true
    var includesPropertyValues = true
    var includesPendingChanges = true
    var returnsObjectsAsFaults = true
    var returnsDistinctResults = false
    var shouldRefreshRefetchedObjects = false
    var relationshipKeyPathsForPrefetching: [String]?
    /// Elements are property descriptions or key paths.
    var propertiesToFetch: [Any]?
    var propertiesToGroupBy: [Any]?
    var havingPredicate: NSPredicate?
    /// Nil for the setting of the context.
    var readsFromStandbys: Bool?

    var entityName: String? { entity?.name ?? givenEntityName }
}

extension FetchParameters {
    /// Field-by-field equality; entities are compared by name.
    func isSame(as other: FetchParameters) -> Bool {
        entityName == other.entityName && sameValue(predicate, other.predicate)
            && sameValue(sortDescriptors ?? [], other.sortDescriptors ?? [])
            && fetchLimit == other.fetchLimit && fetchOffset == other.fetchOffset
            && fetchBatchSize == other.fetchBatchSize && resultType == other.resultType
            && includesSubentities == other.includesSubentities
            && includesPropertyValues == other.includesPropertyValues
            && includesPendingChanges == other.includesPendingChanges
            && returnsObjectsAsFaults == other.returnsObjectsAsFaults
            && returnsDistinctResults == other.returnsDistinctResults
            && shouldRefreshRefetchedObjects == other.shouldRefreshRefetchedObjects
            && sameValue(relationshipKeyPathsForPrefetching, other.relationshipKeyPathsForPrefetching)
            && sameValue(propertiesToFetch, other.propertiesToFetch)
            && sameValue(propertiesToGroupBy, other.propertiesToGroupBy)
            && sameValue(havingPredicate, other.havingPredicate) && readsFromStandbys == other.readsFromStandbys
    }
}
