import Foundation

/// The transactions of the history as it grows, one after the other, by whichever process they were made.
///
/// The sequence ends when its task is cancelled, and with an error when history was deleted that it had not read yet.
///
/// OpenCoreData only.
public struct PersistentHistorySequence: AsyncSequence, Sendable {
    /// A transaction with its changes. Its ``NSPersistentHistoryTransaction/token`` is the place to go on from.
    public typealias Element = NSPersistentHistoryTransaction
    /// Errors of Core Data.
    public typealias Failure = any Error

    let coordinator: NSPersistentStoreCoordinator
    let token: NSPersistentHistoryToken?

    /// Makes what gives the transactions one after the other.
    public func makeAsyncIterator() -> Iterator { Iterator(HistoryFollower(coordinator, after: token)) }

    /// Gives the transactions of a sequence.
    public struct Iterator: AsyncIteratorProtocol {
        private let follower: HistoryFollower
        private var events: AsyncStream<Void>.Iterator
        /// Transactions that were read and not returned yet, latest first.
        private var waiting: [NSPersistentHistoryTransaction] = []
        private var hasFailed = false

        fileprivate init(_ follower: HistoryFollower) {
            self.follower = follower
            events = follower.events.makeAsyncIterator()
        }

        /// Returns the next transaction: waits until there is one.
        ///
        /// - Parameter actor: The isolation of the caller.
        /// - Returns: The transaction; nil if the task is cancelled.
        /// - Throws: `NSPersistentHistoryTokenExpiredError` (134301) if history was deleted that was not read yet, and
        ///   the errors of reading history.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> NSPersistentHistoryTransaction? {
            while waiting.isEmpty {
                guard !hasFailed, await events.next(isolation: actor) != nil else { return nil }
                do {
                    waiting = try await follower.newTransactions().value.reversed()
                } catch {
                    hasFailed = true
                    throw error
                }
            }
            return Task.isCancelled ? nil : waiting.popLast()
        }

        /// Returns the next transaction: waits until there is one.
        ///
        /// - Returns: The transaction; nil if the task is cancelled.
        /// - Throws: `NSPersistentHistoryTokenExpiredError` (134301) if history was deleted that was not read yet, and
        ///   the errors of reading history.
        public mutating func next() async throws -> NSPersistentHistoryTransaction? { try await next(isolation: nil) }
    }
}

extension NSPersistentStoreCoordinator {
    /// The transactions of the history after a token, and those that follow, as they are committed by any process.
    ///
    /// Stores without ``NSPersistentHistoryTrackingKey`` have none. The transactions of one store come in their order.
    /// Transactions of several stores that are read at once come in the order of their times. Those of a store that is
    /// added to the coordinator follow when it is added.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter token: The place to begin at; nil for the whole history.
    /// - Returns: The sequence, which may be iterated on any thread.
    public final func changes(after token: NSPersistentHistoryToken?) -> PersistentHistorySequence {
        PersistentHistorySequence(coordinator: self, token: token)
    }
}

/// Reads the transactions of an iteration, and knows when there may be more.
// @unchecked Sendable: `numbers` is used on the context's queue.
private final class HistoryFollower: @unchecked Sendable {
    let events: AsyncStream<Void>
    private let context: NSManagedObjectContext
    /// The numbers of the last transactions that were read, by the identifiers of the stores.
    private var numbers: [String: Int64]
    private let watches: StoreCommitWatches
    private let observers: [any NSObjectProtocol]

    init(_ coordinator: NSPersistentStoreCoordinator, after token: NSPersistentHistoryToken?) {
        let (events, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.events = events
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        numbers = token?.numbers ?? [:]
        watches = StoreCommitWatches(of: coordinator) { _ in continuation.yield() }
        observers = [
            // A save of this process is there at once, also in a store in memory, which no other process writes.
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSaveObjectIDs, object: nil, queue: nil
            ) { [weak coordinator] notification in
                let context = notification.object as? NSManagedObjectContext
                if let coordinator, context?.persistentStoreCoordinator === coordinator { continuation.yield() }
            },
            // A store that is added brings its history.
            NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
            ) { _ in continuation.yield() },
        ]
        continuation.yield()
    }

    deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }

    /// The transactions since the last call, oldest first.
    func newTransactions() async throws -> UncheckedSendable<[NSPersistentHistoryTransaction]> {
        try await context.perform { [self] in
            let newest = newestOfUnreadStores()
            let token = numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers: numbers)
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            numbers.merge(newest) { $1 }
            for transaction in transactions {
                numbers[transaction.storeID] = max(numbers[transaction.storeID] ?? 0, transaction.transactionNumber)
            }
            return UncheckedSendable(transactions)
        }
    }

    /// The numbers of the newest transactions of stores of which nothing has been read. With them, history that is
    /// deleted before its reading is missed.
    private func newestOfUnreadStores() -> [String: Int64] {
        guard let coordinator = context.persistentStoreCoordinator,
            coordinator.historyStores(among: nil).contains(where: { numbers[$0.identifier] == nil })
        else { return [:] }
        return coordinator.currentPersistentHistoryToken(fromStores: nil)?.numbers
            .filter { numbers[$0.key] == nil } ?? [:]
    }
}
