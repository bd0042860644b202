import Foundation

/// What a context fetches from a store.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/datastorefetchrequest)
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
    /// The condition and the order.
    public let descriptor: FetchDescriptor<T>
    /// The context.
    public let editingState: EditingState
}

/// What a store has found.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/datastorefetchresult)
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>: Sendable {
    /// The condition and the order.
    public let descriptor: FetchDescriptor<ModelType>
    /// The values of the models, in the order.
    public let fetchedSnapshots: [SnapshotType]
    /// The values of models to which these lead, by their identifiers.
    public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - descriptor: The condition and the order.
    ///   - fetchedSnapshots: The values of the models, in the order.
    ///   - relatedSnapshots: The values of models to which these lead.
    public init(
        descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
        relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
    ) {
        self.descriptor = descriptor
        self.fetchedSnapshots = fetchedSnapshots
        self.relatedSnapshots = relatedSnapshots
    }
}

/// The changes of a context that a store writes.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/datastoresavechangesrequest)
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
    /// The context.
    public let editingState: EditingState
    /// The values of new models, which have temporary identifiers.
    public let inserted: [SnapshotType]
    /// The values of changed models.
    public let updated: [SnapshotType]
    /// The last values of removed models.
    public let deleted: [SnapshotType]
}

/// What a store has made of changes.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/datastoresavechangesresult)
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
    /// The identifier of the store.
    public let storeIdentifier: String
    /// The permanent identifiers of the new models, by their temporary ones.
    public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
    /// Values that the store has changed, by the permanent identifiers. The context takes them.
    public let snapshotsToReregister: [PersistentIdentifier: T]
    /// The position of the changes in the store's history; nil without one.
    public let historyToken: (any HistoryToken)?

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The identifier of the store.
    ///   - remappedIdentifiers: The permanent identifiers of the new models, by their temporary ones.
    ///   - snapshotsToReregister: Values that the store has changed.
    public convenience init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:]
    ) {
        self.init(
            for: storeIdentifier, remappedIdentifiers: remappedIdentifiers,
            snapshotsToReregister: snapshotsToReregister, historyToken: nil)
    }

    /// Creates a result of a store that has a history.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The identifier of the store.
    ///   - remappedIdentifiers: The permanent identifiers of the new models, by their temporary ones.
    ///   - snapshotsToReregister: Values that the store has changed.
    ///   - historyToken: The position of the changes in the store's history.
    public init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)?
    ) {
        self.storeIdentifier = storeIdentifier
        self.remappedIdentifiers = remappedIdentifiers
        self.snapshotsToReregister = snapshotsToReregister
        self.historyToken = historyToken
    }
}

/// The models that a store removes by a condition.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/datastorebatchdeleterequest)
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
    /// The condition; nil for all models.
    public let predicate: Predicate<T>?
    /// Whether models of subclasses count.
    public let includeSubclasses: Bool
    /// The context.
    public let editingState: EditingState
}
