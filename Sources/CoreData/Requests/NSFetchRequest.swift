import Foundation

/// A type a fetch request may return: managed objects, their ids, dictionaries and numbers.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// A description of what to read: which entity, which objects of it, in which order, how many, in which shape.
///
/// `ResultType` is one of the types that conform to `NSFetchRequestResult`, or that protocol itself. (The parameter
/// has no constraint: without the Objective-C runtime a protocol does not conform to itself, and
/// `NSFetchRequest<NSFetchRequestResult>` has to stay a type.)
///
/// A request is not safe to change while another thread executes it.
open class NSFetchRequest<ResultType>: NSPersistentStoreRequest, ModelRequest {
    final var parameters = FetchParameters()
    final weak var unretainedEntity: NSEntityDescription?

    /// Creates a request without an entity; set `entity` before it is executed.
    public override init() {
        super.init()
    }

    /// Creates a request for an entity by name; the model of the context that executes it knows the entity.
    public convenience init(entityName: String) {
        self.init()
        parameters.givenEntityName = entityName
    }

    override final var fetchParameters: FetchParameters? {
        guard parameters.entity == nil, let unretainedEntity else { return parameters }
        var result = parameters
        result.entity = unretainedEntity
        return result
    }

    /// The request under the general type of results: itself where it has that, otherwise a copy.
    final var ofAnyResults: NSFetchRequest<any NSFetchRequestResult> {
        if let same = self as? NSFetchRequest<any NSFetchRequestResult> { return same }
        let copy = NSFetchRequest<any NSFetchRequestResult>()
        copy.parameters = fetchParameters ?? FetchParameters()
        copy.affectedStores = affectedStores
        return copy
    }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    override func result(in context: any RequestExecutor) throws -> NSPersistentStoreResult {
        try context.wrappedResult(of: self)
    }

    override func output(in context: any RequestExecutor) throws -> Any { try context.fetch(self) }

    /// The entity whose objects are asked for.
    open var entity: NSEntityDescription? {
        get { parameters.entity ?? unretainedEntity }
        set { parameters.entity = newValue }
    }

    /// The name of the entity whose objects are asked for.
    open var entityName: String? { parameters.entityName }

    /// Which objects; `nil` means all.
    open var predicate: NSPredicate? {
        get { parameters.predicate }
        set { parameters.predicate = newValue }
    }

    /// The order of the results, most significant first; without any the order is not defined.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { parameters.sortDescriptors }
        set { parameters.sortDescriptors = newValue }
    }

    /// The most results to return; 0 means no limit.
    open var fetchLimit: Int {
        get { parameters.fetchLimit }
        set { parameters.fetchLimit = newValue }
    }

    /// How many results to skip first.
    open var fetchOffset: Int {
        get { parameters.fetchOffset }
        set { parameters.fetchOffset = newValue }
    }

    /// How many objects to realise at a time as the result array is walked; 0 means all at once.
    open var fetchBatchSize: Int {
        get { parameters.fetchBatchSize }
        set { parameters.fetchBatchSize = newValue }
    }

    /// The shape of the results.
    open var resultType: NSFetchRequestResultType {
        get { parameters.resultType }
        set { parameters.resultType = newValue }
    }

    /// Whether objects of subentities are returned too; `true` unless set otherwise.
    open var includesSubentities: Bool {
        get { parameters.includesSubentities }
        set { parameters.includesSubentities = newValue }
    }

    /// Whether the values are read along with the ids; `true` unless set otherwise.
    open var includesPropertyValues: Bool {
        get { parameters.includesPropertyValues }
        set { parameters.includesPropertyValues = newValue }
    }

    /// Whether unsaved changes of the context count; `true` unless set otherwise.
    open var includesPendingChanges: Bool {
        get { parameters.includesPendingChanges }
        set { parameters.includesPendingChanges = newValue }
    }

    /// Whether objects come back as faults (their values wait in the row cache); `true` unless set otherwise.
    open var returnsObjectsAsFaults: Bool {
        get { parameters.returnsObjectsAsFaults }
        set { parameters.returnsObjectsAsFaults = newValue }
    }

    /// Whether equal dictionaries are returned once.
    open var returnsDistinctResults: Bool {
        get { parameters.returnsDistinctResults }
        set { parameters.returnsDistinctResults = newValue }
    }

    /// Relationships whose objects are read along, as key paths.
    open var relationshipKeyPathsForPrefetching: [String]? {
        get { parameters.relationshipKeyPathsForPrefetching }
        set { parameters.relationshipKeyPathsForPrefetching = newValue }
    }

    /// The columns of dictionary results: property descriptions, expression descriptions, names or key paths.
    open var propertiesToFetch: [Any]? {
        get { parameters.propertiesToFetch }
        set { parameters.propertiesToFetch = newValue }
    }

    /// What dictionary results are grouped by: property descriptions, names or key paths.
    open var propertiesToGroupBy: [Any]? {
        get { parameters.propertiesToGroupBy }
        set { parameters.propertiesToGroupBy = newValue }
    }

    /// Which groups are returned.
    open var havingPredicate: NSPredicate? {
        get { parameters.havingPredicate }
        set { parameters.havingPredicate = newValue }
    }

    /// Whether objects the context already knows take the values just read.
    open var shouldRefreshRefetchedObjects: Bool {
        get { parameters.shouldRefreshRefetchedObjects }
        set { parameters.shouldRefreshRefetchedObjects = newValue }
    }

    /// Fetches by the context whose block calls this: inside `perform` or `performAndWait` only.
    open func execute() throws -> [ResultType] {
        let executor: any RequestExecutor.Type = NSManagedObjectContext.self
        guard let context = executor.innermostHeld else {
            fatalError("A fetch request can only be executed inside a block of a context")
        }
        return try context.fetch(self)
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchRequest<ResultType>()
        copy.parameters = fetchParameters ?? parameters
        copy.affectedStores = affectedStores
        return copy
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentStoreRequest, let others = other.fetchParameters else { return false }
        return self === other || parameters.isSame(as: others)
    }

    open override var hash: Int { entityName?.hashValue ?? 0 }

    open override var description: String {
        "<NSFetchRequest: \(address(of: self))> (entity: \(entityName ?? "(null)"); "
            + "predicate: (\(predicate?.printed ?? "(null)")); "
            + "sortDescriptors: (\(sortDescriptors.map { "\($0)" } ?? "(null)")); "
            + "batch size: \(fetchBatchSize); type: \(resultType.rawValue); )"
    }
}
