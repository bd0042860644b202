import CoreData
import Foundation
import Observation

/// Counts the transactions of the stores' history as they are committed, by whichever context or process.
///
/// A program that observes ``eventCounter`` reads what is new by ``ModelContext/fetchHistory(_:)``. Stores in memory
/// have no history.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historyobserver)
public final class HistoryObserver: Observable {
    /// The container.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historyobserver/modelcontainer)
    public let modelContainer: ModelContainer
    /// The classes whose changes count, with those of their subclasses; all if empty.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historyobserver/observedmodels)
    public let observedModels: [any PersistentModel.Type]
    /// The authors whose transactions count; all if empty.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historyobserver/authors)
    public let authors: Set<String>
    private let registrar = ObservationRegistrar()
    private let count = Locked(0)
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - historyTokens: The positions from which transactions count, by the identifiers of the stores. A store
    ///     without one counts from now on.
    ///   - observedModels: The classes whose changes count; all if empty.
    ///   - authors: The authors whose transactions count; all if empty.
    ///   - modelContainer: The container.
    ///   - isolation: The isolation in which the counter changes.
    /// - Throws: `SwiftDataError.unknownSchema` for a class that the container does not have, `historyTokenExpired` for
    ///   a token of another store, and `invalidTransactionFetchRequest` for a token of another type.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historyobserver/init(historytokens:observedmodels:authors:modelcontainer:isolation:))
    public convenience init(
        historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
        authors: Set<String> = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        let start = try modelContainer.historyToken(historyTokens ?? [:])
        for model in observedModels where modelContainer.managed.types[ObjectIdentifier(model)] == nil {
            throw SwiftDataError.unknownSchema.because(
                "the container has no class \(String(reflecting: model)), which an observer of history is to observe")
        }
        self.init(modelContainer, observedModels, authors)
        follow(after: start, isolation: isolation)
    }

    private init(
        _ modelContainer: ModelContainer, _ observedModels: [any PersistentModel.Type], _ authors: Set<String>
    ) {
        self.modelContainer = modelContainer
        self.observedModels = observedModels
        self.authors = authors
    }

    deinit { task.withLock { $0?.cancel() } }

    /// The number of transactions that count since the observer was made. Where history was deleted that the observer
    /// had not read, the counter grows by one.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historyobserver/eventcounter)
    public var eventCounter: Int {
        registrar.access(self, keyPath: \.eventCounter)
        return count.withLock { $0 }
    }

    private func countEvent() {
        registrar.withMutation(of: self, keyPath: \.eventCounter) { count.withLock { $0 += 1 } }
    }

    private func follow(after start: NSPersistentHistoryToken?, isolation: isolated (any Actor)?) {
        let coordinator = modelContainer.coordinator
        let filter = HistoryEventFilter(
            types: Set(observedModels.map { ObjectIdentifier($0) }), authors: authors)
        let observer = UncheckedReference(self)
        let work = Task {
            _ = isolation
            var token = start
            while !Task.isCancelled {
                var changes = coordinator.changes(after: token).makeAsyncIterator()
                do {
                    while let transaction = try await changes.next(isolation: isolation) {
                        if filter.admits(transaction) { observer.object?.countEvent() }
                    }
                    return
                } catch {
                    // What has been deleted may have concerned the observer.
                    observer.object?.countEvent()
                    token = coordinator.currentPersistentHistoryToken(fromStores: nil)
                }
            }
        }
        task.withLock { $0 = work }
    }
}

@available(*, unavailable)
extension HistoryObserver: Sendable {}

extension ModelContainer {
    /// The position of tokens, by the identifiers of their stores. A store without one is at its present position.
    fileprivate func historyToken(_ tokens: [String: any HistoryToken]) throws -> NSPersistentHistoryToken? {
        let present = coordinator.currentPersistentHistoryToken(fromStores: nil)
        if tokens.isEmpty { return present }
        let stores = Set(coordinator.persistentStores.compactMap(\.identifier))
        var numbers = try present.map { try HistoryBounds.numbers($0) } ?? [:]
        for (store, token) in tokens {
            guard let token = token as? DefaultHistoryToken else {
                throw SwiftDataError.invalidTransactionFetchRequest.because(
                    "the stores of the container have no tokens of the type \(type(of: token))")
            }
            guard stores.contains(store), let number = token.numbers[store] ?? (token.numbers.isEmpty ? 0 : nil) else {
                throw SwiftDataError.historyTokenExpired.because(
                    "the token for the store \(store) is of other stores: \(token.numbers)")
            }
            numbers[store] = number
        }
        return try HistoryBounds.token(numbers)
    }
}

/// Which transactions count.
private struct HistoryEventFilter {
    let types: Set<ObjectIdentifier>
    let authors: Set<String>

    func admits(_ transaction: NSPersistentHistoryTransaction) -> Bool {
        if !authors.isEmpty, transaction.author.map({ !authors.contains($0) }) ?? true { return false }
        return types.isEmpty
            || (transaction.changes ?? []).contains { change in
                sequence(first: change.changedObjectID.entity, next: \.superentity).contains { entity in
                    (entity.representation as? ModelType).map { types.contains(ObjectIdentifier($0.type)) } ?? false
                }
            }
    }
}
