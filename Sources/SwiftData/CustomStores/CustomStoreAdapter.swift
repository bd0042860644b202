import CoreData
import Foundation

/// A store of a program as a container uses it: with snapshots of one type.
protocol CustomStoreAdapter: AnyObject {
    var identifier: String { get }
    var name: String { get }
    var schema: Schema { get }

    func fetch<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, _ state: EditingState
    ) throws -> (fetched: [DefaultSnapshot], related: [DefaultSnapshot])
    func count<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, _ state: EditingState) throws -> Int
    func identifiers<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, _ state: EditingState
    ) throws -> [PersistentIdentifier]
    func cached(_ identifier: PersistentIdentifier, _ state: EditingState) throws -> DefaultSnapshot?
    func save(_ changes: CustomStoreChanges, _ state: EditingState) throws -> CustomStoreResult
    func erase() throws
    func begin(_ state: EditingState)
    func end(_ state: EditingState)

    /// Whether the store removes models by a condition.
    var isBatching: Bool { get }
    func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
    /// Nil if the store has no transactions of the type.
    func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]?
    /// - Returns: Whether the store has transactions of the type.
    func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool
}

/// The changed objects of a context.
struct CustomStoreChanges {
    let inserted: [_ModelCore]
    let updated: [_ModelCore]
    let deleted: [_ModelCore]
}

/// What a store has made of changes.
struct CustomStoreResult {
    let permanent: [PersistentIdentifier: PersistentIdentifier]
    let changed: [DefaultSnapshot]
}

/// Calls a store of any type, one call at a time.
final class DataStoreAdapter<Store: DataStore>: CustomStoreAdapter, @unchecked Sendable {  // used under `lock`
    private let store: Store
    private let plans: [String: SnapshotPlan]
    private let lock = NSRecursiveLock()
    let identifier: String
    let name: String

    init(_ configuration: Store.Configuration, _ plans: [String: SnapshotPlan]) throws {
        try configuration.validate()
        store = try SnapshotPlan.$present.withValue(plans) { try Store(configuration, migrationPlan: nil) }
        self.plans = plans
        identifier = store.identifier
        name = configuration.name
    }

    var schema: Schema { store.schema }

    private func calling<Result>(_ body: () throws -> Result) rethrows -> Result {
        try lock.withLock { try SnapshotPlan.$present.withValue(plans, operation: body) }
    }

    /// A snapshot of any type as one of the framework's.
    private func plain(_ snapshot: Store.Snapshot) throws -> DefaultSnapshot {
        if let snapshot = snapshot as? DefaultSnapshot { return snapshot }
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(DefaultSnapshot.self, from: encoder.encode(snapshot))
    }

    func fetch<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, _ state: EditingState
    ) throws -> (fetched: [DefaultSnapshot], related: [DefaultSnapshot]) {
        try calling {
            let result = try store.fetch(DataStoreFetchRequest(descriptor: descriptor, editingState: state))
            return (try result.fetchedSnapshots.map(plain), try result.relatedSnapshots.values.map(plain))
        }
    }

    func count<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, _ state: EditingState) throws -> Int {
        try calling { try store.fetchCount(DataStoreFetchRequest(descriptor: descriptor, editingState: state)) }
    }

    func identifiers<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, _ state: EditingState
    ) throws -> [PersistentIdentifier] {
        try calling { try store.fetchIdentifiers(DataStoreFetchRequest(descriptor: descriptor, editingState: state)) }
    }

    func cached(_ identifier: PersistentIdentifier, _ state: EditingState) throws -> DefaultSnapshot? {
        try calling { try store.cachedSnapshots(for: [identifier], editingState: state)[identifier].map(plain) }
    }

    func save(_ changes: CustomStoreChanges, _ state: EditingState) throws -> CustomStoreResult {
        try calling {
            var related: [PersistentIdentifier: any BackingData] = [:]
            func snapshot(_ core: _ModelCore) -> Store.Snapshot {
                func values<Model: PersistentModel>(_ type: Model.Type) -> any BackingData {
                    ModelBackingData<Model>(core: core)
                }
                return Store.Snapshot(from: values(core.modelType.type), relatedBackingDatas: &related)
            }
            let request = DataStoreSaveChangesRequest(
                editingState: state, inserted: changes.inserted.map(snapshot), updated: changes.updated.map(snapshot),
                deleted: changes.deleted.map(snapshot))
            let result = try store.save(request)
            guard result.storeIdentifier == identifier else {
                throw CustomStoreFault.store(
                    name, "answered a save as the store “\(result.storeIdentifier)”; it is “\(identifier)”")
            }
            return CustomStoreResult(
                permanent: result.remappedIdentifiers, changed: try result.snapshotsToReregister.values.map(plain))
        }
    }

    func erase() throws { try calling { try store.erase() } }

    func begin(_ state: EditingState) { calling { store.initializeState(for: state) } }

    func end(_ state: EditingState) { calling { store.invalidateState(for: state) } }

    // MARK: Batches and history

    var isBatching: Bool { store is any DataStoreBatching }

    func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
        try calling { try (store as? any DataStoreBatching)?.delete(request) }
    }

    func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
        func fetch<Provider: HistoryProviding>(_ provider: Provider) throws -> [T]? {
            guard let descriptor = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return nil }
            return try provider.fetchHistory(descriptor) as? [T]
        }
        return try calling { try (store as? any HistoryProviding).flatMap { try fetch($0) } }
    }

    func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
        func delete<Provider: HistoryProviding>(_ provider: Provider) throws -> Bool {
            guard let descriptor = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return false }
            try provider.deleteHistory(descriptor)
            return true
        }
        return try calling { try (store as? any HistoryProviding).map { try delete($0) } ?? false }
    }
}

/// The errors for a store that answers wrongly.
enum CustomStoreFault {
    static func store(_ name: String, _ text: String) -> SwiftDataError {
        .modelValidationFailure.because("the store of the configuration “\(name)” \(text)")
    }
}
