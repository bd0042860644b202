import Foundation

/// Reads or deletes the persistent history of a coordinator's stores.
///
/// A store keeps history when it is added with `NSPersistentHistoryTrackingKey`. Execute the request with a context;
/// the result is an `NSPersistentHistoryResult`. Reading after a token whose history has been deleted since is the
/// error `NSPersistentHistoryTokenExpiredError`.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    private enum Bound {
        /// Reading: all there is. Deleting: nothing.
        case nothing
        case date(Date)
        case token(NSPersistentHistoryToken)
    }

    private final var bound = Bound.nothing
    private final var isDeletion = false

    /// What to return: transactions with their changes, of a deletion whether it succeeded, unless set otherwise.
    open var resultType = NSPersistentHistoryResultType.transactionsAndChanges

    /// Narrows the history that is read: a request for `NSPersistentHistoryTransaction.entityDescription` or for
    /// `NSPersistentHistoryChange.entityDescription`, whose predicate, order, offset and limit count. Narrowed by
    /// changes, transactions have only those that match, and come in the order of their first ones. A key that the
    /// entity does not have is an error (134060) that names it.
    open var fetchRequest: NSFetchRequest<NSFetchRequestResult>?

    /// Reads all history.
    public override init() {
        super.init()
    }

    /// The token that history is read after, or deleted before.
    open var token: NSPersistentHistoryToken? {
        if case .token(let token) = bound { token } else { nil }
    }

    private static func request(_ bound: Bound?, isDeletion: Bool = false) -> Self {
        let request = unsafeDowncast(makeRequest(()), to: self)
        request.bound = bound ?? .nothing
        request.isDeletion = isDeletion
        if isDeletion { request.resultType = .statusOnly }
        return request
    }

    /// Reads what was changed after a point in time.
    open class func fetchHistory(after date: Date) -> Self { request(.date(date)) }

    /// Reads what was changed after a token; all history after nil, and of stores that the token does not know.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self { request(token.map { .token($0) }) }

    /// Reads what was changed after a transaction; all history after nil.
    open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
        request(transaction.map { .token($0.token) })
    }

    /// Reads the history that a fetch request describes; see `fetchRequest`.
    open class func fetchHistory(withFetch fetchRequest: NSFetchRequest<NSFetchRequestResult>) -> Self {
        let request = request(nil)
        request.fetchRequest = fetchRequest
        return request
    }

    /// Deletes what is older than a point in time.
    open class func deleteHistory(before date: Date) -> Self { request(.date(date), isDeletion: true) }

    /// Deletes the transactions before the one that a token stands for; nothing before nil.
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
        request(token.map { .token($0) }, isDeletion: true)
    }

    /// Deletes the transactions before one; nothing before nil.
    open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
        request(transaction.map { .token($0.token) }, isDeletion: true)
    }

    open override var requestType: NSPersistentStoreRequestType { .persistentHistoryRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self.request(bound, isDeletion: isDeletion)
        copy.resultType = resultType
        copy.fetchRequest = fetchRequest
        copy.affectedStores = affectedStores
        return copy
    }

    // MARK: Executing

    override func result(in context: any RequestExecutor) throws -> NSPersistentStoreResult {
        let history: any HistoryContext = context as NSManagedObjectContext
        guard let coordinator = context.persistentStoreCoordinator else {
            throw NSError.coreData(
                NSCoreDataError, reason: "\(context.debugName) has no coordinator and no parent; it has no history")
        }
        let stores = coordinator.historyStores(among: affectedStores)
        if isDeletion {
            let count = try stores.reduce(0) { try $0 + $1.history.deleteHistory(interval(of: $1)) }
            return NSPersistentHistoryResult(
                result: NSNumber(value: resultType == .count ? count : 1), resultType: resultType)
        }
        var reading = HistoryReading(
            context: history, resultType: resultType, request: fetchRequest?.parameters)
        for store in stores { try reading.read(store, interval(of: store), HistoryFilter(fetchRequest, store)) }
        return NSPersistentHistoryResult(result: reading.result(), resultType: resultType)
    }

    private func interval(of store: AttachedHistory) throws -> HistoryInterval {
        switch bound {
        case .nothing: return isDeletion ? .none : .all
        case .date(let date): return isDeletion ? .beforeDate(date) : .afterDate(date)
        case .token(let token):
            guard let number = token.numbers[store.identifier] else { return isDeletion ? .none : .all }
            if isDeletion { return .beforeNumber(number) }
            try HistoryFilter.requireComplete(after: number, token, store)
            return .afterNumber(number)
        }
    }
}

// See `InitializedOfAnyClass`.
extension NSPersistentHistoryChangeRequest {
    @_silgen_name("OpenCoreData_historyRequest")
    convenience init(of nothing: Void) { self.init() }

    /// Makes a request by the initialiser of the class it is called on.
    @_silgen_name("OpenCoreData_historyRequest")
    fileprivate static func makeRequest(_ nothing: Void) -> NSPersistentHistoryChangeRequest
}
