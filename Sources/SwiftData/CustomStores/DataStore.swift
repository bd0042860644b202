import Foundation

/// Where a program keeps its models, in a form of its own.
///
/// A container makes the store of a ``DataStoreConfiguration``. It calls the store from the threads of its contexts,
/// one call at a time.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/datastore)
public protocol DataStore: AnyObject {
    /// The type of the configuration.
    associatedtype Configuration: DataStoreConfiguration where Configuration.Store == Self
    /// The type of the values of one model.
    associatedtype Snapshot: DataStoreSnapshot

    /// Creates the store of a configuration, whose schema is set.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - migrationPlan: The plan of the container; nil without one.
    /// - Throws: An error of the store, which makes the container fail.
    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

    /// The configuration.
    var configuration: Configuration { get }
    /// The identifier, which the identifiers of the store's models have.
    var identifier: String { get }
    /// The classes.
    var schema: Schema { get }

    /// Returns models.
    ///
    /// - Parameter request: The condition and the order.
    /// - Returns: The values of the models in the order.
    /// - Throws: ``DataStoreError/preferInMemoryFilter`` or ``DataStoreError/preferInMemorySort`` if the context has to
    ///   filter or to sort. It then asks again, without the condition or the order.
    func fetch<T: PersistentModel>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, Snapshot>

    /// Returns the number of models; that of a fetch unless implemented.
    ///
    /// - Parameter request: The condition.
    /// - Returns: The number.
    /// - Throws: As ``fetch(_:)``.
    func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int

    /// Returns the identifiers of models; those of a fetch unless implemented.
    ///
    /// - Parameter request: The condition and the order.
    /// - Returns: The identifiers.
    /// - Throws: As ``fetch(_:)``.
    func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]

    /// Writes all changes of a context, or none.
    ///
    /// - Parameter request: The changes.
    /// - Returns: The permanent identifiers of the new models.
    /// - Throws: An error of the store. The changes stay in the context.
    func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

    /// Removes everything; throws ``DataStoreError/unsupportedFeature`` unless implemented. The container has removed
    /// the models before.
    ///
    /// - Throws: An error of the store.
    func erase() throws

    /// Returns values that the store has at hand; none unless implemented.
    ///
    /// - Parameters:
    ///   - persistentIdentifiers: The identifiers of the models.
    ///   - editingState: The context that asks.
    /// - Returns: The values of some of the models.
    /// - Throws: An error of the store.
    func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot]

    /// Called when a context begins to use the store. Nothing happens unless implemented.
    ///
    /// - Parameter editingState: The context.
    func initializeState(for editingState: EditingState)

    /// Called at the end of a context. Nothing happens unless implemented.
    ///
    /// - Parameter editingState: The context.
    func invalidateState(for editingState: EditingState)
}

extension DataStore {
    /// Returns the number of models of a fetch.
    public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
        try fetch(request).fetchedSnapshots.count
    }

    /// Returns the identifiers of the models of a fetch.
    public func fetchIdentifiers<T: PersistentModel>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> [PersistentIdentifier] {
        try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
    }

    /// Throws ``DataStoreError/unsupportedFeature``.
    public func erase() throws { throw DataStoreError.unsupportedFeature }

    /// Returns no values.
    public func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot] { [:] }

    /// Does nothing.
    public func initializeState(for editingState: EditingState) {}

    /// Does nothing.
    public func invalidateState(for editingState: EditingState) {}
}

/// What a container needs to make a store of a program.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/datastoreconfiguration)
public protocol DataStoreConfiguration: Hashable {
    /// The type of the store.
    associatedtype Store: DataStore where Store.Configuration == Self

    /// The name.
    var name: String { get }
    /// The classes of the store. The container sets its own where it is nil.
    var schema: Schema? { get set }

    /// Throws if no store can be made. Every configuration is valid unless implemented.
    func validate() throws
}

extension DataStoreConfiguration {
    /// Accepts the configuration.
    public func validate() throws {}
}

/// An error by which a store says what it cannot do.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/datastoreerror)
public enum DataStoreError: Error, Hashable, Sendable {
    /// The store cannot use the condition.
    case invalidPredicate
    /// The context has to filter.
    case preferInMemoryFilter
    /// The context has to sort.
    case preferInMemorySort
    /// The store does not have the function.
    case unsupportedFeature
}

/// A store that removes models by a condition.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/datastorebatching)
public protocol DataStoreBatching: DataStore {
    /// Removes models.
    ///
    /// - Parameter request: The condition.
    /// - Throws: An error of the store.
    func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}

/// A store that has a history.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historyproviding)
public protocol HistoryProviding {
    /// The type of the transactions.
    associatedtype HistoryType: HistoryTransaction

    /// The type of the transactions.
    static var historyType: HistoryType.Type { get }

    /// Returns transactions.
    ///
    /// - Parameter descriptor: The condition and the order.
    /// - Returns: The transactions.
    /// - Throws: An error of the store.
    func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

    /// Deletes transactions.
    ///
    /// - Parameter descriptor: The condition.
    /// - Throws: An error of the store.
    func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}
