import Foundation
import SwiftData

// A schema and a store of a program for the tests of custom stores.

struct ParcelSize: Codable, Equatable {
    var width: Int
    var notes: [String]
}

enum ParcelKind: String, Codable { case plain, fragile }

@Model class Parcel {
    var number: Int
    var label: String
    var weight: Double?
    var kind = ParcelKind.plain
    var size = ParcelSize(width: 1, notes: [])
    var tags: [String] = []
    var sent = Date(timeIntervalSinceReferenceDate: 0)
    @Relationship(deleteRule: .cascade, inverse: \ParcelItem.parcel) var items: [ParcelItem] = []
    /// A property that no store knows.
    var isHeavy: Bool { weight ?? 0 > 3 }

    init(_ number: Int, _ label: String, weight: Double? = nil) {
        self.number = number
        self.label = label
        self.weight = weight
    }
}

@available(macOS 26, iOS 26, *)
@Model final class GiftParcel: Parcel {
    var wish = ""

    init(_ number: Int, _ label: String, wish: String) {
        self.wish = wish
        super.init(number, label)
    }
}

@Model final class ParcelItem {
    var name: String
    var parcel: Parcel?

    init(_ name: String) { self.name = name }
}

@Model final class ParcelNote {
    var text: String

    init(_ text: String) { self.text = text }
}

/// What a store of the tests has, and how it answers.
final class ShopContents<Snapshot: DataStoreSnapshot>: @unchecked Sendable {  // used by one call at a time
    var data = Data("[]".utf8)
    var lastNumber = 0
    /// Whether the context has to filter and to sort.
    var prefersMemory = true
    /// What the store makes of the models that it has found.
    var select: (([Snapshot]) throws -> [Snapshot])?
    /// The permanent identifier that the store returns in place of another one.
    var replace: ((PersistentIdentifier) -> PersistentIdentifier?)?
    var failure: (any Error)?
    var count: Int?
    /// The snapshots that the store has changed in a save.
    var reregister: (([Snapshot]) throws -> [Snapshot])?
    var identifier = "shop-\(UUID().uuidString)"
    var identifierOfSave: String?
    var schema: Schema?
    var calls: [String] = []
    var states: Set<EditingState.ID> = []
    var transactions: [ShopTransaction] = []
}

struct ShopConfiguration<Snapshot: DataStoreSnapshot>: DataStoreConfiguration {
    typealias Store = ShopStore<Snapshot>

    var name = "shop"
    var schema: Schema?
    var contents = ShopContents<Snapshot>()
    var isValid = true

    func validate() throws {
        if !isValid { throw ShopError.invalid }
    }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

enum ShopError: Error { case invalid, full }

struct ShopToken: HistoryToken {
    let tokenValue: Int?

    static func < (lhs: ShopToken, rhs: ShopToken) -> Bool { lhs.tokenValue ?? 0 < rhs.tokenValue ?? 0 }
}

struct ShopTransaction: HistoryTransaction {
    var author: String?
    var changes: [HistoryChange] { [] }
    var storeIdentifier: String
    var timestamp = Date()
    var token: ShopToken
    var transactionIdentifier: Int
}

/// A store that keeps JSON.
final class ShopStore<Snapshot: DataStoreSnapshot>: DataStore, DataStoreBatching, HistoryProviding {
    typealias Configuration = ShopConfiguration<Snapshot>

    let configuration: ShopConfiguration<Snapshot>
    let identifier: String
    let schema: Schema
    private var contents: ShopContents<Snapshot> { configuration.contents }

    init(_ configuration: ShopConfiguration<Snapshot>, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        identifier = configuration.contents.identifier
        schema = configuration.contents.schema ?? configuration.schema ?? Schema()
    }

    private func read() throws -> [Snapshot] { try JSONDecoder().decode([Snapshot].self, from: contents.data) }

    func fetch<T: PersistentModel>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, Snapshot> {
        contents.calls.append("fetch \(Schema.entityName(for: T.self))")
        if let failure = contents.failure { throw failure }
        if contents.prefersMemory {
            if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
            if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        }
        let entity = schema.entitiesByName[Schema.entityName(for: T.self)]
        let names = Set([entity].compactMap(\.?.name) + (entity?.subentities.map(\.name) ?? []))
        var found = try read().filter { names.contains($0.persistentIdentifier.entityName) }
        if let select = contents.select { found = try select(found) }
        if let limit = request.descriptor.fetchLimit, contents.select == nil { found = Array(found.prefix(limit)) }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: found)
    }

    func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
        contents.calls.append("count \(Schema.entityName(for: T.self))")
        return try contents.count ?? fetch(request).fetchedSnapshots.count
    }

    func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot> {
        contents.calls.append("save \(request.inserted.count) \(request.updated.count) \(request.deleted.count)")
        if let failure = contents.failure { throw failure }
        var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
        for snapshot in request.inserted {
            contents.lastNumber += 1
            permanent[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
                for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: contents.lastNumber)
        }
        func permanentCopy(_ snapshot: Snapshot) -> Snapshot {
            let identifier = snapshot.persistentIdentifier
            return snapshot.copy(
                persistentIdentifier: permanent[identifier] ?? identifier, remappedIdentifiers: permanent)
        }
        let written = (request.updated + request.inserted).map(permanentCopy)
        let gone = Set((request.deleted + written).map(\.persistentIdentifier))
        let kept = try read().filter { !gone.contains($0.persistentIdentifier) }
        contents.data = try JSONEncoder().encode(kept + written)
        contents.transactions.append(
            ShopTransaction(
                author: request.editingState.author, storeIdentifier: identifier,
                token: ShopToken(tokenValue: contents.transactions.count + 1),
                transactionIdentifier: contents.transactions.count + 1))
        let changed = try contents.reregister?(written) ?? []
        return DataStoreSaveChangesResult(
            for: contents.identifierOfSave ?? identifier,
            remappedIdentifiers: permanent.compactMapValues { identifier in
                guard let replace = contents.replace else { return identifier }
                return replace(identifier)
            },
            snapshotsToReregister: Dictionary(uniqueKeysWithValues: changed.map { ($0.persistentIdentifier, $0) }),
            historyToken: contents.transactions.last?.token)
    }

    func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
        contents.calls.append("delete \(Schema.entityName(for: T.self))")
        contents.data = try JSONEncoder().encode(
            try read().filter { $0.persistentIdentifier.entityName != Schema.entityName(for: T.self) })
    }

    func erase() throws {
        contents.calls.append("erase")
        contents.data = Data("[]".utf8)
    }

    func initializeState(for editingState: EditingState) { contents.states.insert(editingState.id) }

    func invalidateState(for editingState: EditingState) { contents.states.remove(editingState.id) }

    static var historyType: ShopTransaction.Type { ShopTransaction.self }

    func fetchHistory(_ descriptor: HistoryDescriptor<ShopTransaction>) throws -> [ShopTransaction] {
        try contents.transactions.filter { try descriptor.predicate?.evaluate($0) ?? true }
    }

    func deleteHistory(_ descriptor: HistoryDescriptor<ShopTransaction>) throws {
        contents.transactions = try contents.transactions.filter { try !(descriptor.predicate?.evaluate($0) ?? true) }
    }
}

/// A snapshot of a type of the program.
struct ShopSnapshot: DataStoreSnapshot {
    private let values: DefaultSnapshot
    var persistentIdentifier: PersistentIdentifier { values.persistentIdentifier }

    private init(_ values: DefaultSnapshot) { self.values = values }

    init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
        values = DefaultSnapshot(from: backingData, relatedBackingDatas: &relatedBackingDatas)
    }

    init(from decoder: any Decoder) throws { values = try DefaultSnapshot(from: decoder) }

    func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }

    func copy(
        persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> ShopSnapshot {
        ShopSnapshot(
            values.copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: remappedIdentifiers))
    }
}
