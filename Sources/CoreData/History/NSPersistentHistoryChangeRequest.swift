import Foundation

/// Reads or deletes the persistent history of a coordinator's stores.
///
/// A store keeps history if it is added with `NSPersistentHistoryTrackingKey`. Execute the request with
/// ``NSManagedObjectContext/execute(_:)``; the result is an ``NSPersistentHistoryResult``. The request's
/// `affectedStores` limits it to some stores.
///
/// Executing it throws the following errors:
///
/// - `NSPersistentHistoryTokenExpiredError` (134301) if history after the token has been deleted.
/// - `NSCoreDataError` (134060) if the context has no coordinator, if the fetch request is for another entity, or if it
///   has a key that the entity does not have.
/// - The store's error if it cannot be read or written.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest)
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    private enum Bound {
        /// When reading: all history. When deleting: nothing.
        case nothing
        case date(Date)
        case token(NSPersistentHistoryToken)
    }

    private final var bound = Bound.nothing
    private final var isDeletion = false

    /// The kind of result: unless set, transactions with their changes, and for a deletion whether it succeeded.
    ///
    /// With `count` the result of a deletion is the number of deleted changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest/resulttype)
    open var resultType = NSPersistentHistoryResultType.transactionsAndChanges

    /// A request that restricts the history to be read, by its predicate, order, offset and limit.
    ///
    /// It is a request for the entity of ``NSPersistentHistoryTransaction`` or of ``NSPersistentHistoryChange``. If it
    /// is for changes, transactions have only the changes that match, and come in the order of their first ones. A key
    /// that the entity does not have is an error when the request is executed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest/fetchrequest)
    open var fetchRequest: NSFetchRequest<NSFetchRequestResult>?

    /// Creates a request that reads all history.
    public override init() {
        super.init()
    }

    /// The token after which history is read, or before which it is deleted.
    ///
    /// Nil if the request has a date or no bound.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest/token)
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

    /// Creates a request that reads the transactions after a point in time.
    ///
    /// - Parameter date: The point in time.
    /// - Returns: The request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest/fetchhistory(after:)-qi5b)
    open class func fetchHistory(after date: Date) -> Self { request(.date(date)) }

    /// Creates a request that reads the transactions after a token.
    ///
    /// - Parameter token: The token; nil for all history. All history of a store that the token does not have is read.
    /// - Returns: The request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest/fetchhistory(after:)-3rmfm)
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self { request(token.map { .token($0) }) }

    /// Creates a request that reads the transactions after another one.
    ///
    /// - Parameter transaction: The transaction; nil for all history.
    /// - Returns: The request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest/fetchhistory(after:)-9cuj5)
    open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
        request(transaction.map { .token($0.token) })
    }

    /// Creates a request that reads the history that a fetch request describes.
    ///
    /// - Parameter fetchRequest: A request for transactions or for changes; see ``fetchRequest``.
    /// - Returns: The request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest/fetchhistory(withfetch:))
    open class func fetchHistory(withFetch fetchRequest: NSFetchRequest<NSFetchRequestResult>) -> Self {
        let request = request(nil)
        request.fetchRequest = fetchRequest
        return request
    }

    /// Creates a request that deletes the transactions before a point in time.
    ///
    /// - Parameter date: The point in time.
    /// - Returns: The request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest)
    open class func deleteHistory(before date: Date) -> Self { request(.date(date), isDeletion: true) }

    /// Creates a request that deletes the transactions before the one to which a token belongs.
    ///
    /// - Parameter token: The token; nil deletes nothing. Nothing is deleted in a store that the token does not have.
    /// - Returns: The request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest)
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
        request(token.map { .token($0) }, isDeletion: true)
    }

    /// Creates a request that deletes the transactions before another one.
    ///
    /// - Parameter transaction: The transaction, which stays; nil deletes nothing.
    /// - Returns: The request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest)
    open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
        request(transaction.map { .token($0.token) }, isDeletion: true)
    }

    /// The type of a history request.
    open override var requestType: NSPersistentStoreRequestType { .persistentHistoryRequestType }

    /// Returns an independent copy of the request.
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
        return try UndecidedPredicate.throwing {
            for store in stores { try reading.read(store, interval(of: store), HistoryFilter(fetchRequest, store)) }
            return NSPersistentHistoryResult(result: reading.result(), resultType: resultType)
        }
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
