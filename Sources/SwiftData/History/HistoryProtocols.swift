import Foundation

/// A position in the history of stores.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historytoken)
public protocol HistoryToken<TokenType>: Codable, Comparable, Hashable, Sendable {
    /// The type of the position.
    associatedtype TokenType
    /// The position; nil before the first transaction.
    var tokenValue: TokenType? { get }
}

/// The changes of one save.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historytransaction)
public protocol HistoryTransaction: Sendable {
    /// The type of the token.
    associatedtype TokenType: HistoryToken
    /// The type of the identifier.
    associatedtype TransactionIdentifier: Hashable & Sendable
    /// The author that the context had; nil if it had none.
    var author: String? { get }
    /// The changes, in the order of the store.
    var changes: [HistoryChange] { get }
    /// The identifier of the store.
    var storeIdentifier: String { get }
    /// The time of the save.
    var timestamp: Date { get }
    /// The position of the transaction.
    var token: TokenType { get }
    /// The identifier of the transaction in its store.
    var transactionIdentifier: TransactionIdentifier { get }
}

/// A change of one model.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historychange)
public enum HistoryChange: Sendable {
    /// The model was added.
    case insert(any HistoryInsert)
    /// Properties of the model were changed.
    case update(any HistoryUpdate)
    /// The model was removed.
    case delete(any HistoryDelete)

    /// The identifier of the model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historychange/changedpersistentidentifier)
    public var changedPersistentIdentifier: PersistentIdentifier {
        switch self {
        case .insert(let change): change.changedPersistentIdentifier
        case .update(let change): change.changedPersistentIdentifier
        case .delete(let change): change.changedPersistentIdentifier
        }
    }
}

/// The addition of a model.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historyinsert)
public protocol HistoryInsert<Model>: Sendable {
    /// The class of the model.
    associatedtype Model: PersistentModel
    /// The type of the change's identifier.
    associatedtype ChangeIdentifier: Hashable & Sendable
    /// The type of the transaction's identifier.
    associatedtype TransactionIdentifier: Hashable & Sendable
    /// The identifier of the change in its store.
    var changeIdentifier: ChangeIdentifier { get }
    /// The identifier of the model.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The identifier of the transaction in its store.
    var transactionIdentifier: TransactionIdentifier { get }
}

/// A change of a model's properties.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historyupdate)
public protocol HistoryUpdate<Model>: Sendable {
    /// The class of the model.
    associatedtype Model: PersistentModel
    /// The type of the change's identifier.
    associatedtype ChangeIdentifier: Hashable & Sendable
    /// The type of the transaction's identifier.
    associatedtype TransactionIdentifier: Hashable & Sendable
    /// The type of a changed property.
    associatedtype PropertyUpdate
    /// The identifier of the change in its store.
    var changeIdentifier: ChangeIdentifier { get }
    /// The identifier of the model.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The identifier of the transaction in its store.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The changed properties.
    var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// The removal of a model.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historydelete)
public protocol HistoryDelete<Model>: Sendable {
    /// The class of the model.
    associatedtype Model: PersistentModel
    /// The type of the change's identifier.
    associatedtype ChangeIdentifier: Hashable & Sendable
    /// The type of the transaction's identifier.
    associatedtype TransactionIdentifier: Hashable & Sendable
    /// The identifier of the change in its store.
    var changeIdentifier: ChangeIdentifier { get }
    /// The identifier that the model had.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The identifier of the transaction in its store.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The values of the model that its class keeps in the history.
    var tombstone: HistoryTombstone<Model> { get }
}

/// Which transactions are read or deleted, and in which order.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historydescriptor)
public struct HistoryDescriptor<TransactionType: HistoryTransaction>: @unchecked Sendable {  // key paths of properties
    /// The condition; nil for all transactions.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historydescriptor/predicate)
    public var predicate: Predicate<TransactionType>?
    /// The order; the oldest first if empty.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historydescriptor/sortby)
    public var sortBy: [SortDescriptor<TransactionType>]
    /// The largest number of results; 0 for all.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historydescriptor/fetchlimit)
    public var fetchLimit: UInt64 = 0

    /// Creates a descriptor.
    ///
    /// - Parameter predicate: The condition; nil for all transactions.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historydescriptor/init(predicate:))
    public init(predicate: Predicate<TransactionType>? = nil) { self.init(predicate: predicate, sortBy: []) }

    /// Creates a descriptor with an order.
    ///
    /// - Parameters:
    ///   - predicate: The condition; nil for all transactions.
    ///   - sortBy: The order.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historydescriptor/init(predicate:sortby:))
    public init(predicate: Predicate<TransactionType>?, sortBy: [SortDescriptor<TransactionType>]) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}
